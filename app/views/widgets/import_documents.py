"""The part of an import's form that says what its documents are and their fields."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from app.views.theme import GRID, scaled
from app.views.widgets.check_list import CheckList
from app.views.widgets.choice_box import refill
from app.views.widgets.controls import describe, make_label
from app.views.widgets.folded_section import FoldedSection
from app.views.widgets.import_side import LABEL_WIDTH
from app.views.widgets.preview import Preview
from app.views.words import format_count

YEAR = "year"  # always a number
TYPED_AFTER_MS = 400  # without another key


class ImportDocuments(QWidget):
    """A folded card: pattern of names, column of documents, columns of fields."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._timer = QTimer(self, singleShot=True, interval=TYPED_AFTER_MS)
        self._timer.timeout.connect(self.changed)
        self.pattern = QLineEdit()
        self.pattern.setPlaceholderText("{genre}/{author}_{year}")
        self.pattern.setMaxLength(500)
        describe(
            self.pattern,
            self.tr("Fields in names"),
            self.tr(
                "What the names of folders and files say, without the ending: "
                "{author}_{year}; {_} is no field."
            ),
        )
        self.pattern.textEdited.connect(lambda: self._timer.start())
        self.document = QComboBox()
        describe(
            self.document,
            self.tr("Document"),
            self.tr("What names the document of a sentence."),
        )
        self.document.currentIndexChanged.connect(self.changed)
        self.fields = CheckList(
            self.tr("Fields"), self.tr("What is a field of the document.")
        )
        self.fields.changed.connect(self.changed)
        self.numbers = CheckList(
            self.tr("Numbers"),
            self.tr(
                "Which fields are numbers, as a year always is: other values are told "
                "and left out."
            ),
        )
        self.numbers.changed.connect(self.changed)
        self._body = self._make_body()
        self._offer(has_choices=False)
        self._offer_numbers(())
        self.card = FoldedSection(self.tr("Documents"), lambda: self._body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.card)
        layout.addStretch(1)

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
    def _numbers(self) -> list[str]:
        """The fields that are numbers, of those that there are."""
        offered = self.numbers.keys
        return [name for name in self.numbers.ticked if name in offered]

    def recall(self, pattern: str, numbers: Sequence[str]) -> None:
        """Begin with what was wanted of the documents of another import."""
        self.pattern.setText(pattern)
        self.numbers.tick(numbers)
        self.card.set_open(bool(pattern))  # it may not fit these names

    def show_preview(self, preview: Preview) -> None:
        """Offer what the source has, and say what was found."""
        numbers = self._numbers
        choices = [(name, name) for name in preview.field_choices]
        refill(self.document, [(self.tr("none"), ""), *choices])
        if [key for key, _ in choices] != self.fields.keys:
            with QSignalBlocker(self.fields):
                self.fields.set_choices(choices)
        self._offer(has_choices=bool(choices))
        self._offer_numbers(preview.document_fields)
        self.card.set_summary(self._summary(preview))
        if self._numbers != numbers:  # those of the import before are here too
            self.changed.emit()

    def _offer(self, *, has_choices: bool) -> None:
        self._has_choices = has_choices
        for field in (self.document, self.fields):
            self._rows.setRowVisible(field, has_choices)

    def _offer_numbers(self, fields: Sequence[str]) -> None:
        """Offer the fields that may be numbers; one without any value left stays."""
        names = dict.fromkeys(name for name in fields if name.casefold() != YEAR)
        if fields:
            names |= dict.fromkeys(self._numbers)
        if list(names) != self.numbers.keys:
            with QSignalBlocker(self.numbers):
                self.numbers.set_choices([(name, name) for name in names])
        self._rows.setRowVisible(self.numbers, bool(names))

    def _summary(self, preview: Preview) -> str:
        if not preview.n_documents:
            return self.tr("none")
        words = self.tr("{n} found") if preview.n_documents > 1 else self.tr("1 found")
        parts = [words.format(n=format_count(preview.n_documents))]
        return " · ".join([*parts, *preview.document_fields])

    def _make_body(self) -> QWidget:
        body = QWidget()
        self._rows = QFormLayout(body)
        self._rows.setSpacing(GRID)
        self._rows.setFieldGrowthPolicy(
            QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow
        )
        for title, field in (
            (self.tr("Names"), self.pattern),
            (self.tr("Document"), self.document),
            (self.tr("Fields"), self.fields),
            (self.tr("Numbers"), self.numbers),
        ):
            label = make_label(title)
            label.setMinimumWidth(scaled(LABEL_WIDTH) - 2 * GRID)
            label.setBuddy(field)
            self._rows.addRow(label, field)
        return body
