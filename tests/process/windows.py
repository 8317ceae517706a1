"""Real windows over the real engine, one project each."""

from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.client.engine_client import EngineClient
from app.views.client.state import AppState
from app.views.shell.main_window import MainWindow
from app.views.shell.view_registry import list_views
from app.views.widgets.theme import Theme

WAIT_MS = 60_000


class Windows:
    """Opens windows, and closes what is left of them."""

    def __init__(self, qtbot: QtBot, application: QApplication):
        self._qtbot = qtbot
        self._theme = Theme(application, Settings(theme="light"))
        self._windows: list[MainWindow] = []

    def open(self, folder: Path, view: str) -> MainWindow:
        """Open a project in a new window, at a view."""
        state = AppState(EngineClient())
        window = MainWindow(state, list_views(state), make_inspector=QWidget)
        state.client.setParent(state)
        state.setParent(window)
        self._windows.append(window)
        window.show()
        with self._qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
            state.open_project(folder)
        window.show_view(view)
        return window

    def close(self, widget: QWidget) -> None:
        """Close a window, or that of a view, as a person does; wait for its end."""
        window = widget.window()
        if window.isVisible():
            window.close()
            self._qtbot.waitUntil(window.isHidden, timeout=WAIT_MS)

    def close_all(self) -> None:
        """Close every window."""
        for window in self._windows:
            self.close(window)
            window.deleteLater()
        self._theme.deleteLater()
