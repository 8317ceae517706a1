"""The real window over the real engine: crash, restart, session."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from sqlalchemy import select

from app.engine.project.project import open_read_only
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.params.corpora import ImportCorpus
from app.params.projects import SaveCopy
from app.protocol.edits.general import AddSearch
from app.protocol.queries.search import OrderQuery
from app.settings import Settings
from app.views.client.engine_client import EngineClient
from app.views.client.state import AppState
from app.views.search.view import SearchView
from app.views.shell import application
from app.views.shell.inspector import NoteEditor
from app.views.shell.main_window import MainWindow
from app.views.welcome.sample_card import read_sentence
from app.views.widgets.dialogs import TextInputDialog
from app.views.widgets.theme import Theme

WAIT_MS = 30_000
MakeWindow = Callable[[], MainWindow]


@pytest.fixture
def make_window(
    qtbot: QtBot, qapp: QApplication, data_dir: Path
) -> Iterator[MakeWindow]:
    theme = Theme(qapp, Settings(theme="light"))
    windows: list[MainWindow] = []

    def _make() -> MainWindow:
        client = EngineClient()
        state = AppState(client)
        window = MainWindow(state, [], make_inspector=QWidget)
        client.setParent(state)
        state.setParent(window)
        windows.append(window)
        window.show()
        return window

    yield _make
    for window in windows:
        close(window, qtbot)
        window.deleteLater()
    theme.deleteLater()


@pytest.fixture
def open_program(
    qtbot: QtBot, qapp: QApplication, data_dir: Path
) -> Iterator[MainWindow]:
    """The program's window, with all views."""
    settings = Settings(theme="light")
    theme = Theme(qapp, settings)
    window = application.make_window(settings, theme)
    window.show()
    yield window
    close(window, qtbot)
    window.deleteLater()
    theme.deleteLater()


def close(window: MainWindow, qtbot: QtBot) -> None:
    if window.isVisible():
        window.close()
        qtbot.waitUntil(window.isHidden, timeout=WAIT_MS)


def open_project(window: MainWindow, folder: Path, qtbot: QtBot, mode: Any) -> None:
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        window.state.open_project(folder, mode)


def test_killed_engine_is_explained_and_starts_again_with_the_project(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window()
    state = window.state
    open_project(window, tmp_path / "letters.isogloss", qtbot, "create")
    errors = QSignalSpy(state.error_posted)
    with qtbot.waitSignal(state.client.engine_stopped, timeout=WAIT_MS):
        state.client.kill()
    assert errors.count() == 1
    explanation = "Your saved work is safe. You can continue working."
    assert explanation in window.message_bar.text
    answers: list[Any] = []
    state.ask(OrderQuery(), answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    assert answers[0].n == 0
    assert window.message_bar.text == "The engine restarted and opened letters again."


def test_reopened_window_has_the_selection_of_the_closed_one(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "letters.isogloss"
    first = make_window()
    open_project(first, folder, qtbot, "create")
    first.state.select_sentence(4_294_967_301)
    close(first, qtbot)
    assert not first.state.client.is_running
    second = make_window()
    open_project(second, folder, qtbot, "open")
    qtbot.waitUntil(lambda: second.state.selection == 4_294_967_301, timeout=WAIT_MS)
    assert len(second.session.past_sessions()) == 1


def test_a_copy_of_the_project_is_a_job_that_says_what_it_wrote(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window()
    open_project(window, tmp_path / "letters.isogloss", qtbot, "create")
    archive = tmp_path / "copy.zip"
    with qtbot.waitSignal(window.state.run_finished, timeout=WAIT_MS):
        window.state.run(SaveCopy(out=archive))
    assert archive.is_file()
    said = f"The copy {archive} is written"
    qtbot.waitUntil(lambda: window.message_bar.text.startswith(said), timeout=WAIT_MS)


def test_a_click_on_a_sample_opens_the_demo_and_searches_for_it(
    open_program: MainWindow, qtbot: QtBot
) -> None:
    window = open_program
    japanese = dict(read_sentence("g09"))["ja"]
    buttons = window.welcome.findChildren(QPushButton)
    (sample,) = [one for one in buttons if one.accessibleName() == japanese]
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        QTest.mouseClick(sample, Qt.MouseButton.LeftButton)
    view: object = window.view
    assert isinstance(view, SearchView)
    with qtbot.waitSignal(view.hits_shown, timeout=WAIT_MS):
        pass
    assert view.controller.query.text == japanese
    found = {hit.sentence.text for hit in view.columns.hits}
    assert dict(read_sentence("g09"))["de"] in found


def test_a_note_is_saved_in_its_project_while_another_one_opens(
    open_program: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window, state = open_program, open_program.state
    text = tmp_path / "quay.en.txt"
    text.write_text("The ferry waits.\n", encoding="utf-8")
    first, second = tmp_path / "a.isogloss", tmp_path / "b.isogloss"
    for folder in (second, first):
        open_project(window, folder, qtbot, "create")
        with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
            state.run(ImportCorpus(files=(text,), languages=("en",)))
    window.show_view("search")
    state.select_sentence(first_sentence_id(1))
    (note,) = window.inspector_dock.findChildren(NoteEditor)
    QTest.qWait(50)  # until the inspector shows the sentence
    note.begin()
    QTest.keyClicks(note, "of a")
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        state.open_project(second)
        assert not note.isEnabled()
        assert not window.views["search"].isEnabled()
        state.edit(AddSearch("late", {}))  # sent after the second project
    qtbot.waitUntil(lambda: state.changes.is_settled, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "not done in a" in window.message_bar.text, timeout=WAIT_MS)
    assert note.isEnabled()
    assert _notes_and_searches(first) == (["of a"], [])
    assert _notes_and_searches(second) == ([], [])


def _notes_and_searches(folder: Path) -> tuple[list[str], list[str]]:
    """Return the texts of a project's notes and searches."""
    with open_read_only(folder) as project, project.store.connect() as connection:
        notes = list(connection.scalars(select(schema.note.c.text)))
        return notes, list(connection.scalars(select(schema.search.c.text)))


def test_the_open_project_is_renamed_and_comes_back_as_it_was(
    open_program: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window, state = open_program, open_program.state
    text = tmp_path / "quay.en.txt"
    text.write_text("The ferry waits.\n", encoding="utf-8")
    folder, target = tmp_path / "a.isogloss", tmp_path / "quay.isogloss"
    open_project(window, folder, qtbot, "create")
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(ImportCorpus(files=(text,), languages=("en",)))
    window.show_view("concordance")
    state.select_sentence(first_sentence_id(1))
    used: list[str] = []
    state.project_closed.connect(lambda: used.extend(_open_files(folder)))
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        window.projects.rename_project()
        _name_project(window, "quay")
    assert used == [], "Windows renames no folder with open files"
    assert not folder.exists()
    assert state.project is not None
    assert state.project.folder == target
    assert window.windowTitle() == "quay — Isogloss"
    assert window.projects.recent == [target]
    assert window.view_name == "concordance"
    assert state.selection == first_sentence_id(1)
    assert len(window.session.past_sessions()) == 1


def test_a_project_that_can_not_be_renamed_is_opened_again(
    open_program: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window, state = open_program, open_program.state
    folder = tmp_path / "a.isogloss"
    open_project(window, folder, qtbot, "create")
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        state.rename_project(folder, tmp_path / "missing" / "b.isogloss")
    assert state.project is not None
    assert state.project.folder == folder
    assert "can't be renamed" in window.message_bar.text


def _name_project(window: MainWindow, name: str) -> None:
    """Type a project's new name in the dialog and agree."""
    (dialog,) = window.findChildren(TextInputDialog)
    dialog.field.setText(name)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)


def _open_files(folder: Path) -> list[str]:
    """Return the files below a folder that this process has open or mapped."""
    process = psutil.Process()
    paths = [one.path for one in process.open_files()]
    if sys.platform == "linux":
        paths.append(Path("/proc/self/maps").read_text(encoding="utf-8"))
    return [path for path in paths if str(folder) in path]
