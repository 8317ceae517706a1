"""Project A with every view in use, then project B: no fault, no connection left."""

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import QMetaMethod, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.engine.demo import build_demo
from app.engine.runtime.report import Report
from app.settings import Settings
from app.views.client.state import AppState
from app.views.shell.application import make_window
from app.views.shell.main_window import MainWindow
from app.views.widgets.theme import Theme
from tests.process.user import FaultRecorder, User, process_events

WAIT_MS = 120_000


@pytest.fixture
def projects(tmp_path: Path, data_dir: Path) -> tuple[Path, Path]:
    """Two projects with something in every view."""
    first = build_demo(tmp_path / "a.isogloss", Report())
    second = tmp_path / "b.isogloss"
    shutil.copytree(first, second)
    return first, second


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, data_dir: Path) -> Iterator[MainWindow]:
    """The window of the program, over the engine of the program."""
    settings = Settings(theme="light")
    theme = Theme(qapp, settings)
    window = make_window(settings, theme)
    window.show()
    yield window
    idle(window, qtbot)
    window.close()
    qtbot.waitUntil(window.isHidden, timeout=WAIT_MS)
    window.deleteLater()
    theme.deleteLater()


@pytest.mark.timeout(400)  # it builds two projects and uses thirteen views twice
def test_a_project_opened_after_every_view_was_used_has_no_faults(
    window: MainWindow, projects: tuple[Path, Path], qtbot: QtBot
) -> None:
    recorder = FaultRecorder(window)
    user = User(window, Random(1))
    open_project(window, projects[0], qtbot)
    connections = count_receivers(window.state)
    for project in (projects[1], projects[0]):
        use_every_view(user, qtbot)
        idle(window, qtbot)
        open_project(window, project, qtbot)
    window._stack.forget_views()  # so that only the window's own connections remain
    qtbot.wait(100)
    process_events()
    gc.collect()
    left = count_receivers(window.state)
    assert {name: n for name, n in left.items() if n > connections.get(name, 0)} == {}
    recorder.stop()
    assert recorder.faults == []


def use_every_view(user: User, qtbot: QtBot) -> None:
    """Show each view, wait for what it loads, and click everything in it."""
    window = user.window
    for entry in window.entries:
        window.show_view(entry.name)
        qtbot.wait(150)
    for entry in window.entries:
        window.show_view(entry.name)
        user.click_everything(window.views[entry.name])
        qtbot.wait(50)


def open_project(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    """Open a project and wait until its first view is filled."""
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        window.state.open_project(folder)
    window._stack.forget_views()
    qtbot.wait(300)


def idle(window: MainWindow, qtbot: QtBot) -> None:
    """Close dialogs, cancel every job, and wait for their ends."""
    User(window, Random(1)).close_dialogs()
    for run in window.state.runs:
        window.state.cancel(run)
    qtbot.waitUntil(lambda: not window.state.is_busy, timeout=WAIT_MS)


def count_receivers(state: AppState) -> dict[str, int]:
    """Count what is connected to each signal of the state and its parts."""
    counts: dict[str, int] = {}
    for part in (state, *state.findChildren(QObject)):
        facts = part.metaObject()
        for index in range(facts.methodCount()):
            method = facts.method(index)
            if method.methodType() == QMetaMethod.MethodType.Signal:
                signature = bytes(method.methodSignature().data()).decode()
                name = f"{type(part).__name__}.{signature}"
                counts[name] = counts.get(name, 0) + part.receivers(f"2{signature}")
    return counts
