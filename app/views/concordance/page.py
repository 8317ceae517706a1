"""The page below the query bar: the lines with a find row, or an empty state."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QScrollArea, QWidget

from app.protocol.answers.reading import ExampleWords
from app.views.concordance.shares import DistributionPanel
from app.views.concordance.table import KwicTable
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import make_split, stack_pages
from app.views.widgets.shortcut_row import ShortcutHint, ShortcutRow
from app.views.widgets.syntax_help import SyntaxHelp, list_examples
from app.views.widgets.theme import GRID, scaled

FIND_DELAY_MS = 200  # after the last key


class FindRow(QWidget):
    """A search field with the number of matches; hidden until it is opened."""

    changed = Signal(str)  # text to find; empty: show all rows
    submitted = Signal()  # Enter
    closed = Signal()  # Escape
    visibility_changed = Signal()

    def __init__(self, placeholder: str, hint: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(placeholder)
        self.field.setClearButtonEnabled(True)
        describe(self.field, placeholder, hint)
        self._count = make_label("", "secondary")
        self._timer = QTimer(self, singleShot=True, interval=FIND_DELAY_MS)
        self._timer.timeout.connect(self._emit_change)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        self.field.returnPressed.connect(self._on_return)
        make_row((self.field, 2), (self._count, 1), parent=self)
        self.hide()

    @property
    def text(self) -> str:
        """The text to find."""
        return self.field.text().strip()

    @property
    def count(self) -> str:
        """The displayed number of matches."""
        return self._count.text()

    def open(self) -> None:
        """Show and focus the field."""
        self.show()
        self.visibility_changed.emit()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def show_count(self, text: str) -> None:
        """Show the number of matches, or an error."""
        self._count.setText(text)

    def clear(self) -> None:
        """Clear and hide the field without a signal."""
        self.field.clear()
        self._timer.stop()
        self._count.setText("")
        self.hide()
        self.visibility_changed.emit()

    def _emit_change(self) -> None:
        self._timer.stop()
        self.changed.emit(self.text)

    def _on_return(self) -> None:
        if self._timer.isActive():
            self._emit_change()
        self.submitted.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.changed.emit("")
            self.closed.emit()
        else:
            super().keyPressEvent(event)


SHARES_WIDTH, MIN_SHARES_WIDTH = 28 * GRID, 16 * GRID
LOW_HEIGHT = 32 * GRID  # below it, headings and keys are hidden
MIN_HEIGHT = 16 * GRID  # below the size hint, so that the query bar is never cut


class ConcordancePage(QWidget):
    """A message bar above one of four pages.

    Attributes:
        query_pages: all pages except that of an empty project.
    """

    import_requested = Signal()
    example_chosen = Signal(str, str)  # text, mode
    meaning_search_requested = Signal()
    retry_requested = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.messages = MessageBar(self)
        self.table = KwicTable()
        self.find_row = FindRow(
            self.tr("Find in these lines"),
            self.tr("Show only lines whose sentence contains: night, haus*."),
        )
        self.keys = ShortcutRow()
        self.shares = DistributionPanel()
        self.shares.setMinimumWidth(MIN_SHARES_WIDTH)
        self.shares.hide()
        self._lines = self._make_lines()
        self._start = self._make_start()
        self._no_corpus = EmptyState(
            self.tr("No texts yet"),
            self.tr("Import a corpus to list every occurrence of a word."),
            [
                make_button(
                    self.tr("Import corpus…"),
                    self.tr("Import a file as a corpus."),
                    self.import_requested.emit,
                    kind="primary",
                )
            ],
            icon="concordance",
        )
        self.meaning_button = make_button(
            self.tr("Search by meaning"),
            self.tr("Find the sentences nearest in meaning to these words."),
            self.meaning_search_requested.emit,
        )
        self.retry_button = make_button(
            self.tr("Search again"),
            self.tr("Send the query again."),
            self.retry_requested.emit,
        )
        buttons = [self.meaning_button, self.retry_button]
        self._nothing = EmptyState("", "", buttons, icon="concordance")
        self.query_pages = self._start, self._lines, self._nothing
        self._pages = stack_pages(
            self, self.messages, (self._no_corpus, *self.query_pages)
        )
        self.setMinimumHeight(MIN_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide everything but the lines on a low page."""
        super().resizeEvent(event)
        self.table.horizontalHeader().setHidden(self._is_low)
        self._show_keys()

    @property
    def _is_low(self) -> bool:
        return self.height() < scaled(LOW_HEIGHT)

    def _show_keys(self) -> None:
        """Show the keys if there is space, or the find row instead."""
        self.keys.setVisible(not self._is_low and self.find_row.isHidden())

    @property
    def shows_lines(self) -> bool:
        """Return whether the table is shown."""
        return self._pages.currentWidget() is self._lines

    @property
    def empty_text(self) -> tuple[str, str]:
        """The heading and text of the page without lines."""
        return self._nothing.words

    def set_keys(self, keys: Sequence[ShortcutHint | tuple[QAction, str]]) -> None:
        """Show the keys of actions below the table."""
        self.keys.set_keys(keys)

    def show_lines(self) -> None:
        """Show the table."""
        self._pages.setCurrentWidget(self._lines)

    def show_start(self, *, has_corpora: bool) -> None:
        """Show the start page."""
        page = self._start if has_corpora else self._no_corpus
        self._pages.setCurrentWidget(page)

    def show_nothing(self, text: str, *, can_search_meaning: bool) -> None:
        """Show why there are no lines and what to do."""
        self.meaning_button.setVisible(can_search_meaning)
        self.retry_button.hide()
        self._show_message(self.tr("No hits"), text)

    def show_failure(self) -> None:
        """Show that the query failed, and offer to send it again."""
        self.meaning_button.hide()
        self.retry_button.show()
        text = self.tr("Change the query, or send it again.")
        self._show_message(self.tr("No results"), text)

    def _show_message(self, heading: str, text: str) -> None:
        self._nothing.set_words(heading, text)
        self._pages.setCurrentWidget(self._nothing)

    def _make_lines(self) -> QWidget:
        sizes = (100 * GRID, SHARES_WIDTH)
        split = make_split(self.table, self.shares, sizes=sizes, growing=0)
        self.find_row.visibility_changed.connect(self._show_keys)
        return as_widget(make_column((split, 1), self.find_row, self.keys, gap=4))

    def show_examples(self, found: ExampleWords) -> None:
        """Show on the start page the examples that have hits in the project."""
        examples = [one for one in list_examples(found) if one.is_possible]
        self._help.show_examples(examples)

    def _make_start(self) -> QScrollArea:
        self._help = help_ = SyntaxHelp()
        help_.setObjectName("scrolled")
        help_.chosen.connect(self.example_chosen)
        help_.show_examples([])  # until the examples of the project are known
        area = QScrollArea()  # for small windows
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(help_)
        return area
