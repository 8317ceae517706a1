"""The views of a window: each is made when it is first shown, one is on screen."""

from collections.abc import Sequence
from typing import Any, cast

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.views.state import AppState
from app.views.theme import GRID
from app.views.view import View, ViewEntry

LEAST = (70 * GRID, 50 * GRID)  # of a view


class ViewStack(QStackedWidget):
    """The welcome page and the views of the open project.

    Attributes:
        views: those that were made, by their names.
    """

    def __init__(self, state: AppState, entries: Sequence[ViewEntry], welcome: QWidget):
        super().__init__()
        self.entries = list(entries)
        self.views: dict[str, QWidget] = {}
        self._state = state
        self._welcome = welcome
        self._pending: dict[str, dict[str, Any]] = {}  # states of views not made yet
        self.addWidget(welcome)
        # A view that asks for more than the screen has must not make the window larger.
        self.setMinimumSize(*LEAST)

    @property
    def view_name(self) -> str:
        """Name of the view that is shown; empty on the welcome page."""
        current = self.currentWidget()
        return next((n for n, view in self.views.items() if view is current), "")

    @property
    def view(self) -> View | None:
        """The view that is shown; None on the welcome page."""
        return cast("View | None", self.views.get(self.view_name))

    def view_widget(self, name: str) -> QWidget:
        """Give a view; it is made now if it was never shown."""
        if name not in self.views:
            entry = next(entry for entry in self.entries if entry.name == name)
            view = entry.make()
            self.views[name] = view
            self.addWidget(view)
            self._name_actions(name, view)
            if name in self._pending:
                cast("View", view).restore_state(self._pending.pop(name))
        return self.views[name]

    def view_actions(self) -> list[tuple[str, QAction]]:
        """Give the actions of the views that exist, each with its view's title."""
        return [
            (cast("View", view).title, action)
            for view in self.views.values()
            for action in view.actions()
        ]

    def save_states(self) -> dict[str, dict[str, Any]]:
        """Give the state of every view, also of those that were not made again."""
        states = dict(self._pending)
        for name, view in self.views.items():
            states[name] = cast("View", view).save_state()
        return states

    def restore_states(self, states: dict[str, dict[str, Any]]) -> None:
        """Bring the views back; those that are not made yet get their part later."""
        self._pending = dict(states)
        for name in list(self._pending):
            if name in self.views:
                cast("View", self.views[name]).restore_state(self._pending.pop(name))

    def forget_views(self) -> None:
        """Show the welcome page; another project gets new views, with its own ids."""
        self.setCurrentWidget(self._welcome)
        for view in self.views.values():
            self.removeWidget(view)
            view.deleteLater()
        self.views.clear()
        self._pending.clear()

    def _name_actions(self, name: str, view: QWidget) -> None:
        """Give a view's actions names, and the keys that the user gave them."""
        for action in view.actions():
            if not action.objectName():
                action.setObjectName(f"{name}: {action.text().strip('…').lower()}")
            own = self._state.settings.shortcuts.get(action.objectName())
            if own is not None:
                action.setShortcut(QKeySequence(own))
