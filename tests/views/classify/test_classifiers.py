"""The classifiers of the classify view: training, predictions, retraining."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.params.classify import (
    Classify,
    ExportClassifier,
    ExportPredictions,
    TrainClassifier,
)
from app.protocol import events
from app.protocol.edits.corpora import EditSentence
from app.protocol.edits.labels import LabelSentences, SetClassifierState
from app.protocol.queries.classify import (
    ClassifyTextQuery,
    LabelCountsQuery,
    PredictionChangesQuery,
    PredictionsQuery,
    SuggestQuery,
)
from app.views.classify.apply_dialog import ApplyDialog
from app.views.classify.view import ClassifyView
from app.views.widgets.file_task_dialog import FileTaskDialog
from tests.engine.review.made import edit
from tests.views import classified
from tests.views.classify.opened import button, cells, counts, ids_file, open_view
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage, sentence_id


def test_a_training_is_put_together_from_a_preset(stage: Stage, qtbot: QtBot) -> None:
    view = open_view(stage, qtbot)
    view.classifiers.train_on_labels()
    setup = view.steps.training.setup
    assert setup.needs.startswith("3 labelled sentences in 2 classes.")
    setup.presets.setCurrentIndex(1)
    setup.presets.activated.emit(1)
    setup.train_button.click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    assert isinstance(params, TrainClassifier)
    assert (params.name, params.train) == ("Harbour letters", ("Harbour letters",))
    assert (params.head, params.hidden, params.batch_size) == ("mlp", (10,), 12)


def test_a_training_needs_two_classes(stage: Stage, qtbot: QtBot) -> None:
    stage.client.answers[LabelCountsQuery] = lambda _: counts(
        {1: {"sea": 1}, 2: {"sea": 1}, 3: {"sea": 2, "wind": 1}}
    )
    view = open_view(stage, qtbot)
    view.classifiers.train_on_labels()
    setup = view.steps.training.setup
    assert setup.needs.startswith(
        "1 labelled sentence in 1 class. Training needs at least two classes."
    )
    assert not setup.train_button.isEnabled()
    setup.form.write({"train": ["Harbour letters", "رسائل الميناء"]})
    assert setup.needs.startswith("4 labelled sentences in 2 classes.")
    assert setup.train_button.isEnabled()
    setup.form.write({"train": []})
    assert not setup.train_button.isEnabled()


def test_the_preset_shows_what_is_filled_in(stage: Stage, qtbot: QtBot) -> None:
    view = open_view(stage, qtbot)
    view.classifiers.train_on_labels()
    setup = view.steps.training.setup
    presets, form = setup.presets, setup.form
    assert presets.currentText() == "Quick: logistic regression"
    form.field("head").write("mlp")
    assert (presets.currentIndex(), presets.currentText()) == (-1, "")
    assert presets.placeholderText() == "Custom: MLP"
    presets.setCurrentIndex(2)
    presets.activated.emit(2)
    assert presets.currentText() == "MLDoc, as released (10, 8)"
    form.field("k").write(7)  # of another head
    assert presets.currentText() == "MLDoc, as released (10, 8)"
    form.field("dropout").write(0.5)
    assert presets.placeholderText() == "Custom: MLP"
    form.field("head").write("logistic")
    assert presets.currentText() == "Quick: logistic regression"


def test_the_proposed_name_is_not_that_of_a_classifier_made_since(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view = open_view(stage, qtbot)
    name = view.steps.training.setup.form.field("name")
    assert name.read() == "Harbour letters"
    id_ = classified.add_trained(folder, "Harbour letters")
    stage.client.event_received.emit(events.Changed("classifier", id_))
    qtbot.waitUntil(lambda: name.read() == "Harbour letters 2")
    saved = {"values": {"name": "Harbour letters", "train": ["1"]}}
    view.steps.training.setup.restore_state(saved)
    assert name.read() == "Harbour letters 2"


def test_a_classifier_shows_its_figures_with_n_and_is_deleted(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    id_ = classified.add_trained(folder)
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.training)
    assert view.steps.training.choose(id_)
    page = view.steps.training.page
    assert (
        "accuracy, held out 75.0\u00a0% (53.1\u00a0–\u2060\u00a088.8\u00a0%, n = 20)"
        in (page.figures.text)
    )
    assert page.texts[0] == "• 1 classes have a single training row: 'wind'."
    view.classifiers.delete()
    qtbot.waitUntil(lambda: bool(stage.client.changes()))
    assert stage.client.changes() == [
        SetClassifierState(classifiers=(id_,), state="deleted")
    ]


@pytest.mark.parametrize(
    ("n", "figure"),
    [
        (20, "75.0\u00a0% (53.1\u00a0–\u2060\u00a088.8\u00a0%, n = 20),"),
        (0, "75.0\u00a0%,"),
    ],
)
def test_an_imported_classifier_shows_no_number_that_is_not_known(
    stage: Stage, folder: Path, qtbot: QtBot, n: int, figure: str
) -> None:
    id_ = classified.add_imported(folder, n)
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.training)
    assert view.steps.training.choose(id_)
    page = view.steps.training.page
    assert f"accuracy, held out {figure}" in page.figures.text
    assert "took" not in page._facts.text()
    assert page.texts[0] == "Not known."
    assert [row.n for row in page.classes.rows] == [None, None]
    assert [cells(page.classes, place)[2] for place in (0, 1)] == ["", ""]


@pytest.fixture
def used(stage: Stage, folder: Path, qtbot: QtBot) -> ClassifyView:
    """The view with two classifiers that have classified the German letters."""
    for name in ("Topics", "Topics 2"):
        id_ = classified.add_trained(folder, name)
        classified.add_predictions(folder, id_, 2)
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.predictions)
    table = view.steps.predictions.page.table
    qtbot.waitUntil(lambda: table.page_model.rowCount() == 3)
    return view


def test_predictions_are_browsed_by_class_and_probability(
    used: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    page = used.steps.predictions.page
    assert used.steps.predictions.shown is not None
    assert used.steps.predictions.shown.row.name == "Topics 2"
    for step in (used.steps.predictions.classifiers, used.steps.training.list):
        facts = [row.facts for row in step.rows]
        assert all(text.startswith("logistic regression · ") for text in facts)
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


def test_in_a_narrow_table_of_predictions_the_class_stays(
    used: ClassifyView,
) -> None:
    table = used.steps.predictions.page.table
    for width in (320, 420, 480, 1200):
        table.setFixedWidth(width)
        used.grab()
        hidden = [
            column.title or column.key
            for index, column in enumerate(table.page_model.columns)
            if table.isColumnHidden(index)
        ]
        # the last to be hidden is the label, the first the language
        assert hidden in (["language", "label"], ["language"], []), width
        assert bool(hidden) == (width < 1200)


def test_a_prediction_is_corrected_by_key(
    used: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    table = used.steps.predictions.page.table
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
    used.classifiers.retrain()
    qtbot.waitUntil(lambda: len(stage.client.runs()) == 1)
    params = stage.client.runs()[0]
    assert (params.name, params.train) == (
        "Topics 3",
        ("Harbour letters", "Hafenbriefe"),
    )
    run = stage.state.runs[0]
    stage.client.event_received.emit(events.Finished(run.id, {"id": 9}))
    qtbot.waitUntil(lambda: len(stage.client.runs()) == 2)
    assert stage.client.runs()[1] == Classify(classifier="9", corpora=("2",))


def test_retraining_leaves_corpora_alone_whose_labels_were_imported(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    id_ = classified.add_trained(folder)
    for corpus in (2, 3):
        classified.add_predictions(folder, id_, corpus)
    classified.make_imported(folder, 3)
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.predictions)
    view.classifiers.retrain()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    assert stage.client.runs()[0].train == ("Harbour letters", "Hafenbriefe")


def test_what_changed_and_what_to_label_next_are_shown(
    used: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    page = used.steps.predictions.page
    stage.client.answers[PredictionChangesQuery] = lambda _: {
        **ids_file(stage, [sentence_id(2, 1)]),
        "n_compared": 4,
        "moves": [{"before": "wind", "after": "sea", "n": 1}],
    }
    with qtbot.waitSignal(page.shown):
        used.classifiers.show_changes()
    assert page.facts == (
        "Topics 2 changed 1 of 4 predictions of Topics (25.0\u00a0%): wind → sea 1"
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
    assert page.facts.startswith("1 sentence to label next")


def test_the_export_of_a_classifier_lists_its_classes_and_asks_before_replacing(
    used: ClassifyView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    used.steps.show_step(used.steps.training)
    assert used.steps.training.choose(1)
    used.classifiers.ask_export()
    (dialog,) = used.window().findChildren(FileTaskDialog)
    assert "Weights and settings" in dialog.preview.count.text()
    assert dialog.preview.table.rowCount() == 2
    assert faults(dialog) == []
    file = tmp_path / "said.zip"
    file.write_text("mine", encoding="utf-8")
    dialog.form.write({"out": file})
    dialog.run_button.click()
    (box,) = dialog.findChildren(QMessageBox)
    assert stage.client.runs() == []
    box.buttons()[0].click()
    (run,) = stage.client.runs()
    assert isinstance(run, ExportClassifier)
    assert (run.out, run.replace) == (file, True)


def test_the_preview_of_exported_predictions_is_the_file(
    used: ClassifyView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    used.steps.predictions.page.order.setCurrentIndex(1)
    with open_project(folder) as project:
        edit(project, EditSentence(sentence=sentence_id(2, 1), text="Anders."))
    dialog = used.classifiers.export()
    assert dialog is not None
    preview = dialog.preview
    qtbot.waitUntil(lambda: preview.table.columnCount() > 0)
    query = stage.client.queries(PredictionsQuery)[-1]
    assert (query.order, query.which) == ("position", "all")
    assert preview.count.text() == (
        "2 rows. 1 sentence edited after the predictions is left out."
    )
    titles = [
        item.text()
        for n in range(preview.table.columnCount())
        if (item := preview.table.horizontalHeaderItem(n)) is not None
    ]
    assert titles == [
        *("text", "class", "probability", "label", "language", "corpus", "line", "id"),
        *("probability:sea", "probability:wind"),
    ]
    first, said, share, *_ = cells(preview.table, 0)
    shown = cells(used.steps.predictions.page.table, 0)
    assert (first, said, share) == (shown[1], "wind", "0.9")
    dialog.close()


def test_corpora_are_classified_and_predictions_exported(
    used: ClassifyView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    used.classifiers.ask_apply()
    (dialog,) = used.findChildren(ApplyDialog)
    assert faults(dialog) == []
    dialog.run_button.click()
    one = used.steps.predictions.shown
    assert one is not None
    used.steps.predictions.page.classes.choose(("sea",))
    exporting = used.classifiers.export()
    assert exporting is not None
    exporting.export_to(tmp_path / "said")
    qtbot.waitUntil(lambda: len(stage.client.runs()) == 2)
    applied, exported = stage.client.runs()
    assert applied == Classify(
        classifier="2", corpora=("Harbour letters", "رسائل الميناء", "港の手紙")
    )
    assert exported == ExportPredictions(
        classifier="2", out=tmp_path / "said.tsv", classes=("sea",), replace=True
    )


def test_a_typed_sentence_shows_its_class_and_probabilities(
    used: ClassifyView, stage: Stage, qtbot: QtBot
) -> None:
    shares = (("wind", 0.873), ("sea", 0.127))
    stage.client.answers[ClassifyTextQuery] = lambda _: {"classes": shares}
    used.classifiers.begin_text()
    panel = used.steps.predictions.typed
    assert (panel.first.hasFocus(), panel.second.isVisible()) == (True, False)
    QTest.keyClicks(panel.first, "Der Sturm")
    wanted = "wind 87.3\u00a0% · sea 12.7\u00a0%"
    qtbot.waitUntil(lambda: panel.result == wanted)
    QApplication.processEvents()
    height = panel.height()
    assert used.steps.predictions.shown is not None
    newest = used.steps.predictions.shown.row.id
    assert stage.client.queries(ClassifyTextQuery) == [
        ClassifyTextQuery(classifier=newest, texts=("Der Sturm",))
    ]
    panel.choice.setCurrentIndex(1)  # the other classifier reads the same text
    qtbot.waitUntil(lambda: len(stage.client.queries(ClassifyTextQuery)) == 2)
    assert stage.client.queries(ClassifyTextQuery)[1].classifier == newest - 1
    stage.client.answers[ClassifyTextQuery] = lambda _: {}
    QTest.keyClicks(panel.first, "!")
    unknown = "The encoder knows no part of this text."
    qtbot.waitUntil(lambda: panel.result == unknown)
    panel.first.clear()
    assert panel.result == ""
    QApplication.processEvents()
    assert panel.height() == height, "a result moves the list below"


def test_corpora_are_classified_with_the_classifier_that_is_chosen(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    ids = [classified.add_trained(folder, name) for name in ("A", "B", "C")]
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.predictions)
    step = view.steps.predictions
    box = step.typed.choice
    for name in ("B", "A"):  # none is used yet
        box.setCurrentIndex(box.findText(name))
        assert shown_in_dialog(view) == f"Classify corpora with {name}"
    for id_ in ids[1:]:
        classified.add_predictions(folder, id_, 2)
    view.refresh()
    step.choose(ids[1])
    assert box.currentText() == "B"
    assert shown_in_dialog(view) == "Classify corpora with B"
    box.setCurrentIndex(box.findText("C"))
    assert step.shown is not None
    assert step.shown.row.name == "C"
    box.setCurrentIndex(box.findText("A"))  # has no predictions
    assert shown_in_dialog(view) == "Classify corpora with A"
    classified.add_predictions(folder, ids[0], 2)
    view.refresh()
    assert step.shown.row.name == "A"


def shown_in_dialog(view: ClassifyView) -> str:
    """Return the title of the dialog that classifies corpora, and close it."""
    button(view, "Classify corpora…").click()
    dialog = next(d for d in view.findChildren(ApplyDialog) if d.isVisible())
    title = dialog.windowTitle()
    assert title in [label.text() for label in dialog.findChildren(QLabel)]
    dialog.close()
    return title


def test_without_a_classifier_the_field_says_what_to_do(
    stage: Stage, qtbot: QtBot
) -> None:
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.predictions)
    field = view.steps.predictions.typed.first
    assert not field.isEnabled()
    assert field.placeholderText().startswith("Train or import a classifier")


def test_a_classifier_of_pairs_has_a_field_for_each_sentence(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    classified.add_trained(folder)
    id_ = classified.add_trained(folder, "Related", head="relatedness")
    view = open_view(stage, qtbot)
    view.steps.show_step(view.steps.predictions)
    panel = view.steps.predictions.typed
    stage.client.answers[ClassifyTextQuery] = lambda _: {"score": 4.25}
    panel.choose(id_)
    assert panel.second.isVisible()
    QTest.keyClicks(panel.first, "A storm.")
    QTest.keyClicks(panel.second, "Ein Sturm.")
    qtbot.waitUntil(lambda: panel.result == "4.25 · score of the pair")
    assert stage.client.queries(ClassifyTextQuery) == [
        ClassifyTextQuery(classifier=id_, texts=("A storm.", "Ein Sturm."))
    ]
