"""The classify view over the real engine, with few labels and many notes."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.store.runs import list_runs
from app.views.classify.transfer.notes import TransferNotesDialog
from app.views.classify.transfer.results import transfer_notes
from app.views.classify.view import ClassifyView
from app.views.client.state import AppState
from app.views.shell.run_panel import run_groups
from tests.engine.classify.barn import label
from tests.engine.search.made import add_corpus
from tests.samples import sample_rows

WAIT_MS = 60_000
N = 18  # labelled sentences of each language
LANGUAGES = ("en", "de", "es")
WARNING = "can be wrong by more than 10 points"


def few_labels(topics: list[str]) -> list[str]:
    """Keep the labels of nine sentences of each of two topics."""
    left = dict.fromkeys(list(dict.fromkeys(topics))[:2], N // 2)
    kept = []
    for topic in topics:
        is_kept = left.get(topic, 0) > 0
        left[topic] = left.get(topic, 0) - 1
        kept.append(topic if is_kept else "")
    return kept


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three languages with 18 labels each, and sentences without one."""
    folder = tmp_path / "few.isogloss"
    with create_project(folder) as project:
        for language in LANGUAGES:
            rows = sample_rows(language)
            texts = [text for text, *_ in rows]
            corpus = add_corpus(project, language.upper(), language, texts)
            label(project, corpus, few_labels([topic for _, topic, _ in rows]))
    return folder


@pytest.fixture
def view(state: AppState, qtbot: QtBot) -> ClassifyView:
    view = ClassifyView(state)
    qtbot.addWidget(view)
    view.resize(1200, 800)
    view.show()
    qtbot.waitUntil(lambda: state.labels.is_counted, timeout=WAIT_MS)
    return view


def test_a_classifier_of_few_sentences_shows_that_its_accuracy_is_not_reliable(
    view: ClassifyView, state: AppState, qtbot: QtBot
) -> None:
    said: list[str] = []
    state.run_finished.connect(lambda _, result: said.append(result["message"]))
    view.steps.labels.corpora.choose(1)
    view.classifiers.train_on_labels()
    view.steps.training.setup.train_button.click()
    step = view.steps.training
    qtbot.waitUntil(lambda: step.shown is not None, timeout=WAIT_MS)
    one = step.shown
    assert one is not None
    n, n_train = one.n_development, one.row.n_train
    assert 0 < n < N
    assert step.page.warning.isVisible()
    assert step.page.warning.text() == f"Accuracy on {n} sentences {WARNING}."
    assert f"Trained on {n_train} sentences. Label more" in step.page.warning.toolTip()
    assert f"\u00a0% of only {n} sentences · English" in step.list.rows[0].facts
    (message,) = said
    rate = f"{100 * (one.row.development or 0):.1f}\u00a0%"
    assert f": accuracy {rate} on {n} held-out sentences." in message
    assert state.project is not None
    (run, *_) = list_runs(state.project.store)
    rows = {row.title: row.values for _, group in run_groups(run) for row in group}
    assert rows["accuracy, held out"] == (rate,)
    assert rows["Give all classes the same weight"] == ("no",)
    assert rows["Epoch to keep"] == ("Best",)
    assert not {"id", "labelled data · set · id", "message"} & rows.keys()


def test_the_board_of_few_sentences_warns_and_shows_all_its_notes(
    view: ClassifyView, qtbot: QtBot
) -> None:
    step, page = view.steps.transfer, view.steps.transfer.page
    step.quick.click()
    qtbot.waitUntil(lambda: step.shown is not None, timeout=WAIT_MS)
    assert page.warning.isVisible()
    assert WARNING in page.warning.text()
    classifiers = view.steps.training.list
    qtbot.waitUntil(lambda: len(classifiers.rows) == 1, timeout=WAIT_MS)
    assert " of only " in classifiers.rows[0].facts

    assert page.shown is not None
    notes = page.shown.result.notes
    assert len(notes) > 1
    assert page.notes_button.text() == f"Show all {len(notes)} notes…"
    QApplication.processEvents()
    before = [one.geometry() for one in page.findChildren(QWidget)]
    page.notes_button.click()
    (dialog,) = view.findChildren(TransferNotesDialog)
    QApplication.processEvents()
    assert dialog.isVisible()
    assert dialog.text.text().split("\n\n") == transfer_notes(page.shown)
    assert [one.geometry() for one in page.findChildren(QWidget)] == before
    dialog.accept()


def test_another_corpus_is_shown_from_its_first_sentence(
    view: ClassifyView, qtbot: QtBot
) -> None:
    view.steps.show_step(view.steps.labels)
    labels = view.steps.labels
    table = labels.page.table
    labels.corpora.choose(2)
    qtbot.waitUntil(lambda: table.page_model.rowCount() > 100, timeout=WAIT_MS)
    table.scroll_to_row(90)
    assert table.top_row == 90
    labels.corpora.choose(3)
    assert table.top_row == 0
