"""The mine view: sets of pairs, their scores and texts, what is asked for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app import messages
from app.engine.store.arrays import write_array
from app.engine.store.pair_rows import first_pair_id
from app.errors import ErrorInfo
from app.messages import EncodersQuery, RecipeQuery
from app.pair_changes import RenameMining, SetMiningState
from app.pair_questions import MiningPlanQuery, QueueQuery
from app.params import Encode, EvaluateMining, ExportPairs, MinePairs, ScorePairs
from app.params.filters import ALL_FILTERS
from app.views.mining_view import MiningView
from app.views.panels.mining_page import RECIPE_TAB
from app.views.widgets.ask_text import AskText
from app.views.widgets.mining_dialog import MiningDialog
from app.views.widgets.page_model import LANGUAGE_ROLE
from app.views.widgets.pair_export_dialog import PairExportDialog
from app.views.widgets.pair_model import SCORE, SOURCE, TARGET, VERDICT
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.verdict_mark import VERDICT_ROLE
from tests.views import mined
from tests.views.stage import Stage, build_project, link, sentence_id
from tests.views.test_accessibility import faults

FIRST = first_pair_id(1)
TEXT = int(Qt.ItemDataRole.DisplayRole)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.isogloss")


@pytest.fixture
def stage(folder: Path) -> Iterator[Stage]:
    stage = Stage(folder)
    card = {"name": "isogloss-2", "fingerprint": "f" * 64, "folder": str(folder)}
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card],
        "chosen": "isogloss-2",
        "damaged": [],
    }
    step = {"n_left": 3, "n_removed": 0, "n_alone": 0, "examples": []}
    stage.client.answers[RecipeQuery] = lambda query: {
        "pairs": 3,
        "steps": [{"filter": line, **step} for line in query.filters],
    }
    stage.client.answers[MiningPlanQuery] = lambda _: {"text": "About 1 s."}
    yield stage
    stage.close()


def open_view(stage: Stage, qtbot: QtBot) -> MiningView:
    stage.open(qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view = MiningView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 800)
    view.show()
    return view


@pytest.fixture
def view(stage: Stage, folder: Path, qtbot: QtBot) -> MiningView:
    """The view with three pairs of English and Arabic, the second one accepted."""
    mined.add_mining(folder)
    mined.judge(folder, 1, {1: "accept"})
    return open_view(stage, qtbot)


def cell(view: MiningView, row: int, column: int, role: int = TEXT) -> Any:
    model = view.page.pairs.table.pairs
    return model.data(model.index(row, column), role)


def column_of(view: MiningView, column: int) -> list[str]:
    table = view.page.pairs.table
    return [cell(view, row, column) for row in range(table.pairs.rowCount())]


def answer_ids(stage: Stage, places: list[int]) -> None:
    """Let the engine answer every queue with these pairs."""
    file = stage.folder / "arrays" / "views" / "q.npy"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_array(file, np.array(places, np.int64) + FIRST)
    stage.client.answers[QueueQuery] = lambda _: {
        "file": "arrays/views/q.npy",
        "n": len(places),
        "n_by_verdict": {"": 2, "accept": 1},
    }


def test_a_set_of_pairs_is_shown_with_its_share_that_is_judged(
    view: MiningView,
) -> None:
    (line,) = view.column.minings.rows
    assert (line.title, line.facts) == (
        "English – Arabic",
        "3 pairs · 33\u00a0% judged",
    )
    assert "ratio margin over 4 neighbours" in view.page.words[1]
    assert view.page.figures.text.startswith("pairs 3, judged 1 (33\u00a0%)")


def test_texts_stand_side_by_side_in_their_direction(view: MiningView) -> None:
    assert cell(view, 0, SCORE) == "1.500"
    assert cell(view, 0, SOURCE) == "The wind has been in the north-west since noon."
    assert cell(view, 0, TARGET, LANGUAGE_ROLE) == "ar"
    align = int(Qt.ItemDataRole.TextAlignmentRole)
    assert cell(view, 0, TARGET, align) & Qt.AlignmentFlag.AlignRight
    assert cell(view, 0, SOURCE, align) & Qt.AlignmentFlag.AlignLeft
    verdicts = [cell(view, row, VERDICT, VERDICT_ROLE) for row in range(3)]
    assert verdicts == ["", "accept", ""]


def test_the_threshold_counts_and_shows_what_is_at_or_above_it(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    panel = view.page.pairs.threshold
    assert panel.field.value() == 0.9  # of the worst pair: all are shown
    with qtbot.waitSignal(view.page.pairs.shown):
        panel.set_threshold(1.2)
    assert panel.words == "2 of 3 pairs at or above (67\u00a0%)"
    assert panel.threshold == 1.2
    assert column_of(view, SCORE) == ["1.500", "1.200"]
    assert panel.plot.threshold == 1.2
    assert stage.client.queries(QueueQuery) == []  # the store alone told it


def test_the_line_is_dragged_and_its_field_follows(
    view: MiningView, qtbot: QtBot
) -> None:
    panel = view.page.pairs.threshold
    with qtbot.waitSignal(view.page.pairs.shown):
        panel.plot._line.setValue(1.3)
    assert panel.field.value() == 1.3
    assert column_of(view, SCORE) == ["1.500"]


def test_the_worst_pairs_are_one_click_away(view: MiningView) -> None:
    view.page.pairs.table.horizontalHeader().sectionClicked.emit(SCORE)
    assert column_of(view, SCORE) == ["0.900", "1.200", "1.500"]
    assert view.page.pairs.table.pairs.row_of(FIRST) == 2


def test_finding_and_filtering_ask_the_engine(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    answer_ids(stage, [1])
    filters = view.page.pairs.filters
    with qtbot.waitSignal(view.page.pairs.shown):
        filters.which.setCurrentIndex(filters.which.findData("accept"))
    with qtbot.waitSignal(view.page.pairs.shown):
        filters.find_field.setText("storm")
        QTest.keyClick(filters.find_field, Qt.Key.Key_Return)
    query = stage.client.queries(QueueQuery)[-1]
    assert (query.which, query.find, query.mining) == ("accept", "storm", 1)
    assert column_of(view, SCORE) == ["1.200"]
    assert filters.count == "1 of 3 pairs"
    assert filters.which.currentText() == "Accepted (1)"


def test_a_refusal_is_said_where_the_number_stands(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    why = ErrorInfo("user", "These pairs are not in the project any more.")
    stage.client.answers[QueueQuery] = lambda _: why
    filters = view.page.pairs.filters
    filters.which.setCurrentIndex(1)
    qtbot.waitUntil(lambda: filters.count == why.message)


def test_candidates_are_shown_beside_the_best_pair(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    mined.add_mining(folder, n_candidates=1)
    view = open_view(stage, qtbot)
    assert column_of(view, SCORE) == ["1.500", "1.200"]
    answer_ids(stage, [0, 2, 1])
    with qtbot.waitSignal(view.page.pairs.shown):
        view.page.pairs.filters.candidates.click()
    query = stage.client.queries(QueueQuery)[-1]
    assert (query.with_candidates, query.order) == (True, "source")
    colour = int(Qt.ItemDataRole.ForegroundRole)
    looks = [cell(view, row, SOURCE, colour) is not None for row in range(3)]
    assert looks == [False, True, False]


def test_a_chosen_pair_is_shown_whole_with_the_next_best(
    view: MiningView, stage: Stage
) -> None:
    view.page.pairs.table.select_row(1)
    card = view.page.pairs.card
    assert card.facts == (
        "Score 1.200 = cosine 0.600 / mean of the neighbours 0.300 · accepted by Ana"
    )
    assert card.rivals[0].startswith("next best target 0.600: لذلك")
    assert card.rivals[1].startswith("next best source 0.400: So we are staying")
    assert stage.state.selection == sentence_id(1, 1)  # the inspector shows it


def test_enter_and_a_double_click_open_the_review(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    table = view.page.pairs.table
    table.select_row(2)
    with qtbot.waitSignal(stage.state.review_wanted) as asked:
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert asked.args == [1, FIRST + 2]
    with qtbot.waitSignal(stage.state.review_wanted) as asked:
        table.doubleClicked.emit(table.pairs.index(0, SOURCE))
    assert asked.args == [1, FIRST]


def test_a_judgement_made_elsewhere_is_seen(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    mined.judge(folder, 1, {0: "reject"})
    stage.client.event_received.emit(messages.Changed("pair", FIRST))
    qtbot.waitUntil(lambda: cell(view, 0, VERDICT, VERDICT_ROLE) == "reject")
    qtbot.waitUntil(lambda: "67" in view.column.minings.rows[0].facts)
    assert "rejected 1" in view.page.figures.text


def test_the_worst_pairs_of_a_bitext_come_first(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    report = {
        "mean": 1.2,
        "best": 0.8,
        "quantiles": {"0.05": 0.93},
        "histogram": mined.REPORT["scores"],
    }
    new = mined.MINING._replace(kind="scored", retrieval="")
    mined.add_mining(folder, new, report=report)
    view = open_view(stage, qtbot)
    assert column_of(view, SCORE) == ["0.900", "1.200", "1.500"]
    assert "mean score 1.200" in view.page.figures.text
    assert "have no better candidate 80\u00a0%" in view.page.figures.text
    assert not view.page.tabs.isTabVisible(1)  # a bitext has no recipe


def test_pairs_are_renamed_deleted_and_brought_back(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    view.jobs.rename()
    (dialog,) = view.findChildren(AskText)
    dialog.field.setText("Letters")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    view.jobs.delete()
    qtbot.waitUntil(lambda: view.messages.text == "Deleted English – Arabic (3 pairs).")
    assert stage.client.changes() == [
        RenameMining(mining=1, name="Letters"),
        SetMiningState(minings=(1,), state="deleted"),
    ]
    (undo,) = [b for b in view.findChildren(QPushButton) if b.text() == "Undo"]
    undo.click()
    assert isinstance(stage.client.changes()[-1], messages.Undo)


# --- mining ---


def test_an_empty_view_offers_what_to_mine(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view = open_view(stage, qtbot)
    quick = view.start.quick
    assert quick.text() == "Mine Harbour letters – Hafenbriefe"
    quick.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, MinePairs)
    assert (params.source, params.target, params.margin) == (
        "Harbour letters",
        "Hafenbriefe",
        "ratio",
    )


def test_the_form_says_what_it_takes_and_mines(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    view.jobs.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    assert dialog.needs == "3 × 3 sentences are compared."
    qtbot.waitUntil(lambda: dialog.needs == "About 1 s.")
    dialog.form.write({"threshold": 1.06, "filters": ["numbers"]})
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, MinePairs)
    assert (params.threshold, params.filters) == (1.06, ("numbers",))


def test_a_threshold_that_is_no_number_is_refused_beside_its_field(
    view: MiningView, stage: Stage
) -> None:
    view.jobs.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    field = dialog.form.field("threshold").widget
    assert isinstance(field, QLineEdit)
    field.setText("1,06")
    assert dialog.form.raw()["threshold"] == "1.06"  # as many countries write it
    field.setText("high")
    dialog.run_button.click()
    assert dialog.isVisible()
    assert stage.client.runs() == []


def test_a_filter_that_cannot_be_read_is_refused_beside_its_field(
    view: MiningView, stage: Stage
) -> None:
    view.jobs.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    dialog.form.write({"filters": ["lenght min=3"]})
    dialog.run_button.click()
    assert dialog.isVisible()
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert any(text.startswith("There is no filter 'lenght'") for text in texts)
    assert stage.client.runs() == []


def test_the_form_begins_with_the_keyboard_on_the_source(view: MiningView) -> None:
    view.jobs.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    assert dialog.focusWidget() is dialog.form.field("source").widget


def test_one_corpus_is_mined_between_two_of_its_languages(
    view: MiningView, qtbot: QtBot
) -> None:
    view.jobs.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    language = dialog.form.field("source_language").widget
    assert language.isHidden()
    dialog.form.write({"target": ""})
    assert not language.isHidden()
    assert dialog.form.raw()["source_language"] == "en"
    dialog.form.write({"target": "Hafenbriefe"})  # what is hidden must not count
    assert language.isHidden()
    assert dialog.form.raw()["source_language"] == ""


def test_corpora_without_vectors_are_encoded_first(
    stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    stage.folder = build_project(tmp_path / "new.isogloss", is_encoded=False)
    view = open_view(stage, qtbot)
    view.jobs.ask_mining()
    (dialog,) = view.findChildren(MiningDialog)
    assert dialog.needs.endswith(
        "Harbour letters, Hafenbriefe are encoded first: they have no vectors yet."
    )
    assert dialog.run_button.text() == "Encode and mine"
    dialog.run_button.click()
    qtbot.waitUntil(lambda: bool(stage.state.runs and stage.state.runs[0].id))
    assert stage.client.runs() == [Encode(corpora=("1", "2"))]
    run = stage.state.runs[0].id
    stage.client.event_received.emit(messages.Finished(run, {}))
    assert isinstance(stage.client.runs()[-1], MinePairs)


def test_pairs_are_mined_again_under_another_name(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    params = MinePairs(source="Harbour letters", target="رسائل الميناء", k=7)
    mined.add_mining(folder, run_id=mined.add_run(folder, params))
    view = open_view(stage, qtbot)
    view.jobs.mine_with(["identity"])
    again = stage.client.runs()[-1]
    assert (again.k, again.filters, again.name) == (
        7,
        ("identity",),
        "English – Arabic 2",
    )
    view.jobs.copy_command()
    assert "mine-pairs" in QGuiApplication.clipboard().text()


def test_what_was_mined_is_shown_when_it_is_there(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view.jobs.mine_suggested()
    qtbot.waitUntil(lambda: bool(stage.state.runs and stage.state.runs[0].id))
    new = mined.add_mining(folder, mined.MINING._replace(name="New"))
    run = stage.state.runs[0].id
    stage.client.event_received.emit(messages.Changed("mining", new))
    stage.client.event_received.emit(messages.Finished(run, {"mining": new}))
    qtbot.waitUntil(lambda: view.row is not None and view.row.id == new)


# --- scoring, evaluating, exporting ---


def test_linked_corpora_are_scored(stage: Stage, folder: Path, qtbot: QtBot) -> None:
    link(folder, [(sentence_id(1, 0), sentence_id(2, 0))])
    view = open_view(stage, qtbot)
    view.jobs.ask_scoring()
    (dialog,) = view.findChildren(TaskDialog)
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert params == ScorePairs(source="Harbour letters", target="Hafenbriefe")


def test_an_evaluation_shows_figures_curve_and_errors(
    stage: Stage, folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    mined.add_evaluation(folder)
    view = open_view(stage, qtbot)
    page = view.evaluations
    assert view.evaluation is not None
    assert view.evaluation.name == "de.tsv – ar.tsv"
    assert page.figures.text.startswith("F1 75.0\u00a0%, precision 80.0\u00a0%")
    assert page.figure.legend == (
        "F1 75.0\u00a0%, Precision 80.0\u00a0%, Recall 70.0\u00a0%, threshold 1.100"
    )
    model = page.wrong.pairs
    texts = [model.data(model.index(0, column)) for column in range(5)]
    assert texts == ["1.300", "de-1", "Wir bleiben.", "ar-2", "سنبقى ليلة أخرى."]
    assert model.data(model.index(0, 4), LANGUAGE_ROLE) == "ar"  # right to left
    assert page.missed.pairs.rowCount() == 1
    for suffix in ("png", "svg", "csv"):
        with qtbot.waitSignal(stage.state.notice_posted):
            page._file.save(tmp_path / f"curve.{suffix}")
    lines = (tmp_path / "curve.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "threshold,F1,Precision,Recall"
    assert lines[1].startswith("0.9,0.666666667,0.5,1")
    view.jobs.copy_command()
    assert "evaluate-mining" in QGuiApplication.clipboard().text()


def test_the_files_of_an_evaluation_are_asked_for(
    view: MiningView, stage: Stage
) -> None:
    view.jobs.ask_evaluation()
    (dialog,) = view.findChildren(TaskDialog)
    dialog.run_button.click()
    assert dialog.isVisible()  # the files are missing
    dialog.form.write({"source": "/a", "target": "/b", "gold": "/c"})
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert params == EvaluateMining(
        source=Path("/a"), target=Path("/b"), gold=Path("/c")
    )


def test_an_export_takes_the_threshold_and_the_ending_of_its_format(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(view.page.pairs.shown):
        view.page.pairs.threshold.set_threshold(1.2)
    view.jobs.ask_export()
    (dialog,) = view.findChildren(PairExportDialog)
    dialog.form.write({"format": "jsonl", "verdicts": ["accept"]})
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, ExportPairs)
    assert (params.threshold, params.verdicts) == (1.2, ("accept",))
    assert params.out.name == "english-arabic.jsonl"


def test_every_control_has_a_name_and_a_tooltip(view: MiningView, folder: Path) -> None:
    run = mined.add_evaluation(folder)
    view.refresh()
    view.page.tabs.setCurrentIndex(RECIPE_TAB)
    for kind in ALL_FILTERS:
        view.page.recipe.list.add(kind)
    view.column.evaluations.choose(run)
    view.jobs.ask_mining()
    view.jobs.ask_evaluation()
    view.column.minings.choose(1)
    view.jobs.ask_export()
    assert len(view.findChildren(QDialog)) == 3
    assert faults(view) == [], faults(view)


def test_errors_and_pairs_are_taken_away(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    view.page.pairs.table.select_row(2)
    view.copy_pair()
    copied = QGuiApplication.clipboard().text()
    assert copied == "So we are staying one more night.\tلذلك سنبقى ليلة أخرى."
    run = mined.add_evaluation(folder)
    view.refresh()
    view.column.evaluations.choose(run)
    with qtbot.waitSignal(stage.state.notice_posted):
        view.evaluations.export_to(tmp_path / "errors.tsv")
    lines = (tmp_path / "errors.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[1].split("\t")[:3] == ["wrong", "1.300000", "de-1"]
    assert lines[2].split("\t")[:3] == ["missed", "", "de-1"]


def test_aligned_pairs_are_ordered_by_the_engine(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    new = mined.MINING._replace(kind="aligned", retrieval="")
    mined.add_mining(folder, new, report={"n": 3})
    answer_ids(stage, [2, 0])
    view = open_view(stage, qtbot)
    qtbot.waitUntil(lambda: column_of(view, SCORE) == ["0.900", "1.500"])
    assert view.page.pairs.threshold.isHidden()  # costs of a path are no scores


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
