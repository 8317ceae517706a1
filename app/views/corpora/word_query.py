"""Input for the words that a sentence contains, without knowing the query syntax."""

import re
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QWidget

from app.params.words import MatchMode
from app.views.client.state import AppState
from app.views.widgets.boxes import make_row
from app.views.widgets.controls import describe, make_button
from app.views.widgets.fields import Field, FieldFacts, make_field
from app.views.widgets.syntax_help import SyntaxDialog
from app.views.widgets.theme import scaled

_tr = partial(QCoreApplication.translate, "word_query")

PHRASE, TAG = "{}", "pos:{}"  # kinds; every other kind takes one word
PAGE = "subcorpora.md"  # of the documentation
WIDTH = 80  # pixels of a line, for text of 13 pixels
_WORD = r"([^\s*:]+)"
_EXPRESSIONS = {  # by kind; a query that matches none is a phrase
    "{}*": rf"{_WORD}\*",
    "*{}": rf"\*{_WORD}",
    "*{}*": rf"\*{_WORD}\*",
    "lemma:{}": rf"lemma:{_WORD}",
}


def list_kinds() -> list[tuple[str, str]]:
    """Return the kinds of searches as titles and patterns of queries."""
    return [
        (_tr("Word or phrase"), PHRASE),
        (_tr("Starts with"), "{}*"),
        (_tr("Ends with"), "*{}"),
        (_tr("Contains"), "*{}*"),
        (_tr("Lemma"), "lemma:{}"),
        (_tr("Part of speech"), TAG),
    ]


def list_tags() -> list[tuple[str, str]]:
    """Return the parts of speech of Universal Dependencies with their tags."""
    return [
        (_tr("Adjective"), "ADJ"),
        (_tr("Adposition"), "ADP"),
        (_tr("Adverb"), "ADV"),
        (_tr("Auxiliary"), "AUX"),
        (_tr("Coordinating conjunction"), "CCONJ"),
        (_tr("Determiner"), "DET"),
        (_tr("Interjection"), "INTJ"),
        (_tr("Noun"), "NOUN"),
        (_tr("Numeral"), "NUM"),
        (_tr("Particle"), "PART"),
        (_tr("Pronoun"), "PRON"),
        (_tr("Proper noun"), "PROPN"),
        (_tr("Punctuation"), "PUNCT"),
        (_tr("Subordinating conjunction"), "SCONJ"),
        (_tr("Symbol"), "SYM"),
        (_tr("Verb"), "VERB"),
        (_tr("Other"), "X"),
    ]


class WordQueryInput(QWidget):
    """Input of a kind of search and a word, with examples.

    Attributes:
        kind: the kind of search: a word, its beginning, a part of speech, …
        line: the word or phrase.
        tag: the part of speech.
        examples: opens the examples.
    """

    changed = Signal()

    def __init__(self, state: AppState):
        """Make an empty input; `state` shows the documentation."""
        super().__init__()
        self._state = state
        self.kind, self.line, self.tag = QComboBox(), QLineEdit(), QComboBox()
        for title, pattern in list_kinds():
            self.kind.addItem(title, pattern)
        hint = _tr("What the sentences contain: a word, its beginning, a lemma, …")
        describe(self.kind, _tr("Find"), hint)
        describe(self.line, _tr("Words"), _tr("The word, or a part of it."))
        self.line.setMinimumWidth(scaled(WIDTH))
        for title, tag in list_tags():
            self.tag.addItem(title, tag)
        hint = _tr("Only texts with parts of speech (CoNLL-U files) have hits.")
        describe(self.tag, _tr("Part of speech"), hint)
        self.examples = make_examples_button(state, "words", self.show_text)
        make_row(self.kind, (self.line, 1), (self.tag, 1), self.examples, parent=self)
        self.setFocusProxy(self.line)
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self.line.textChanged.connect(lambda: self.changed.emit())
        self.tag.currentIndexChanged.connect(lambda: self.changed.emit())
        self._show_kind()

    @property
    def text(self) -> str:
        """The query; empty while the word is missing."""
        pattern = str(self.kind.currentData())
        if pattern == TAG:
            return pattern.format(self.tag.currentData())
        word = self.line.text().strip()
        return pattern.format(word) if word else ""

    @property
    def problem(self) -> str:
        """The reason why the query is invalid; empty if it is valid or missing."""
        word, pattern = self.line.text().strip(), self.kind.currentData()
        if not word or pattern == TAG:
            return ""
        if not any(map(str.isalnum, word)):
            return _tr("Enter a word with at least one letter or digit.")
        if pattern != PHRASE and not re.fullmatch(_WORD, word):
            return _tr("Enter one word, without spaces, * or a colon.")
        return ""

    def show_text(self, text: str) -> None:
        """Show a query."""
        pattern, word = _parse(text)
        with QSignalBlocker(self.kind):
            self.kind.setCurrentIndex(self.kind.findData(pattern))
        if pattern == TAG:
            self.tag.setCurrentIndex(self.tag.findData(word))
        self.line.setText("" if pattern == TAG else word)
        self._on_kind_changed()

    def as_field(self) -> Field:
        """Return the widget as an input of a step card."""
        return Field(
            self,
            lambda: self.text,
            lambda value: self.show_text(str(value or "")),
            lambda f: self.changed.connect(lambda: f()),
        )

    def _on_kind_changed(self) -> None:
        self._show_kind()
        self.changed.emit()

    def _show_kind(self) -> None:
        is_tag = self.kind.currentData() == TAG
        self.tag.setVisible(is_tag)
        self.line.setHidden(is_tag)
        self.setFocusProxy(self.tag if is_tag else self.line)


def _parse(text: str) -> tuple[str, str]:
    """Return the pattern of a query and the word in the query."""
    for pattern, expression in _EXPRESSIONS.items():
        if found := re.fullmatch(expression, text.strip()):
            return pattern, found[1]
    tags = {TAG.format(tag): tag for _, tag in list_tags()}
    if text.strip() in tags:
        return TAG, tags[text.strip()]
    return PHRASE, text


def make_expression_input(state: AppState, facts: FieldFacts) -> Field:
    """Make the input of a regular expression, with examples."""
    field, whole = make_field(facts), QWidget()
    make_row(
        (field.widget, 1),
        make_examples_button(state, "regex", field.write),
        parent=whole,
    )
    whole.setFocusProxy(field.widget)
    return field._replace(widget=whole)


def make_examples_button(
    state: AppState, mode: MatchMode, use: Callable[[str], object]
) -> QPushButton:
    """Make a button that opens examples; `use` receives the clicked example."""

    def _open() -> None:
        dialog = SyntaxDialog(button.window(), only=mode)
        dialog.chosen.connect(lambda text, _mode: use(text))
        dialog.buttons.insertWidget(
            0,
            make_button(
                _tr("Documentation"),
                _tr("Show the page about sub-corpora and their steps."),
                lambda: state.view_requests.documentation_requested.emit(PAGE, dialog),
            ),
        )
        dialog.open()

    hint = _tr("Show examples; a click on one enters it.")
    button = make_button(_tr("Examples…"), hint, _open, kind="quiet")
    button.setProperty("shape", "flush")
    return button
