"""Body of the view: table of lines with find row, or an empty state."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.views.concordance.shares import DistributionPanel
from app.views.concordance.syntax_help import SyntaxHelp
from app.views.concordance.table import KwicTable
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import stack_pages
from app.views.widgets.shortcut_row import ShortcutRow
from app.views.widgets.theme import GRID

FIND_DELAY_MS = 200  # without another key


class FindRow(QWidget):
    """The field, and how many rows are left; hidden until it is begun."""

    changed = Signal(str)  # what is looked for; empty: every row is shown again
    entered = Signal()  # Enter: go on to the rows
    left = Signal()  # Escape: what was looked for is forgotten

    def __init__(self, words: str, hint: str, parent: QWidget | None = None):
        """Make it; `words`: what stands in the empty field."""
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(words)
        self.field.setClearButtonEnabled(True)
        describe(self.field, words, hint)
        self._count = make_label("", "secondary")
        self._timer = QTimer(self, singleShot=True, interval=FIND_DELAY_MS)
        self._timer.timeout.connect(self._tell)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        self.field.returnPressed.connect(self._on_entered)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(self.field, 2)
        row.addWidget(self._count, 1)
        self.hide()

    @property
    def text(self) -> str:
        """What is looked for."""
        return self.field.text().strip()

    @property
    def count(self) -> str:
        """What is said of the rows that are left."""
        return self._count.text()

    def begin(self) -> None:
        """Show the field with the keyboard in it."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def say(self, text: str) -> None:
        """Show how many rows are left."""
        self._count.setText(text)

    def forget(self) -> None:
        """Look for nothing any more, without telling it."""
        self.field.blockSignals(True)
        self.field.clear()
        self.field.blockSignals(False)
        self._timer.stop()
        self._count.setText("")
        self.hide()

    def _tell(self) -> None:
        self._timer.stop()
        self.changed.emit(self.text)

    def _on_entered(self) -> None:
        if self._timer.isActive():
            self._tell()
        self.entered.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End by Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.forget()
            self.changed.emit("")
            self.left.emit()
        else:
            super().keyPressEvent(event)


SHARES_WIDTH = 26 * GRID
MIN_HEIGHT = 16 * GRID  # less than it asks for: the rows of the head are not cut


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
        self.keys = ShortcutRow()
        self.shares = DistributionPanel()
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
        self.setMinimumHeight(MIN_HEIGHT)

    @property
    def shows_lines(self) -> bool:
        """Return whether lines are on screen."""
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
