"""The session: kept when something changed, brought back on opening, listed."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QListWidget
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.store import schema
from app.protocol.commands import Edit
from app.protocol.edits.general import SaveViewState
from app.views.shell.main_window import MainWindow
from app.views.shell.session import SavedSession, SessionDialog, describe_session
from tests.views.conftest import PlainView

WAIT_MS = 5_000
SAVED = {
    "view": "corpora",
    "views": {"one": {"scroll": 40}, "corpora": {"summary": "storm"}},
    "selection": 4294967300,
    "inspector": False,
    "thresholds": {"7": 1.25},
}


def add_session(folder: Path, state: dict[str, Any]) -> None:
    with open_project(folder) as project, project.store.begin() as connection:
        now = time.time()
        values = {"state": json.dumps(state), "opened_at": now, "saved_at": now}
        connection.execute(insert(schema.view_state).values(**values))


def open_folder(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        window.state.open_project(folder)


def sent_changes(window: MainWindow) -> list[SaveViewState]:
    """Listen to the changes that go to the engine."""
    changes: list[SaveViewState] = []
    send = window.state.client.send

    def _send(command: Any) -> None:
        if isinstance(command, Edit) and isinstance(command.change, SaveViewState):
            changes.append(command.change)
        send(command)

    window.state.client.send = _send  # type: ignore[method-assign] # and listens
    return changes


def test_reopened_project_looks_as_it_did(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    add_session(folder, SAVED)
    open_folder(window, folder, qtbot)
    assert window.view_name == "corpora"
    assert window.state.selection == 4294967300
    assert window.inspector_dock.isHidden()
    window.show_view("one")
    view = window.views["one"]
    assert isinstance(view, PlainView)
    assert view.saved == {"scroll": 40}


def test_state_of_a_view_not_shown_is_kept(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    add_session(folder, SAVED)
    open_folder(window, folder, qtbot)
    assert window.save_state() == SAVED


def test_only_a_change_is_saved_and_into_one_row(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    add_session(folder, SAVED)
    open_folder(window, folder, qtbot)
    changes = sent_changes(window)
    done: list[int] = []
    window.session.save(lambda: done.append(1))
    assert (changes, done) == ([], [1])
    window.state.select_sentence(8)
    window.session.save(lambda: done.append(2))
    qtbot.waitUntil(lambda: done == [1, 2], timeout=WAIT_MS)
    window.state.select_sentence(9)
    window.session.save(lambda: done.append(3))
    qtbot.waitUntil(lambda: done == [1, 2, 3], timeout=WAIT_MS)
    assert [change.id for change in changes] == [None, 7]
    assert changes[0].state == SAVED | {"selection": 8}


def test_changes_are_saved_by_themselves(open_window: MainWindow, qtbot: QtBot) -> None:
    changes = sent_changes(open_window)
    open_window.session.findChildren(QTimer)[0].setInterval(20)
    open_window.show_view("corpora")
    qtbot.waitUntil(lambda: bool(changes), timeout=WAIT_MS)
    assert changes[-1].state["view"] == "corpora"


def test_a_session_is_saved_before_another_project_opens_not_meanwhile(
    open_window: MainWindow, folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.isogloss"
    shutil.copytree(folder, other)
    changes = sent_changes(open_window)
    (timer,) = open_window.session.findChildren(QTimer)
    open_window.show_view("corpora")
    with qtbot.waitSignal(open_window.state.project_opened, timeout=WAIT_MS):
        open_window.state.open_project(other)
        assert [change.state["view"] for change in changes] == ["corpora"]
        open_window.show_view("one")
        timer.timeout.emit()  # the engine would refuse it
        assert len(changes) == 1
    open_window.show_view("corpora")
    timer.timeout.emit()
    assert [change.id for change in changes] == [None, None]  # each the first one


def test_past_session_is_listed_and_comes_back(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    add_session(folder, SAVED)
    add_session(folder, {"view": "one", "views": {}})
    open_folder(window, folder, qtbot)
    assert window.view_name == "one"
    newest, oldest = window.session.past_sessions()
    assert (newest.state["view"], oldest.state["view"]) == ("one", "corpora")
    actions = {action.text(): action for _, action in window.menus.actions}
    actions["Past sessions…"].trigger()
    (dialog,) = window.findChildren(SessionDialog)
    (rows,) = dialog.findChildren(QListWidget)
    assert rows.item(1).text().endswith("· Two · storm"), "the title of the view"
    dialog.choose(1)
    assert window.view_name == "corpora"
    assert dialog.isHidden()


def test_damaged_state_opens_the_project_all_the_same(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    add_session(folder, {"view": "gone", "views": {"gone": {}}})
    open_folder(window, folder, qtbot)
    assert window.view_name == "one"


def test_session_is_described_by_time_view_and_summary() -> None:
    words = describe_session(SavedSession(1, 0.0, SAVED), {"corpora": "Two"})
    assert words.endswith("· Two · storm")
