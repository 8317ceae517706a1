"""The body of the concordance: examples, lines, or why there are none."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.views.theme import GRID
from app.views.widgets.controls import make_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.find_row import FindRow
from app.views.widgets.hit_shares import HitShares
from app.views.widgets.key_row import KeyRow
from app.views.widgets.kwic_table import KwicTable
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.splits import stack_pages
from app.views.widgets.syntax_help import SyntaxHelp

SHARES_WIDTH = 26 * GRID
LEAST_HEIGHT = 16 * GRID  # less than it asks for: the rows of the head are not cut


class ConcordancePage(QWidget):
    """Shows one of four pages under a bar of messages."""

    import_requested = Signal()
    example_chosen = Signal(str, str)  # text, mode
    meaning_wanted = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.messages = MessageBar(self)
        self.table = KwicTable()
        self.find_row = FindRow(
            self.tr("Find in these lines"),
            self.tr("Only lines whose sentence has these words: night, haus*."),
        )
        self.keys = KeyRow()
        self.shares = HitShares()
        self.shares.setFixedWidth(SHARES_WIDTH)
        self.shares.hide()
        self._lines = self._make_lines()
        self._beginning = self._make_beginning()
        self._no_corpus = EmptyState(
            self.tr("No texts yet"),
            self.tr("Import a corpus, and every place of a word can be listed."),
            [
                make_button(
                    self.tr("Import…"),
                    self.tr("Import a file as a corpus."),
                    self.import_requested.emit,
                    kind="primary",
                )
            ],
            icon="concordance",
        )
        self.meaning = make_button(
            self.tr("Search by meaning"),
            self.tr("Search for the sentences nearest in meaning to these words."),
            self.meaning_wanted.emit,
        )
        self._nothing = EmptyState("", "", [self.meaning], icon="concordance")
        pages = (self._no_corpus, self._beginning, self._lines, self._nothing)
        self._pages = stack_pages(self, self.messages, pages)
        self.setMinimumHeight(LEAST_HEIGHT)

    @property
    def shows_lines(self) -> bool:
        """Tell whether lines are on screen."""
        return self._pages.currentWidget() is self._lines

    @property
    def words(self) -> tuple[str, str]:
        """Why there are no lines: heading and advice."""
        return self._nothing.words

    def set_keys(self, keys: Sequence[tuple[QAction, str]]) -> None:
        """Show what can be done with a line below the table."""
        self.keys.set_keys(keys)

    def show_lines(self) -> None:
        """Show the table."""
        self._pages.setCurrentWidget(self._lines)

    def show_beginning(self, *, has_corpora: bool) -> None:
        """Show what to do before the first question."""
        page = self._beginning if has_corpora else self._no_corpus
        self._pages.setCurrentWidget(page)

    def show_nothing(self, heading: str, text: str) -> None:
        """Show why there are no lines."""
        self._nothing.set_words(heading, text)
        self._pages.setCurrentWidget(self._nothing)

    def _make_lines(self) -> QWidget:
        row = QHBoxLayout()
        row.setSpacing(2 * GRID)
        row.addWidget(self.table, 1)
        row.addWidget(self.shares)
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.find_row)
        column.addLayout(row, 1)
        column.addWidget(self.keys)
        return whole

    def _make_beginning(self) -> QScrollArea:
        help_ = SyntaxHelp()
        help_.setObjectName("scrolled")
        help_.chosen.connect(self.example_chosen)
        area = QScrollArea()  # a small window can't show every example
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(help_)
        return area
