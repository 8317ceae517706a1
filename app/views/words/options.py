"""Options of a word list: layer, n-gram length, window, score and languages."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QSpinBox, QWidget

from app.languages import language_name
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.controls import describe, make_button, make_label
from app.views.words.settings import PageName, WordListSettings

PAGES_BY_CONTROL = {  # which control stands on which page
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
}
Choices = Sequence[tuple[Any, str]]


class WordsOptions(QWidget):
    """A row of labelled fields; each page has its own."""

    changed = Signal()
    import_wanted = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._cells: dict[str, QWidget] = {}
        self._row = WrappingRow()
        self.setLayout(self._row)
        self.fields: dict[str, QComboBox | QSpinBox | QCheckBox] = {}
        self._is_quiet = False
        self._make_counting()
        self._make_pairs()

    # --- what is offered ---

    def show_languages(self, named: Choices) -> None:
        """Offer the languages of the project."""
        self._offer("source_language", [("", self.tr("any")), *named])
        self._offer("target_language", [("", self.tr("choose …")), *named])

    def show_pairs(self, sets: Choices) -> None:
        """Offer sets of pairs."""
        self._offer("mining", [(0, self.tr("links and alignments")), *sets])

    def show_dictionaries(self, rows: Choices) -> None:
        """Offer dictionaries."""
        self._offer("dictionary", [(0, self.tr("none")), *rows])

    def show_page(self, page: PageName) -> None:
        """Show the fields of a page."""
        for name, cell in self._cells.items():
            cell.setVisible(page in PAGES_BY_CONTROL[name])
        self.fields["accepted"].setEnabled(bool(self._value("mining")))

    # --- values ---

    def values(self) -> dict[str, Any]:
        """Return the values by their names in the question."""
        return {name: self._value(name) for name in self.fields}

    def show_question(self, question: WordListSettings) -> None:
        """Show the values of a question without telling it."""
        self._is_quiet = True
        for name in self.fields:
            self._show(name, getattr(question, name))
        self._is_quiet = False

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
        """Offer other choices; what is chosen stays so where it is among them."""
        field = self.fields[name]
        assert isinstance(field, QComboBox), "choices are offered in a list"
        chosen, self._is_quiet = field.currentData(), True
        field.clear()
        for key, title in choices:
            field.addItem(title, key)
        field.setCurrentIndex(max(field.findData(chosen), 0))
        self._is_quiet = False

    # --- making ---

    def _make_counting(self) -> None:
        self._add_list(
            "layer",
            self.tr("Count"),
            self.tr("What is counted; lemmas and classes come with CoNLL-U files."),
            [
                ("word", self.tr("words")),
                ("form", self.tr("forms as written")),
                ("lemma", self.tr("lemmas")),
                ("pos", self.tr("parts of speech")),
            ],
        )
        self._add_list(
            "n",
            self.tr("in rows of"),
            self.tr("Words in a row that are counted together: n-grams."),
            [(n, str(n)) for n in range(1, 7)],
        )
        for name, title, hint in (
            ("left", self.tr("Left"), self.tr("Words to the left that are looked at.")),
            ("right", self.tr("right"), self.tr("Words to the right, in that way.")),
        ):
            spin = QSpinBox()
            spin.setRange(0, 20)
            spin.valueChanged.connect(self._on_changed)
            self._add(name, title, hint, spin)
        self._add_list(
            "score",
            self.tr("ranked by"),
            self.tr("The score that chooses which collocates are listed."),
            [
                ("log-likelihood", self.tr("log-likelihood")),
                ("log-dice", self.tr("log-Dice")),
                ("t-score", self.tr("t-score")),
                ("frequency", self.tr("frequency")),
            ],
        )

    def _make_pairs(self) -> None:
        self._add_list(
            "source_language", self.tr("From"), self.tr("Language of the word."), []
        )
        hint = self.tr("Language of its equivalents.")
        self._add_list("target_language", self.tr("to"), hint, [])
        self._add_list(
            "mining",
            self.tr("in"),
            self.tr("The translations: what is linked or aligned, or a set of pairs."),
            [],
        )
        only = QCheckBox(self.tr("accepted only"))
        only.toggled.connect(self._on_changed)
        hint = self.tr("Of the set of pairs only those that somebody accepted.")
        self._add("accepted", "", hint, only)
        self._add_list(
            "dictionary",
            self.tr("checked with"),
            self.tr("A dictionary that confirms equivalents, and names those missing."),
            [],
        )
        self.take_in = make_button(
            self.tr("Import…"),
            self.tr("Take a word list in, to check equivalents with."),
            self.import_wanted.emit,
            kind="quiet",
        )
        layout = self._cells["dictionary"].layout()
        assert layout is not None, "a cell is a row"
        layout.addWidget(self.take_in)
        self.show_languages([])
        self.show_pairs([])
        self.show_dictionaries([])

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
        row = QHBoxLayout(cell)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        if title:
            label = make_label(title, "secondary")
            label.setBuddy(field)
            row.addWidget(label)
        row.addWidget(field)
        self._cells[name] = cell
        self._row.addWidget(cell)

    def _on_changed(self) -> None:
        if not self._is_quiet:
            self.changed.emit()
