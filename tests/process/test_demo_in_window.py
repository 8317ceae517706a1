"""The finished demo in the real window: translations of words and of sentences."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.engine.demo import build_demo
from app.engine.demo_content import BRIDGE_NAME
from app.engine.runtime.report import Report
from app.params import Params
from app.params.classify import Classify
from app.params.evaluation import EvaluateRetrieval
from app.params.projection import ProjectMap
from app.params.quality import CompareEncoders
from app.results.measurements import Translated
from app.views.evaluate.view import EvaluateView
from app.views.mining.view import MiningView
from app.views.quality.view import QualityView
from app.views.read.view import ReadView
from app.views.search.translations import TranslationsDialog
from app.views.search.view import SearchView
from app.views.shell.main_window import MainWindow
from app.views.training.view import TrainingView
from app.views.words.settings import PAGES
from app.views.words.view import WordsView
from tests.process.windows import WAIT_MS, Windows

LEARNED = "The factory will hire two hundred workers in March."


@pytest.fixture
def window(windows: Windows, tmp_path: Path) -> MainWindow:
    return windows.open(build_demo(tmp_path / "demo.isogloss", Report()), "words")


def test_words_and_sentences_are_translated_and_measured(
    window: MainWindow, qtbot: QtBot
) -> None:
    words = window.view
    assert isinstance(words, WordsView)
    words.bar.pages.button(PAGES.index("translations")).click()
    words.bar.field.setText("snow")
    with qtbot.waitSignal(words.list_shown, timeout=WAIT_MS):
        words.bar.field.returnPressed.emit()
    assert words.table.words.rows[0].item == "schnee"

    window.show_view("evaluate")
    evaluate = window.view
    assert isinstance(evaluate, EvaluateView)
    scores: dict[tuple[int, str, str], float] = {}
    for row in evaluate.list.ids:
        evaluate.list.choose_all([row])
        found = [it for it in evaluate.page.results.rows if isinstance(it, Translated)]
        scores |= {(row, it.source, it.target): it.bleu for it in found}
    new, linked = sorted({row for row, *_ in scores}, reverse=True)
    assert scores[linked, "de", "en"] > 0.9 > 0.2 > scores[new, "de", "en"]

    window.show_view("search")
    search = window.view
    assert isinstance(search, SearchView)
    search.bar.field.setText(LEARNED)
    with qtbot.waitSignal(search.hits_shown, timeout=WAIT_MS):
        search.bar.submitted.emit()
    search.show_translations()
    (dialog,) = search.findChildren(TranslationsDialog)
    assert dialog.models.currentText() == BRIDGE_NAME
    qtbot.waitUntil(lambda: "German:" in dialog.result_text.text(), timeout=WAIT_MS)
    expected = "German: die fabrik wird im märz zweihundert arbeiter einstellen."
    assert expected in dialog.result_text.text()
    dialog.field.selectAll()
    QTest.keyClicks(dialog.field, "Thank you.")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.result_text.text() == "Translating…"
    qtbot.waitUntil(lambda: "French:" in dialog.result_text.text(), timeout=WAIT_MS)
    assert dialog.isVisible()
    example = dialog.examples[0]
    example.click()
    assert dialog.field.text() == example.text()
    known = "wasch dir die hände, bevor du das"
    qtbot.waitUntil(lambda: known in dialog.result_text.text(), timeout=WAIT_MS)


def test_every_view_opens_on_what_tells_most(window: MainWindow, qtbot: QtBot) -> None:
    window.show_view("evaluate")
    evaluate = window.view
    assert isinstance(evaluate, EvaluateView)
    assert [one.task for one in evaluate.page.shown] == ["evaluate-retrieval"]

    window.show_view("training")
    training = window.view
    assert isinstance(training, TrainingView)
    assert training.shown is not None
    assert training.shown.state == "finished"

    window.show_view("mining")
    mining = window.view
    assert isinstance(mining, MiningView)
    assert mining.row is not None
    assert mining.row.kind == "mined"

    window.show_view("read")
    read = window.view
    assert isinstance(read, ReadView)
    qtbot.waitUntil(lambda: read.session.rows.n_rows > 0, timeout=WAIT_MS)
    names = {row.name for row in read.session.rows.corpora}
    assert names == {"Der Anzeiger", "The Gazette"}


@pytest.mark.parametrize(
    ("params", "titles"),
    [
        (Classify(classifier="Topics", corpora=("German",)), ["Classify", "Map"]),
        (EvaluateRetrieval(corpora=("German", "French")), ["Evaluate"]),
        (CompareEncoders(encoders=("isogloss-2", "isogloss-3")), ["Quality"]),
        (ProjectMap(corpora=("Greek",), method="pca"), ["Map"]),
    ],
)
def test_a_finished_job_says_where_its_result_is(
    window: MainWindow, qtbot: QtBot, params: Params, titles: list[str]
) -> None:
    with qtbot.waitSignal(window.state.run_finished, timeout=WAIT_MS) as finished:
        window.state.run(params)
    buttons = [b for b in window.message_bar.findChildren(QPushButton) if b.text()]
    assert [one.text() for one in buttons if one.isVisible()] == titles
    buttons[0].click()
    view: object = window.view
    assert window.view_name == titles[0].lower()
    if isinstance(view, EvaluateView):
        assert [one.id for one in view.page.shown] == [finished.args[0].id]
    if isinstance(view, QualityView):
        assert view.list.chosen == finished.args[0].id
