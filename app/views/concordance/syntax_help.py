"""Examples of the query syntax, as a table and as a dialog."""

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QDialog, QGridLayout, QVBoxLayout, QWidget

from app.params.words import MatchMode
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.theme import GRID


class SyntaxExample(NamedTuple):
    """Something to type, and what it finds."""

    text: str
    mode: MatchMode
    finds: str


def list_examples() -> list[SyntaxExample]:
    """Return the examples in the order from plain to special."""
    return [
        SyntaxExample("water", "words", _tr("The word, in small and capital letters.")),
        SyntaxExample("the water", "words", _tr("Words in a row: a phrase.")),
        SyntaxExample("haus*", "words", _tr("Words that begin so.")),
        SyntaxExample("*ung", "words", _tr("Words that end so.")),
        SyntaxExample("*wasser*", "words", _tr("Words that hold it anywhere.")),
        SyntaxExample(
            "lemma:go", "words", _tr("Every form of a word, where CoNLL-U names it.")
        ),
        SyntaxExample(
            "pos:VERB", "words", _tr("A part of speech, where CoNLL-U names it.")
        ),
        SyntaxExample(
            "lemma:go pos:ADP", "words", _tr("These in a row, mixed as you like.")
        ),
        SyntaxExample(
            r"\bcolou?r\b", "regex", _tr("One letter more or less, as whole words.")
        ),
        SyntaxExample(
            r"(\w)\1\w*\b", "regex", _tr("A doubled letter; the hit is what matched.")
        ),
        SyntaxExample(r"\p{Greek}+", "regex", _tr("Letters of a script.")),
    ]


class SyntaxHelp(QWidget):
    """A table of examples; one that is pressed is asked."""

    chosen = Signal(str, str)  # text, mode

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        title = self.tr("See every place where a word stands")
        heading = make_label(title, "heading", wraps=True)
        text = make_label(
            self.tr(
                "Type above. Hits stand in the middle, with what comes before and "
                "after; sort by the words beside them. These are ways to ask:"
            ),
            "secondary",
            wraps=True,
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(3 * GRID)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        row = 0
        for mode, title in (
            ("words", self.tr("Words")),
            ("regex", self.tr("Regular expression (Ctrl+M)")),
        ):
            label = make_label(title, "section")
            label.setContentsMargins(0, GRID, 0, 2)
            grid.addWidget(label, row, 0, 1, 2)
            for example in list_examples():
                if example.mode == mode:
                    row += 1
                    self._add(grid, row, example)
            row += 1
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * GRID, 2 * GRID, 0)
        layout.setSpacing(GRID)
        layout.addWidget(heading)
        layout.addWidget(text)
        layout.addLayout(grid)
        layout.addStretch(1)

    def _add(self, grid: QGridLayout, row: int, example: SyntaxExample) -> None:
        hint = self.tr("Ask for this: {finds}").format(finds=example.finds)
        button = make_button(
            example.text,
            hint,
            lambda: self.chosen.emit(example.text, example.mode),
            kind="quiet",
        )
        button.setStyleSheet("text-align: left;")
        grid.addWidget(button, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(make_label(example.finds, wraps=True), row, 1)


class SyntaxDialog(QDialog):
    """The same, over the window; Escape closes it."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("How to ask"))
        help_ = SyntaxHelp(self)
        help_.chosen.connect(self._on_chosen)
        close = make_button(self.tr("Close"), self.tr("Close this."), self.accept)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * GRID, GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(help_)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        close.setFocus()

    def _on_chosen(self, text: str, mode: str) -> None:
        self.accept()
        self.chosen.emit(text, mode)


def _tr(text: str) -> str:
    return QCoreApplication.translate("syntax_help", text)
