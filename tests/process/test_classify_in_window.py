"""The classify view over the real engine: test, check, train, label, use, retrain."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.labels import read_label
from app.engine.tasks.make_subcorpus import make_subcorpus
from app.params.corpora import MakeSubcorpus
from app.protocol.edits.corpora import EditSentence
from app.views.classify.apply_dialog import ApplyDialog
from app.views.classify.transfer.dialog import TransferDialog
from app.views.classify.view import ClassifyView
from app.views.client.state import AppState
from app.views.widgets.classifiers import describe_predictions
from tests.engine.classify.barn import add_labelled
from tests.engine.search.made import add_corpus
from tests.samples import sample_rows

WAIT_MS = 60_000
LANGUAGES = ("en", "de", "es")


def samples(language: str) -> list[tuple[str, ...]]:
    """Read label, text and gold key of a sample."""
    return [(topic, text, gold) for text, topic, gold in sample_rows(language)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three labelled languages with their gold links, and one without labels."""
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        keys: list[dict[str, int]] = []
        for number, language in enumerate(LANGUAGES, 1):
            rows = samples(language)
            add_labelled(project, language.upper(), language, rows)
            keys.append({row[2]: n for n, row in enumerate(rows) if row[2]})
            links = [
                {
                    "source_id": first_sentence_id(1) + keys[0][key],
                    "target_id": first_sentence_id(number) + place,
                    "kind": "gold",
                }
                for key, place in keys[-1].items()
            ]
            if number > 1:
                with project.store.begin() as connection:
                    connection.execute(insert(schema.link), links)
        add_corpus(project, "Français", "fr", [row[1] for row in samples("fr")[:60]])
        part = MakeSubcorpus(steps=("length max=60",), name="short")
        make_subcorpus(project, part, Report())
        part = MakeSubcorpus(corpora=("DE",), steps=part.steps, name="kurz")
        make_subcorpus(project, part, Report())
    return folder


def short(language: str, n: int | None = None) -> list[int]:
    """Return the places of the short sentences among the first n of a sample."""
    texts = [row[1] for row in samples(language)[:n]]
    return [index for index, text in enumerate(texts) if len(text) <= 60]


@pytest.fixture
def view(state: AppState, qtbot: QtBot) -> ClassifyView:
    view = ClassifyView(state)
    qtbot.addWidget(view)
    view.resize(1200, 800)
    view.show()
    qtbot.waitUntil(lambda: state.labels.is_counted, timeout=WAIT_MS)
    return view


def test_one_click_shows_the_board_with_languages_that_training_never_saw(
    view: ClassifyView, qtbot: QtBot
) -> None:
    assert (
        view.steps.transfer.quick.text() == "Train on English, test on three languages"
    )
    view.steps.transfer.quick.click()
    qtbot.waitUntil(lambda: view.steps.transfer.shown is not None, timeout=WAIT_MS)
    rows = {row.key: row for row in view.steps.transfer.page.rows}
    assert set(rows) == set(LANGUAGES)
    assert rows["en"].n == 60  # the rows with translations: none was trained on
    assert view.steps.transfer.shown is not None
    assert view.steps.transfer.shown.result.training.n_train < 186
    assert "classifier kept as EN" in view.steps.transfer.page._facts.text()
    typed = view.steps.predictions.typed
    qtbot.waitUntil(lambda: typed.choice.currentText() == "EN", timeout=WAIT_MS)
    with qtbot.waitSignal(typed.classified, timeout=WAIT_MS):
        QTest.keyClicks(typed.first, "Morgen regnet es")
    assert "%" in typed.result
    for row in rows.values():
        assert row.low <= row.value <= row.high
        assert row.majority is not None
        assert row.value > row.majority + 0.2
    errors = view.steps.transfer.page.details.errors.errors.errors
    assert len(errors) > 3
    assert len(errors[0].nearest) == 3

    pane = view.steps.transfer.page.details.few_shot
    view.steps.transfer.page.table.choose("de")
    pane.measure.click()
    qtbot.waitUntil(lambda: pane.shown is not None, timeout=WAIT_MS)
    assert pane.shown is not None
    assert pane.shown.result.n_train == 186  # again without translations


def test_labels_are_given_checked_and_taken_back(
    view: ClassifyView, state: AppState, qtbot: QtBot
) -> None:
    view.steps.show_step(view.steps.labels)
    assert state.project is not None
    french = next(row for row in state.project.corpora if row.language == "fr")
    view.steps.labels.corpora.choose(french.id)
    page = view.steps.labels.page
    page.table.selectRow(4)
    sentence = first_sentence_id(french.id) + 4
    QTest.keyClick(page.table, Qt.Key.Key_5)
    name = state.labels.class_of(5)
    qtbot.waitUntil(lambda: french.id in state.labels.counts, timeout=WAIT_MS)
    assert read_label(state.project.store, sentence) == name == "weather"
    assert page.table.current_id == sentence + 1
    state.undo()
    qtbot.waitUntil(lambda: french.id not in state.labels.counts, timeout=WAIT_MS)
    assert read_label(state.project.store, sentence) == ""

    sentences = page.sentences
    with qtbot.waitSignal(page.shown, timeout=WAIT_MS):
        sentences.within.setCurrentIndex(1)
    n = len(short("fr", 60))
    assert sentences.within.currentText() == f"⊂ short · {n}"
    assert page.table.page_model.rowCount() == n  # none of the other corpora
    assert page.facts.startswith(f"French · 0 of {n} sentences are labelled")
    view.steps.labels.corpora.choose(2)
    n_labelled = len(short("de"))
    with qtbot.waitSignal(page.shown, timeout=WAIT_MS):
        row = sentences.within.findText(f"⊂ kurz · {n_labelled}")
        sentences.within.setCurrentIndex(row)
    assert page.source is not None
    assert page.source.key == "kurz"
    said = f"German · {n_labelled} of {n_labelled} sentences are labelled"
    qtbot.waitUntil(lambda: page.facts.startswith(said), timeout=WAIT_MS)
    assert sum(row.n or 0 for row in page.classes.rows) == n_labelled
    steps = ("sample n=3",)
    state.run(MakeSubcorpus(name="kurz", corpora=("DE",), steps=steps, again=True))
    qtbot.waitUntil(lambda: page.table.page_model.rowCount() == 3, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "3 of 3 sentences" in page.facts, timeout=WAIT_MS)
    state.undo()
    qtbot.waitUntil(lambda: page.facts.startswith(said), timeout=WAIT_MS)

    view.steps.labels.corpora.choose(1)
    view.classifiers.check()
    qtbot.waitUntil(lambda: page.findings.sets.rowCount() == 3, timeout=WAIT_MS)
    assert "look like translations of training rows" in page.findings.text
    assert page.findings.doubts.doubts.rowCount() > 0


def test_a_classifier_is_trained_used_corrected_and_retrained(
    view: ClassifyView, state: AppState, qtbot: QtBot, tmp_path: Path
) -> None:
    view.steps.labels.corpora.choose(1)
    view.classifiers.train_on_labels()
    view.steps.training.setup.train_button.click()
    qtbot.waitUntil(lambda: view.steps.training.shown is not None, timeout=WAIT_MS)
    view.classifiers.ask_apply()
    (dialog,) = view.findChildren(ApplyDialog)
    dialog.form.write({"corpora": ["Français"]})
    dialog.run_button.click()
    table = view.steps.predictions.page.table
    qtbot.waitUntil(lambda: table.page_model.rowCount() == 60, timeout=WAIT_MS)

    with qtbot.waitSignal(view.steps.predictions.page.shown, timeout=WAIT_MS):
        view.steps.predictions.page.show_suggestions()
    assert table.page_model.rowCount() == 50
    for row in range(6):
        table.selectRow(row)
        QTest.keyClick(table, Qt.Key.Key_1)
    qtbot.waitUntil(lambda: 4 in state.labels.counts, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: state.labels.counts[4].n_labelled == 6, timeout=WAIT_MS)
    view.classifiers.retrain()
    qtbot.waitUntil(
        lambda: view.steps.predictions.page.mode == "changed", timeout=WAIT_MS
    )
    qtbot.waitUntil(
        lambda: " of 60 predictions of EN " in view.steps.predictions.page.facts
    )
    one = view.steps.predictions.shown
    assert one is not None
    assert one.row.name == "EN 2"
    assert one.params is not None
    assert one.params.train == ("EN", "Français")

    file = tmp_path / "said.tsv"
    view.steps.predictions.page.show_all()
    export(view, file)
    qtbot.waitUntil(lambda: file.exists() and not state.is_busy, timeout=WAIT_MS)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 61
    assert lines[0].startswith("text\tclass\tprobability\tlabel")

    page = view.steps.predictions.page
    first = first_sentence_id(4)
    assert not page.edits.isVisible()
    assert page.outdated == ()
    state.edit(EditSentence(sentence=first + 2, text="Le match de football."))
    qtbot.waitUntil(page.edits.isVisible, timeout=WAIT_MS)
    assert page.edits.text() == "1 sentence changed since these predictions."
    (before,) = one.predictions
    buttons = page.findChildren(QPushButton)
    next(b for b in buttons if b.text() == "Predict again").click()
    qtbot.waitUntil(lambda: not page.edits.isVisible(), timeout=WAIT_MS)
    one = view.steps.predictions.shown
    assert one is not None
    assert one.predictions[0].created_at > before.created_at
    state.undo()
    qtbot.waitUntil(page.edits.isVisible, timeout=WAIT_MS)
    assert page.edits.text() == "1 sentence changed since these predictions."
    page.order.setCurrentIndex(page.order.findData("position"))
    model = table.page_model
    qtbot.waitUntil(lambda: model.id_at(2) == first + 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: model.index(2, 0).data() == "Edited", timeout=WAIT_MS)
    project = state.project
    assert project is not None
    told = describe_predictions(project.store, project.folder, first + 2)
    assert told[0].endswith(", before the edit")
    next(b for b in buttons if b.text() == "Predict again").click()
    qtbot.waitUntil(lambda: not page.edits.isVisible(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "%" in model.index(2, 0).data(), timeout=WAIT_MS)

    n = len(short("fr", 60))
    with qtbot.waitSignal(view.steps.predictions.page.shown, timeout=WAIT_MS):
        view.steps.predictions.page.corpora.choose(["s1"])
    assert table.page_model.rowCount() == n
    export(view, file)
    qtbot.waitUntil(lambda: not state.is_busy, timeout=WAIT_MS)
    assert len(file.read_text(encoding="utf-8").splitlines()) == n + 1
    with qtbot.waitSignal(view.steps.predictions.page.shown, timeout=WAIT_MS):
        view.steps.predictions.page.show_suggestions()
    assert table.page_model.rowCount() == min(n, 50)
    assert view.steps.predictions.page.corpora.isVisible()

    view.steps.training.choose(one.row.id)
    view.tests.ask_test_classifier()
    (testing,) = view.findChildren(TransferDialog)
    assert "de=DE" in testing.form.field("tests").read()
    testing.form.write({"tests": ["de-x-2=kurz"]})
    item = testing._tests.item(testing._tests.keys.index("de-x-2=kurz"))
    assert item.text() == f"⊂ kurz · {len(short('de'))}"
    QTest.keyClicks(testing._tests, "kur")
    assert testing._tests.currentItem() is item
    testing.run_button.click()
    qtbot.waitUntil(lambda: view.steps.transfer.shown is not None, timeout=WAIT_MS)
    (tested,) = view.steps.transfer.page.rows
    assert tested.n == len(short("de"))
    behind = view.steps.transfer.page.details
    error = behind.errors.errors.errors[0]
    places = [b for b in behind.findChildren(QPushButton) if "corpus" in b.text()]
    with qtbot.waitSignal(state.view_requests.place_requested) as wanted:
        places[0].click()
    assert wanted.args == [error.place]


def export(view: ClassifyView, file: Path) -> None:
    dialog = view.classifiers.export()
    assert dialog is not None
    dialog.export_to(file)
    for box in dialog.findChildren(QMessageBox):  # the file exists
        box.buttons()[0].click()
