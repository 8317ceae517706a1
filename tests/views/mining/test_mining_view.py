"""The mine view as a whole: its sets of pairs, its controls, its session."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.engine.store.corpora import first_sentence_id
from app.params.filters import ALL_FILTERS
from app.params.mining import MinePairs
from app.protocol import events
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import RenameMining, SetMiningState
from app.settings import Settings
from app.views.client.runs import RunState
from app.views.mining.page import RECIPE_TAB
from app.views.mining.pair_table import VERDICT
from app.views.mining.view import MiningView
from app.views.widgets.dialogs import TextInputDialog
from app.views.widgets.verdict_mark import VERDICT_ROLE
from tests.views import mined
from tests.views.mining.opened import FIRST, cell, open_view
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage


def test_a_set_of_pairs_is_shown_with_its_share_that_is_judged(
    view: MiningView,
) -> None:
    (line,) = view.sidebar.minings.rows
    assert (line.title, line.facts) == (
        "English – Arabic",
        "3 pairs · 33\u00a0% judged",
    )
    assert "ratio margin over 4 neighbours" in view.page.header_texts[1]
    assert view.page.figures.text.startswith("pairs 3, judged 1 (33\u00a0%)")


def test_skipped_and_flagged_pairs_are_not_counted_as_judged(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    mined.add_mining(folder)
    mined.judge(folder, 1, {0: "accept", 1: "skip", 2: "flag"})
    view = open_view(stage, qtbot)
    figures = "pairs 3, judged 1 (33\u00a0%), accepted 1, skipped 1, flagged 1"
    assert view.page.figures.text.startswith(figures)
    (line,) = view.sidebar.minings.rows
    assert line.facts == "3 pairs · 33\u00a0% judged"


def test_a_judgement_made_elsewhere_is_seen(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    mined.judge(folder, 1, {0: "reject"})
    stage.client.event_received.emit(events.Changed("pair", FIRST))
    qtbot.waitUntil(lambda: cell(view, 0, VERDICT, VERDICT_ROLE) == "reject")
    qtbot.waitUntil(lambda: "67" in view.sidebar.minings.rows[0].facts)
    assert "rejected 1" in view.page.figures.text


def test_scoring_can_be_asked_for_from_another_view(
    view: MiningView, stage: Stage
) -> None:
    notices = QSignalSpy(stage.state.notice_posted)
    view.score_parallel_text()  # this project has no linked corpora
    words = "No linked corpora. Import a parallel text, such as a TMX file."
    assert notices.at(0) == [words]


def test_another_set_does_not_keep_the_sentence_of_a_pair_of_the_old_one(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view.page.pairs.table.selectRow(0)
    assert stage.state.selection is not None
    other = mined.add_mining(folder)
    with qtbot.waitSignal(stage.state.minings_changed):
        stage.client.event_received.emit(events.Changed("mining", other))
    view.show_mining(other)
    qtbot.waitUntil(lambda: view.row is not None and view.row.id == other)
    assert stage.state.selection is None


def test_a_new_set_of_a_hidden_page_leaves_the_sentence_of_another_view(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view.page.pairs.table.selectRow(0)
    view.hide()
    stage.state.select_sentence(first_sentence_id(2))
    other = mined.add_mining(folder)
    with qtbot.waitSignal(stage.state.minings_changed):
        stage.client.event_received.emit(events.Changed("mining", other))
    view.show_mining(other)
    assert stage.state.selection == first_sentence_id(2)
    view.show()
    assert stage.state.selection is None


def test_pairs_are_renamed_deleted_and_brought_back(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    view.controller.rename()
    (dialog,) = view.findChildren(TextInputDialog)
    dialog.field.setText("Letters")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    view.controller.delete()
    qtbot.waitUntil(lambda: view.messages.text == "Deleted English – Arabic (3 pairs).")
    assert stage.client.changes() == [
        RenameMining(mining=1, name="Letters"),
        SetMiningState(minings=(1,), state="deleted"),
    ]
    (undo,) = [b for b in view.findChildren(QPushButton) if b.text() == "Undo"]
    undo.click()
    assert isinstance(stage.client.changes()[-1], Undo)


def test_every_control_has_a_name_and_a_tooltip(view: MiningView, folder: Path) -> None:
    run = mined.add_evaluation(folder)
    view.refresh()
    view.page.tabs.setCurrentIndex(RECIPE_TAB)
    for kind in ALL_FILTERS:
        view.page.recipe.list.add(kind)
    view.sidebar.evaluations.choose(run)
    view.controller.ask_mining()
    view.controller.ask_evaluation()
    view.sidebar.minings.choose(1)
    view.controller.ask_export()
    assert len(view.findChildren(QDialog)) == 3
    assert faults(view) == [], faults(view)


def test_a_session_brings_pairs_and_place_back(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    view.page.pairs.table.select_row(1)
    with qtbot.waitSignal(view.page.pairs.shown):
        view.page.pairs.threshold.set_threshold(1.0)
    saved = view.save_state()
    other = MiningView(stage.state)
    qtbot.addWidget(other)
    with qtbot.waitSignal(other.page.pairs.shown):
        other.restore_state(saved)
    qtbot.waitUntil(lambda: other.page.pairs.table.pairs.rowCount() == 2)
    assert other.page.pairs.table.current_id == FIRST + 1


def test_skipped_sentences_and_weak_pairs_are_explained(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    report = {**mined.REPORT, "n_duplicates": 3, "n_unknown": 1, "are_weak": True}
    mined.add_mining(folder, report=report)
    view = open_view(stage, qtbot)
    figures = view.page.figures.text
    assert "sentences compared 3 × 3, duplicate sentences skipped 3" in figures
    assert "sentences unknown to the encoder skipped 1" in figures
    assert "good first threshold 1.25" in figures
    shown = [one.text() for one in view.findChildren(QLabel) if one.isVisible()]
    assert any("hardly more similar than other sentences" in text for text in shown)


def test_the_pairs_of_a_resumed_run_are_shown(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    run = RunState(MinePairs(source="1"), resume=5)
    stage.state.run_started.emit(run)
    other = mined.add_mining(folder)
    with qtbot.waitSignal(stage.state.minings_changed):
        stage.client.event_received.emit(events.Changed("mining", other))
    view.show_mining(1)
    result = {"mining": other, "message": "3 pairs were found."}
    stage.state.run_finished.emit(run, result)
    qtbot.waitUntil(lambda: view.row is not None and view.row.id == other)


def test_pairs_that_are_found_do_not_replace_another_choice_of_the_user(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    other, made = mined.add_mining(folder), mined.add_mining(folder)
    with qtbot.waitSignal(stage.state.minings_changed):
        stage.client.event_received.emit(events.Changed("mining", other))
    view.show_mining(1)
    run = RunState(MinePairs(source="1"), resume=5)
    stage.state.run_started.emit(run)
    view.show_mining(other)
    stage.state.run_finished.emit(run, {"mining": made, "message": "3 pairs."})
    assert view.row is not None
    assert view.row.id == other


def test_the_list_of_pair_sets_is_whole_with_large_text(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    mined.add_mining(folder, mined.MINING._replace(name="English – Arabic (scored)"))
    view = open_view(stage, qtbot)
    sidebar = view.sidebar
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        room = sidebar.contentsRect
        qtbot.waitUntil(lambda: sidebar.minings.geometry().right() <= room().right())
    finally:
        stage.theme.apply(Settings(theme="light"))
