"""The sections of the import form: file format, documents and sides."""

from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from app.languages import language_name
from app.number_format import format_percent
from app.protocol.answers.corpora import ImportPreview, SidePreview
from app.views.corpora.import_preview import SURE_CONFIDENCE
from app.views.corpora.name_fields import NameFields
from app.views.widgets.boxes import Stretch, make_column
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe, make_label, restyle
from app.views.widgets.fields import replace_choices, select_choice
from app.views.widgets.language_field import LanguageField
from app.views.widgets.number_format import format_count
from app.views.widgets.sections import CollapsibleSection
from app.views.widgets.theme import GRID

FORMATS = [
    ("automatic", "auto"),
    ("plain text", "text"),
    ("TSV", "tsv"),
    ("CSV", "csv"),
    ("Excel (.xlsx)", "xlsx"),
    ("parallel text files", "moses"),
    ("TMX", "tmx"),
    ("XLIFF", "xliff"),
    ("PO (gettext)", "po"),
    ("CoNLL-U", "conllu"),
    ("TEI", "tei"),
    ("JSON lines", "jsonl"),
    ("Parquet", "parquet"),
]
DELIMITERS = [
    ("automatic", ""),
    ("tab", "tab"),
    ("comma ,", ","),
    ("semicolon ;", ";"),
    ("bar |", "|"),
]
QUOTINGS = [("automatic", "auto"), ("double quotes", "double"), ("none", "none")]
HEADERS = [("automatic", "auto"), ("first row", "yes"), ("none", "no")]
ENCODINGS = ("utf-8", "utf-16", "cp1252", "iso8859-15", "cp1251", "koi8-r", "cp1256",
             "gb18030", "big5", "shift_jis", "euc_kr")  # fmt: skip
FORMATS_WITH_ENCODING = ("tmx", "xliff", "tei", "xlsx", "parquet")  # declared inside


class SideSection(QWidget):
    """Fields of one side."""

    changed = Signal()  # the column
    language_changed = Signal()

    def __init__(self, number: int, parent: QWidget | None = None):
        super().__init__(parent)
        self._number = number
        self._is_language_set = False  # by the user
        self.column = QComboBox()
        describe(self.column, self.tr("Column"), self.tr("Column of the sentences."))
        self.language = LanguageField()
        self.name = QLineEdit()
        describe(self.name, self.tr("Name"), self.tr("Name of the corpus."))
        self.name.setMaxLength(200)
        self._doubt = make_label("", "warning", wraps=True)
        self._rows = make_rows(self)
        self._rows.setContentsMargins(0, GRID, 0, 0)
        for title, field in (
            (self.tr("Column") if number == 0 else self.tr("Other side"), self.column),
            (self.tr("Language"), self.language),
            ("", self._doubt),
            (self.tr("Name"), self.name),
        ):
            if title:
                label = make_label(title)
                label.setBuddy(field)
                self._rows.addRow(label, field)
            else:
                self._rows.addRow(field)
        self.column.currentIndexChanged.connect(self.changed)
        self.language.textEdited.connect(self._on_language_edited)
        self.language.completer().activated.connect(self._on_language_edited)

    def event(self, event: QEvent) -> bool:
        """Reserve space for complete fields: a nested form layout gets too little."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.setMinimumHeight(self.sizeHint().height())
        return super().event(event)

    @property
    def chosen_column(self) -> str:
        """The selected column; empty: the detected column, or none."""
        return str(self.column.currentData() or "")

    @property
    def chosen_language(self) -> str:
        """The language set by the user; empty if it is only detected."""
        return self.language.code if self._is_language_set else ""

    def set_language(self, code: str) -> None:
        """Set the language as if the user had selected it."""
        self._is_language_set = True
        self.language.set_code(code)

    def show_side(
        self, side: SidePreview | None, columns: Sequence[str], *, is_fixed: bool
    ) -> None:
        """Show what was detected.

        Args:
            side: this side; None if it is not imported.
            columns: columns on offer; empty if the format has none.
            is_fixed: whether the file declares its languages.
        """
        self._rows.setRowVisible(self.column, bool(columns))
        self._show_columns(side, columns)
        is_used = side is not None
        self._rows.setRowVisible(self.language, is_used)
        self._rows.setRowVisible(self.name, is_used and not is_fixed)
        self.language.setReadOnly(is_fixed)
        self._show_guess(side, is_fixed=is_fixed)
        if side is None:
            return
        if is_fixed:
            self.language.set_code(side.language)
        elif not self._is_language_set:
            code = side.language or (
                side.guess if side.confidence >= SURE_CONFIDENCE else ""
            )
            with QSignalBlocker(self.language):
                self.language.set_code(code) if code else self.language.clear()

    def _show_guess(self, side: SidePreview | None, *, is_fixed: bool) -> None:
        """Show the detected language; as a warning if another one is selected."""
        has_guess = side is not None and bool(side.mismatch or side.guess)
        self._rows.setRowVisible(self._doubt, has_guess and not is_fixed)
        if side is None:
            return
        words = self.tr("The text looks like {language} ({share} sure).")
        name, share = language_name(side.guess), format_percent(side.confidence)
        text = side.mismatch or words.format(language=name, share=share)
        self._doubt.setText(text)
        restyle(self._doubt, "role", "warning" if side.mismatch else "secondary")

    def _show_columns(self, side: SidePreview | None, columns: Sequence[str]) -> None:
        chosen = self.chosen_column
        first = self.tr("automatic") if self._number == 0 else self.tr("none")
        if side is not None and side.column and not chosen:
            first = self.tr("{column} (detected)").format(column=side.column)
        with QSignalBlocker(self.column):
            self.column.clear()
            self.column.addItem(first, "")
            for column in columns:
                self.column.addItem(column, column)
            self.column.setCurrentIndex(max(self.column.findData(chosen), 0))

    def _on_language_edited(self) -> None:
        self._is_language_set = True
        self.language_changed.emit()


class FormatSection(QWidget):
    """Format, encoding, delimiter, quoting, header and splitting, as they apply.

    Attributes:
        joins: whether the lines of a paragraph are joined.
        splits: whether paragraphs are split into sentences.
        fuzzy, plurals: whether fuzzy and plural entries of a PO file are imported.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._shown = ImportPreview()
        self._has_detected = False  # hard line breaks
        self._rows = make_rows(self)
        self._format = self._add(self.tr("Format"), FORMATS, self.tr("File format."))
        self.encoding = self._add(
            self.tr("Encoding"), [], self.tr("Character encoding of the file.")
        )
        self._delimiter = self._add(
            self.tr("Delimiter"), DELIMITERS, self.tr("Character between two cells.")
        )
        self._quoting = self._add(
            self.tr("Quoting"), QUOTINGS, self.tr("Whether cells are quoted.")
        )
        self._header = self._add(
            self.tr("Header"), HEADERS, self.tr("Whether the first row is a header.")
        )
        self.joins = self._add_check_box(
            self.tr("Join the lines of a paragraph"),
            self.tr("Otherwise each line is a paragraph."),
        )
        self.splits = self._add_check_box(
            self.tr("Split paragraphs into sentences"),
            self.tr("Otherwise each line is a sentence."),
        )
        self.fuzzy = self._add_check_box(
            self.tr("Import fuzzy translations"),
            self.tr("Translations that are marked as uncertain."),
        )
        self.plurals = self._add_check_box(
            self.tr("Import plural forms"),
            self.tr("The singular with its form, the plural with each of the others."),
        )
        self._show_rows(())  # until the format is detected

    def _show_rows(self, shown: Collection[QWidget]) -> None:
        """Show the rows of these fields; hide the other format-specific rows."""
        for field in (
            *(self._delimiter, self._quoting, self._header),
            *(self.joins, self.splits, self.fuzzy, self.plurals),
        ):
            self._rows.setRowVisible(field, field in shown)

    @property
    def values(self) -> dict[str, Any]:
        """The fields of ImportCorpus that are set here."""
        is_delimited = self._shown.is_delimited
        is_text = self._shown.format in ("", "text")
        joins = "yes" if self.joins.isChecked() else "auto"
        if self._shown.is_hard_wrapped and not self.joins.isChecked():
            joins = "no"
        return {
            "format": self._format.currentData(),
            "encoding": self.encoding.currentData(),
            "delimiter": self._delimiter.currentData() if is_delimited else "",
            "quoting": self._quoting.currentData() if is_delimited else "",
            "header": self._header.currentData(),
            "join_lines": joins if is_text else "auto",
            "split": self.splits.isChecked() and is_text,
            "fuzzy": self.fuzzy.isChecked() and self._shown.format == "po",
            "plurals": self.plurals.isChecked() and self._shown.format == "po",
        }

    def show_preview(self, preview: ImportPreview) -> None:
        """Show what was detected where the user has not chosen."""
        self._shown = preview
        detected = self.tr("{what} (detected)")
        automatic = [(detected.format(what=_encoding_title(preview.encoding)), "")]
        names = dict.fromkeys([*preview.encoding_alternatives, *ENCODINGS])
        others = [(_encoding_title(name), name) for name in names]
        replace_choices(self.encoding, automatic + others)
        for box, key in (
            (self._format, preview.format),
            (self._delimiter, preview.delimiter),
            (self._quoting, "double" if preview.is_quoted else "none"),
            (self._header, "yes" if preview.has_header else "no"),
        ):
            index = box.findData("tab" if key == "\t" else key)
            name = box.itemText(index) if index > 0 else key
            box.setItemText(0, detected.format(what=name))
        has_header = preview.is_delimited or preview.format == "xlsx"
        has_encoding = preview.format not in FORMATS_WITH_ENCODING
        self._rows.setRowVisible(self.encoding, has_encoding)
        shown: list[QWidget] = []
        if preview.is_delimited:
            shown += [self._delimiter, self._quoting]
        if has_header:
            shown.append(self._header)
        if preview.format == "text":
            shown += [self.joins, self.splits]
        if preview.format == "po":
            shown += [self.fuzzy, self.plurals]
        self._show_rows(shown)
        if preview.is_hard_wrapped and not self._has_detected:
            self._has_detected = True
            with QSignalBlocker(self.joins), QSignalBlocker(self.splits):
                self.joins.setChecked(True)
                self.splits.setChecked(True)
            self.changed.emit()

    def _add(self, title: str, choices: list[tuple[str, str]], hint: str) -> QComboBox:
        box = add_choice(self._rows, title, choices, hint)
        box.currentIndexChanged.connect(self.changed)
        return box

    def _add_check_box(self, title: str, hint: str) -> QCheckBox:
        box = QCheckBox(title)
        describe(box, title, hint)
        box.toggled.connect(self.changed)
        self._rows.addRow("", box)
        return box


def make_rows(widget: QWidget) -> QFormLayout:
    """Make a form layout for a section of the form."""
    rows = QFormLayout(widget)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.setSpacing(GRID)
    rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)  # labels above
    rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return rows


def add_choice(
    rows: QFormLayout, title: str, choices: list[tuple[str, str]], hint: str
) -> QComboBox:
    """Add a titled combo box of (text, key) choices."""
    box = QComboBox()
    describe(box, title, hint)
    for words, key in choices:
        box.addItem(words, key)
    label = QLabel(title)
    label.setBuddy(box)
    rows.addRow(label, box)
    return box


YEAR_FIELD = "year"  # always a number
TYPING_DELAY_MS = 400  # after the last key


class DocumentSection(QWidget):
    """Collapsed section: name pattern, document column and field columns."""

    changed = Signal()

    def __init__(self, names: Sequence[str] = (), parent: QWidget | None = None):
        """Make the section; `names`: file names until a preview names the documents."""
        super().__init__(parent)
        self._timer = QTimer(self, singleShot=True, interval=TYPING_DELAY_MS)
        self._timer.timeout.connect(self.changed)
        self._file_names = list(names)
        self._proposed: tuple[str, list[str]] = ("", [])  # document and fields
        self.names = NameFields()
        self.names.changed.connect(self._on_names_changed)
        self.pattern = QLineEdit()
        self.pattern.setMaxLength(500)
        describe(
            self.pattern,
            self.tr("Pattern of the names"),
            self.tr("Set by the fields above."),
        )
        self.pattern.textEdited.connect(self._on_pattern_edited)
        self.document = QComboBox()
        describe(
            self.document,
            self.tr("Document"),
            self.tr("Column with the document of each sentence."),
        )
        self.document.currentIndexChanged.connect(self.changed)
        self.fields = CheckList(
            self.tr("Fields"), self.tr("Columns that are fields of the document.")
        )
        self.fields.changed.connect(self.changed)
        self.numbers = CheckList(
            self.tr("Numbers"),
            self.tr(
                "Fields that are numbers. The year always is one. Other values are "
                "reported and ignored."
            ),
        )
        self.numbers.changed.connect(self.changed)
        self._body = self._make_body()
        self._offer(has_choices=False)
        self._offer_numbers(())
        self._show_names(self._file_names)
        self.card = CollapsibleSection(self.tr("Documents"), lambda: self._body)
        make_column(self.card, Stretch(1), parent=self, gap=None)

    @property
    def values(self) -> dict[str, Any]:
        """The fields of ImportCorpus that are set here."""
        return {
            "fields_pattern": self.pattern.text().strip(),
            "document_column": self.document.currentData() if self._has_choices else "",
            "field_columns": self.fields.ticked if self._has_choices else [],
            "number_fields": self._numbers,
        }

    @property
    def columns(self) -> list[str]:
        """The columns imported as the document or its fields."""
        values = self.values
        return [*filter(None, [values["document_column"]]), *values["field_columns"]]

    def propose(self, document: str, fields: Sequence[str]) -> None:
        """Select columns unless the user has already selected some."""
        selected = (str(self.document.currentData() or ""), self.fields.ticked)
        proposed = (document, list(fields))
        if selected != self._proposed or proposed == self._proposed:
            return
        self._proposed = proposed
        with QSignalBlocker(self.document), QSignalBlocker(self.fields):
            select_choice(self.document, document)
            self.fields.tick(fields)
        self.changed.emit()

    @property
    def _numbers(self) -> list[str]:
        """The selected numeric fields among the existing fields."""
        offered = self.numbers.keys
        return [name for name in self.numbers.ticked if name in offered]

    def use_defaults(self, pattern: str, numbers: Sequence[str]) -> None:
        """Set the initial values."""
        self.pattern.setText(pattern)
        self._show_names(self._file_names)
        self.numbers.tick(numbers)
        self.card.set_open(bool(pattern))  # the pattern may not match these names

    def show_preview(self, preview: ImportPreview) -> None:
        """Offer the columns of the source, and show the documents found."""
        numbers = self._numbers
        if preview.is_many and preview.documents:
            self._show_names([document.name for document in preview.documents])
        choices = [(name, name) for name in preview.field_choices]
        replace_choices(self.document, [(self.tr("none"), ""), *choices])
        if [key for key, _ in choices] != self.fields.keys:
            with QSignalBlocker(self.fields):
                self.fields.set_choices(choices)
        self._offer(has_choices=bool(choices))
        self._offer_numbers(preview.document_fields)
        self.card.set_summary(self._summary(preview))
        if self._numbers != numbers:  # a default applies to these fields
            self.changed.emit()

    def _show_names(self, names: Sequence[str]) -> None:
        """Show the parts of the file names."""
        self.names.show_names(names, self.pattern.text().strip())
        self._rows.setRowVisible(self.names, bool(names))

    def _on_names_changed(self) -> None:
        """Use the named parts as the pattern."""
        self.pattern.setText(self.names.pattern)
        self._timer.start()

    def _on_pattern_edited(self, text: str) -> None:
        self.names.show_pattern(text.strip())
        self._timer.start()

    def _offer(self, *, has_choices: bool) -> None:
        self._has_choices = has_choices
        for field in (self.document, self.fields):
            self._rows.setRowVisible(field, has_choices)

    def _offer_numbers(self, fields: Sequence[str]) -> None:
        """Offer the fields that can be numeric; keep selected fields without values."""
        names = dict.fromkeys(name for name in fields if name.casefold() != YEAR_FIELD)
        if fields:
            names |= dict.fromkeys(self._numbers)
        if list(names) != self.numbers.keys:
            with QSignalBlocker(self.numbers):
                self.numbers.set_choices([(name, name) for name in names])
        self._rows.setRowVisible(self.numbers, bool(names))

    def _summary(self, preview: ImportPreview) -> str:
        if not preview.n_documents:
            return self.tr("none")
        words = self.tr("{n} found") if preview.n_documents > 1 else self.tr("1 found")
        if preview.has_more_documents:
            words = self.tr("at least {n} found")
        parts = [words.format(n=format_count(preview.n_documents))]
        return " · ".join([*parts, *preview.document_fields])

    def _make_body(self) -> QWidget:
        body = QWidget()
        self._rows = make_rows(body)
        for title, field in (
            (self.tr("Fields in file names"), self.names),
            (self.tr("Pattern of the names"), self.pattern),
            (self.tr("Document"), self.document),
            (self.tr("Fields"), self.fields),
            (self.tr("Numbers"), self.numbers),
        ):
            label = make_label(title)
            label.setBuddy(field)
            self._rows.addRow(label, field)
        return body


def _encoding_title(name: str) -> str:
    """Return the usual name of an encoding: shift-jis, not shift_jis."""
    return name.replace("_", "-")
