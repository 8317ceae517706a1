"""The encoders view over the real engine: measure, choose, remove, bring back."""

from pathlib import Path

import pytest
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.tasks.encode import encode
from app.params.vectors import Encode
from app.protocol.edits.encoders import ChooseEncoder, RemoveEncoder
from app.views.client.state import AppState
from app.views.encoders.add_language import AddLanguageDialog
from app.views.encoders.view import EncodersView
from app.views.evaluate.dialogs import EvaluationDialog
from app.views.evaluate.view import EvaluateView
from app.views.training.view import TrainingView
from app.views.widgets.fine_tune_dialog import FineTuneDialog
from tests.engine.encoders.tiny import save_tiny
from tests.engine.search.made import add_corpus
from tests.engine.tasks.test_align_encoder import write_labelled
from tests.engine.training.synthetic import english_word, foreign_word, write_pairs
from tests.process.windows import Windows
from tests.samples import sample_texts
from tests.views.stage import build_project, link, sentence_id

WAIT_MS = 60_000
MADE_UP = [f"{chr(0xE000 + i % 40)}{chr(0xE000 + i % 7)} {i}" for i in range(60)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        add_corpus(project, "Deutsch", "de", sample_texts("de"))
        add_corpus(project, "Invented", "qaa", MADE_UP)
        save_tiny(folder / "encoders" / "tiny", languages=("de",))
        encode(project, Encode(corpora=("Deutsch", "Invented")), Report())
    return folder


def searchable(state: AppState) -> list[str]:
    assert state.project is not None
    return [row.encoder for row in state.project.searchable]


def test_an_encoder_is_measured_chosen_removed_and_brought_back(
    state: AppState, qtbot: QtBot
) -> None:
    book = state.encoders
    qtbot.waitUntil(lambda: len(book.cards) == 4, timeout=WAIT_MS)  # three are bundled
    bundled = book.chosen
    view = EncodersView(state)
    qtbot.addWidget(view)
    assert view.list.encoder is not None
    assert view.list.encoder.name == bundled
    assert view.facts.value("vectors").startswith("2 of 2 corpora")

    view.controller.measure_action.trigger()
    view.tabs.setCurrentWidget(view.card_page)
    qtbot.waitUntil(lambda: bool(book.verdicts()), timeout=WAIT_MS)
    assert view.tabs.currentWidget() is view.card_page  # the measurement moves nothing
    verdicts = {code: one.verdict for code, one in book.verdicts().items()}
    assert verdicts == {"de": "green", "qaa": "red"}
    assert list(book.doubts()) == ["qaa"]
    assert not view.coverage.is_empty

    view.list.select("tiny")
    view.controller.use_action.trigger()
    qtbot.waitUntil(lambda: book.chosen == "tiny", timeout=WAIT_MS)
    assert book.doubts() == {}  # nothing is known of this one yet
    qtbot.waitUntil(lambda: searchable(state) == [], timeout=WAIT_MS)
    view.controller.encode_action.trigger()
    qtbot.waitUntil(lambda: len(searchable(state)) == 2, timeout=WAIT_MS)

    state.edit(RemoveEncoder("tiny"))
    qtbot.waitUntil(lambda: book.chosen == bundled, timeout=WAIT_MS)
    assert view.sidebar.note.startswith("Vectors of missing encoders: tiny (")
    state.undo()
    qtbot.waitUntil(lambda: book.chosen == "tiny", timeout=WAIT_MS)
    assert view.sidebar.note == ""
    state.edit(ChooseEncoder(bundled))
    qtbot.waitUntil(lambda: list(book.doubts()) == ["qaa"], timeout=WAIT_MS)


WORDS = ("sea", "storm", "boat", "harbour", "night", "wind", "letter", "ferry")
OTHER = ("Meer", "Sturm", "Boot", "Hafen", "Nacht", "Wind", "Brief", "Fähre")


def test_an_encoder_is_fine_tuned_on_linked_corpora(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = build_project(
        tmp_path / "p.isogloss",
        {
            "Letters": ("en", [sentence(WORDS, n) for n in range(80)]),
            "Briefe": ("de", [sentence(OTHER, n) for n in range(80)]),
        },
        is_encoded=False,
    )
    save_tiny(folder / "encoders" / "tiny", languages=("fr",))
    link(folder, [(sentence_id(1, n), sentence_id(2, n)) for n in range(80)])
    window = windows.open(folder, "encoders")
    state, view = window.state, window.view
    assert isinstance(view, EncodersView)
    qtbot.waitUntil(lambda: len(state.encoders.cards) == 4, timeout=WAIT_MS)
    view.list.select("tiny")
    view.controller.fine_tune_action.trigger()
    dialog = view.findChildren(FineTuneDialog)[-1]
    small = {"n_steps": 1_000_000, "batch_size": 16, "lr": 0.05, "patience": 0}
    dialog.form.write(small)
    dialog.run_button.click()
    window.show_view("training")
    training = window.view
    assert isinstance(training, TrainingView)
    qtbot.waitUntil(lambda: len(training.list.trainings) == 1, timeout=WAIT_MS)
    training.list.select([training.list.trainings[0].id])
    page = training.page
    qtbot.waitUntil(lambda: "lowest error" in page.figures.text, timeout=WAIT_MS)
    qtbot.waitUntil(training.controller.pause_action.isEnabled, timeout=WAIT_MS)
    with qtbot.waitSignal(state.run_paused, timeout=WAIT_MS):
        training.controller.pause_action.trigger()
    qtbot.waitUntil(training.controller.resume_action.isEnabled, timeout=WAIT_MS)
    metrics = QSignalSpy(state.metric_added)
    training.controller.resume_action.trigger()
    qtbot.waitUntil(lambda: metrics.count() > 0, timeout=WAIT_MS)
    qtbot.waitUntil(training.controller.finish_action.isEnabled, timeout=WAIT_MS)
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        training.controller.finish_action.trigger()
    qtbot.waitUntil(lambda: bool(page.changes.texts()), timeout=WAIT_MS)
    assert page.tabs.isTabVisible(page.tabs.indexOf(page.changes))
    rows = [row[0] for row in page.changes.texts()]
    assert rows[:3] == ["mean", "German", "mean"]  # own pairs, then other languages
    assert {"Greek", "Turkish"} < set(rows[3:])
    assert not {"German", "English"} & set(rows[3:])
    assert "# tiny-mine" in page.card.text
    qtbot.waitUntil(training.controller.repeat_action.isEnabled, timeout=WAIT_MS)
    assert "tiny-mine is trained: retrieval error" in window.message_bar.text
    qtbot.waitUntil(
        lambda: state.encoders.find("tiny-mine") is not None, timeout=WAIT_MS
    )


def sentence(words: tuple[str, ...], n: int) -> str:
    """Write the number n in words to the base of eight."""
    return f"{words[n % 8]} {words[n // 8 % 8]} {words[n * 3 % 8]} {n}."


def test_a_language_is_added_and_its_curves_are_shown(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    texts = {"Letters": ("en", [sentence(WORDS, n) for n in range(9)])}
    folder = build_project(tmp_path / "p.isogloss", texts, is_encoded=False)
    save_tiny(folder / "encoders" / "tiny", languages=("en",))
    file = write_pairs(tmp_path / "eng-wol.tsv", 200)
    nli = write_labelled(tmp_path / "nli.tsv", 120, english_word)
    test = write_labelled(tmp_path / "test.tsv", 60, foreign_word)
    window = windows.open(folder, "encoders")
    state, view = window.state, window.view
    assert isinstance(view, EncodersView)
    qtbot.waitUntil(lambda: len(state.encoders.cards) == 4, timeout=WAIT_MS)
    view.list.select("tiny")
    view.controller.add_language_of(file)
    dialog = view.findChildren(AddLanguageDialog)[-1]
    small = {"n_steps": 60, "batch_size": 16, "evaluate_every": 20, "n_ngrams": 512}
    dialog.form.write({"architecture": "cbow", "n_pieces": 300, **small})
    dialog.form.write({"precision": "float32", "nli": [nli], "nli_test": test})
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS) as finished:
        dialog.run_button.click()
    points = finished.args[1]["curve"]
    assert [point["step"] for point in points] == [0, 20, 40, 60]
    name = "tiny + Wolof"
    qtbot.waitUntil(lambda: state.encoders.find(name) is not None, timeout=WAIT_MS)
    view.list.select(name)
    page = view.added_page
    view.tabs.setCurrentWidget(page)
    assert "zero-shot accuracy" in page.summary
    assert page.curves is not None
    rows = [list(row) for row in page.curves.loss_chart.table()]
    assert rows[0] == ["step", "Alignment loss", "Zero-shot accuracy (0–1)"]
    for row, point in zip(rows[1:], points, strict=True):
        assert float(row[1]) == pytest.approx(point["loss"])
        assert float(row[2]) == pytest.approx(point["accuracy"])
    (button,) = [
        one
        for one in window.message_bar.findChildren(QAbstractButton)
        if one.text() == "Evaluate"
    ]
    button.click()
    evaluate = window.view
    assert isinstance(evaluate, EvaluateView)
    (asked,) = evaluate.findChildren(EvaluationDialog)
    assert [getattr(task, "encoder", "") for task in asked.tasks()] == [name]
