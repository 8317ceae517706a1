"""The annotator's name, and the words and controls that a pair set needs."""

import getpass
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QComboBox, QLabel, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot
from sqlalchemy import update

from app.engine.project.project import open_project
from app.engine.store import schema
from app.engine.store.pairs.sets import first_pair_id, read_current_judgements
from app.paths import settings_file
from app.protocol import events
from app.protocol.edits.general import MAX_NOTE
from app.protocol.edits.pairs import JudgePairs
from app.settings import Settings, save_settings
from app.views.review.dialogs import PairNoteDialog
from app.views.review.package_dialogs import ReturnDialog
from app.views.review.view import ReviewView
from app.views.widgets.controls import ACTION_GROUP
from tests.engine.review.made import edit
from tests.views.review.reviewed import Reviewed
from tests.views.reviewing import press
from tests.views.stage import Stage, build_project


def test_the_first_verdict_takes_the_name_of_the_account_and_says_so(
    data_dir: Path, stage: Reviewed, view: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "miriam")
    notices = QSignalSpy(stage.state.condition_found)
    press(view, Qt.Key.Key_A)
    press(view, Qt.Key.Key_A)
    assert view.header.name_button.text() == "Judging as miriam"
    assert stage.state.settings.user_name == "miriam"
    assert [notices.at(n) for n in range(notices.count())] == [
        [
            "Your judgements are saved under the name “miriam”. To change it, click it "
            "at the top of Review."
        ]
    ]


def test_a_name_entered_for_another_project_stays_there_and_a_new_one_is_announced(
    data_dir: Path, stage: Reviewed, view: ReviewView
) -> None:
    with open_project(stage.folder) as project:
        settings = Settings().with_name_in(project.folder, "Ana")
        save_settings(settings, settings_file())
        edit(project, JudgePairs(pairs=(first_pair_id(1),), verdict="accept"))
        settings = settings.with_name_in(data_dir, "Bruno")  # another project
        save_settings(settings, settings_file())
        edit(project, JudgePairs(pairs=(first_pair_id(1) + 1,), verdict="accept"))
        held = read_current_judgements(
            project.store, [first_pair_id(1), first_pair_id(1) + 1]
        )
    assert {row.who for row in held.values()} == {"Ana"}
    stage.state.change_settings(settings)
    assert view.header.name_button.text() == "Judging as Ana"
    stage.state.change_settings(Settings(user_name="Bruno"))  # as a copied project
    notices = QSignalSpy(stage.state.condition_found)
    press(view, Qt.Key.Key_A)
    press(view, Qt.Key.Key_A)
    assert [notices.at(n) for n in range(notices.count())] == [
        [
            "Your judgements are saved under the name “Bruno”. The earlier ones in "
            "this project have the name “Ana”. To change your name, click it at the "
            "top of Review."
        ]
    ]
    assert stage.state.settings.name_in(stage.folder) == "Bruno"


def test_a_name_that_the_user_entered_stays(
    data_dir: Path, stage: Reviewed, view: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "miriam")
    settings = msgspec.structs.replace(stage.state.settings, user_name="Ana")
    stage.state.change_settings(settings)
    notices = QSignalSpy(stage.state.condition_found)
    press(view, Qt.Key.Key_A)
    assert stage.state.settings.user_name == "Ana"
    assert notices.count() == 0
    view.packages.return_package()
    (dialog,) = view.window().findChildren(ReturnDialog)
    assert dialog.form.raw()["annotator"] == "Ana"
    dialog.reject()


def test_a_review_without_pairs_offers_packages_and_no_action_on_a_pair(
    tmp_path: Path, qtbot: QtBot
) -> None:
    stage = Stage(build_project(tmp_path / "e.isogloss"))
    stage.open(qtbot)
    view = ReviewView(stage.state)
    qtbot.addWidget(view)
    view.show()
    buttons = [one for one in view.findChildren(QPushButton) if one.isVisible()]
    assert "Open a package to judge…" in [one.text() for one in buttons]
    enabled = {name for name, action in view.commands.items() if action.isEnabled()}
    assert enabled <= {"mine", "open_package", "merge_package"}
    stage.close()


def items(box: QComboBox) -> list[str]:
    return [box.itemText(row) for row in range(box.count())]


def test_a_package_without_scores_offers_neither_scores_nor_their_orders(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    bar = view.queue_bar
    assert items(bar.order)[0] == "Best scores first"
    assert items(bar.which)[:2] == ["Not judged", "All pairs"]
    assert bar.lowest.isVisible()
    with open_project(stage.folder) as project, project.store.begin() as connection:
        connection.execute(update(schema.mining).values(margin="", kind="package"))
    stage.tell(events.Changed("mining", 1))
    qtbot.waitUntil(lambda: items(bar.order) == ["As in the package", "Shuffled"])
    assert not bar.lowest.isVisible()
    line = view.page.score
    qtbot.waitUntil(lambda: line.parts.text() == "The package has no scores.")
    qtbot.waitUntil(lambda: line.parts.x() == 0)  # as the runner-up below


def test_enter_without_a_bound_returns_the_keyboard_to_the_pair(
    view: ReviewView, qtbot: QtBot
) -> None:
    picked: list[bool] = []
    view.queue_bar.picked.connect(lambda: picked.append(True))
    field = view.queue_bar.highest
    for keys in ("1.2", ""):
        field.clear()
        QTest.keyClicks(field, keys)
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert len(picked) == 2
    assert field.text() == ""


def test_the_runner_up_is_named_with_its_measure(
    view: ReviewView, qtbot: QtBot
) -> None:
    labels = [one.text() for one in view.page.score.findChildren(QLabel)]
    assert "Runner-up: margin 0.750" in labels
    near = view.page.source_neighbours
    qtbot.waitUntil(lambda: near.mean.text().startswith("mean cosine (k = 4)"))


def test_the_note_is_written_below_the_sentences(
    view: ReviewView, qtbot: QtBot
) -> None:
    press(view, Qt.Key.Key_N)
    (dialog,) = view.window().findChildren(PairNoteDialog)
    window = view.window().frameGeometry()
    qtbot.waitUntil(lambda: dialog.frameGeometry().bottom() > window.bottom() - 40)
    texts = view.page.text_view
    top = texts.mapToGlobal(texts.rect().topLeft()).y()
    assert dialog.frameGeometry().top() > top + texts.source.text.geometry().bottom()
    dialog.reject()


def test_escape_and_enter_save_a_note(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    press(view, Qt.Key.Key_N)
    (dialog,) = view.window().findChildren(PairNoteDialog)
    labels = [one.text() for one in dialog.findChildren(QLabel) if one.isVisible()]
    assert "Ctrl+Enter saves the note. Empty text removes it." in labels
    QTest.keyClicks(dialog.field, "Two boats?")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    (question,) = dialog.findChildren(QMessageBox)
    texts = {one.text() for one in question.buttons()}
    assert texts == {"Save note", "Discard note", "Cancel"}
    QTest.keyClick(question, Qt.Key.Key_Return)
    assert dialog.isHidden()
    assert [one.note for one in stage.judged()] == ["Two boats?"]


def test_a_note_that_is_too_long_is_not_discarded_by_enter(
    stage: Reviewed, view: ReviewView, qtbot: QtBot
) -> None:
    press(view, Qt.Key.Key_N)
    (dialog,) = view.window().findChildren(PairNoteDialog)
    dialog.field.setPlainText("x" * (MAX_NOTE + 1))
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    (question,) = dialog.findChildren(QMessageBox)
    assert {one.text() for one in question.buttons()} == {"Discard note", "Cancel"}
    QTest.keyClick(question, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert not stage.judged()


def test_the_menu_of_the_view_is_not_higher_than_a_small_screen(
    view: ReviewView,
) -> None:
    groups = {one.property(ACTION_GROUP) for one in view.actions()}
    top = [one for one in view.actions() if not one.property(ACTION_GROUP)]
    assert {"Keep a judgement", "Edit pair", "Go to"} <= groups
    assert len(top) + len(groups) - 1 <= 24  # rows of 27 pixels in 700
