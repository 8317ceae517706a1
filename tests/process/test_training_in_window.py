"""The training view over the real engine: curves, pause, resume, finish, comparison."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QRect
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QMessageBox,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.params.evaluation import EvaluateRetrieval
from app.params.training.encoder import TrainEncoder
from app.params.training.presets import preset_params
from app.results.charts import BarChart
from app.views.evaluate.dialogs import EvaluationDialog
from app.views.evaluate.view import EvaluateView
from app.views.shell.main_window import MainWindow
from app.views.training.grid_dialog import GridDialog
from app.views.training.grid_page import GridPage
from app.views.training.view import TrainingView
from tests.process.windows import WAIT_MS, Windows
from tests.views.stage import build_project, link, sentence_id

N = 80  # sentences of each side
WORDS = ("sea", "storm", "boat", "harbour", "night", "wind", "letter", "ferry")
OTHER = ("Meer", "Sturm", "Boot", "Hafen", "Nacht", "Wind", "Brief", "Fähre")
TINY = {
    "n_pieces": 300,
    "n_bigrams": 0,
    "n_ngrams": 64,
    "dim": 16,
    "batch_size": 16,
    "n_steps": 40,
    "n_warmup": 0,
    "n_development": 8,
    "evaluate_every": 10,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {
        name: (code, [sentence(words, n) for n in range(N)])
        for name, code, words in (("Letters", "en", WORDS), ("Briefe", "de", OTHER))
    }
    folder = build_project(tmp_path / "p.isogloss", texts, is_encoded=False)
    link(folder, [(sentence_id(1, n), sentence_id(2, n)) for n in range(N)])
    return folder


def sentence(words: tuple[str, ...], n: int) -> str:
    """Write the number n in words to the base of eight, and itself."""
    return f"{words[n % 8]} {words[n // 8 % 8]} {words[(n * 3) % 8]} {n}."


@pytest.fixture
def window(windows: Windows, qtbot: QtBot, folder: Path) -> Iterator[MainWindow]:
    window = windows.open(folder, "training")
    actions = {action.text(): action for _, action in window.menus.actions}
    actions["New training…"].trigger()
    yield window
    state = window.state
    for run in state.runs:
        state.cancel(run)
    qtbot.waitUntil(lambda: not state.is_busy, timeout=WAIT_MS)


@pytest.fixture
def view(window: MainWindow) -> TrainingView:
    view = window.view
    assert isinstance(view, TrainingView)
    return view


def fill(view: TrainingView, name: str, **values: Any) -> None:
    """Put small settings into the form, on the corpora that it offers."""
    settings = {**TINY, **values, "corpora": tuple(view.setup.form.corpora.ticked)}
    params: TrainEncoder = msgspec.structs.replace(
        preset_params("quick", name), **settings
    )
    view.setup.form.write(params)


def test_a_training_is_watched_paused_resumed_finished_and_compared(
    window: MainWindow, view: TrainingView, qtbot: QtBot
) -> None:
    state = window.state
    assert view.setup.form.corpora.ticked == ["1", "2"]
    fill(view, "first")
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        view.setup.start()
    qtbot.waitUntil(
        lambda: view.shown is not None and view.shown.state == "finished",
        timeout=WAIT_MS,
    )
    assert view.shown is not None
    assert view.shown.best is not None
    assert "# first" in view.page.card.text

    view.begin_new()
    fill(view, "second", n_steps=1_000_000, lr=0.02)
    grown = QSignalSpy(view.curves.grown)
    view.setup.start()
    qtbot.waitUntil(lambda: shown_state(view) == "running", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "lowest error" in figures(view), timeout=WAIT_MS)
    with qtbot.waitSignal(state.run_paused, timeout=WAIT_MS):
        view.controller.pause()
    qtbot.waitUntil(lambda: shown_state(view) == "paused", timeout=WAIT_MS)
    assert grown.count() > 0

    assert view.shown is not None
    assert " / 1,000,000 (" in figures(view)
    paused_s = view.shown.elapsed_s
    again = TrainingView(state)  # as if the window had been opened again
    qtbot.addWidget(again)
    again.list.select([view.shown.id])
    qtbot.waitUntil(lambda: not again.curves.is_reading, timeout=WAIT_MS)
    again.show()
    qtbot.waitUntil(lambda: "lowest error" in figures(again), timeout=WAIT_MS)

    metrics = QSignalSpy(state.metric_added)
    view.controller.resume()
    qtbot.waitUntil(lambda: metrics.count() > 0, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: shown_state(view) == "running", timeout=WAIT_MS)
    assert view.shown.elapsed_s > paused_s
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS) as finished:
        view.controller.finish()
    assert finished.args[1]["resumed_at_step"] > 0
    assert finished.args[1]["elapsed_s"] > 0.9 * paused_s
    assert Path(finished.args[1]["folder"]).is_dir()

    qtbot.waitUntil(lambda: shown_state(view) == "finished", timeout=WAIT_MS)
    view.compare()
    rows = view.comparison.differences.texts()
    assert ["Steps", "40", "1,000,000"] in rows
    qtbot.waitUntil(lambda: len(view.comparison.plots.bottom_plot.plot.curves) == 2)


def test_evaluate_asks_how_to_measure_the_encoder_that_was_trained(
    window: MainWindow, view: TrainingView, qtbot: QtBot
) -> None:
    fill(view, "first")
    with qtbot.waitSignal(window.state.run_finished, timeout=WAIT_MS):
        view.setup.start()
    (button,) = [
        one
        for one in view.page.findChildren(QAbstractButton)
        if one.text() == "Evaluate encoder…"
    ]
    qtbot.waitUntil(button.isEnabled, timeout=WAIT_MS)
    button.click()
    evaluate = window.view
    assert isinstance(evaluate, EvaluateView)
    (dialog,) = evaluate.findChildren(EvaluationDialog)
    assert dialog.isVisible()
    (task,) = dialog.tasks()
    assert isinstance(task, EvaluateRetrieval)
    assert task.encoder == "first"
    assert task.corpora == ("Letters", "Briefe")
    dialog.run_button.click()
    qtbot.waitUntil(lambda: bool(evaluate.page.shown), timeout=WAIT_MS)
    assert evaluate.page.shown[0].encoders == ("first",)


def test_the_inspector_stands_only_beside_views_with_sentences(
    window: MainWindow,
) -> None:
    assert window.inspector_dock.isHidden()
    window.show_view("corpora")
    window.state.select_sentence(sentence_id(1, 1))
    assert not window.inspector_dock.isHidden()
    window.inspector_dock.toggleViewAction().trigger()  # and it stays so
    window.show_view("training")
    window.show_view("corpora")
    assert window.inspector_dock.isHidden()


def button_rects(page: QWidget) -> dict[str, QRect]:
    """Return where the visible buttons of a page are."""
    return {
        button.text(): button.geometry()
        for button in page.findChildren(QPushButton)
        if button.isVisible() and button.parentWidget() is page
    }


def test_an_estimate_is_made_before_anything_starts(
    view: TrainingView, qtbot: QtBot, folder: Path
) -> None:
    fill(view, "first")
    with qtbot.waitSignal(view.setup.planner.planned, timeout=WAIT_MS):
        view.setup.estimate()
    assert "Memory" in view.setup.plan_card.text
    assert "Parameters" in view.setup.plan_card.text
    assert not list((folder / "encoders").glob("*"))


def test_a_grid_is_watched_stopped_resumed_and_its_table_and_chart_grow(
    window: MainWindow, view: TrainingView, qtbot: QtBot, folder: Path
) -> None:
    start_grid(view, folder)
    page = view.grid_page
    qtbot.waitUntil(lambda: page._status.text().startswith(RUNNING), timeout=WAIT_MS)
    qtbot.waitUntil(
        lambda: "Training 2 of 2: Training" in page._status.text(), timeout=WAIT_MS
    )
    assert view._pages.currentWidget() is page
    assert page._summary.text().startswith("1 of 2 trainings measured")

    qtbot.waitUntil(view.controller.cancel_action.isEnabled, timeout=WAIT_MS)
    running = button_rects(page)
    assert {"Pause", "Finish now", "Cancel"} <= set(running)
    with qtbot.waitSignal(window.state.run_cancelled, timeout=WAIT_MS):
        view.controller.cancel_action.trigger()
    qtbot.waitUntil(view.controller.resume_action.isEnabled, timeout=WAIT_MS)
    QApplication.processEvents()
    stopped = button_rects(page)
    assert {name: stopped.get(name) for name in ("Finish now", "Cancel")} == {
        name: running[name] for name in ("Finish now", "Cancel")
    }
    assert stopped["Resume"].right() == running["Pause"].right()
    assert not any(stopped["Delete"].intersects(rect) for rect in running.values())
    before = grid_table(page)
    assert [row["Dimensions"] for row in before] == ["16", "24"]
    assert before[0]["STS en, r × 100"]
    assert not before[1].get("STS en, r × 100")

    view.controller.resume_action.trigger()
    qtbot.waitUntil(
        lambda: "Training 2 of 2: Training" in page._status.text(), timeout=WAIT_MS
    )
    qtbot.waitUntil(view.controller.finish_action.isEnabled, timeout=WAIT_MS)
    with qtbot.waitSignal(window.state.run_finished, timeout=WAIT_MS):
        view.controller.finish_action.trigger()
    qtbot.waitUntil(lambda: page._status.text() == "finished", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: all(row.is_done for row in page.rows), timeout=WAIT_MS)
    after = grid_table(page)
    assert after[0] == before[0]
    assert all(row["STS en, r × 100"] for row in after)
    (chart,) = page.charts.charts
    assert isinstance(chart, BarChart)
    assert chart.labels == ("16 · 20", "24 · 1000000")
    scores = chart.series["STS en, r × 100"]
    assert [round(bar.value or 0, 1) for bar in scores] == [
        float(row["STS en, r × 100"].split()[0].replace("−", "-")) for row in after
    ]


def test_grids_are_deleted_with_their_checkpoints(
    window: MainWindow, view: TrainingView, qtbot: QtBot, folder: Path
) -> None:
    start_grid(view, folder)
    page, state = view.grid_page, window.state
    qtbot.waitUntil(
        lambda: "Training 2 of 2: Training" in page._status.text(), timeout=WAIT_MS
    )
    with qtbot.waitSignal(state.run_cancelled, timeout=WAIT_MS):
        view.controller.cancel_action.trigger()
    qtbot.waitUntil(view.controller.delete_action.isVisible, timeout=WAIT_MS)
    encoders = folder / "encoders"
    assert len(list(encoders.glob(".sizes 2 *.training-*"))) == 2  # with its pairs
    view.controller.delete_action.trigger()
    (question,) = view.window().findChildren(QMessageBox)
    question.defaultButton().click()
    qtbot.waitUntil(lambda: not view.list.trainings, timeout=WAIT_MS)
    (kept,) = encoders.iterdir()
    assert kept.name.startswith("sizes 1 ")
    assert view._pages.currentWidget() is view.setup

    with qtbot.waitSignal(state.run_failed, timeout=WAIT_MS) as failed:
        start_grid(view, folder)
    assert f"The encoder {kept.name} already exists" in failed.args[1].message
    qtbot.waitUntil(lambda: shown_state(view) == "failed", timeout=WAIT_MS)
    view.controller.delete_action.trigger()
    qtbot.waitUntil(lambda: not view.list.trainings, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(undo_buttons(window)), timeout=WAIT_MS)
    undo_buttons(window)[-1].click()
    qtbot.waitUntil(lambda: len(view.list.trainings) == 1, timeout=WAIT_MS)
    assert view.list.trainings[0].state == "failed"


def undo_buttons(window: MainWindow) -> list[QPushButton]:
    return [one for one in window.findChildren(QPushButton) if one.text() == "Undo"]


def start_grid(view: TrainingView, folder: Path) -> None:
    """Start two trainings, the second of which only ends when asked to."""
    view.controller.grid_action.trigger()
    dialog = view.findChildren(GridDialog)[-1]
    scored = folder.parent / "sts.tsv"
    sides = [(sentence(WORDS, n), sentence(WORDS, 2 * n)) for n in range(9)]
    texts = [f"{n % 6}\t{one}\t{other}" for n, (one, other) in enumerate(sides)]
    scored.write_text("\n".join(texts), encoding="utf-8")
    quick = preset_params("quick", "sizes")
    dialog.form.write(
        {
            **msgspec.structs.asdict(quick),
            **TINY,
            "corpora": ("1",),
            "sts": (f"en={scored}",),
            "vary": ("dim & n_steps = 16 & 20 | 24 & 1000000",),
        }
    )
    assert dialog.count == "2 trainings, one by one."
    dialog.run_button.click()


RUNNING = "running"


def grid_table(page: GridPage) -> list[dict[str, str]]:
    head, *rows = page.results.table.texts()
    return [dict(zip(head, row, strict=True)) for row in rows]


def figures(view: TrainingView) -> str:
    return view.page.figures.text


def shown_state(view: TrainingView) -> str:
    return view.shown.state if view.shown is not None else ""
