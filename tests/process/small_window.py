"""A small window with large text, as the tests of the layout use it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.engine.demo import build_demo
from app.engine.runtime.report import Report
from app.settings import Settings
from app.views.client.engine_client import EngineClient
from app.views.shell.application import begin, make_window
from app.views.shell.main_window import MainWindow
from app.views.widgets.theme import Theme
from tests.process.windows import WAIT_MS

V = TypeVar("V")
SIZE = (1100, 700)


@contextmanager
def open_small_window(
    qtbot: QtBot, application: QApplication, client: EngineClient | None = None
) -> Iterator[MainWindow]:
    """Open the real window at 150 %, on its first page, and close it."""
    settings = Settings(theme="light", text_scale=150)
    theme = Theme(application, settings)
    window = make_window(settings, theme, client=client)
    window.resize(*SIZE)
    window.show()
    begin(window)
    yield window
    window.close()
    qtbot.waitUntil(window.isHidden, timeout=WAIT_MS)
    window.deleteLater()
    settle()
    theme.apply(Settings(theme="light"))
    theme.deleteLater()


def settle() -> None:
    """Lay out, draw, and delete what is due."""
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QCoreApplication.processEvents()


def open_demo(window: MainWindow, qtbot: QtBot, parent: Path) -> None:
    """Build the demo project in a folder and open it."""
    state, folder = window.state, build_demo(parent / "demo.isogloss", Report())
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        state.open_project(folder)
    qtbot.waitUntil(lambda: bool(state.encoders.cards), timeout=WAIT_MS)


def shown(window: MainWindow, name: str, kind: type[V]) -> V:
    """Show a view and return it."""
    window.show_view(name)
    view: object = window.view
    assert isinstance(view, kind)
    return view
