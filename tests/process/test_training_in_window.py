"""The training view over the real engine: curves, pause, resume, finish, comparison."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from app.params.training.encoder import TrainEncoder
from app.params.training.presets import preset_params
from app.views.shell.main_window import MainWindow
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
    assert view.setup.form.corpora.ticked == ["1"]  # the English one
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
    qtbot.waitUntil(lambda: shown_state(view) == "interrupted", timeout=WAIT_MS)
    assert grown.count() > 0

    assert view.shown is not None
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
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS) as finished:
        view.controller.finish()
    assert finished.args[1]["resumed_at_step"] > 0
    assert Path(finished.args[1]["folder"]).is_dir()

    qtbot.waitUntil(lambda: shown_state(view) == "finished", timeout=WAIT_MS)
    view.compare()
    rows = view.comparison.differences.texts()
    assert ["Steps", "40", "1,000,000"] in rows
    qtbot.waitUntil(lambda: len(view.comparison.plots.bottom_plot.plot.curves) == 2)


def test_the_inspector_stands_only_beside_views_with_sentences(
    window: MainWindow,
) -> None:
    assert window.inspector_dock.isHidden()
    window.show_view("corpora")
    assert not window.inspector_dock.isHidden()
    window.inspector_dock.hide()  # by the user, and it stays so
    window.show_view("training")
    window.show_view("corpora")
    assert window.inspector_dock.isHidden()


def test_an_estimate_is_made_before_anything_starts(
    view: TrainingView, qtbot: QtBot, folder: Path
) -> None:
    fill(view, "first")
    with qtbot.waitSignal(view.setup.planner.planned, timeout=WAIT_MS):
        view.setup.estimate()
    assert "Memory" in view.setup.plan_card.text
    assert "Parameters" in view.setup.plan_card.text
    assert not list((folder / "encoders").glob("*"))


def figures(view: TrainingView) -> str:
    return view.page.figures.text


def shown_state(view: TrainingView) -> str:
    return view.shown.state if view.shown is not None else ""
