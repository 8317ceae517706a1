"""What the tests with a real engine share: its window's state, and its end."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.client.engine_client import EngineClient
from app.views.client.state import AppState
from app.views.widgets.theme import Theme
from tests.process.windows import WAIT_MS, Windows


@pytest.fixture(autouse=True)
def no_engine_left() -> Iterator[None]:
    """Fail a test that leaves an engine running, which a later test would end."""
    before = {child.pid for child in psutil.Process().children()}
    yield
    left = [
        " ".join(child.cmdline())
        for child in psutil.Process().children()
        if child.pid not in before and child.status() != psutil.STATUS_ZOMBIE
    ]
    assert not [line for line in left if "engine" in line]


@pytest.fixture
def windows(qtbot: QtBot, qapp: QApplication, data_dir: Path) -> Iterator[Windows]:
    """What opens windows; those that are left are closed with the test."""
    windows = Windows(qtbot, qapp)
    yield windows
    windows.close_all()


@pytest.fixture
def state(
    qtbot: QtBot, qapp: QApplication, data_dir: Path, folder: Path
) -> Iterator[AppState]:
    """The window's state over a real engine, the test's project open."""
    theme = Theme(qapp, Settings(theme="light"))
    client = EngineClient()
    state = AppState(client)
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        state.open_project(folder)
    qtbot.waitUntil(lambda: bool(state.encoders.cards), timeout=WAIT_MS)
    yield state
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        client.quit()
    if state.project is not None:
        state.project.close()
    state.deleteLater()
    client.deleteLater()
    theme.deleteLater()
