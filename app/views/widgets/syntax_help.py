"""Examples of the query syntax, as a table and as a dialog."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QDialog, QGridLayout, QWidget

from app.params.words import MatchMode
from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog
from app.views.widgets.page_layout import make_scroll_area
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "syntax_help")


class SyntaxExample(NamedTuple):
    """An example query, and what it finds."""

    text: str
    mode: MatchMode
    finds: str


def list_examples() -> list[SyntaxExample]:
    """Return the examples, simple ones first."""
    return [
        SyntaxExample("water", "words", _tr("The word in upper or lower case.")),
        SyntaxExample("the water", "words", _tr("A phrase.")),
        SyntaxExample("haus*", "words", _tr("Words that start with…")),
        SyntaxExample("*ung", "words", _tr("Words that end with…")),
        SyntaxExample("*wasser*", "words", _tr("Words that contain…")),
        SyntaxExample(
            "lemma:go", "words", _tr("Every form of a lemma (CoNLL-U corpora).")
        ),
        SyntaxExample("pos:VERB", "words", _tr("A part of speech (CoNLL-U corpora).")),
        SyntaxExample(
            "lemma:go pos:ADP", "words", _tr("A sequence, in any combination.")
        ),
        SyntaxExample(
            r"\bcolou?r\b", "regex", _tr("An optional letter in whole words.")
        ),
        SyntaxExample(
            r"(\w)\1\w*\b", "regex", _tr("A doubled letter; the hit is the match.")
        ),
        SyntaxExample(r"\p{Greek}+", "regex", _tr("Letters of a script.")),
    ]


class SyntaxHelp(QWidget):
    """A table of examples; clicking one searches for it."""

    chosen = Signal(str, str)  # text, mode

    def __init__(self, parent: QWidget | None = None, *, only: MatchMode | None = None):
        """Make the table; `only`: the mode whose examples are shown, for a step."""
        super().__init__(parent)
        self._only = only
        title = self.tr("See every occurrence of a word")
        words = self.tr(
            "Enter a query above. Each hit is shown with its context, and you can "
            "sort by the words around it. Examples:"
        )
        if only is not None:
            title = self.tr("Examples")
            words = self.tr("Click an example to enter it in the step, then change it.")
        heading = make_label(title, "heading", wraps=True)
        text = make_label(words, "secondary", wraps=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(3 * GRID)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        row = 0
        for mode, title in (
            ("words", self.tr("Words")),
            ("regex", self.tr("Regular expression (Ctrl+M)")),
        ):
            if only not in (None, mode):
                continue
            if only is not None:
                title = title.partition(" (")[0]  # the key is that of Concordance
            label = make_label(title, "section")
            label.setContentsMargins(0, GRID, 0, 2)
            grid.addWidget(label, row, 0, 1, 2)
            for example in list_examples():
                if example.mode == mode:
                    row += 1
                    self._add(grid, row, example)
            row += 1
        make_column(
            heading,
            text,
            grid,
            Stretch(1),
            parent=self,
            margins=(0, 2 * GRID, 2 * GRID, 0),
        )

    def _add(self, grid: QGridLayout, row: int, example: SyntaxExample) -> None:
        words = self.tr("Search for this example: {finds}")
        if self._only is not None:
            words = self.tr("Enter this example: {finds}")
        hint = words.format(finds=example.finds)
        button = make_button(
            example.text,
            hint,
            lambda: self.chosen.emit(example.text, example.mode),
            kind="quiet",
        )
        button.setProperty("shape", "text")
        grid.addWidget(button, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(make_label(example.finds, wraps=True), row, 1)


class SyntaxDialog(QDialog):
    """The examples in a dialog.

    Attributes:
        buttons: the row of buttons.
    """

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget, *, only: MatchMode | None = None):
        """Make the dialog; `only`: the mode whose examples are shown, for a step."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Query syntax"))
        fit_dialog(self, 84 * GRID, 68 * GRID)
        help_ = SyntaxHelp(self, only=only)
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
