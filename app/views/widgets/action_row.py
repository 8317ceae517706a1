"""A row of quiet buttons; those that do not fit are behind a "More" button."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from app.views.widgets.controls import make_button

GAP = 4


class ActionRow(QWidget):
    """Buttons of actions, as many as fit."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._buttons: list[tuple[QAction, QPushButton]] = []
        self._more = make_button(
            self.tr("More"), self.tr("Show what else can be done."), kind="quiet"
        )
        self._more.setParent(self)
        self._more.setMenu(QMenu(self._more))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_actions(self, actions: Sequence[tuple[QAction, str]]) -> None:
        """Make the buttons, each with its words."""
        for action, words in actions:
            button = _make_button(action, words)
            button.setParent(self)
            self._buttons.append((action, button))
        self._place()

    def _place(self) -> None:
        widths = [button.sizeHint().width() + GAP for _, button in self._buttons]
        room, n_shown = self.width() + GAP, len(widths)
        if sum(widths) > room:
            room -= self._more.sizeHint().width() + GAP
            n_shown = sum(sum(widths[: n + 1]) <= room for n in range(len(widths)))
        x, height = 0, self.sizeHint().height()
        menu = self._more.menu()
        menu.clear()
        for place, (action, button) in enumerate(self._buttons):
            button.setVisible(place < n_shown)
            if place < n_shown:
                button.setGeometry(x, 0, widths[place] - GAP, height)
                x += widths[place]
            else:
                menu.addAction(action)
        self._more.setVisible(n_shown < len(widths))
        self._more.setGeometry(x, 0, self._more.sizeHint().width(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many buttons as fit."""
        super().resizeEvent(event)
        self._place()

    def sizeHint(self) -> QSize:
        """Ask for one row."""
        hints = [button.sizeHint() for _, button in self._buttons]
        height = max((hint.height() for hint in hints), default=0)
        return QSize(sum(hint.width() + GAP for hint in hints), height)

    def minimumSizeHint(self) -> QSize:
        """Allow a row of nothing but the button of the rest."""
        return QSize(self._more.sizeHint().width(), self.sizeHint().height())


def _make_button(action: QAction, words: str) -> QPushButton:
    button = make_button(words, action.statusTip(), action.trigger, kind="quiet")
    button.setStyleSheet("padding-left: 0; padding-right: 14px;")
    action.changed.connect(lambda: button.setEnabled(action.isEnabled()))
    button.setEnabled(action.isEnabled())
    return button
