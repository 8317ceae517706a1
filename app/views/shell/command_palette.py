"""Command palette: find an action by a few letters of its name."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QKeyEvent,
    QKeySequence,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QDialog, QLineEdit, QTreeView, QVBoxLayout, QWidget

from app.views.widgets.controls import describe
from app.views.widgets.theme import GRID, QUERY_PX, scaled, set_text_size

WIDTH, HEIGHT = 80 * GRID, 52 * GRID
ACTION_ROLE = Qt.ItemDataRole.UserRole


def match_score(typed: str, name: str) -> float | None:
    """Score how well typed letters name an action; None = not at all.

    The letters must occur in this order; letters that follow each other or begin a
    word count more, and shorter names win.
    """
    letters, text = typed.casefold().replace(" ", ""), name.casefold()
    score, place, streak = 0.0, -1, 0
    for letter in letters:
        found = text.find(letter, place + 1)
        if found < 0:
            return None
        streak = streak + 1 if found == place + 1 and place >= 0 else 0
        begins_word = found == 0 or not text[found - 1].isalnum()
        score += 1 + 2 * streak + (3 if begins_word else 0)
        place = found
    return score - len(text) / 100


class CommandPalette(QDialog):
    """Type, choose with the arrows, press Enter."""

    action_chosen = Signal(QAction)  # just before it is triggered

    def __init__(self, actions: Sequence[tuple[str, QAction]], parent: QWidget):
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(self.tr("All actions"))
        self._commands: list[tuple[str, QAction]] = []
        self._query = QLineEdit(placeholderText=self.tr("Find an action…"))
        set_text_size(self._query, QUERY_PX)
        describe(self._query, self.tr("Find an action"))
        self._model = QStandardItemModel(0, 2, self)
        self._list = QTreeView()
        self._list.setModel(self._model)
        self._list.setRootIsDecorated(False)
        self._list.setHeaderHidden(True)
        self._list.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self._list.setAllColumnsShowFocus(True)
        self._list.setUniformRowHeights(True)
        describe(self._list, self.tr("Actions"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self._query)
        layout.addWidget(self._list)
        self._query.textChanged.connect(self._fill)
        self._query.installEventFilter(self)
        self._list.activated.connect(self._trigger)
        self._list.clicked.connect(self._trigger)
        self.show_actions(actions)
        self._place(parent)

    @property
    def names(self) -> list[str]:
        """The actions listed now, the best first."""
        return [self._model.item(i, 0).text() for i in range(self._model.rowCount())]

    def show_actions(self, actions: Sequence[tuple[str, QAction]]) -> None:
        """List these actions, each with its category; the current one stays."""
        current = self._list.currentIndex().siblingAtColumn(0).data(ACTION_ROLE)
        self._commands = [pair for pair in actions if pair[1].isVisible()]
        self._fill(self._query.text())
        for row in range(self._model.rowCount()):
            if self._model.index(row, 0).data(ACTION_ROLE) is current:
                self._list.setCurrentIndex(self._model.index(row, 0))

    def _fill(self, typed: str) -> None:
        scored = [
            (score, i, category, action)
            for i, (category, action) in enumerate(self._commands)
            if (score := match_score(typed, f"{action.text()} {category}")) is not None
        ]
        if typed:
            scored.sort(key=lambda entry: (-entry[0], entry[1]))
        self._model.removeRows(0, self._model.rowCount())
        for _, _, category, action in scored:
            self._model.appendRow(self._make_row(category, action))
        self._list.setColumnWidth(0, WIDTH - 26 * GRID)
        self._list.setCurrentIndex(self._model.index(0, 0))

    def _make_row(self, category: str, action: QAction) -> list[QStandardItem]:
        name = QStandardItem(f"{category}: {action.text()}".replace("&", ""))
        name.setData(action, ACTION_ROLE)
        name.setToolTip(action.toolTip())
        name.setSizeHint(QSize(0, scaled(4 * GRID)))
        keys = QStandardItem(
            action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        )
        keys.setTextAlignment(
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )
        for item in (name, keys):
            item.setEnabled(action.isEnabled())
        return [name, keys]

    def _trigger(self) -> None:
        index = self._list.currentIndex().siblingAtColumn(0)
        action = index.data(ACTION_ROLE)
        if isinstance(action, QAction) and action.isEnabled():
            self.accept()
            self.action_chosen.emit(action)
            action.trigger()

    def _move(self, step: int) -> None:
        row = self._list.currentIndex().row() + step
        if 0 <= row < self._model.rowCount():
            self._list.setCurrentIndex(self._model.index(row, 0))

    def _place(self, parent: QWidget) -> None:
        self.resize(min(WIDTH, parent.width()), min(HEIGHT, parent.height()))
        top = parent.mapToGlobal(parent.rect().topLeft())
        self.move(top.x() + (parent.width() - self.width()) // 2, top.y() + 10 * GRID)
        self._query.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list and choose from the line where one types."""
        if watched is self._query and isinstance(event, QKeyEvent):
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
            if event.type() == QEvent.Type.KeyPress and event.key() in steps:
                self._move(steps[Qt.Key(event.key())])
                return True
            is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.type() == QEvent.Type.KeyPress and is_enter:
                self._trigger()
                return True
        return super().eventFilter(watched, event)
