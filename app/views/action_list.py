"""The window's own actions: made once, put into menus, found by palette and keys."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from app.views.widgets.controls import describe_action

Keys = str | QKeySequence.StandardKey


class ActionList:
    """Makes actions and keeps them with the title of their menu.

    Attributes:
        entries: category and action, in the order of the menus.
    """

    def __init__(self, window: QMainWindow, shortcuts: Mapping[str, str]):
        """Begin an empty list.

        Args:
            window: owns the actions and the menu bar.
            shortcuts: keys that the user gave actions, by the action's name.
        """
        self.entries: list[tuple[str, QAction]] = []
        self._window = window
        self._shortcuts = shortcuts

    def add_menu(self, title: str) -> QMenu:
        """Add a menu to the menu bar."""
        menu = self._window.menuBar().addMenu(title)
        menu.setToolTipsVisible(True)
        return menu

    def add(
        self,
        menu: QMenu,
        text: str,
        hint: str,
        function: Callable[[], object],
        *,
        keys: Keys = "",
    ) -> QAction:
        """Add an action that calls a function."""
        action = QAction(text, self._window)
        action.triggered.connect(lambda: function())
        self.adopt(menu, action, text, hint, keys)
        return action

    def adopt(
        self, menu: QMenu, action: QAction, text: str, hint: str, keys: Keys
    ) -> None:
        """Add an action that exists; the user's own keys win."""
        action.setText(text)
        action.setObjectName(self._name(menu, text))
        own = self._shortcuts.get(action.objectName())
        if own is not None or keys:
            action.setShortcut(QKeySequence(own if own is not None else keys))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        describe_action(action, hint)
        menu.addAction(action)
        self.entries.append((menu.title().replace("&", ""), action))

    def _name(self, menu: QMenu, text: str) -> str:
        """Name an action for the settings; a second one of a name has its menu too."""
        name = text.strip("…").lower()
        is_taken = any(action.objectName() == name for _, action in self.entries)
        return f"{menu.title().replace('&', '').lower()}: {name}" if is_taken else name
