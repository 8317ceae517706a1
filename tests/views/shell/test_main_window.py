"""The main window over the fake engine: views, files, runs, messages, leaving."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QFont,
    QGuiApplication,
    QKeySequence,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QListWidget,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot
from sqlalchemy import update

from app.engine.project.project import open_project
from app.engine.project.runs import queue_run
from app.engine.store import schema
from app.errors import ErrorInfo
from app.params import ALL_PARAMS, Params, command_name
from app.params.corpora import ImportCorpus
from app.params.mining import AlignDocuments
from app.params.pairs import ExportPairs
from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder
from app.params.translation import TrainTranslation
from app.params.vectors import Encode
from app.protocol.edits.encoders import ChooseEncoder
from app.protocol.edits.pairs import JudgePairs, SetMiningState
from app.protocol.queries.encoders import EncodersQuery
from app.views.classify.classifier_form import ClassifierForm
from app.views.client.engine_client import EngineClient
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.corpora.view import CorporaView
from app.views.map.histogram import RangeHistogram
from app.views.search.translations import TranslationsDialog
from app.views.shell.command_palette import CommandPalette
from app.views.shell.main_window import MainWindow
from app.views.shell.notifications import FILE_TASKS, NEXT_VIEWS, UNDOABLE_TASKS
from app.views.shell.run_panel import RESULT_VIEWS
from app.views.shell.view_registry import list_views
from app.views.training.view import TrainingView
from app.views.welcome.view import FACTS_ROLE
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.chips import Chips
from app.views.widgets.controls import (
    OFFERED,
    ElidedLabel,
    add_action,
    group_actions,
    make_button,
    start_menu_sections,
)
from app.views.widgets.dialogs import (
    ErrorDialog,
    ReportDialog,
    TextInputDialog,
    ask_path,
    ask_paths,
)
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.form import Form
from app.views.widgets.syntax_help import SyntaxHelp
from app.views.widgets.theme import Theme
from app.views.widgets.view_protocol import view_shortcut
from tests.views.conftest import PLAIN_VIEWS, ImportingView
from tests.views.encoders.cards import card
from tests.views.stage import Stage, build_project

WAIT_MS = 5_000


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    yield stage
    stage.close()


def action(window: MainWindow, name: str) -> QAction:
    return next(a for _, a in window.menus.actions if a.text() == name)


def button(window: MainWindow, text: str) -> QPushButton:
    buttons = window.message_bar.findChildren(QPushButton)
    return next(b for b in buttons if b.text() == text and b.isVisible())


def test_first_page_offers_demo_new_and_open(window: MainWindow) -> None:
    buttons = window.welcome.findChildren(QPushButton)
    names = [b.accessibleName() for b in buttons if not b.property("sample")]
    assert names == [
        *("Open the demo project", "Import your texts…", "Open a package to judge…"),
        *("New empty project…", "Open project…"),
    ]
    assert window.navigation.isHidden()
    assert window.run_strip.text == "No job running"
    assert action(window, "Import…").isEnabled()  # it makes a project
    assert not action(window, "Rename project…").isEnabled()


def test_recent_projects_are_listed_and_missing_ones_are_grey(
    window: MainWindow, tmp_path: Path
) -> None:
    window.projects.remember(tmp_path / "gone.isogloss")
    window.projects.remember(tmp_path)
    (shown,) = window.welcome.findChildren(QListWidget)
    items = [shown.item(i) for i in range(shown.count())]
    assert [bool(item.flags() & Qt.ItemFlag.ItemIsEnabled) for item in items] == [
        True,
        False,
    ]
    assert items[1].data(FACTS_ROLE).startswith("Not found: ")
    before, font = shown.sizeHintForRow(0), QApplication.font()
    larger = QFont(font)
    larger.setPixelSize(26)
    try:
        QApplication.setFont(larger)
        window.welcome.setFont(larger)  # told now, not with the next events
        assert shown.sizeHintForRow(0) == 2 * before
    finally:
        QApplication.setFont(font)


def test_the_ages_of_the_page_that_is_shown_stay_true(
    window: MainWindow, open_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(window.welcome, "show_ages", lambda: shown.append("welcome"))
    assert window._clock.isActive()
    window._clock.timeout.emit()
    assert shown == []  # a project is open
    window._stack.setCurrentWidget(window.welcome)
    shown.clear()
    window._clock.timeout.emit()
    assert shown == ["welcome"]


def test_the_ages_of_a_view_are_updated_when_it_is_shown_again(
    open_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    for name in ("one", "corpora"):
        open_window.show_view(name)
        view = open_window.views[name]
        told = partial(shown.append, name)
        monkeypatch.setattr(view, "show_ages", told, raising=False)
    open_window._clock.timeout.emit()
    assert shown == ["corpora"]
    open_window.show_view("one")
    open_window.show_view("corpora")
    open_window.show_view("one")
    assert shown == ["corpora", "one"], "not more than once a minute"


def test_opened_project_shows_the_first_view(open_window: MainWindow) -> None:
    assert open_window.view_name == "one"
    assert open_window.windowTitle() == "letters — Isogloss"
    assert not open_window.navigation.isHidden()
    assert list(open_window.views) == ["one"], "views are made when they are shown"
    assert action(open_window, "Import…").isEnabled()


def test_the_file_menu_renames_the_open_project(
    open_window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    action(open_window, "Rename project…").trigger()
    (dialog,) = open_window.findChildren(TextInputDialog)
    dialog.field.setText("Briefe")
    with qtbot.waitSignal(open_window.state.project_opened, timeout=WAIT_MS):
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert open_window.windowTitle() == "Briefe — Isogloss"
    assert open_window.projects.recent[0] == folder.with_name("Briefe.isogloss")
    assert not folder.exists()


def test_only_the_view_that_is_shown_is_made_and_visible(
    open_window: MainWindow,
) -> None:
    open_window.show_view("corpora")
    visible = [name for name, view in open_window.views.items() if view.isVisible()]
    assert visible == ["corpora"]


def test_actions_of_a_group_are_in_a_submenu(open_window: MainWindow) -> None:
    open_window.show_view("one")
    view = open_window.views["one"]
    grouped = [add_action(view, f"Step {n}") for n in range(2)]
    group_actions("Go to", grouped)
    for _ in range(2):  # the submenu goes with the view, its actions stay
        open_window.show_view("corpora")
        open_window.show_view("one")
    (menu,) = (
        one.menu()
        for one in open_window.menuBar().actions()
        if one.text().replace("&", "") == "Actions"
    )
    assert isinstance(menu, QMenu)
    texts = [one.text() for one in menu.actions()]
    assert texts == ["Do it in One", "Go to"]
    submenu = menu.actions()[-1].menu()
    assert isinstance(submenu, QMenu)
    assert submenu.actions() == grouped


def test_a_line_is_above_each_section_of_the_menu(open_window: MainWindow) -> None:
    open_window.show_view("one")
    view = open_window.views["one"]
    added = [add_action(view, f"Step {n}") for n in range(2)]
    start_menu_sections(added[0])
    for _ in range(2):
        open_window.show_view("corpora")
        open_window.show_view("one")
    menu = action(open_window, "Do it in One").associatedObjects()[-1]
    assert isinstance(menu, QMenu)
    texts = [None if one.isSeparator() else one.text() for one in menu.actions()]
    assert texts == ["Do it in One", None, "Step 0", "Step 1"]


def test_keys_switch_views(open_window: MainWindow, qtbot: QtBot) -> None:
    action(open_window, "Two").trigger()
    assert open_window.view_name == "corpora"
    assert action(open_window, "Two").shortcut().toString() == "Ctrl+2"


def test_every_view_has_keys_of_its_own(state: AppState) -> None:
    indices = range(len(list_views(state)))
    keys = [QKeySequence(view_shortcut(place)).toString() for place in indices]
    assert keys[:2] == ["Ctrl+1", "Ctrl+2"]
    assert keys[8:10] == ["Ctrl+9", "Ctrl+F1"]
    assert len(set(keys)) == len(keys)


def test_a_click_on_the_view_that_is_shown_gives_it_the_keyboard(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    entries = open_window.navigation.findChild(QListWidget, "views")
    assert entries is not None
    entries.setFocus()
    place = entries.visualItemRect(entries.currentItem()).center()
    QTest.mouseClick(entries.viewport(), Qt.MouseButton.LeftButton, pos=place)
    focus = open_window.focusWidget()
    assert focus is not entries
    assert open_window.views["one"].isAncestorOf(focus)


def test_the_palette_remembers_what_was_chosen_and_says_what_is_missing(
    window: MainWindow,
) -> None:
    def _open() -> tuple[CommandPalette, QTreeView]:
        window.menus.show_palette()
        palette = next(p for p in window.findChildren(CommandPalette) if p.isVisible())
        (shown,) = palette.findChildren(QTreeView)
        return palette, shown

    palette, shown = _open()
    rows = range(shown.model().rowCount())
    reasons = {
        shown.model().index(row, 0).data(): shown.model().index(row, 1).data()
        for row in rows
    }
    assert reasons["File: Close project"] == "Open a project first"
    assert palette.names[0] != "View: Dark colours"
    (line,) = palette.findChildren(QLineEdit)
    QTest.keyClicks(line, "dark")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert window.state.settings.theme == "dark"
    palette, _ = _open()
    assert palette.names[0] == "View: Dark colours"
    palette.close()


def test_the_view_menu_changes_the_colours_as_the_settings_do(
    window: MainWindow,
) -> None:
    def _checked() -> list[str]:
        actions = [one for _, one in window.menus.actions if one.isChecked()]
        return [one.text() for one in actions if "colours" in one.text()]

    assert _checked() == ["System colours"]
    action(window, "Dark colours").trigger()
    assert window.state.settings.theme == "dark"
    assert _checked() == ["Dark colours"]
    settings = window.state.settings
    window.state.change_settings(msgspec.structs.replace(settings, theme="light"))
    assert _checked() == ["Light colours"]
    categories = [title for title, one in window.menus.actions if one.isChecked()]
    assert categories == ["View"]


def test_the_view_menu_changes_the_size_of_the_text(window: MainWindow) -> None:
    for name, size in (
        ("Larger text", 110),
        ("Larger text", 125),
        ("Smaller text", 110),
        ("Normal text size", 100),
        ("Smaller text", 90),
        ("Smaller text", 75),
        ("Smaller text", 75),
    ):
        action(window, name).trigger()
        assert window.state.settings.text_scale == size
        shown = [one.text() for one in window.findChildren(QAction)]
        assert f"Text size: {size}\u00a0%" in shown


def test_a_menu_higher_than_the_screen_scrolls(
    window: MainWindow, theme: Theme
) -> None:
    menu = QMenu(window)
    actions = [menu.addAction(f"Action {index}") for index in range(60)]
    menu.popup(window.mapToGlobal(QPoint(0, 0)))
    lines = {menu.actionGeometry(one).x() for one in actions}
    assert len(lines) == 1, "one column"
    assert menu.height() <= window.screen().availableGeometry().height()
    for _ in actions:
        QTest.keyClick(menu, Qt.Key.Key_Down)
    assert menu.activeAction() is actions[-1]
    assert menu.rect().contains(menu.actionGeometry(actions[-1]).center())
    menu.close()


def test_actions_of_the_shown_view_are_in_the_palette(open_window: MainWindow) -> None:
    names = [f"{category}: {a.text()}" for category, a in open_window.menus.actions]
    assert "One: Do it in One" in names
    assert "Edit: Undo" in names


def test_dropped_files_go_to_the_view_that_imports(
    open_window: MainWindow, tmp_path: Path
) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "a b.txt"))])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPointF(5, 5).toPoint(), copy, mime, left, none)
    open_window.dragEnterEvent(enter)
    assert enter.isAccepted()
    open_window.dropEvent(QDropEvent(QPointF(5, 5), copy, mime, left, none))
    assert open_window.view_name == "corpora"
    view = open_window.views["corpora"]
    assert isinstance(view, ImportingView)
    assert view.imported == [tmp_path / "a b.txt"]


def test_the_file_menu_lets_the_view_that_imports_ask_for_a_folder(
    open_window: MainWindow,
) -> None:
    action(open_window, "Import a folder…").trigger()
    view = open_window.views["corpora"]
    assert isinstance(view, ImportingView)
    assert view.has_asked_folder


def test_strip_follows_a_run_and_cancels_it(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    state = open_window.state
    with qtbot.waitSignal(state.run_progressed, timeout=WAIT_MS):
        state.run(Encode(corpora=("a",), encoder="slow"))
    text = open_window.run_strip.text.replace("\u00a0", " ")
    assert text == "Encoding · 50 / 100 · 50 % · CPU · 1.0 GB"
    (cancel,) = open_window.run_strip.findChildren(QPushButton)
    with qtbot.waitSignal(state.run_cancelled, timeout=WAIT_MS):
        cancel.click()
    assert open_window.run_strip.text.startswith("No job running")


def test_error_is_said_in_one_sentence_with_details(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    bar = open_window.message_bar
    open_window.state.notice_posted.emit("Twelve corpora are ready.")
    error = ErrorInfo(
        "bug", "Internal error in Isogloss (KeyError).", "Traceback: here"
    )
    open_window.state.error_posted.emit(error)
    assert bar.text == "Internal error in Isogloss (KeyError)."
    button(open_window, "Copy report").click()
    assert bar.text == "Internal error in Isogloss (KeyError)."


def test_a_failure_goes_when_the_same_is_done_after_all(
    open_window: MainWindow,
) -> None:
    bar, state = open_window.message_bar, open_window.state
    one, other = (ImportCorpus(files=(Path(name),)) for name in ("a.txt", "b.txt"))
    for params, words in ((one, "No a."), (other, "No b."), (one, "Still no a.")):
        error = ErrorInfo("user", words)
        state.run_failed.emit(RunState(params), error)
        state.error_posted.emit(error)
    again = ImportCorpus(files=(Path("a.txt"),), encoding="cp1252")
    state.run_finished.emit(RunState(again), {"corpora": []})
    assert bar.text == "No b."
    bar.dismiss()
    assert bar.text == "The import is done."


def test_the_results_of_several_jobs_are_one_message(
    open_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NEXT_VIEWS, "encode", ("corpora",))
    bar, state = open_window.message_bar, open_window.state
    for n in range(3):
        params = ImportCorpus(files=(Path(f"{n}.txt"),))
        corpora = [{"name": f"Letters {n}", "n_sentences": 7}]
        state.run_finished.emit(RunState(params), {"corpora": corpora})
    encoded = {"message": "21 sentences encoded by isogloss-3."}
    state.run_finished.emit(RunState(Encode(corpora=("a",))), encoded)
    state.run_finished.emit(RunState(None), {"message": "The index is made."})
    assert bar.text == (
        "The index is made. 21 sentences encoded by isogloss-3. Letters 0, Letters 1, "
        "Letters 2: 21 sentences imported."
    )
    assert button(open_window, "Two").isVisible()
    bar.dismiss()
    assert bar.text == ""
    state.run_finished.emit(RunState(None), {"message": "The map is made."})
    assert bar.text == "The map is made."


def test_all_results_are_shown_where_the_message_is_cut(
    open_window: MainWindow,
) -> None:
    bar, state = open_window.message_bar, open_window.state
    said = [f"The map of the letters of the harbour {n} is made." for n in range(9)]
    for words in said:
        state.run_finished.emit(RunState(None), {"message": words})
    button(open_window, "Show all").click()
    (report,) = open_window.findChildren(ReportDialog)
    assert report.sentence == bar.text == " ".join(reversed(said))
    report.close()


def test_a_finished_training_can_be_used_at_once(stage: Stage, qtbot: QtBot) -> None:
    window = MainWindow(stage.state, PLAIN_VIEWS)
    window.show()
    stage.open(qtbot)
    params = TrainEncoder(languages=("de", "en"), name="harbour")
    trained = {"name": "harbour", "message": "harbour is trained."}
    stage.state.run_finished.emit(RunState(params), trained)
    button(window, "Use encoder").click()
    assert stage.client.changes() == [ChooseEncoder("harbour")]
    assert stage.client.runs() == []
    stage.state.run_finished.emit(RunState(params), trained)
    button(window, "Encode corpora").click()
    (run,) = stage.client.runs()
    assert (run.encoder, run.corpora) == ("harbour", ("1", "2", "3", "4"))
    assert stage.client.changes()[1:] == [ChooseEncoder("harbour")]
    stage.state.newer_encoder_found.emit("isogloss-9")
    assert window.message_bar.text.endswith("isogloss-9 finds more translations.")
    button(window, "Encode again").click()
    assert stage.client.runs()[-1].encoder == "isogloss-9"
    window.closer.may_close = True
    window.close()
    window.deleteLater()


def test_a_finished_translation_model_can_be_tried_at_once(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    window = MainWindow(stage.state, PLAIN_VIEWS)
    window.show()
    names = ("first", "harbour")
    cards = [card(name, "a" * 64, tmp_path, architecture="bridge") for name in names]
    answer = {"encoders": cards, "chosen": "first"}
    stage.client.answers[EncodersQuery] = lambda _: answer
    stage.open(qtbot)
    qtbot.waitUntil(lambda: len(stage.state.encoders.cards) == 2)
    params = TrainTranslation(name="harbour", corpora=("a", "b"))
    stage.state.run_finished.emit(RunState(params), {})
    button(window, "Translate into…").click()
    (dialog,) = window.findChildren(TranslationsDialog)
    assert dialog.models.currentText() == "harbour"
    dialog.close()
    window.closer.may_close = True
    window.close()
    window.deleteLater()


def test_the_notice_of_a_training_leads_to_its_run(stage: Stage, qtbot: QtBot) -> None:
    params = FineTuneEncoder(name="harbour")
    with open_project(stage.folder) as project:
        first = queue_run(project, params)
        queue_run(project, params)
    entries = [entry for entry in list_views(stage.state) if entry.name == "training"]
    window = MainWindow(stage.state, [*PLAIN_VIEWS, *entries])
    window.show()
    stage.open(qtbot)
    run = RunState(params)
    run.id = first
    trained = {"name": "harbour", "message": "harbour is trained."}
    stage.state.run_finished.emit(run, trained)
    button(window, "Training").click()
    view = window.view
    assert isinstance(view, TrainingView)
    assert [training.id for training in view.list.selected] == [first]
    window.closer.may_close = True
    window.close()
    window.deleteLater()


def test_a_request_makes_only_the_view_that_it_is_for(
    stage: Stage, qtbot: QtBot
) -> None:
    window = MainWindow(stage.state, list_views(stage.state))
    window.show()
    stage.open(qtbot)
    before = {*window.views}
    stage.state.view_requests.mining_requested.emit(None)
    assert window.view_name == "mining"
    assert {*window.views} - before == {"mining"}
    window.closer.may_close = True
    window.close()
    window.deleteLater()


def test_a_view_shows_what_was_done_before_it_was_left_no_more(
    stage: Stage, qtbot: QtBot
) -> None:
    names = ("corpora", "search")
    entries = [entry for entry in list_views(stage.state) if entry.name in names]
    window = MainWindow(stage.state, entries)
    window.show()
    stage.open(qtbot)
    window.show_view("corpora")
    view = window.view
    assert isinstance(view, CorporaView)
    view.list.choose([1])
    view.corpus_controller.delete_action.trigger()
    text = "Deleted Harbour letters (3 sentences)."
    qtbot.waitUntil(lambda: view.messages.text == text)
    undo = next(one for one in view.messages.findChildren(QPushButton) if one.text())
    assert undo.isVisible()
    encode = [make_button("Encode", "Encode the corpora.")]
    view.messages.post("2 corpora are not encoded.", buttons=encode)
    window.show_view("search")
    window.show_view("corpora")
    assert view.messages.text == "2 corpora are not encoded."  # still an offer
    window.closer.may_close = True
    window.close()
    window.deleteLater()


def test_a_file_that_was_written_can_be_opened_and_found(
    open_window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def _open(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", _open)
    state, file = open_window.state, tmp_path / "rows.tsv"
    state.file_written.emit(file, "3 rows were written.")
    assert open_window.message_bar.text == "3 rows were written."
    button(open_window, "Show in folder").click()
    params = ExportPairs(pairs="1", out=file, format="tsv")
    state.run_finished.emit(RunState(params), {"message": "2 pairs were exported."})
    assert open_window.message_bar.text == "2 pairs were exported."
    button(open_window, "Open").click()
    assert opened == [str(tmp_path), str(file)]
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: False)
    button(open_window, "Open").click()
    words = f"No program on this computer opens {file}."
    assert open_window.message_bar.text == words
    open_window.message_bar.dismiss()
    assert open_window.message_bar.text == "2 pairs were exported."
    assert all(
        name in {command_name(kind) for kind in ALL_PARAMS} for name in FILE_TASKS
    )


def test_a_crash_without_a_job_is_forgotten_after_the_next_one(
    open_window: MainWindow,
) -> None:
    bar, state = open_window.message_bar, open_window.state
    state.error_posted.emit(ErrorInfo("crash", "The engine stopped."))
    state.error_posted.emit(ErrorInfo("user", "No such file."))
    state.run_finished.emit(RunState(None), {"message": "The map is made."})
    assert bar.text == "No such file."
    bar.dismiss()
    assert bar.text == "The map is made."


def test_a_crash_names_the_training_until_it_is_resumed(
    open_window: MainWindow,
) -> None:
    bar, state = open_window.message_bar, open_window.state
    run = RunState(TrainEncoder(name="quick-1", corpora=("1",)), resume=7)
    crash = ErrorInfo("crash", "The engine crashed.")
    state.run_failed.emit(run, crash)
    state.error_posted.emit(crash)
    words = "The training of quick-1 was interrupted: The engine crashed."
    assert bar.text == words
    button(open_window, "Copy report").click()
    other = RunState(Encode(corpora=("a",)))
    state.run_started.emit(other)
    state.run_finished.emit(other, {"message": "12 sentences encoded."})
    state.engine_reopened.emit()
    assert bar.text == words
    state.run_started.emit(run)
    assert bar.text == "12 sentences encoded."
    bar.dismiss()
    assert bar.text == "", "that the engine restarted is clear from the other message"


def test_a_restart_without_a_lost_job_takes_the_place_of_the_crash(
    open_window: MainWindow,
) -> None:
    state = open_window.state
    state.error_posted.emit(ErrorInfo("crash", "The engine crashed."))
    state.engine_reopened.emit()
    assert "The engine restarted and opened " in open_window.message_bar.text


def test_an_interrupted_run_that_was_run_again_is_not_offered(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    params = Encode(corpora=("a",), encoder="done")
    add_run(folder, params)
    set_state(folder, add_run(folder, params), "finished")
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        window.state.open_project(folder)
    assert "interrupted" not in window.message_bar.text


def test_the_details_of_a_crash_show_its_reason_and_can_be_copied(
    open_window: MainWindow,
) -> None:
    state = open_window.state
    reason = "The system ended the engine, perhaps because memory ran out."
    state.error_posted.emit(ErrorInfo("crash", reason))
    button(open_window, "Details").click()
    (dialog,) = open_window.findChildren(ErrorDialog)
    (details,) = dialog.findChildren(QPlainTextEdit)
    assert details.isVisible()
    assert details.toPlainText().startswith(reason)
    assert "The engine wrote nothing before it ended." in details.toPlainText()
    next(
        one for one in dialog.findChildren(QPushButton) if one.text() == "Copy report"
    ).click()
    assert QGuiApplication.clipboard().text() == details.toPlainText()
    dialog.accept()


def test_a_refused_change_is_forgotten_after_the_next_one(
    open_window: MainWindow,
) -> None:
    bar, state = open_window.message_bar, open_window.state
    state.changes.refused.emit(ErrorInfo("user", "The corpus is in use."))
    assert bar.text == "The corpus is in use."
    state.edit_reported.emit("Undone: the name of a corpus.")
    assert bar.text == "Undone: the name of a corpus."
    bar.dismiss()
    assert bar.text == ""


def test_messages_keep_pace_with_edits_and_undo(open_window: MainWindow) -> None:
    bar, state = open_window.message_bar, open_window.state
    for _ in range(2):
        state.notice_posted.emit("1 link removed: news.en 2 – news.fr 2.")
        assert bar.text == "1 link removed: news.en 2 – news.fr 2."
        state.edit_reported.emit("Undone. 1 link added.")
        assert bar.text == "Undone. 1 link added."
    bar.dismiss()
    assert bar.text == ""


def test_a_message_beside_a_job_moves_nothing(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    bar, state = open_window.message_bar, open_window.state
    strip, field = open_window.run_strip, open_window.views["one"]
    before = field.geometry(), open_window.navigation.geometry()
    with qtbot.waitSignal(state.run_progressed, timeout=WAIT_MS):
        state.run(Encode(corpora=("a",), encoder="slow"))
    (cancel,) = strip.findChildren(QPushButton)
    qtbot.waitUntil(cancel.isVisible)
    place = cancel.mapToGlobal(QPoint())
    state.notice_posted.emit("Nothing was found in this corpus. " * 12)
    QApplication.processEvents()
    assert bar.isVisible()
    assert cancel.mapToGlobal(QPoint()) == place
    assert strip.mapToGlobal(QPoint()).x() < bar.mapToGlobal(QPoint()).x()
    assert (field.geometry(), open_window.navigation.geometry()) == before
    close = bar.findChildren(QPushButton)[0]
    assert close.accessibleName() == "Close message"
    place = close.mapToGlobal(QPoint())
    with qtbot.waitSignal(state.run_cancelled, timeout=WAIT_MS):
        cancel.click()
    QApplication.processEvents()
    assert strip.isHidden()
    assert close.mapToGlobal(QPoint()) == place
    bar.dismiss()
    QApplication.processEvents()
    assert (field.geometry(), open_window.navigation.geometry()) == before


def test_a_long_message_is_cut_and_shown_whole_on_demand(
    open_window: MainWindow,
) -> None:
    open_window.state.notice_posted.emit("Twelve corpora are ready.")
    QApplication.processEvents()
    buttons = open_window.message_bar.findChildren(QPushButton)
    assert "Show all" not in [one.text() for one in buttons]
    words = "Nothing was found in this corpus. " * 30
    open_window.state.error_posted.emit(ErrorInfo("user", words))
    QApplication.processEvents()
    button(open_window, "Show all").click()
    (dialog,) = open_window.findChildren(ReportDialog)
    assert dialog.sentence == words
    assert open_window.message_bar.text == words  # it is still there
    dialog.accept()


def test_a_message_covers_and_moves_nothing(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    bar, field = open_window.message_bar, open_window.views["one"]
    before = field.size()
    open_window.state.notice_posted.emit("Twelve corpora are ready.")
    QApplication.processEvents()
    assert bar.isVisible()
    qtbot.waitUntil(lambda: field.size() == before)  # layouts settle in several steps
    open_window.state.notice_posted.emit("Nothing was found in this corpus. " * 12)
    QApplication.processEvents()
    assert field.size() == before
    layout = bar.layout()
    assert layout is not None
    assert bar.height() >= layout.totalHeightForWidth(bar.width())
    edge = field.mapToGlobal(field.rect().bottomLeft()).y()
    assert bar.mapToGlobal(bar.rect().topLeft()).y() >= edge
    bar.dismiss()
    qtbot.waitUntil(lambda: field.size() == before)
    assert open_window.run_strip.isVisible()


def test_a_finished_job_offers_the_views_that_use_its_result(
    open_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NEXT_VIEWS, "encode", ("corpora", "view of another window"))
    bar, state = open_window.message_bar, open_window.state
    open_window.show_view("one")
    encoded = {"message": "12 sentences encoded by isogloss-2."}
    state.run_finished.emit(RunState(Encode(corpora=("a",))), encoded)
    assert bar.text == "12 sentences encoded by isogloss-2."
    step = button(open_window, "Two")
    assert step.toolTip() == "The second."
    step.click()
    assert open_window.view_name == "corpora"
    assert bar.text == ""


def test_a_new_parallel_text_offers_to_find_its_wrong_pairs(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    state, params = open_window.state, ImportCorpus(files=(Path("a.en"), Path("a.fr")))
    sides = [{"name": name, "n_sentences": 7} for name in ("a.en", "a.fr")]
    state.run_finished.emit(RunState(params), {"corpora": sides[:1]})
    assert "Find wrong pairs…" not in _offered(open_window)
    state.run_finished.emit(RunState(params), {"corpora": sides})
    state.view_requests.scoring_requested.disconnect()  # the window has no view for it
    with qtbot.waitSignal(state.view_requests.scoring_requested):
        button(open_window, "Find wrong pairs…").click()


def test_only_results_that_are_shown_offer_what_comes_next(
    open_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NEXT_VIEWS, "encode", ("corpora",))
    state = open_window.state
    encoded = {"message": "12 sentences encoded by isogloss-2."}
    state.run_finished.emit(RunState(Encode(corpora=("a",))), encoded)
    trained = {"name": "harbour", "message": "harbour is trained."}
    state.run_finished.emit(RunState(TrainEncoder(name="harbour")), trained)
    assert _offered(open_window) >= {"Two", "Use encoder"}
    for n in range(2):
        state.run_finished.emit(RunState(None), {"message": f"Index {n} is made."})
    assert "Two" not in _offered(open_window)  # its message is left out
    assert "Use encoder" in _offered(open_window)
    state.run_finished.emit(RunState(None), {"message": "The map is made."})
    assert not _offered(open_window) & {"Two", "Use encoder"}


def _offered(window: MainWindow) -> set[str]:
    bar = window.message_bar
    return {one.text() for one in bar.findChildren(QPushButton) if one.isVisible()}


def test_a_new_alignment_can_be_deleted_from_its_message(
    stage: Stage, qtbot: QtBot
) -> None:
    window = MainWindow(stage.state, PLAIN_VIEWS)
    window.show()
    stage.open(qtbot)
    params = AlignDocuments(source="1", target="2")
    aligned = {"mining": 7, "message": "letters – Briefe (aligned): 3 links."}
    stage.state.run_finished.emit(RunState(params), aligned)
    button(window, "Delete the alignment").click()
    change = SetMiningState(minings=(7,), state="deleted")
    assert stage.client.changes() == [change]
    assert window.message_bar.text == ""
    stage.state.run_finished.emit(RunState(None), {"message": "The map is made."})
    buttons = [one for one in window.findChildren(QPushButton) if one.isVisible()]
    assert "Delete the alignment" not in [one.text() for one in buttons]
    window.closer.may_close = True
    window.close()
    window.deleteLater()


def test_undo_withdraws_only_results_that_it_deletes(
    open_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NEXT_VIEWS, "encode", ("corpora",))
    state, bar = open_window.state, open_window.message_bar
    encoded = {"message": "12 sentences encoded by isogloss-2."}
    state.run_finished.emit(RunState(Encode(corpora=("a",))), encoded)
    aligned = {"mining": 7, "message": "letters – Briefe (aligned): 3 links."}
    params = AlignDocuments(source="1", target="2")
    state.run_finished.emit(RunState(params), aligned)
    assert bar.text == f"{aligned['message']} {encoded['message']}"
    state.changes.reverted.emit(
        "Undone. Deleted the pair set “letters – Briefe (aligned)”."
    )
    assert bar.text == "Undone. Deleted the pair set “letters – Briefe (aligned)”."
    bar.dismiss()
    assert bar.text == encoded["message"]


def test_what_undo_did_is_no_longer_shown_after_a_new_change(
    open_window: MainWindow,
) -> None:
    state, bar = open_window.state, open_window.message_bar
    state.changes.reverted.emit("Undone. The pair is not judged any more.")
    assert bar.text == "Undone. The pair is not judged any more."
    state.undo()
    assert bar.text == "Undone. The pair is not judged any more."
    state.edit(JudgePairs(pairs=(1,), verdict="accept"))
    assert bar.text == ""


def test_every_next_step_is_a_view_and_a_task(window: MainWindow) -> None:
    names = {entry.name for entry in list_views(window.state)}
    assert set(chain.from_iterable(NEXT_VIEWS.values())) <= names
    tasks = {task.__struct_config__.tag for task in ALL_PARAMS}
    assert set(NEXT_VIEWS) | UNDOABLE_TASKS <= tasks
    assert set(RESULT_VIEWS.values()) <= names
    assert set(RESULT_VIEWS) <= tasks


def test_resuming_is_offered_for_an_interrupted_run(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    add_run(folder, Encode(corpora=("a",), encoder="done"))
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        window.state.open_project(folder)
    assert "encoding was interrupted" in window.message_bar.text
    with qtbot.waitSignal(window.state.run_finished, timeout=WAIT_MS) as finished:
        button(window, "Resume").click()
    assert finished.args[0].params == Encode(corpora=("a",), encoder="done")


def test_an_interrupted_run_is_deleted_from_the_message(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    add_run(folder, Encode(corpora=("a",), encoder="done"))
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        window.state.open_project(folder)
    button(window, "Delete").click()
    (box,) = window.findChildren(QMessageBox)
    assert box.text() == "Delete the encoding with what it has saved?"
    assert (
        "Undo brings back its entry in the list, but not these" in box.informativeText()
    )
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert "encoding was interrupted" in window.message_bar.text  # it is kept
    button(window, "Delete").click()
    box = window.findChildren(QMessageBox)[-1]
    box.defaultButton().click()
    qtbot.waitUntil(lambda: "was interrupted" not in window.message_bar.text)


def test_an_interrupted_import_is_named_after_its_files(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    files = (Path("/texts/big.en"), Path("/texts/big.de"))
    params = ImportCorpus(files=files, languages=("en", "de"))
    add_run(folder, params)
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        window.state.open_project(folder)
    name = "The import of big.en, big.de was interrupted"
    assert window.message_bar.text == f"{name}. You can resume it from what it saved."
    window.state.run_failed.emit(
        RunState(params, resume=1), ErrorInfo("crash", "The engine crashed.")
    )
    window.state.error_posted.emit(ErrorInfo("crash", "The engine crashed."))
    assert window.message_bar.text == f"{name}: The engine crashed."


def test_an_offer_goes_when_the_run_is_resumed_elsewhere(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    encoding = add_run(folder, Encode(corpora=("a",), encoder="slow"))
    training = add_run(folder, TrainEncoder(name="mine", corpora=("1",)))
    bar, state = window.message_bar, window.state
    with qtbot.waitSignal(state.project_opened, timeout=WAIT_MS):
        state.open_project(folder)
    assert bar.text == "2 runs were interrupted and can be resumed."
    assert state.project is not None
    set_state(folder, encoding, "finished")
    state.project.reload({"run"})
    state.runs_changed.emit()
    words = (
        "The training of mine was interrupted. You can resume it from what it saved."
    )
    assert bar.text == words
    paused = RunState(TrainEncoder(name="mine", corpora=("1",)))
    paused.id = training
    state.run_paused.emit(paused)
    assert bar.text == "The training of mine is paused. Its progress is saved."
    set_state(folder, training, "finished")
    state.project.reload({"run"})
    state.runs_changed.emit()
    assert bar.text == ""


def test_leaving_saves_the_session_and_ends_the_engine(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    client = open_window.state.client
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS) as stopped:
        open_window.close()
    assert stopped.args == [""]
    assert not client.is_running
    qtbot.waitUntil(open_window.isHidden, timeout=WAIT_MS)
    assert open_window.state.settings.window_geometry


def test_the_folder_of_imported_files_is_remembered_for_the_next_start(
    window: MainWindow, make_client: Callable[[], EngineClient], tmp_path: Path
) -> None:
    chooser = ask_paths(window, "Import files", print)
    chooser.filesSelected.emit([str(tmp_path / "a.txt")])
    chooser.reject()
    saving = ask_path(window, "Save", print, mode=QFileDialog.FileMode.AnyFile)
    saving.filesSelected.emit([str(Path.home() / "b.txt")])
    saving.reject()
    window.keep_geometry()
    state = AppState(make_client(), window.state.settings)
    later = MainWindow(state, [], make_inspector=QWidget)
    chooser = ask_paths(later, "Import files", print)
    assert Path(chooser.directory().absolutePath()) == tmp_path
    chooser.reject()
    later.deleteLater()
    state.deleteLater()


def test_leaving_during_a_job_asks_first(open_window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(open_window.state.run_progressed, timeout=WAIT_MS):
        open_window.state.run(Encode(corpora=("a",), encoder="slow"))
    open_window.close()
    assert open_window.isVisible()
    (box,) = open_window.findChildren(QMessageBox)
    assert "A job is running" in box.text()
    quit_button = next(b for b in box.buttons() if b.text() == "Quit")
    with qtbot.waitSignal(open_window.state.client.engine_stopped, timeout=WAIT_MS):
        quit_button.click()
    qtbot.waitUntil(open_window.isHidden, timeout=WAIT_MS)


def test_question_mark_types_in_a_field_and_helps_elsewhere(
    open_window: MainWindow,
) -> None:
    view: Any = open_window.views["one"]
    open_window.activateWindow()
    view.field.setFocus()
    QTest.keyClicks(view.field, "why?")
    assert view.field.text() == "why?"


def test_closing_the_project_goes_back_to_the_first_page(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    state: AppState = open_window.state
    with qtbot.waitSignal(state.project_closed, timeout=WAIT_MS):
        open_window.projects.close_project()
    assert open_window.view_name == ""
    assert open_window.views == {}
    assert open_window.navigation.isHidden()


def add_run(folder: Path, params: Params) -> int:
    """Put an interrupted run into a project, as a killed engine leaves it."""
    with open_project(folder) as project:
        run = queue_run(project, params)
    set_state(folder, run, "interrupted")
    return run


def set_state(folder: Path, run: int, value: str) -> None:
    """Write how a run stands, as the engine does."""
    with open_project(folder) as project, project.store.begin() as connection:
        table = schema.run
        connection.execute(update(table).where(table.c.id == run).values(state=value))


def test_the_menus_have_the_actions_of_every_view(open_window: MainWindow) -> None:
    bar = open_window.menuBar()
    titles = [action.text().replace("&", "") for action in bar.actions()]
    assert titles[3:-1] == ["Actions", "Texts", "Pairs"]
    (submenu,) = (m for m in bar.findChildren(QMenu) if m.title() == "Two")
    assert "corpora" not in open_window.views, "it was never shown"
    submenu.aboutToShow.emit()
    submenu.aboutToShow.emit()  # again: no action twice
    names = [action.text() for action in submenu.actions() if action.text()]
    assert names == ["Two", "Do it in Two"]
    submenu.triggered.emit(submenu.actions()[-1])
    assert open_window.view_name == "corpora"


def test_the_palette_knows_other_words_for_actions(open_window: MainWindow) -> None:
    open_window.menus.show_palette()
    (palette,) = open_window.findChildren(CommandPalette)
    (line,) = palette.findChildren(QLineEdit)
    for typed, name in (
        ("theme", "View: Dark colours"),
        ("zoom", "View: Larger text"),
        ("font size", "View: Smaller text"),
        ("resume", "View: Runs"),
        ("preferences", "File: Settings…"),
    ):
        line.setText(typed)
        assert name in palette.names
    palette.close()


def test_the_open_project_is_not_among_those_to_open(
    open_window: MainWindow, tmp_path: Path
) -> None:
    project = open_window.state.project
    assert project is not None
    other = tmp_path / "world news.isogloss"
    other.mkdir()
    open_window.projects.remember(other)
    open_window.projects.remember(project.folder)
    listed = [one.data() for one in open_window.menus._recent.actions()]
    assert listed == [other]


def test_a_narrow_navigation_names_the_project(open_window: MainWindow) -> None:
    project = open_window.state.project
    assert project is not None
    navigation = open_window.navigation
    navigation.fit(500)
    (name,) = [
        one
        for one in navigation.findChildren(ElidedLabel)
        if one.isVisibleTo(navigation)
    ]
    assert name.text() == project.name
    assert project.name in name.toolTip()
    assert "sentences" in name.toolTip()


def test_the_palette_finds_recent_projects_by_name(
    open_window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "world news.isogloss").mkdir()
    for name in ("world news", "gone"):
        open_window.projects.remember(tmp_path / f"{name}.isogloss")
    open_window.menus.show_palette()
    (palette,) = open_window.findChildren(CommandPalette)
    (line,) = palette.findChildren(QLineEdit)
    for typed in ("world", "recent"):
        line.setText(typed)
        assert palette.names[0] == f"Recent: world news – {tmp_path}"
    line.setText("gone")
    (shown,) = palette.findChildren(QTreeView)
    assert shown.model().index(0, 1).data() == "Not found"
    line.setText("world")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert "" not in open_window.state.settings.recent_actions


def test_a_key_shows_the_text_at_its_normal_size(open_window: MainWindow) -> None:
    normal = action(open_window, "Normal text size")
    assert normal.shortcut().toString() == "Ctrl+0"
    action(open_window, "Larger text").trigger()
    assert open_window.state.settings.text_scale > 100
    normal.trigger()
    assert open_window.state.settings.text_scale == 100


def test_the_navigation_has_a_heading_for_each_group(open_window: MainWindow) -> None:
    entries = open_window.navigation.findChild(QListWidget, "views")
    assert entries is not None
    texts = [entries.item(row).text() for row in range(entries.count())]
    assert texts == ["Texts", "One", "Pairs", "Two"]
    assert not entries.item(0).flags() & Qt.ItemFlag.ItemIsSelectable
    assert entries.currentItem().text() == "One"
    QTest.keyClick(entries, Qt.Key.Key_Down)
    assert open_window.view_name == "corpora", "the keys pass over a heading"


def test_the_palette_has_the_actions_of_views_that_were_never_shown(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    assert "corpora" not in open_window.views
    open_window.menus.show_palette()
    (palette,) = open_window.findChildren(CommandPalette)
    qtbot.waitUntil(lambda: "Two: Do it in Two" in palette.names)
    query = palette.findChild(QLineEdit)
    assert query is not None
    query.setText("it in two")
    assert palette.names[0] == "Two: Do it in Two"
    QTest.keyClick(query, Qt.Key.Key_Return)
    assert open_window.view_name == "corpora", "its view is shown"


# Buttons of empty pages, which repeat an action or a query, of forms and filters, and
# rows of actions.
PARTS = (EmptyState, SyntaxHelp, Form, ClassifierForm, RangeHistogram, Chips, ActionRow)
NO_COMMANDS = {
    "Measure again",  # an action has other words for it
    *(
        "Keep",
        "Save texts",
        "Reset texts",
    ),  # only while a pair is in conflict or edited
    *("Hide panel", "Add files…"),  # they change what is shown, and a form
}


def is_in_part(button: QWidget) -> bool:
    """Return whether a button belongs to a part that is used as a whole."""
    above: object = button
    while isinstance(above, QWidget) and not isinstance(above, PARTS):
        above = above.parentWidget()
    return isinstance(above, PARTS)


def test_the_palette_offers_the_command_of_every_button(
    stage: Stage, qtbot: QtBot
) -> None:
    window = MainWindow(stage.state, list_views(stage.state))
    window.show()
    stage.open(qtbot)
    for entry in window.entries:
        window.show_view(entry.name)
    classify: Any = window.views["classify"]
    review: Any = window.views["review"]
    qtbot.waitUntil(lambda: classify.steps.is_complete)
    known = {
        words.strip("….").casefold()
        for _, one in window.menus.actions
        for words in (one.text(), one.statusTip())
    }
    unlisted = [
        (name, button.text(), button.toolTip())
        for name, view in window.views.items()
        for button in view.findChildren(QPushButton)
        if button.text().strip("▸▾ ↑↓") == button.text() != ""
        and button is not review.header.name_button
        and not (button.isCheckable() or button.menu() or is_in_part(button))
        and not any(one.property(OFFERED) for one in button.findChildren(QAction))
        and not known
        & {
            words.split(" (")[0].strip("….").casefold()
            for words in (button.text(), button.toolTip())
        }
    ]
    found = [one for one in unlisted if one[1] not in NO_COMMANDS]
    classify.steps.show_step(classify.steps.labels)
    window.menus.show_palette()
    (palette,) = window.findChildren(CommandPalette)
    names = set(palette.names)
    palette.close()
    window.closer.may_close = True
    window.close()
    window.deleteLater()
    assert found == []
    assert names >= {
        *("Classify: Add class…", "Classify: Export plot: Class balance…"),
    }


def test_the_palette_lists_every_action_of_every_view_and_menu(
    stage: Stage, qtbot: QtBot
) -> None:
    window = MainWindow(stage.state, list_views(stage.state))
    window.show()
    stage.open(qtbot)
    entries = {entry.name: entry.title for entry in window.entries}
    for name in entries:
        window.show_view(name)
    window.menus.show_palette()
    (palette,) = window.findChildren(CommandPalette)
    wanted = {
        f"{entries[name]}: {action.text()}".replace("&", "")
        for name, view in window.views.items()
        for action in view.actions()
        if action.isVisible()
    }
    assert wanted <= set(palette.names)
    menus = [
        action.text()
        for menu in window.menuBar().findChildren(QMenu)
        for action in menu.actions()
        if action.text() and action.isVisible() and action.menu() is None
    ]
    names = {name.split(": ", 1)[1] for name in palette.names}
    unlisted = {text.replace("&", "") for text in menus} - names
    assert unlisted <= {"Text size: 100\u00a0%"}  # a heading
    palette.close()
    window.closer.may_close = True
    window.close()
    window.deleteLater()
