"""The welcome page: the demo, new and recent projects."""

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QListWidget,
    QMenu,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.paths import demo_project_dir
from app.protocol import commands
from app.settings import ProjectFacts, Settings
from app.views.welcome.sample_card import NAMES, SampleCard, read_sentence
from app.views.welcome.view import FACTS_ROLE, WelcomeView, describe_project
from app.views.widgets.dialogs import TextInputDialog
from app.views.widgets.project_actions import ProjectActions
from tests.views.clipping import layout_faults
from tests.views.stage import Stage, build_project


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "letters.isogloss"))
    yield stage
    stage.close()


@pytest.fixture
def projects(stage: Stage, qtbot: QtBot) -> ProjectActions:
    window = QWidget()
    qtbot.addWidget(window)
    projects = ProjectActions(stage.state, window)
    for path in list(projects.recent):
        projects.forget(path)
    return projects


@pytest.fixture
def view(projects: ProjectActions, qtbot: QtBot) -> WelcomeView:
    view = WelcomeView(projects)
    qtbot.addWidget(view)
    view.resize(1300, 800)
    view.show()
    return view


def button(view: WelcomeView, name: str) -> QPushButton:
    (found,) = [
        one for one in view.findChildren(QPushButton) if one.accessibleName() == name
    ]
    return found


def test_the_demo_is_opened_by_a_click(
    view: WelcomeView, stage: Stage, qtbot: QtBot, data_dir: Path
) -> None:
    build_project(demo_project_dir())
    with qtbot.waitSignal(stage.state.project_opened):
        QTest.mouseClick(
            button(view, "Open the demo project"), Qt.MouseButton.LeftButton
        )
    opened = [c for c in stage.client.sent if isinstance(c, commands.OpenProject)]
    assert [command.mode for command in opened] == ["demo"]


def test_recent_projects_are_listed_and_opened(
    view: WelcomeView, projects: ProjectActions, stage: Stage, qtbot: QtBot
) -> None:
    recent = view.findChild(QListWidget)
    assert recent is not None
    assert recent.isHidden()
    projects.remember(stage.folder)
    assert recent.item(0).text() == "letters"
    place = recent.visualItemRect(recent.item(0)).center()
    with qtbot.waitSignal(stage.state.project_opened):
        QTest.mouseClick(recent.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_recent_project_that_was_deleted_can_not_be_opened(
    view: WelcomeView, projects: ProjectActions, tmp_path: Path
) -> None:
    projects.remember(tmp_path / "gone.isogloss")
    recent = view.findChild(QListWidget)
    assert recent is not None
    assert recent.item(0).data(FACTS_ROLE).startswith("Not found: ")
    assert recent.item(0).flags() == Qt.ItemFlag.NoItemFlags


def test_a_recent_project_shows_languages_sentences_and_age(
    view: WelcomeView, projects: ProjectActions, stage: Stage, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(stage.state.project_opened):
        projects.open_path(stage.folder)
    assert stage.state.project is not None
    projects.remember(stage.folder)
    view.refresh()
    recent = view.findChild(QListWidget)
    assert recent is not None
    facts = recent.item(0).data(FACTS_ROLE)
    n = stage.state.project.n_sentences
    words = f"4 languages: English, German, Arabic, … · {n} sentences · just now"
    assert facts == words
    spoken = recent.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == f"letters, {facts}"
    projects.forget(stage.folder)
    assert stage.state.settings.project_facts == {}


def test_choices_and_recent_projects_fit_a_low_window_with_large_text(
    view: WelcomeView, projects: ProjectActions, stage: Stage
) -> None:
    view.resize(1100, 615)
    stage.theme.apply(Settings(theme="light", text_scale=150))
    try:
        for number in range(3):
            projects.remember(
                build_project(stage.folder.with_name(f"{number}.isogloss"))
            )
        QTest.qWait(0)
        assert layout_faults(view) == []
        labels = button(view, "Open project…").findChildren(QLabel)
        assert all(one.height() >= one.sizeHint().height() for one in labels)
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_the_age_of_a_recent_project_stays_true_while_the_page_is_shown(
    view: WelcomeView, projects: ProjectActions, stage: Stage
) -> None:
    projects.remember(stage.folder)
    recent = view.findChild(QListWidget)
    assert recent is not None
    earlier = ProjectFacts(("de",), 3, time.time() - 3 * 3600)
    stage.state.change_settings(  # as three hours later
        msgspec.structs.replace(
            stage.state.settings, project_facts={str(stage.folder): earlier}
        )
    )
    view.show_ages()  # as the window asks every minute
    assert recent.item(0).data(FACTS_ROLE) == "German · 3 sentences · 3 hours ago"


def test_many_languages_are_counted_and_days_ago() -> None:
    codes = ("de", "ar", "ja", "sw")
    facts = ProjectFacts(codes, 1, time.time() - 3 * 86_400)
    words = "4 languages: German, Arabic, Japanese, … · 1 sentence · 3 days ago"
    assert describe_project(facts) == words
    assert describe_project(None) == ""


def test_a_click_on_a_sample_asks_for_a_search(view: WelcomeView, qtbot: QtBot) -> None:
    sentences = dict(read_sentence("g09"))
    with qtbot.waitSignal(view.search_requested) as asked:
        QTest.mouseClick(button(view, sentences["ja"]), Qt.MouseButton.LeftButton)
    assert asked.args == [sentences["ja"]]


def test_one_sentence_is_shown_in_every_bundled_language(view: WelcomeView) -> None:
    assert [language for language, _ in read_sentence("g09")] == list(NAMES)
    card = view.findChild(SampleCard)
    assert card is not None
    assert card.isVisible()


def test_a_wrong_place_leaves_the_open_project_as_it_is(
    projects: ProjectActions, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    stage.open(qtbot)
    project, n_sent = stage.state.project, len(stage.client.sent)
    other = tmp_path / "texts"
    other.mkdir()
    missing = tmp_path / "nowhere"
    with qtbot.waitSignal(stage.state.error_posted) as posted:
        projects.open_path(other)
    assert f"{other} is not an Isogloss project" in posted.args[0].message
    with qtbot.waitSignal(stage.state.error_posted) as posted:
        projects.open_path(missing / "mine.isogloss", "create")
    assert f"{missing} doesn't exist" in posted.args[0].message
    assert stage.state.project is project
    assert len(stage.client.sent) == n_sent
    assert not missing.exists()


def test_a_project_was_used_until_it_was_left(
    projects: ProjectActions, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    stage.open(qtbot)
    assert stage.state.project is not None
    folder = stage.state.project.folder
    projects.remember(folder)
    projects._keep_facts(opened_at=time.time() - 3600)
    projects.open_path(build_project(tmp_path / "other.isogloss"))
    facts = projects.facts_of(folder)
    assert facts is not None
    assert time.time() - facts.opened_at < 60


def open_menu(view: WelcomeView, row: int) -> dict[str, QAction]:
    """Open the menu of a recent project; return its actions by their texts."""
    recent = view.findChild(QListWidget)
    assert recent is not None
    place = recent.visualItemRect(recent.item(row)).center()
    recent.customContextMenuRequested.emit(place)
    (menu,) = [m for m in view.findChildren(QMenu) if m.isVisible()]
    menu.close()
    return {action.text(): action for action in menu.actions()}


def name_dialog() -> TextInputDialog:
    """Return the dialog that asks for a name."""
    (dialog,) = [
        one
        for one in QApplication.topLevelWidgets()
        if isinstance(one, TextInputDialog) and one.isVisible()
    ]
    return dialog


def test_the_menu_of_a_recent_project_renames_its_folder(
    view: WelcomeView, projects: ProjectActions, stage: Stage, qtbot: QtBot
) -> None:
    other = build_project(stage.folder.with_name("other.isogloss"))
    for path in (stage.folder, other):
        projects.remember(path)
    facts = {str(stage.folder): ProjectFacts(("de",), 3)}
    keys = {str(stage.folder): ("storm",)}
    stage.state.change_settings(
        msgspec.structs.replace(
            stage.state.settings, project_facts=facts, class_keys=keys
        )
    )
    open_menu(view, 1)["Rename…"].trigger()
    dialog = name_dialog()
    assert dialog.field.text() == "letters"
    dialog.field.setText("Briefe")
    with qtbot.waitSignal(stage.state.project_renamed):
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    target = stage.folder.with_name("Briefe.isogloss")
    assert target.is_dir()
    assert not stage.folder.exists()
    assert projects.recent == [target, other]
    assert projects.facts_of(target) == ProjectFacts(("de",), 3)
    assert stage.state.settings.class_keys == {str(target): ("storm",)}
    recent = view.findChild(QListWidget)
    assert recent is not None
    assert recent.item(0).text() == "Briefe"
    assert stage.state.project is None, "it is not opened"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("other", "already exists"),
        ("a/b", "can't contain “/”"),
        (".hidden", "can't begin or end with a period"),
        ("ឃ" * 90, "too long"),
        ("letters", ""),
    ],
)
def test_a_name_that_can_not_be_used_is_refused_in_the_dialog(
    view: WelcomeView, projects: ProjectActions, stage: Stage, name: str, problem: str
) -> None:
    build_project(stage.folder.with_name("other.isogloss"))
    projects.rename_project(stage.folder)
    dialog = name_dialog()
    dialog.field.setText(name)
    (shown,) = [
        label.text()
        for label in dialog.findChildren(QLabel)
        if label.property("role") == "warning"
    ]
    assert problem in shown
    assert bool(problem) == bool(shown)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible() == bool(problem)
    assert stage.folder.is_dir()
    dialog.reject()


def test_a_long_problem_of_a_name_fits_the_dialog(
    view: WelcomeView, projects: ProjectActions, stage: Stage
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    try:
        build_project(stage.folder.with_name("other.isogloss"))
        projects.rename_project(stage.folder)
        dialog = name_dialog()
        dialog.field.setText("other")
        QTest.qWait(0)
        assert layout_faults(dialog) == []
        dialog.reject()
    finally:
        stage.theme.apply(Settings(theme="light"))


def test_a_recent_project_is_removed_from_the_list(
    view: WelcomeView, projects: ProjectActions, stage: Stage, tmp_path: Path
) -> None:
    projects.remember(stage.folder)
    projects.remember(tmp_path / "gone.isogloss")
    actions = open_menu(view, 0)
    assert list(actions) == ["Remove from this list"]
    actions["Remove from this list"].trigger()
    assert projects.recent == [stage.folder]
    assert stage.folder.is_dir()
