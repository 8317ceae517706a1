"""Query field with a history of past queries."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QTextDocument
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget

from app.languages import is_right_to_left
from app.views.widgets.icons import themed_icon
from app.views.widgets.theme import QUERY_PX, colours_of, set_text_size

MAX_TITLE = 80  # largest number of characters of a query in the menu
# With Ctrl, these keys are view shortcuts; on X11 a line edit would move to the end on
# Ctrl+E, and delete the text on Ctrl+U.
_OF_THE_VIEW = (Qt.Key.Key_E, Qt.Key.Key_U)


class QueryField(QLineEdit):
    """Input line for a query; Down opens the history.

    Attributes:
        sentence: id of the sentence whose text this is; None for typed text.
    """

    history_requested = Signal(QMenu)  # the menu to fill before it is shown
    cleared = Signal()  # with the button of the field

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.sentence: int | None = None
        self.setProperty("role", "query")
        set_text_size(self, QUERY_PX)
        self.setMaxLength(10_000)
        self.setAccessibleName(self.tr("Query"))
        self.setToolTip(self.tr("Type a sentence in any language, then Enter."))
        self._history = QMenu(self)
        self._history.setToolTipsVisible(True)
        self._clear_action = QAction(self.tr("Clear the query"), self)
        self._clear_action.setToolTip(self.tr("Clear the query."))
        self._clear_action.triggered.connect(self._on_cleared)
        self._clear_action.setVisible(False)
        self._history_action = QAction(self.tr("Past queries (Down)"), self)
        self._history_action.triggered.connect(self.open_history)
        self._history_action.setToolTip(self.tr("Past queries (Down)"))
        place = QLineEdit.ActionPosition.TrailingPosition
        self.addAction(self._history_action, place)
        self.addAction(self._clear_action, place)
        self.textChanged.connect(lambda text: self._clear_action.setVisible(bool(text)))
        self.textEdited.connect(self._on_text_edited)
        self.show_theme()

    def show_theme(self) -> None:
        """Draw the icons in the colours of the theme."""
        self._history_action.setIcon(themed_icon("history", colours_of(self)))
        self._clear_action.setIcon(themed_icon("close", colours_of(self)))

    def show_query(self, text: str, sentence: int | None, language: str = "") -> None:
        """Show a query without running it."""
        if text != self.text():  # keep the cursor position
            self.setText(text)
            self.setCursorPosition(0)
        self.sentence = sentence
        is_mirrored = is_right_to_left(language) or (
            not language and _is_written_right_to_left(text)
        )
        self._align(is_mirrored=is_mirrored)

    def open_history(self) -> None:
        """Show the past queries under the field."""
        self._history.clear()
        self.history_requested.emit(self._history)
        if self._history.isEmpty():
            action = self._history.addAction(self.tr("No past queries."))
            action.setEnabled(False)
        self._history.setMinimumWidth(self.width())
        self._history.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _on_cleared(self) -> None:
        self.clear()
        self._on_text_edited()
        self.cleared.emit()

    def _on_text_edited(self) -> None:
        self.sentence = None
        self._align(is_mirrored=_is_written_right_to_left(self.text()))

    def _align(self, *, is_mirrored: bool) -> None:
        side = Qt.AlignmentFlag
        horizontal = side.AlignRight if is_mirrored else side.AlignLeft
        self.setAlignment(side.AlignAbsolute | side.AlignVCenter | horizontal)

    def event(self, event: QEvent) -> bool:
        """Leave the shortcuts of the view to the view."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
            and event.key() in _OF_THE_VIEW
        ):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the history on Down."""
        if event.key() == Qt.Key.Key_Down and not event.modifiers():
            self.open_history()
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        """Allow a narrow field."""
        return QSize(200, super().minimumSizeHint().height())


def _is_written_right_to_left(text: str) -> bool:
    document = QTextDocument(text)  # blocks need a living document
    direction = document.firstBlock().textDirection()
    return direction == Qt.LayoutDirection.RightToLeft


def shorten(text: str) -> str:
    """Shorten a text for a menu; double &, which would mark a mnemonic."""
    short = text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1].rstrip() + "…"
    return short.replace("&", "&&")
