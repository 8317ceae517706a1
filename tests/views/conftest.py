"""Fixtures of the window's tests: fake engine, state, a project with sentences."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.params.corpora import ImportCorpus
from app.settings import Settings
from app.views.client.engine_client import EngineClient
from app.views.client.state import AppState
from app.views.shell.main_window import MainWindow
from app.views.widgets.theme import Theme
from app.views.widgets.view_protocol import ViewEntry
from tests.views.stage import build_project

FAKE_ENGINE = Path(__file__).with_name("fake_engine.py")
END_MS = 5_000


@pytest.fixture(autouse=True)
def no_leaks(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a window on the screen or a timer running."""
    before = set(map(id, qapp.topLevelWidgets()))
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    left = [
        widget
        for widget in qapp.topLevelWidgets()
        if id(widget) not in before and widget.isVisible()
    ]
    timers = [timer for timer in qapp.findChildren(QTimer) if timer.isActive()]
    names = [f"{type(w).__name__} {w.objectName()}" for w in left]
    for widget in left:
        widget.close()
    assert not names, f"windows left open: {names}"
    assert not timers, f"timers left running: {timers}"


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    """The look of the window, light."""
    return Theme(qapp, Settings(theme="light"))


@pytest.fixture
def make_client(qtbot: QtBot) -> Iterator[Callable[..., EngineClient]]:
    """Make clients of fake engines; their processes are ended with the test."""
    clients: list[EngineClient] = []

    def _make(greeting: str = "") -> EngineClient:
        command = [sys.executable, str(FAKE_ENGINE), greeting]
        clients.append(EngineClient(command=command))
        return clients[-1]

    yield _make
    for client in clients:
        if client.is_running:
            with qtbot.waitSignal(client.engine_stopped, timeout=END_MS):
                client.quit()
        client.deleteLater()


@pytest.fixture
def client(make_client: Callable[..., EngineClient]) -> EngineClient:
    """A client of a fake engine that greets rightly."""
    return make_client()


@pytest.fixture
def state(client: EngineClient, theme: Theme) -> Iterator[AppState]:
    """The window's state over the fake engine."""
    state = AppState(client)
    yield state
    if state.project is not None:
        state.project.close()
    state.deleteLater()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty project."""
    return build_project(tmp_path / "letters.isogloss", {})


@pytest.fixture
def open_state(state: AppState, folder: Path, qtbot: QtBot) -> AppState:
    """The window's state with the empty project open."""
    with qtbot.waitSignal(state.project_opened, timeout=END_MS):
        state.open_project(folder)
    return state


class PlainView(QWidget):
    """A view that remembers what it was told."""

    def __init__(self, title: str):
        super().__init__()
        self.title = title
        self.saved: dict[str, Any] = {"scroll": 0}
        self.imported: list[Path] = []
        self.has_asked_folder = False
        self.field = QLineEdit(self)
        self.field.setAccessibleName("Field")
        self.field.setToolTip("A field.")
        action = QAction(f"Do it in {title}", self)
        action.setShortcut("Ctrl+D")
        self.addAction(action)

    def save_state(self) -> dict[str, Any]:
        return dict(self.saved)

    def restore_state(self, state: dict[str, Any]) -> None:
        self.saved = dict(state)

    def focus_first(self) -> None:
        self.field.setFocus()


class ImportingView(PlainView):
    """The same, and it takes files."""

    def import_files(self, paths: Sequence[Path]) -> None:
        self.imported += paths

    def import_folder(self) -> None:
        self.has_asked_folder = True

    def run_first_import(self, imports: Sequence[ImportCorpus], encodes: bool) -> None:
        self.imported += [file for one in imports for file in one.files]


@pytest.fixture
def window(state: AppState, qtbot: QtBot) -> Iterator[MainWindow]:
    """The main window with two plain views, on the welcome page."""
    window = MainWindow(state, PLAIN_VIEWS, make_inspector=QWidget)
    window.show()
    yield window
    window.closer.may_close = True
    window.close()
    window.deleteLater()


@pytest.fixture
def open_window(window: MainWindow, folder: Path, qtbot: QtBot) -> MainWindow:
    """The main window with the empty project open."""
    with qtbot.waitSignal(window.state.project_opened, timeout=END_MS):
        window.state.open_project(folder)
    return window


PLAIN_VIEWS = [
    ViewEntry(
        "one", "One", "corpora", "The first.", lambda _: PlainView("One"), group="Texts"
    ),
    ViewEntry(
        "corpora",
        "Two",
        "search",
        "The second.",
        lambda _: ImportingView("Two"),
        group="Pairs",
    ),
]
