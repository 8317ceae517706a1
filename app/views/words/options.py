"""Options of a word list: layer, n-gram length, window, score and languages."""

from collections.abc import Sequence
from typing import Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QSpinBox, QWidget

from app.languages import language_name
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import as_widget, make_row
from app.views.widgets.controls import describe, indent_number, make_button, make_label
from app.views.words.settings import PageName, WordListSettings
from app.views.words.translation_source import TranslationSource

PAGES_BY_CONTROL = {
    "layer": ("frequencies", "collocates", "keyness", "equivalents"),
    "n": ("frequencies", "keyness"),
    "left": ("collocates",),
    "right": ("collocates",),
    "score": ("collocates",),
    "source_language": ("equivalents",),
    "target_language": ("equivalents",),
    "mining": ("equivalents",),
    "accepted": ("equivalents",),
    "dictionary": ("equivalents",),
    "map": ("translations",),
    "vectors": ("translations",),
}
Choices = Sequence[tuple[Any, str]]


class WordsOptions(QWidget):
    """A row of labelled fields; each page shows some of them.

    Attributes:
        fields: fields by name.
        is_source_chosen: whether the user selected the source of translations.
    """

    changed = Signal()
    import_requested = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._cells: dict[str, QWidget] = {}
        self._button_cells: dict[str, list[QWidget]] = {}
        self._row = WrappingRow()
        self.setLayout(self._row)
        self.fields: dict[str, QComboBox | QSpinBox | QCheckBox] = {}
        self._is_updating = False
        self.is_source_chosen = False
        self._mining = 0  # the selected source of translations
        self._make_counting()
        self._make_pairs()

    # --- choices ---

    def show_languages(self, named: Choices) -> None:
        """Offer the languages of the project."""
        self._offer("source_language", [("", self.tr("Any")), *named])
        self._offer("target_language", [("", self.tr("Select…")), *named])

    def show_source(self, source: TranslationSource) -> None:
        """Select a language and a source of translations without a signal."""
        self.show_languages(source.languages)
        self._is_updating = True
        self._show("target_language", source.target)
        self._show("mining", source.mining)
        self._is_updating = False
        self._mining = source.mining

    def show_pairs(self, sets: Choices) -> None:
        """Offer pair sets."""
        self._offer("mining", [(0, self.tr("Links and alignments")), *sets])
        self._mining = self._value("mining")

    def show_dictionaries(self, rows: Choices) -> None:
        """Offer dictionaries."""
        self._offer("dictionary", [(0, self.tr("None")), *rows])

    def show_maps(self, names: Sequence[str]) -> None:
        """Offer bilingual vectors."""
        none = [("", self.tr("None"))] if not names else []
        self._offer("map", [*none, *((name, name) for name in names)])

    def show_tables(self, names: Sequence[str]) -> None:
        """Offer word vectors of one language."""
        none = ("", self.tr("The other language"))
        self._offer("vectors", [none, *((name, name) for name in names)])

    def add_buttons(self, name: str, buttons: Sequence[QWidget]) -> None:
        """Add buttons after the fields; each is shown with a field."""
        for button in buttons:
            cell = as_widget(make_row(button))
            self._row.addWidget(cell)
            self._button_cells.setdefault(name, []).append(cell)

    def show_page(self, page: PageName) -> None:
        """Show the fields of a page."""
        for name, cell in self._cells.items():
            for one in (cell, *self._button_cells.get(name, ())):
                one.setVisible(page in PAGES_BY_CONTROL[name])
        self.fields["accepted"].setEnabled(bool(self._value("mining")))

    # --- values ---

    def values(self) -> dict[str, Any]:
        """Return the values by name in the settings."""
        return {name: self._value(name) for name in self.fields}

    def show_settings(self, settings: WordListSettings) -> None:
        """Show settings without a signal."""
        if settings.mining != self._mining:
            self.is_source_chosen = bool(settings.mining)
        self._is_updating = True
        values = msgspec.structs.asdict(settings)
        for name in self.fields:
            self._show(name, values[name])
        self._is_updating = False
        self._mining = self._value("mining")

    def _value(self, name: str) -> Any:
        field = self.fields[name]
        if isinstance(field, QComboBox):
            return field.currentData()
        return field.isChecked() if isinstance(field, QCheckBox) else field.value()

    def _show(self, name: str, value: Any) -> None:
        field = self.fields[name]
        if isinstance(field, QComboBox):
            if value and field.findData(value) < 0 and name.endswith("language"):
                field.addItem(language_name(value), value)
            field.setCurrentIndex(max(field.findData(value), 0))
        elif isinstance(field, QCheckBox):
            field.setChecked(value)
        else:
            field.setValue(value)

    def _offer(self, name: str, choices: Choices) -> None:
        """Offer new choices, and keep the selection if possible."""
        field = self.fields[name]
        assert isinstance(field, QComboBox), "choices need a combo box"
        chosen, self._is_updating = field.currentData(), True
        field.clear()
        for key, title in choices:
            field.addItem(title, key)
        field.setCurrentIndex(max(field.findData(chosen), 0))
        self._is_updating = False

    # --- layout ---

    def _make_counting(self) -> None:
        self._add_list(
            "layer",
            self.tr("Count"),
            self.tr("Unit to count. Lemmas and parts of speech need CoNLL-U files."),
            [
                ("word", self.tr("Words")),
                ("form", self.tr("Case-sensitive words")),
                ("lemma", self.tr("Lemmas")),
                ("pos", self.tr("Parts of speech")),
            ],
        )
        self._add_list(
            "n",
            self.tr("N-gram length"),
            self.tr("Number of consecutive words that are counted together."),
            [(n, str(n)) for n in range(1, 7)],
        )
        for name, title, hint in (
            (
                "left",
                self.tr("Left"),
                self.tr("Number of words to the left of the hit."),
            ),
            (
                "right",
                self.tr("Right"),
                self.tr("Number of words to the right of the hit."),
            ),
        ):
            spin = QSpinBox()
            spin.setRange(0, 20)
            indent_number(spin)
            spin.valueChanged.connect(self._on_changed)
            self._add(name, title, hint, spin)
        self._add_list(
            "score",
            self.tr("Ranked by"),
            self.tr("The score by which collocates are ranked."),
            [
                ("log-likelihood", self.tr("Log-likelihood")),
                ("log-dice", self.tr("Log-Dice")),
                ("t-score", self.tr("t-score")),
                ("frequency", self.tr("Frequency")),
            ],
        )

    def _make_pairs(self) -> None:
        self._add_list(
            "source_language", self.tr("From"), self.tr("Language of the word."), []
        )
        hint = self.tr("Language of its equivalents.")
        self._add_list("target_language", self.tr("To"), hint, [])
        self._add_list(
            "mining",
            self.tr("In"),
            self.tr("The source of translations: links and alignments, or a pair set."),
            [],
        )
        only = QCheckBox(self.tr("Accepted only"))
        only.toggled.connect(self._on_changed)
        hint = self.tr("Only accepted pairs of the pair set.")
        self._add("accepted", "", hint, only)
        self._add_list(
            "dictionary",
            self.tr("Dictionary"),
            self.tr("A dictionary that confirms equivalents, and lists missing ones."),
            [],
        )
        self.import_button = make_button(
            self.tr("Import dictionary…"),
            self.tr("Import a word list to check equivalents with."),
            self.import_requested.emit,
            kind="quiet",
        )
        self.add_buttons("dictionary", [self.import_button])
        hint = self.tr("The word vectors of two languages in one space.")
        self._add_list("map", self.tr("Bilingual vectors"), hint, [])
        hint = self.tr(
            "Word vectors: list the nearest words of the same language, or the answers "
            "to an analogy (Paris : France = Rome)."
        )
        self._add_list("vectors", self.tr("Nearest words from"), hint, [])
        self.show_languages([])
        self.show_pairs([])
        self.show_dictionaries([])
        self.show_maps([])
        self.show_tables([])

    def _add_list(self, name: str, title: str, hint: str, choices: Choices) -> None:
        field = QComboBox()
        field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for key, words in choices:
            field.addItem(words, key)
        field.currentIndexChanged.connect(self._on_changed)
        self._add(name, title, hint, field)

    def _add(
        self, name: str, title: str, hint: str, field: QComboBox | QSpinBox | QCheckBox
    ) -> None:
        describe(field, title or field.accessibleName() or hint, hint)
        self.fields[name] = field
        cell = QWidget()
        row = make_row(parent=cell, gap=6)
        if title:
            label = make_label(title, "secondary")
            label.setBuddy(field)
            row.addWidget(label)
        row.addWidget(field)
        self._cells[name] = cell
        self._row.addWidget(cell)

    def _on_changed(self) -> None:
        if self._is_updating:
            return
        mining = self._value("mining")
        if mining != self._mining:
            self._mining, self.is_source_chosen = mining, True
        self.changed.emit()
