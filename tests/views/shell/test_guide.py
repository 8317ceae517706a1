"""The guided path notes what was really done, and remembers it for the account."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.errors import ErrorInfo
from app.params.corpora import ImportCorpus
from app.params.vectors import Encode
from app.protocol.answers.search import SearchAnswer
from app.protocol.edits.pairs import JudgePairs
from app.protocol.queries.search import KeywordQuery, NearestQuery
from app.settings import GuideSettings, Settings, load_settings
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.shell import main_window
from app.views.shell.guide import list_paths
from app.views.shell.main_window import MainWindow
from app.views.shell.view_registry import list_views
from app.views.widgets import message_bar
from app.views.widgets.search_query import SearchQuery
from app.views.words.view import WordsView
from tests.views.stage import Stage, build_project, nearest

ALL_DONE = tuple(
    {step.name: None for path in list_paths().values() for step in path.steps}
)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    stage.client.answers[NearestQuery] = nearest
    stage.state._settings_path = tmp_path / "settings.json"
    yield stage
    stage.close()


@pytest.fixture
def window(stage: Stage, qtbot: QtBot) -> Iterator[MainWindow]:
    window = MainWindow(stage.state, list_views(stage.state))
    window.show()
    stage.open(qtbot)
    QApplication.processEvents()
    yield window
    window.closer.may_close = True
    window.close()
    window.deleteLater()


def open_path(window: MainWindow) -> None:
    actions = {action.text(): action for _, action in window.menus.actions}
    actions["Guided path"].trigger()
    settle()


def settle() -> None:
    QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def marks(window: MainWindow) -> list[str]:
    """Return the marks of the steps from top to bottom."""
    settle()
    labels = window.guide_panel.findChildren(QLabel)
    done = ("Done", "Not done")
    return [label.text() for label in labels if label.accessibleName() in done]


def ask(state: AppState, qtbot: QtBot, query: NearestQuery | KeywordQuery) -> None:
    answers: list[SearchAnswer | ErrorInfo] = []
    state.ask(query, answers.append)
    qtbot.waitUntil(lambda: bool(answers))


def test_it_is_opened_by_the_palette_and_closed_for_good(
    window: MainWindow, stage: Stage
) -> None:
    assert not window.guide_dock.isVisible()
    open_path(window)
    assert window.guide_panel.progress == "0 of 5 done"
    (close,) = [
        button
        for button in window.guide_panel.findChildren(QPushButton)
        if button.text() == "Close"
    ]
    close.click()
    assert window.guide_dock.isHidden()
    assert not stage.state.settings.guide.is_open


def test_steps_are_done_by_what_happens(
    window: MainWindow, stage: Stage, qtbot: QtBot
) -> None:
    open_path(window)
    assert marks(window) == ["1", "2", "3", "4", "5"]
    stage.state.run_finished.emit(RunState(Encode(corpora=("a",))), {})
    ask(stage.state, qtbot, NearestQuery(text="storm", requester="inspector"))
    assert marks(window) == ["1", "2", "3", "4", "5"]
    ask(stage.state, qtbot, SearchQuery(text="storm").to_query())
    assert marks(window) == ["1", "✓", "3", "4", "5"]
    params = ImportCorpus(files=(Path("a.txt"),))
    stage.state.run_finished.emit(RunState(params), {"corpora": []})
    assert marks(window) == ["✓", "✓", "3", "4", "5"]
    assert window.guide_panel.progress == "2 of 5 done"


def test_what_was_refused_is_not_done(
    window: MainWindow, stage: Stage, qtbot: QtBot
) -> None:
    stage.client.answers[NearestQuery] = lambda query: ErrorInfo("user", "No vectors.")
    ask(stage.state, qtbot, SearchQuery(text="storm").to_query())
    assert stage.state.settings.guide.done == ()


def test_it_is_remembered_for_the_account(
    window: MainWindow, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    open_path(window)
    box = window.guide_panel.persona
    box.setCurrentIndex(box.findText("Annotator"))
    box.activated.emit(box.currentIndex())
    change = JudgePairs(pairs=(1,), verdict="accept")
    with qtbot.waitSignal(stage.state.request_answered):
        stage.state.edit(change)
    assert marks(window) == ["1", "✓", "3", "4", "5"]
    saved = load_settings(tmp_path / "settings.json").guide
    assert saved == GuideSettings(persona="annotator", done=("judge",), is_open=True)


def test_each_step_has_a_button_that_goes_to_its_view(window: MainWindow) -> None:
    open_path(window)
    names = {entry.name for entry in window.entries}
    for path in window.guide.paths.values():
        assert {step.view for step in path.steps} <= names
    goes = {b.toolTip(): b for b in window.guide_panel.findChildren(QPushButton)}
    goes["Go to Concordance."].click()
    assert window.view_name == "concordance"
    goes["Go to Words."].click()
    assert window.view_name == "words"
    view = window.view
    assert isinstance(view, WordsView)
    assert view.bar.page == "equivalents"


def test_when_all_is_done_it_says_so(window: MainWindow, stage: Stage) -> None:
    assert isinstance(stage.state.settings, Settings)
    window.guide.remember(GuideSettings(persona="presenter", done=ALL_DONE))
    open_path(window)
    assert window.guide_panel.progress == "All 4 done"
    assert marks(window) == ["✓"] * 4
    (again,) = [
        button
        for button in window.guide_panel.findChildren(QPushButton)
        if button.text() == "Start again"
    ]
    again.click()
    assert marks(window) == ["1", "2", "3", "4"]


def test_it_is_shown_on_the_first_page(
    window: MainWindow, stage: Stage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with qtbot.waitSignal(stage.state.project_closed):
        stage.state.close_project()
    open_path(window)
    assert window.guide_dock.isVisible()
    opened: list[str] = []
    monkeypatch.setattr(window.projects, "open_demo", lambda: opened.append("demo"))
    goes = {b.toolTip(): b for b in window.guide_panel.findChildren(QPushButton)}
    goes["Go to Search."].click()
    assert opened == ["demo"]


def test_it_is_offered_once_in_the_demo(
    window: MainWindow, stage: Stage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert window.message_bar.text == ""
    monkeypatch.setattr(main_window, "demo_project_dir", lambda: stage.folder)
    stage.open(qtbot)
    window.message_bar.post("3 rows copied.", topic="action")
    window.message_bar.dismiss()
    assert "New here?" in window.message_bar.text, "it stays until it is answered"
    (show,) = [
        button
        for button in window.message_bar.findChildren(QPushButton)
        if button.text() == "Show the path"
    ]
    show.click()
    assert window.guide_dock.isVisible()
    stage.open(qtbot)
    assert window.message_bar.text == ""
    assert window.guide_dock.isVisible()


def test_its_offer_goes_when_it_is_opened_from_the_menu(
    window: MainWindow, stage: Stage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "STEPS_MS", 10)
    monkeypatch.setattr(main_window, "demo_project_dir", lambda: stage.folder)
    stage.open(qtbot)
    qtbot.wait(50)
    assert "New here?" in window.message_bar.text
    window.guide_dock.toggleViewAction().trigger()
    assert window.message_bar.text == ""
