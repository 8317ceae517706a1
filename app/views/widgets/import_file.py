"""The part of an import's form that says how the file is written."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLabel, QWidget

from app.views.theme import GRID, scaled
from app.views.widgets.choice_box import refill
from app.views.widgets.controls import describe
from app.views.widgets.import_choices import (
    DELIMITERS,
    ENCODINGS,
    FORMATS,
    HEADERS,
    QUOTINGS,
    SAYS_ENCODING,
)
from app.views.widgets.import_side import LABEL_WIDTH
from app.views.widgets.preview import Preview


class ImportFile(QWidget):
    """Format, encoding, delimiter, quoting, header, splitting; the useful ones.

    Attributes:
        splits: whether paragraphs are split into sentences.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._shown = Preview()
        self._rows = make_rows(self)
        self._format = self._add(
            self.tr("Format"), FORMATS, self.tr("How the file is built.")
        )
        self.encoding = self._add(
            self.tr("Encoding"), [], self.tr("How the file's bytes are read.")
        )
        self._delimiter = self._add(
            self.tr("Delimiter"), DELIMITERS, self.tr("What parts the cells.")
        )
        self._quoting = self._add(
            self.tr("Quoting"), QUOTINGS, self.tr("Whether cells stand in quotes.")
        )
        self._header = self._add(
            self.tr("Header"), HEADERS, self.tr("Whether the first row is a header.")
        )
        self.splits = QCheckBox(self.tr("Split paragraphs into sentences"))
        words = self.tr("Else a line is a sentence.")
        describe(self.splits, self.splits.text(), words)
        self.splits.toggled.connect(self.changed)
        self._rows.addRow("", self.splits)

    @property
    def values(self) -> dict[str, Any]:
        """The fields of ImportCorpus that are set here."""
        is_delimited = self._shown.is_delimited
        return {
            "format": self._format.currentData(),
            "encoding": self.encoding.currentData(),
            "delimiter": self._delimiter.currentData() if is_delimited else "",
            "quoting": self._quoting.currentData() if is_delimited else "",
            "header": self._header.currentData(),
            "split": self.splits.isChecked() and self._shown.format in ("", "text"),
        }

    def show_preview(self, preview: Preview) -> None:
        """Say what was found, where the user has not chosen."""
        self._shown = preview
        found = self.tr("{what} (found)")
        automatic = [(found.format(what=preview.encoding), "")]
        others = dict.fromkeys([*preview.encoding_alternatives, *ENCODINGS])
        refill(self.encoding, automatic + [(name, name) for name in others])
        for box, key in (
            (self._format, preview.format),
            (self._delimiter, preview.delimiter),
            (self._quoting, "double" if preview.is_quoted else "none"),
            (self._header, "yes" if preview.has_header else "no"),
        ):
            place = box.findData("tab" if key == "\t" else key)
            name = box.itemText(place) if place > 0 else key
            box.setItemText(0, found.format(what=name))
        has_header = preview.is_delimited or preview.format == "xlsx"
        for field, is_shown in (
            (self.encoding, preview.format not in SAYS_ENCODING),
            (self._delimiter, preview.is_delimited),
            (self._quoting, preview.is_delimited),
            (self._header, has_header),
            (self.splits, preview.format == "text"),
        ):
            self._rows.setRowVisible(field, is_shown)

    def _add(self, title: str, choices: list[tuple[str, str]], hint: str) -> QComboBox:
        box = add_choice(self._rows, title, choices, hint)
        box.currentIndexChanged.connect(self.changed)
        return box


def make_rows(widget: QWidget) -> QFormLayout:
    """Lay a part of the form out: titles of one width, and a field beside each."""
    rows = QFormLayout(widget)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.setSpacing(GRID)
    rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return rows


def add_choice(
    rows: QFormLayout, title: str, choices: list[tuple[str, str]], hint: str
) -> QComboBox:
    """Add a box of choices, pairs of words and key, with its title."""
    box = QComboBox()
    describe(box, title, hint)
    for words, key in choices:
        box.addItem(words, key)
    label = QLabel(title)
    label.setMinimumWidth(scaled(LABEL_WIDTH))
    label.setBuddy(box)
    rows.addRow(label, box)
    return box
