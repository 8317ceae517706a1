"""Examples of the query syntax, as a table and as a dialog."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QDialog, QGridLayout, QWidget

from app.params.words import MatchMode
from app.protocol.answers.reading import ExampleWords
from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "syntax_help")


PATTERNS = (r"\bcolou?r\b", r"(\w)\1\w*\b", r"\p{Greek}+", r"\d+", r"\p{Lu}{2,}")
PART = 4  # characters of a word in an example of its beginning or end


class SyntaxExample(NamedTuple):
    """An example query and its description.

    Attributes:
        is_possible: whether the open project supports the query.
    """

    text: str
    mode: MatchMode
    finds: str
    is_possible: bool = True


def list_examples(found: ExampleWords | None = None) -> list[SyntaxExample]:
    """Return the examples, simple ones first.

    Args:
        found: words of the project; None: general examples.
    """
    general = found is None
    found = found or GENERAL
    return [
        *_list_word_examples(found),
        SyntaxExample(
            f"lemma:{found.lemma or GENERAL.lemma}",
            "words",
            _tr("Every form of a lemma (CoNLL-U corpora)."),
            bool(found.lemma),
        ),
        SyntaxExample(
            f"pos:{found.tag or GENERAL.tag}",
            "words",
            _tr("A part of speech (CoNLL-U corpora)."),
            bool(found.tag),
        ),
        SyntaxExample(
            found.sequence or GENERAL.sequence,
            "words",
            _tr("A sequence, in any combination."),
            bool(found.sequence),
        ),
        *(
            SyntaxExample(pattern, "regex", finds, general or pattern in found.patterns)
            for pattern, finds in zip(PATTERNS, _describe_patterns(), strict=True)
        ),
    ]


GENERAL = ExampleWords(lemma="go", tag="VERB", sequence="lemma:go pos:ADP")
GENERAL_WORDS = ("water", "the water", "haus*", "*ung", "*wasser*")


def _list_word_examples(found: ExampleWords) -> list[SyntaxExample]:
    """Return examples without annotations; parts of words that are long if any is."""
    queries = GENERAL_WORDS
    if found.words:
        word, *others = found.words
        long = [one for one in [*others, word] if len(one) > PART]
        short = max(found.words, key=len)
        parts = (f"{short[:-1] or short}*", f"*{short[1:] or short}", f"*{short}*")
        if long:
            start, end, middle = (long[n % len(long)] for n in range(3))
            parts = (f"{start[:PART]}*", f"*{end[1 - PART :]}", f"*{middle[1:PART]}*")
        queries = (word, found.phrase, *parts)
    finds = (
        _tr("The word in upper or lower case."),
        _tr("A phrase."),
        _tr("Words that start with…"),
        _tr("Words that end with…"),
        _tr("Words that contain…"),
    )
    return [
        SyntaxExample(query, "words", text)
        for query, text in zip(queries, finds, strict=True)
        if query
    ]


def _describe_patterns() -> list[str]:
    return [
        _tr("An optional letter in whole words."),
        _tr("A doubled letter; the hit is the match."),
        _tr("Letters of a script."),
        _tr("A number."),
        _tr("Two or more capital letters in a row."),
    ]


class SyntaxHelp(QWidget):
    """A table of examples; clicking one searches for it."""

    chosen = Signal(str, str)  # text, mode

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        only: MatchMode | None = None,
        is_in_dialog: bool = False,
    ):
        """Make the table.

        Args:
            only: the mode whose examples are shown, for a step; None: both.
            is_in_dialog: there is no query field above, and a title says what it is.
        """
        super().__init__(parent)
        self._only = only
        words = self.tr(
            "Enter a query above. Each hit is shown with its context, and you can "
            "sort by the words around it. Examples:"
        )
        if only is not None:
            words = self.tr("Click an example to enter it in the step, then change it.")
        elif is_in_dialog:
            words = self.tr("Click an example to search for it.")
        title = self.tr("See every occurrence of a word")
        heading = make_label(title, "heading", wraps=True)
        if is_in_dialog:
            heading.hide()
        text = make_label(words, "secondary", wraps=True)
        self._column = make_column(
            heading,
            text,
            Stretch(1),
            parent=self,
            margins=(0, 2 * GRID, 2 * GRID, 0),
        )
        self._grid: QWidget | None = None
        self.show_examples(list_examples())

    def show_examples(self, examples: Sequence[SyntaxExample]) -> None:
        """Show other examples; those that are not possible can't be clicked."""
        content = QWidget()
        content.setObjectName("scrolled")
        grid = QGridLayout(content)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(3 * GRID)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        row = 0
        for mode, title in (
            ("words", self.tr("Words")),
            ("regex", self.tr("Regular expression (Ctrl+M)")),
        ):
            own = [example for example in examples if example.mode == mode]
            if self._only not in (None, mode) or not own:
                continue
            if self._only is not None:
                title = title.partition(" (")[0]  # the key is that of Concordance
            label = make_label(title, "section")
            label.setContentsMargins(0, GRID, 0, 2)
            grid.addWidget(label, row, 0, 1, 2)
            for index, example in enumerate(own, row + 1):
                self._add(grid, index, example)
            row += len(own) + 1
        if self._grid is not None:
            self._column.removeWidget(self._grid)
            self._grid.hide()
            self._grid.deleteLater()
        self._column.insertWidget(2, content)
        self._grid = content

    def _add(self, grid: QGridLayout, row: int, example: SyntaxExample) -> None:
        words = self.tr("Search for this example: {finds}")
        if self._only is not None:
            words = self.tr("Enter this example: {finds}")
        if not example.is_possible:
            words = self.tr("The project has no hit for this example.")
        hint = words.format(finds=example.finds)
        button = make_button(
            example.text,
            hint,
            lambda: self.chosen.emit(example.text, example.mode),
            kind="quiet",
        )
        button.setProperty("shape", "text")
        button.setEnabled(example.is_possible)
        grid.addWidget(button, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(make_label(example.finds, wraps=True), row, 1)


class SyntaxDialog(QDialog):
    """The examples in a dialog.

    Attributes:
        buttons: the row of buttons.
    """

    chosen = Signal(str, str)

    def __init__(
        self,
        parent: QWidget,
        *,
        only: MatchMode | None = None,
        found: ExampleWords | None = None,
    ):
        """Make the dialog.

        Args:
            only: the mode whose examples are shown, for a step; None: both.
            found: words of the project; None: general examples.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Query syntax"))
        fit_dialog(self, 84 * GRID, 68 * GRID)
        help_ = SyntaxHelp(self, only=only, is_in_dialog=True)
        help_.show_examples(list_examples(found))
        examples = help_.layout()
        assert examples is not None
        examples.setContentsMargins(0, 0, GRID, 0)
        help_.chosen.connect(self._on_chosen)
        close = make_button(self.tr("Close"), self.tr("Close the window."), self.accept)
        close.setDefault(True)
        layout = lay_out_dialog(self)
        layout.addWidget(make_scroll_area(help_), 1)
        self.buttons = make_row(Stretch(1), close)
        layout.addLayout(self.buttons)
        close.setFocus()

    def _on_chosen(self, text: str, mode: str) -> None:
        self.accept()
        self.chosen.emit(text, mode)
