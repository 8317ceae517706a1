"""The classify view: labels, training, the transfer board, predictions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app import messages
from app.classify_questions import (
    CompareTransfersQuery,
    LabelCountsQuery,
    LabelOrderQuery,
    PredictionChangesQuery,
    PredictionsQuery,
    SuggestQuery,
)
from app.engine.store.arrays import write_array
from app.label_changes import LabelSentences, SetClassifierState
from app.messages import EncodersQuery
from app.params.classify import (
    CheckLabels,
    Classify,
    EvaluateFewShot,
    EvaluateTransfer,
    ExportPredictions,
    TrainClassifier,
)
from app.views.classify_view import ClassifyView
from app.views.widgets.apply_dialog import ApplyDialog
from app.views.widgets.transfer_behind import COMPARISON
from app.views.widgets.transfer_dialog import TransferDialog
from tests.views import classified
from tests.views.stage import Stage, build_project, link, sentence_id
from tests.views.test_accessibility import faults

COUNTS = {"sea": 2, "wind": 1}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = build_project(tmp_path / "p.isogloss")
    for corpus in (1, 2, 3):
        classified.add_labels(folder, corpus)
    return folder


@pytest.fixture
def stage(folder: Path) -> Iterator[Stage]:
    stage = Stage(folder)
    card = {"name": "isogloss-2", "fingerprint": "f" * 64, "folder": str(folder)}
    answers = stage.client.answers
    answers[EncodersQuery] = lambda _: {
        "encoders": [card],
        "chosen": "isogloss-2",
        "damaged": [],
    }
    answers[LabelCountsQuery] = lambda _: counts(dict.fromkeys((1, 2, 3), COUNTS))
    answers[LabelOrderQuery] = lambda _: ids_file(stage, [sentence_id(1, 1)])
    answers[PredictionsQuery] = lambda _: {
        **ids_file(stage, [sentence_id(2, n) for n in (0, 2, 1)]),
        "n_by_class": {"sea": 2, "wind": 1},
        "without": [],
    }
    yield stage
    stage.close()


def counts(by_corpus: dict[int, dict[str, int]]) -> dict[str, Any]:
    """Answer with the classes of corpora."""
    return {
        "corpora": [
            {
                "id": id_,
                "n_labelled": sum(found.values()),
                "n_classes": len(found),
                "classes": list(map(list, found.items())),
            }
            for id_, found in by_corpus.items()
        ]
    }


def ids_file(stage: Stage, ids: list[int]) -> dict[str, Any]:
    """Answer with ids in a file."""
    file = stage.folder / "arrays" / "views" / f"{len(stage.client.sent)}.npy"
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        write_array(file, np.array(ids, np.int64))
    return {"file": f"arrays/views/{file.name}", "n": len(ids)}


def open_view(stage: Stage, qtbot: QtBot) -> ClassifyView:
    stage.open(qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view = ClassifyView(stage.state)
    qtbot.addWidget(view)
    view.resize(1200, 800)
    view.show()
    qtbot.waitUntil(lambda: stage.state.labels.is_counted)
    return view


def button(view: ClassifyView, words: str) -> QPushButton:
    found = [b for b in view.findChildren(QPushButton) if b.text() == words]
    return next(b for b in found if b.isVisible())


def cells(table: Any, row: int) -> list[str]:
    model = table.model()
    return [model.index(row, c).data() or "" for c in range(model.columnCount())]


# --- the board ---


def test_one_click_trains_on_english_and_tests_every_language(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    link(folder, [(sentence_id(1, 0), sentence_id(2, 0))])
    view = open_view(stage, qtbot)
    assert view.board.words[0] == "Label in one language, use in all"
    button(view, "Train on English, test on three languages").click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    assert isinstance(params, EvaluateTransfer)
    assert params.train == "Harbour letters"
    assert params.tests == (
        "en=Harbour letters",
        "ar=رسائل الميناء",
        "de=Hafenbriefe",
    )
    assert params.apart  # links tell which rows are translations
    assert view.board.words[0] == "Training and testing…"


@pytest.fixture
def board(stage: Stage, folder: Path, qtbot: QtBot) -> ClassifyView:
    """The view with a test: Arabic is worse than German, English was trained on."""
    classified.add_transfer(folder, {"en": 3, "de": 2, "ar": 1})
    return open_view(stage, qtbot)


def test_the_worst_language_comes_first_with_n_and_intervals(
    board: ClassifyView,
) -> None:
    page = board.board.page
    assert page.table.keys == ["ar", "de", "en"]
    assert cells(page.table, 0)[:3] == [
        "Arabic",
        "3",
        "33.3\u00a0(3.3–63.3)",
    ]
    assert cells(page.table, 1)[-2:] == ["−33.3", "1"]  # the gap, rows that are known
    home = "100.0\u00a0% (70.0\u00a0–\u00a0100.0\u00a0%, n = 3)"
    assert page.figures.text.startswith(f"English, the training language {home}")
    assert (
        "mean of 2 other languages (lowest – highest) 50.0\u00a0%" in page.figures.text
    )
    assert "seems to hold a translation" in page.notes
    assert [row.key for row in page.figure.plot.rows] == ["ar", "de", "en"]
    assert "English 100.0\u00a0%" in page.figure.legend


def test_a_language_shows_its_confusion_and_its_surest_errors(
    board: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    page = board.board.page
    assert page.language == "ar"
    behind = page.behind
    assert "accuracy 33.3\u00a0% (3.3\u00a0–\u00a063.3\u00a0%, n = 3)" in behind.score
    assert behind.confusion.rowCount() == 2
    assert cells(behind.errors.table, 0)[0] == "91.0\u00a0%"
    words = behind.errors.words
    assert words[0] == "Labelled sea, said to be wind (91.0\u00a0% sure)"
    assert words[-1] == "0.71 sea: So we are staying one more night."
    with qtbot.waitSignal(stage.state.place_wanted) as wanted:
        next(
            b
            for b in behind.errors.findChildren(QPushButton)
            if b.text() == "Show in its corpus"
        ).click()
    assert wanted.args == [sentence_id(3, 1)]


def test_the_plot_and_the_table_choose_the_same_language(board: ClassifyView) -> None:
    page = board.board.page
    QTest.keyClick(page.figure.plot, Qt.Key.Key_Down)
    assert page.language == page.figure.plot.chosen == "de"
    page.table.choose("en")
    assert page.figure.plot.chosen == "en"
    assert page.behind.errors.errors.rowCount() == 0


def test_the_board_and_its_errors_are_exported(
    board: ClassifyView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "board.tsv"
    board.board.page.export_to(file)
    errors = tmp_path / "board-errors.tsv"
    qtbot.waitUntil(lambda: file.exists() and errors.exists())
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("language\tname\tn\taccuracy\tlow\thigh")
    assert lines[1].startswith("ar\tArabic\t3\t0.333333\t0.033333\t0.633333")
    assert len(errors.read_text(encoding="utf-8").splitlines()) == 4
    for suffix in ("png", "svg", "csv"):
        board.board.page._file.save(tmp_path / f"plot.{suffix}")
    qtbot.waitUntil(lambda: (tmp_path / "plot.csv").exists())
    assert (tmp_path / "plot.png").stat().st_size > 1_000
    assert b"<svg" in (tmp_path / "plot.svg").read_bytes()[:500]


def test_few_labels_are_measured_and_the_curve_is_shown(
    board: ClassifyView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    pane = board.board.page.behind.few_shot
    pane.measure.click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    assert isinstance(params, EvaluateFewShot)
    assert (params.train, params.target) == ("Harbour letters", "رسائل الميناء")
    classified.add_few_shot(folder, "Hafenbriefe")
    board.board.page.table.choose("de")
    assert "55.0 % without its labels, on n = 40 rows" in pane.words
    assert "10 → 60.0 ± 2.0 %, 50 → 65.0 ± 2.0 %" in pane.words
    board.board.page.table.choose("en")  # it was trained on
    assert not pane.measure.isEnabled()


def test_two_tests_are_compared_by_significance(
    board: ClassifyView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    one = board.board.page.shown
    other = classified.add_transfer(folder, {"de": 3, "ar": 1}, head="knn")
    row = {"language": "ar", "n": 3, "one": 0.5, "other": 0.25, "difference": 0.25}
    row |= {"low": 0.1, "high": 0.4, "only_one": 9, "only_other": 1, "p": 0.021}
    stage.client.answers[CompareTransfersQuery] = lambda _: {
        "languages": [row],
        "skipped": ["en is in one of the two tests only."],
    }
    board.refresh()
    pane = board.board.page.behind.comparison
    with qtbot.waitSignal(pane.shown):
        board.board.page.behind.tabs.setCurrentIndex(COMPARISON)
    (query,) = stage.client.queries(CompareTransfersQuery)
    assert one is not None
    assert (query.one, query.other) == (one.id, other)
    assert "more than chance in 1 of 1 languages" in pane.words
    assert cells(pane.table, 0)[4:] == ["+25.0", "+10.0 – +40.0", "9", "1", "0.021"]


def test_a_test_is_put_together_in_its_dialog(
    board: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    board.jobs.ask_test_again()
    (dialog,) = board.findChildren(TransferDialog)
    assert faults(dialog) == []
    dialog.form.write({"train": "Hafenbriefe", "head": "knn", "k": 7})
    dialog.run_button.click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    params = stage.client.runs()[0]
    assert (params.train, params.language) == ("Hafenbriefe", "de")
    assert (params.head, params.k, len(params.tests)) == ("knn", 7, 3)
    board.jobs.copy_command()
    text = QGuiApplication.clipboard().text()
    assert "evaluate-transfer --project" in text
    assert "--test" in text


# --- labels ---


def test_classes_stand_with_their_keys_and_bars(stage: Stage, qtbot: QtBot) -> None:
    view = open_view(stage, qtbot)
    view.show_step(view.labels)
    page = view.labels.page
    assert [(row.name, row.key, row.n) for row in page.classes.rows] == [
        ("sea", 1, 2),
        ("wind", 2, 1),
    ]
    assert page.facts == (
        "English · 3 of 3 sentences have a label · 0 without · 2 classes · "
        "most sea (2), fewest wind (1)"
    )
    facts = [row.facts for row in view.labels.corpora.rows]
    assert facts[0] == "English · 3 labelled · 2 classes"
    assert facts[3] == "Japanese · 3 without labels"


def test_sentences_of_a_class_are_shown_and_labelled_by_key(
    stage: Stage, qtbot: QtBot
) -> None:
    view = open_view(stage, qtbot)
    view.show_step(view.labels)
    page = view.labels.page
    with qtbot.waitSignal(page.shown):
        page.classes.selectRow(1)
    (query,) = stage.client.queries(LabelOrderQuery)
    assert (query.classes, query.corpora) == (("wind",), (1,))
    page.table.selectRow(0)
    QTest.keyClick(page.table, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: bool(stage.client.changes()))
    assert stage.client.changes() == [
        LabelSentences(sentences=(sentence_id(1, 1),), class_name="wind")
    ]


def test_labels_that_differ_by_case_are_merged(stage: Stage, qtbot: QtBot) -> None:
    stage.client.answers[LabelCountsQuery] = lambda _: counts(
        {1: {"sea": 2, "Sea ": 1}}
    )
    view = open_view(stage, qtbot)
    view.show_step(view.labels)
    button(view, "Merge “Sea ” into “sea” (1 sentences)").click()
    qtbot.waitUntil(lambda: bool(stage.client.changes()))
    (query,) = stage.client.queries(LabelOrderQuery)
    assert query.classes == ("Sea ",)
    assert stage.client.changes() == [
        LabelSentences(sentences=(sentence_id(1, 1),), class_name="sea")
    ]


def test_a_check_tells_leaks_and_doubtful_labels_which_enter_mends(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_check(folder)
    view = open_view(stage, qtbot)
    view.show_step(view.labels)
    page = view.labels.page
    page.show_findings()
    assert "de: 2 of 3 rows are in the training set too." in page.findings.words
    assert cells(page.findings.sets, 1)[6] == "2"
    table = page.findings.doubts
    assert cells(table, 0)[2:] == ["sea", "wind"]
    QTest.keyClick(table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(stage.client.changes()))
    assert stage.client.changes() == [
        LabelSentences(sentences=(sentence_id(1, 1),), class_name="wind")
    ]
    view.classifier_jobs.check()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    assert isinstance(params, CheckLabels)
    assert params.tests == ("de=Hafenbriefe", "ar=رسائل الميناء")


# --- training ---


def test_a_training_is_put_together_from_a_preset(stage: Stage, qtbot: QtBot) -> None:
    view = open_view(stage, qtbot)
    view.classifier_jobs.train_on_shown()
    setup = view.training.setup
    assert setup.needs.startswith("3 labelled sentences in 2 classes.")
    setup.presets.setCurrentIndex(1)
    setup.presets.activated.emit(1)
    setup.train_button.click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    assert isinstance(params, TrainClassifier)
    assert (params.name, params.train) == ("Harbour letters", ("Harbour letters",))
    assert (params.head, params.hidden, params.batch_size) == ("mlp", (10,), 12)


def test_a_classifier_shows_its_figures_with_n_and_is_deleted(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    id_ = classified.add_trained(folder)
    view = open_view(stage, qtbot)
    view.show_step(view.training)
    assert view.training.choose(id_)
    page = view.training.page
    assert "accuracy, held out 75.0\u00a0% (53.1\u00a0–\u00a088.8\u00a0%, n = 20)" in (
        page.figures.text
    )
    assert page.words[0] == "• 1 classes have a single training row: 'wind'."
    view.classifier_jobs.delete()
    qtbot.waitUntil(lambda: bool(stage.client.changes()))
    assert stage.client.changes() == [
        SetClassifierState(classifiers=(id_,), state="deleted")
    ]


# --- use ---


@pytest.fixture
def used(stage: Stage, folder: Path, qtbot: QtBot) -> ClassifyView:
    """The view with two classifiers that have classified the German letters."""
    for name in ("Topics", "Topics 2"):
        id_ = classified.add_trained(folder, name)
        classified.add_predictions(folder, id_, 2)
    view = open_view(stage, qtbot)
    view.show_step(view.use)
    table = view.use.page.table
    qtbot.waitUntil(lambda: table.page_model.rowCount() == 3)
    return view


def test_predictions_are_browsed_by_class_and_probability(
    used: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    page = used.use.page
    assert used.use.shown is not None
    assert used.use.shown.row.name == "Topics 2"
    assert cells(page.table, 0) == [
        "90.0\u00a0%",
        "Der Wind dreht seit Mittag auf Nordwest.",
        "German",
        "wind",
        "wind",
    ]
    with qtbot.waitSignal(page.shown):
        page.lowest.setValue(65)
    with qtbot.waitSignal(page.shown):
        page.classes.choose(("sea",))
    query = stage.client.queries(PredictionsQuery)[-1]
    assert (query.classes, query.lowest, query.order) == (("sea",), 0.65, "sure")


def test_a_prediction_is_corrected_by_key(
    used: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    table = used.use.page.table
    table.selectRow(0)
    QTest.keyClick(table, Qt.Key.Key_1)
    qtbot.waitUntil(lambda: bool(stage.client.changes()))
    assert stage.client.changes() == [
        LabelSentences(sentences=(sentence_id(2, 0),), class_name="sea")
    ]
    assert table.current_id == sentence_id(2, 2)  # the next row


def test_retraining_takes_the_corrected_corpora_and_classifies_them_again(
    used: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    used.classifier_jobs.retrain()
    qtbot.waitUntil(lambda: len(stage.client.runs()) == 1)
    params = stage.client.runs()[0]
    assert (params.name, params.train) == (
        "Topics 3",
        ("Harbour letters", "Hafenbriefe"),
    )
    run = stage.state.runs[0]
    stage.client.event_received.emit(messages.Finished(run.id, {"id": 9}))
    qtbot.waitUntil(lambda: len(stage.client.runs()) == 2)
    assert stage.client.runs()[1] == Classify(classifier="9", corpora=("2",))


def test_what_changed_and_what_to_label_next_are_shown(
    used: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    page = used.use.page
    stage.client.answers[PredictionChangesQuery] = lambda _: {
        **ids_file(stage, [sentence_id(2, 1)]),
        "n_compared": 4,
        "moves": [{"before": "wind", "after": "sea", "n": 1}],
    }
    with qtbot.waitSignal(page.shown):
        used.classifier_jobs.show_changes()
    assert page.facts == (
        "Topics said 1 of 4 sentences otherwise (25.0\u00a0%): wind → sea 1"
    )
    assert cells(page.table, 0)[3:5] == ["sea", "sea"]  # before, and now
    stage.client.answers[SuggestQuery] = lambda _: {
        "sentences": [
            {"sentence": sentence_id(2, 2), "predicted": "sea", "probability": 0.7}
        ]
    }
    with qtbot.waitSignal(page.shown):
        page.show_suggestions()
    assert page.table.page_model.rowCount() == 1
    assert page.facts.startswith("1 sentences to label next")


def test_corpora_are_classified_and_predictions_exported(
    used: ClassifyView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    used.classifier_jobs.ask_apply()
    (dialog,) = used.findChildren(ApplyDialog)
    assert faults(dialog) == []
    dialog.run_button.click()
    one = used.use.shown
    assert one is not None
    used.use.page.classes.choose(("sea",))
    used.classifier_jobs.export_to(one, tmp_path / "said")
    qtbot.waitUntil(lambda: len(stage.client.runs()) == 2)
    applied, exported = stage.client.runs()
    assert applied == Classify(
        classifier="2", corpora=("Harbour letters", "رسائل الميناء", "港の手紙")
    )
    assert exported == ExportPredictions(
        classifier="2", out=tmp_path / "said.tsv", classes=("sea",), replace=True
    )


# --- the view ---


def test_every_control_has_a_name_and_what_is_shown_comes_back(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_transfer(folder, {"en": 3, "de": 2})
    classified.add_predictions(folder, classified.add_trained(folder), 2)
    view = open_view(stage, qtbot)
    assert faults(view) == []
    view.show_step(view.use)
    state = view.save_state()
    other = ClassifyView(stage.state)
    qtbot.addWidget(other)
    other.restore_state(state)
    assert other.save_state() == state
    assert state["summary"] == "English → 2 languages"


def test_an_empty_project_says_what_to_do(tmp_path: Path, qtbot: QtBot) -> None:
    stage = Stage(build_project(tmp_path / "e.isogloss", {}))
    stage.open(qtbot)
    view = ClassifyView(stage.state)
    qtbot.addWidget(view)
    view.show()
    assert "import a table with a label column" in view.board.words[1]
    assert not view.board.quick.isEnabled()
    view.show_step(view.labels)
    with qtbot.waitSignal(stage.state.import_wanted):
        button(view, "Import texts…").click()
    stage.close()
