"""The evaluate view over the real engine: measure, look, report, and again later."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.params.base import TaskParams
from app.params.evaluation import (
    CorrelateMeasurements,
    EvaluateDownstream,
    EvaluateSimilarityOfSpaces,
    EvaluateSts,
)
from app.params.probing import MakeProbingSets, Probe
from app.views.evaluate.dialogs import EvaluationDialog, EvaluationReportDialog
from app.views.evaluate.errors import RetrievalErrorsDialog
from app.views.evaluate.view import EvaluateView
from app.views.shell.main_window import MainWindow
from app.views.widgets.bar_chart import BarChartFigure
from app.views.widgets.check_list import CheckList
from app.views.widgets.heat_map import HeatMap
from tests.engine.classify.word_encoder import as_lines
from tests.engine.classify.word_encoder import make_rows as make_topics
from tests.engine.encoders.tiny import save_tiny
from tests.engine.probing.made import make_file
from tests.engine.probing.treebanks import many_sentences, write_treebank
from tests.engine.search.made import add_corpus
from tests.process.windows import WAIT_MS, Windows
from tests.samples import sample_rows

N = 20  # linked sentences of each corpus
LANGUAGES = ("en", "de", "fr")
FROM_TREEBANK = ("features", "relations")  # fields that a treebank fills
TINY = ("tiny-0", "tiny-1", "tiny-2", "tiny-3")


def linked(language: str) -> list[str]:
    """Read the sample sentences that say the same in every language."""
    by_key = sorted((gold, text) for text, _, gold in sample_rows(language) if gold)
    return [text for _, text in by_key][:N]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        for language in LANGUAGES:
            add_corpus(project, language.upper(), language, linked(language))
        links = [
            {
                "source_id": first_sentence_id(1) + row,
                "target_id": first_sentence_id(number) + row,
                "kind": "gold",
            }
            for number in (2, 3)
            for row in range(N)
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
    return folder


@pytest.fixture
def several(folder: Path) -> Path:
    """A project with encoders of its own."""
    for seed, name in enumerate(TINY):
        save_tiny(folder / "encoders" / name, seed=seed)
    return folder


def measure(
    view: EvaluateView,
    qtbot: QtBot,
    struct: type[TaskParams],
    values: dict[str, Any],
    files: Sequence[Path] = (),
) -> None:
    """Ask by the dialog, and wait until what was measured is shown."""
    view.controller.ask(struct)
    dialog = view.findChildren(EvaluationDialog)[-1]
    dialog.take_files(files)
    dialog.form.write(values)
    ticks = dialog.form.field("encoder") if "encoder" in dialog.form.names else None
    if ticks is not None and "encoders" in values:
        assert isinstance(ticks.widget, CheckList)
        ticks.widget.tick(values["encoders"])
    n_jobs, before = len(dialog.tasks()), len(view.state.runs)
    assert n_jobs, "the form is refused"
    dialog.run_button.click()
    runs = view.state.runs[before:]
    assert len(runs) == n_jobs
    qtbot.waitUntil(lambda: not any(run.is_open for run in runs), timeout=WAIT_MS)
    assert [run.error for run in runs] == [None] * n_jobs
    if struct is not MakeProbingSets:
        ids = {run.id for run in runs}
        qtbot.waitUntil(lambda: {one.id for one in view.page.shown} == ids)


def press(view: EvaluateView, words: str) -> None:
    """Press a button of what the view tells now."""
    buttons = view.messages.findChildren(QPushButton)  # old ones go with the next event
    [one for one in buttons if one.text() == words][-1].click()


def view_of(window: MainWindow) -> EvaluateView:
    view = window.view
    assert isinstance(view, EvaluateView)
    return view


def test_corpora_are_measured_by_one_click_and_texts_by_a_form(
    folder: Path, windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    window = windows.open(folder, "evaluate")
    view = view_of(window)
    state = view.state
    qtbot.waitUntil(lambda: bool(state.encoders.cards), timeout=WAIT_MS)

    view.corpora_button.click()
    qtbot.waitUntil(lambda: bool(view.page.shown), timeout=WAIT_MS)
    assert view.page.results.table.rowCount() == 6
    assert view.page.charts.title.startswith("Retrieval error · ")
    assert "20 of 20 sentences of EN" in view.page.notes
    figure = view.page.charts.figure
    assert figure is not None
    heat = figure.widget
    assert isinstance(heat, HeatMap)
    values = np.nan_to_num(heat.heat.values, nan=-1.0)
    row, column = divmod(int(values.argmax()), len(LANGUAGES))
    heat.activated.emit(row, column)
    (errors,) = view.findChildren(RetrievalErrorsDialog)
    n_wrong = round(float(values[row, column]) / 100 * N)
    told = f"For {n_wrong} of 20" if n_wrong else "The nearest sentence is the"
    qtbot.waitUntil(lambda: errors.text.startswith(told), timeout=WAIT_MS)
    assert errors.table.rowCount() == n_wrong
    errors.close()

    scores = tmp_path / "en.tsv"
    texts = linked("en")
    rows = [f"{5 - row % 6}\t{texts[row]}\t{texts[row + 1]}" for row in range(10)]
    scores.write_text("\n".join(rows), encoding="utf-8", newline="\n")
    view.controller.ask(EvaluateSts)
    (dialog,) = view.findChildren(EvaluationDialog)
    dialog.take_files([scores])
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        dialog.run_button.click()
    qtbot.waitUntil(lambda: view.page.shown[0].task == "evaluate-sts", timeout=WAIT_MS)
    assert view.page.results.table.rowCount() == 2

    view.list.choose_all(view.list.ids)
    view.controller.ask_report()
    (form,) = view.findChildren(EvaluationReportDialog)
    report = tmp_path / "report.html"
    form.form.write({"out": report})
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        form.run_button.click()
    html = report.read_text(encoding="utf-8")
    assert html.count("<svg") == len(view.page.charts.charts)

    view.page.charts.choose("Retrieval error")
    windows.close(window)
    again = view_of(windows.open(folder, "evaluate"))
    assert [one.id for one in again.page.shown] == [2, 1]
    assert again.page.charts.title == "Retrieval error"


def test_scores_of_several_encoders_are_measured_and_correlated(
    several: Path, windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    view = view_of(windows.open(several, "evaluate"))
    qtbot.waitUntil(lambda: len(view.state.encoders.cards) > len(TINY), timeout=WAIT_MS)
    names = ("en.tense.tsv", "en.subj_number.tsv")
    files = [make_file(tmp_path / name) for name in names]
    asked = {"encoders": TINY, "seeds": 1, "control": False}
    measure(view, qtbot, Probe, asked, files)
    assert view.page.results.table.rowCount() == len(files) * len(TINY)
    figure = view.page.charts.figure
    assert figure is not None
    assert isinstance(figure.widget, BarChartFigure)
    assert all(name in figure.widget.legend for name in TINY)

    sets = tmp_path / "topics.tsv"
    sets.write_text(as_lines(make_topics(60)), encoding="utf-8", newline="\n")
    folds = {"encoders": TINY, "n_folds": 3, "n_inner_folds": 2}
    measure(view, qtbot, EvaluateDownstream, folds, [sets])
    assert [one.task for one in view.page.shown] == ["evaluate-downstream"] * 4
    assert view.page.charts.title == "Downstream tasks"

    measure(view, qtbot, CorrelateMeasurements, {"correction": "benjamini-hochberg"})
    head, *rows = view.page.results.table.texts()
    assert len(rows) == len(files)
    assert {"Spearman’s ρ", "p", "p, corrected"} <= set(head)
    title = "Probing and downstream scores · 4 encoders"
    assert view.page.charts.title == title
    assert "With 4 encoders" in view.page.notes
    figure = view.page.charts.figure
    assert figure is not None
    assert isinstance(figure.widget, HeatMap)
    QTest.keyClick(figure.widget, Qt.Key.Key_Right)
    assert re.search(r"\d, 4 encoders, p [01]\.\d+, corr", view.page.charts.cursor_text)
    file = view.page.charts.file
    assert file is not None
    dialog = file.ask_export()
    dialog.picture.width_box.setValue(800)
    dialog.export_to(tmp_path / "a.png")
    assert QImage(str(tmp_path / "a.png")).width() == 800
    file.ask_export().export_to(tmp_path / "a.svg")
    assert "<svg" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    with qtbot.waitSignal(view.state.file_written):
        file.ask_export().export_to(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(files)


def test_spaces_are_measured_and_sets_of_a_treebank_made_and_probed(
    several: Path, windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    view = view_of(windows.open(several, "evaluate"))
    qtbot.waitUntil(lambda: len(view.state.encoders.cards) > len(TINY), timeout=WAIT_MS)
    table = tmp_path / "table.tsv"
    columns = [linked(language) for language in LANGUAGES]
    lines = ["\t".join(row) for row in (LANGUAGES, *zip(*columns, strict=True))]
    table.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    asked = {"encoders": TINY[:2], "n_samples": 20, "matrix": True}
    measure(view, qtbot, EvaluateSimilarityOfSpaces, asked, [table])
    titles = [chart.title for chart in view.page.charts.charts]
    assert {f"Eigen similarity · {name}" for name in TINY[:2]} < set(titles)

    treebank = write_treebank(tmp_path / "de_made-ud.conllu", many_sentences())
    measure(view, qtbot, MakeProbingSets, {"fewest_words": 3}, [treebank])
    press(view, "Select…")
    dialog = view.findChildren(EvaluationDialog)[-1]
    offered = {name: dialog.form.field(name).widget for name in FROM_TREEBANK}
    assert all(isinstance(one, CheckList) for one in offered.values())
    features = offered["features"]
    assert isinstance(features, CheckList)
    qtbot.waitUntil(lambda: "root:Tense" in features.keys, timeout=WAIT_MS)
    asked = {"features": ["root:Tense"], "relations": ["obj"], "out": tmp_path / "own"}
    dialog.form.write(asked)
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS):
        dialog.run_button.click()
    assert (tmp_path / "own" / "de.root_Tense.tsv").exists()

    made = {"out": tmp_path / "sets", "fewest_words": 3, "tasks": ["Tense", "BShift"]}
    measure(view, qtbot, MakeProbingSets, made, [treebank])
    names = sorted(file.name for file in (tmp_path / "sets").glob("*.tsv"))
    assert names == ["de.bigram_shift.tsv", "de.past_present.tsv"]
    press(view, "Probe…")
    dialog = view.findChildren(EvaluationDialog)[-1]
    dialog.form.write({"encoders": TINY[:1], "seeds": 1, "baselines": False})
    dialog.run_button.click()
    qtbot.waitUntil(lambda: view.page.shown[0].task == "probe", timeout=WAIT_MS)
    assert view.page.results.table.rowCount() == 2
    assert view.page.notes == ""
