"""Evaluations in the mine view: figures, curve, errors, and what they need."""

from pathlib import Path

import msgspec
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from sqlalchemy import Engine

from app.params.mining import EvaluateMining
from app.results.mining import ThresholdChoice
from app.views.mining.evaluations import (
    describe_evaluation_settings,
    evaluation_figures,
    list_evaluations,
)
from app.views.mining.view import MiningView
from app.views.widgets.cells import LANGUAGE_ROLE
from app.views.widgets.statistics_format import format_interval
from app.views.widgets.task_dialog import TaskDialog
from tests.views import mined
from tests.views.mining.opened import open_view
from tests.views.stage import Stage


def test_an_evaluation_shows_figures_curve_and_errors(
    stage: Stage, folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    mined.add_evaluation(folder)
    view = open_view(stage, qtbot)
    page = view.evaluation_page
    assert view.evaluation is not None
    assert view.evaluation.name == "de.tsv – ar.tsv"
    assert page.figures.text.startswith("F1 75.0\u00a0%, precision 80.0\u00a0%")
    assert "recommended distance margin" in page.figures.text
    shown = describe_evaluation_settings(view.evaluation)
    assert "distance margin: best F1 80.0\u00a0%" in shown
    assert "ratio margin: best F1 75.0\u00a0%" in shown
    assert page.figure.legend == (
        "F1 75.0\u00a0%, Precision 80.0\u00a0%, Recall 70.0\u00a0%, threshold 1.100"
    )
    model = page.wrong.pairs
    texts = [model.data(model.index(0, column)) for column in range(5)]
    assert texts == ["1.300", "de-1", "Wir bleiben.", "ar-2", "سنبقى ليلة أخرى."]
    assert model.data(model.index(0, 4), LANGUAGE_ROLE) == "ar"  # right to left
    assert page.missed.pairs.rowCount() == 1
    for suffix in ("png", "svg", "csv"):
        with qtbot.waitSignal(stage.state.file_written):
            page._exporter.ask_export().export_to(tmp_path / f"curve.{suffix}")
    lines = (tmp_path / "curve.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "threshold,F1,Precision,Recall"
    assert lines[1].startswith("0.9,0.666666667,0.5,1")
    view.controller.copy_command()
    assert "evaluate-mining" in QGuiApplication.clipboard().text()


def test_the_files_of_an_evaluation_are_asked_for(
    view: MiningView, stage: Stage
) -> None:
    view.controller.ask_evaluation()
    (dialog,) = view.findChildren(TaskDialog)
    dialog.run_button.click()
    assert dialog.isVisible()  # the files are missing
    dialog.form.write({"source": "/a", "target": "/b", "gold": "/c"})
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert params == EvaluateMining(
        source=Path("/a"), target=Path("/b"), gold=Path("/c")
    )


def test_a_training_set_is_asked_for_and_shown(
    view: MiningView, stage: Stage, folder: Path
) -> None:
    view.controller.ask_evaluation()
    (dialog,) = view.findChildren(TaskDialog)
    files = {"source": "/a", "target": "/b", "gold": "/c"}
    files |= {f"train_{name}": f"/train{file}" for name, file in files.items()}
    dialog.form.write(files)
    dialog.run_button.click()
    params = stage.client.runs()[-1]
    assert isinstance(params, EvaluateMining)
    assert params.train_gold == Path("/train/c")
    mined.add_evaluation(folder)
    view.refresh()
    (one, *_) = list_evaluations(view_store(stage))
    training = ThresholdChoice(
        threshold=1.1, precision=1.0, recall=0.8, f1=0.9, pairs=8, gold=10
    )
    measured = msgspec.structs.replace(one.measured, training=training)
    figures = dict(evaluation_figures(one._replace(measured=measured, params=params)))
    assert figures["F1 of the training set"] == "90.0\u00a0%"
    assert figures["threshold of the training set"] == "1.100"
    assert figures["best F1"] == figures["F1"] == "75.0\u00a0%"
    interval = one.measured.f1_interval
    assert interval is not None
    assert figures["F1, 95\u00a0%"] == format_interval(*interval)
    assert interval[0] < 0.75 < interval[1]


def view_store(stage: Stage) -> Engine:
    project = stage.state.project
    assert project is not None
    return project.store


def test_errors_and_pairs_are_taken_away(
    view: MiningView, stage: Stage, folder: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    view.page.pairs.table.select_row(2)
    view.controller.copy_pair()
    copied = QGuiApplication.clipboard().text()
    assert copied == "So we are staying one more night.\tلذلك سنبقى ليلة أخرى."
    run = mined.add_evaluation(folder)
    view.refresh()
    view.sidebar.evaluations.choose(run)
    with qtbot.waitSignal(stage.state.file_written):
        dialog = view.evaluation_page.ask_export()
        assert dialog is not None
        dialog.export_to(tmp_path / "errors.tsv")
    lines = (tmp_path / "errors.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[1].split("\t")[:3] == ["wrong", "1.300000", "de-1"]
    assert lines[2].split("\t")[:3] == ["missed", "", "de-1"]
