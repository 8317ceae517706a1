"""Packages that are opened from the first page, dropped, or chosen to import."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.project.project import (
    create_project,
    open_project,
    open_read_only,
)
from app.engine.store.pairs.annotators import list_annotators
from app.params.pairs import OpenPackage
from app.paths import settings_file
from app.protocol.edits.pairs import JudgePairs
from app.settings import Settings, save_settings
from app.views.corpora.import_dialog import ImportDialog
from app.views.mining.pair_table import SCORE
from app.views.mining.view import MiningView
from app.views.review.view import ReviewView
from app.views.shell.application import begin, make_window
from app.views.shell.command_palette import CommandPalette
from app.views.shell.main_window import MainWindow
from app.views.shell.settings_dialog import SettingsDialog
from app.views.widgets.dialogs import LAST_FOLDER
from app.views.widgets.theme import Theme
from tests.engine.review.made import edit
from tests.engine.review.packages.handing import hand_back, hand_over, take
from tests.process.windows import WAIT_MS
from tests.views.reviewing import make_pairs

N = 5


@pytest.fixture
def window(
    qtbot: QtBot,
    qapp: QApplication,
    data_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[MainWindow]:
    """The window of a user who never started the program."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    settings = Settings(theme="light", user_name="Ben")
    theme = Theme(qapp, settings)
    window = make_window(settings, theme)
    window.show()
    begin(window)
    yield window
    window.close()
    qtbot.waitUntil(window.isHidden, timeout=WAIT_MS)
    window.deleteLater()
    theme.deleteLater()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package; its name does not end as usual."""
    mining = make_pairs(tmp_path / "ada.isogloss", N)
    with open_project(tmp_path / "ada.isogloss") as project:
        hand_over(project, tmp_path / "letters.gz", pairs=str(mining))
    return tmp_path / "letters.gz"


def question(window: MainWindow) -> QMessageBox:
    (box,) = [one for one in window.findChildren(QMessageBox) if one.isVisible()]
    return box


def wait_for_review(window: MainWindow, qtbot: QtBot) -> ReviewView:
    """Wait until the pairs of the package are shown."""

    def _shows_pairs() -> bool:
        view = window.views.get("review")
        return isinstance(view, ReviewView) and len(view.session.queue) == N

    qtbot.waitUntil(_shows_pairs, timeout=WAIT_MS)
    view = window.views["review"]
    assert isinstance(view, ReviewView)
    assert view.isVisible()
    return view


def test_a_package_is_opened_from_the_first_page(
    window: MainWindow, qtbot: QtBot, package: Path
) -> None:
    names = [one.accessibleName() for one in window.welcome.findChildren(QPushButton)]
    assert any(name.startswith("Open a package to judge…") for name in names)
    window.packages.ask([package])  # as the file dialog does
    box = question(window)
    assert box.text() == "letters.gz: a package of pairs to judge."
    assert box.informativeText().endswith("letters.isogloss")
    box.buttons()[0].click()
    view = wait_for_review(window, qtbot)
    assert view.header.return_button.isVisible()
    assert view.state.project is not None
    assert view.state.project.name == "letters"


def names_in_palette(window: MainWindow, typed: str) -> list[str]:
    window.menus.show_palette()
    (palette,) = window.findChildren(CommandPalette)
    (line,) = palette.findChildren(QLineEdit)
    line.setText(typed)
    names = palette.names
    palette.close()
    shiboken6.delete(palette)
    return names


def test_the_palette_of_the_first_page_finds_packages_and_other_words(
    window: MainWindow,
) -> None:
    assert names_in_palette(window, "package") == ["File: Open a package to judge…"]
    for typed, name in (
        ("tutorial", "Help: Guided path"),
        ("switch project", "File: Open project…"),
        ("bigger font", "View: Larger text"),
        ("presentation", "View: Full screen"),
        ("learning curve", "View: Training"),
        ("mistakes", "View: Classify"),
        ("cross-val", "View: Classify"),
        ("find issues", "View: Quality"),
        ("tmx", "File: Import…"),
    ):
        assert name in names_in_palette(window, typed), typed


def test_a_package_is_sought_where_packages_were_written(
    window: MainWindow, qtbot: QtBot, package: Path, tmp_path: Path
) -> None:
    window.packages.ask([package])
    question(window).buttons()[0].click()
    wait_for_review(window, qtbot)
    window.setProperty(LAST_FOLDER, str(tmp_path / "ada.isogloss"))  # of an import
    window.packages.choose()
    (dialog,) = window.findChildren(QFileDialog)
    assert Path(dialog.directory().absolutePath()) == package.parent
    dialog.reject()
    assert window.state.settings.package_folder == str(package.parent)


def test_pairs_of_a_package_without_scores_have_none_in_mine(
    window: MainWindow, qtbot: QtBot, package: Path
) -> None:
    window.packages.ask([package])
    question(window).buttons()[0].click()
    wait_for_review(window, qtbot)
    window.show_view("mining")
    view = window.views["mining"]
    assert isinstance(view, MiningView)
    pairs = view.page.pairs
    qtbot.waitUntil(lambda: pairs.table.pairs.rowCount() == N, timeout=WAIT_MS)
    assert pairs.table.isColumnHidden(SCORE)
    pairs.table.select_row(0)
    assert pairs.card.facts.startswith("The package has no scores.")
    assert not any("0.000" in one for one in pairs.card.runners_up)


def test_a_package_that_is_dropped_is_not_imported_as_text(
    window: MainWindow, qtbot: QtBot, package: Path, tmp_path: Path
) -> None:
    text = tmp_path / "a.txt"
    text.write_text("One line.\n", encoding="utf-8")
    window.import_files([package, text])  # as a drop does
    (dialog,) = window.findChildren(ImportDialog)
    names = [dialog.files.itemText(n) for n in range(dialog.files.count())]
    assert not any("letters" in name for name in names)
    dialog.reject()
    question(window).reject()
    assert window.state.project is None
    create_project(tmp_path / "own.isogloss").close()
    window.projects.open_path(tmp_path / "own.isogloss")
    qtbot.waitUntil(lambda: window.state.project is not None, timeout=WAIT_MS)
    window.import_files([package])
    assert [one for one in window.findChildren(ImportDialog) if one.isVisible()] == []
    question(window).buttons()[0].click()
    wait_for_review(window, qtbot)


def test_returned_judgements_that_are_dropped_are_merged(
    window: MainWindow, qtbot: QtBot, package: Path, tmp_path: Path
) -> None:
    judged = tmp_path / "judged.gz"
    with create_project(tmp_path / "eva.isogloss") as project:
        row, ids = take(project, package)
        edit(project, JudgePairs(pairs=tuple(ids), verdict="accept"))
        hand_back(project, judged, who="Eva", pairs=str(row.id))
    window.import_files([judged])
    assert "Open the project that the package was exported from" in (
        window.message_bar.text
    )
    window.projects.open_path(tmp_path / "ada.isogloss")
    qtbot.waitUntil(lambda: window.state.project is not None, timeout=WAIT_MS)
    window.import_files([judged])
    box = question(window)
    assert box.text() == "judged.gz: judgements that another annotator returned."
    with qtbot.waitSignal(window.state.run_finished, timeout=WAIT_MS) as finished:
        box.buttons()[0].click()
    assert finished.args[1]["new"] == N


def test_a_package_of_the_open_project_is_opened_in_a_new_one_under_another_name(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    mining, file = make_pairs(tmp_path / "ada.isogloss", N), tmp_path / "letters.gz"
    save_settings(Settings(user_name="Ben"), settings_file())  # a shared computer
    with open_project(tmp_path / "ada.isogloss") as project:
        hand_over(project, file, pairs=str(mining))
    window.projects.open_path(tmp_path / "ada.isogloss")
    qtbot.waitUntil(lambda: window.state.project is not None, timeout=WAIT_MS)
    with qtbot.waitSignal(window.state.run_failed, timeout=WAIT_MS):
        window.state.run(OpenPackage(package=file))
    assert "was exported from this project" in window.message_bar.text
    button_of(window, "Open in a new project").click()
    view = wait_for_review(window, qtbot)
    assert window.state.project is not None
    assert window.state.project.name == "letters"
    asked = "Ben exported this package"
    qtbot.waitUntil(lambda: view.messages.text.startswith(asked), timeout=WAIT_MS)
    button_of(window, "Enter your name…").click()
    (dialog,) = window.findChildren(SettingsDialog)
    dialog.form.write({"user_name": "Eva"})
    button_of(dialog, "Save settings").click()
    assert view.header.name_button.text() == "Judging as Eva"
    assert not view.messages.text
    save_settings(window.state.settings, settings_file())  # as the window does
    view.commands["accept"].trigger()
    qtbot.waitUntil(lambda: not view.session.outbox.unsaved, timeout=WAIT_MS)
    with open_read_only(tmp_path / "letters.isogloss") as project:
        assert list_annotators(project.store) == ["Eva"]


def test_the_person_who_exported_a_package_can_judge_it_under_the_same_name(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    mining, file = make_pairs(tmp_path / "ada.isogloss", N), tmp_path / "letters.gz"
    save_settings(Settings(user_name="Ben"), settings_file())
    with open_project(tmp_path / "ada.isogloss") as project:
        hand_over(project, file, pairs=str(mining))
    window.packages.ask([file])
    question(window).buttons()[0].click()
    view = wait_for_review(window, qtbot)
    qtbot.waitUntil(lambda: bool(view.messages.text), timeout=WAIT_MS)
    button_of(window, "Judge as Ben").click()
    assert view.header.name_button.text() == "Judging as Ben"
    assert not view.messages.text


def button_of(widget: QWidget, words: str) -> QPushButton:
    buttons = widget.findChildren(QPushButton)
    return next(one for one in buttons if one.text() == words and one.isVisible())
