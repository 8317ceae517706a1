"""Trainings that were and one that runs, as the engine would write and tell them."""

from pathlib import Path
from typing import Any

from pytestqt.qtbot import QtBot
from sqlalchemy import insert, update

from app.engine.project.project import open_project
from app.engine.project.runs import queue_run
from app.engine.store import schema
from app.params.training.encoder import TrainEncoder
from app.params.training.presets import preset_params
from app.params.translation import TrainTranslation
from app.protocol import events
from app.views.client.runs import RunState
from app.views.training.view import TrainingView
from tests.views.stage import Stage

Metrics = dict[int, dict[str, float]]
LIVE = 500  # id of a run that the test plays
CURVES: Metrics = {
    10: {"loss": 3.0, "dev.error": 0.5, "dev.error.deu": 0.4, "dev.error.jpn": 0.6},
    20: {"loss": 2.0, "dev.error": 0.25, "dev.error.deu": 0.1, "dev.error.jpn": 0.4},
    30: {"loss": 1.5, "dev.error": 0.3, "dev.error.deu": 0.1, "dev.error.jpn": 0.5},
}
PLAN = {
    "time_s": 250.0,
    "step_s": 0.25,
    "prepare_s": 1.0,
    "measure_s": 0.5,
    "n_examples": 1_000,
    "tokens_per_s": 90_000.0,
    "steps_per_s": 4.0,
    "memory_bytes": 600_000_000,
    "disk_bytes": 80_000_000,
    "saved_bytes": 12_000_000,
    "n_parameters": 12_000_000,
    "device": "cpu 2 threads",
    "precision": "float32",
    "sentences_per_s": 9_000.0,
    "notes": ["The figures are rough."],
}


def show(stage: Stage, qtbot: QtBot) -> TrainingView:
    """Show the view when it has read its curves."""
    view = TrainingView(stage.state)
    qtbot.addWidget(view)
    view.resize(1200, 800)
    view.show()
    qtbot.waitUntil(lambda: not view.curves.is_reading)
    return view


def add_run(
    folder: Path,
    settings: TrainEncoder | TrainTranslation,
    metrics: Metrics | None = None,
    **values: Any,
) -> int:
    """Write a training into the project, as the engine would."""
    with open_project(folder) as project:
        run = queue_run(project, settings)
        row: dict[str, Any] = {
            "state": "finished",
            "ended_at": 2e9,
            "id": run,
            **values,
        }
        points = [
            {"run_id": row["id"], "step": step, "name": name, "value": value}
            for step, named in (metrics or {}).items()
            for name, value in named.items()
        ]
        with project.store.begin() as connection:
            table = schema.run
            connection.execute(update(table).where(table.c.id == run).values(**row))
            if points:
                connection.execute(insert(schema.metric), points)
    return int(row["id"])


def play(view: TrainingView, stage: Stage, folder: Path) -> RunState:
    """Let a training run: the engine's part is played by events."""
    params = preset_params("quick", "mine")
    add_run(folder, params, state="running", ended_at=None, id=LIVE)
    run = stage.state.run(params, LIVE)
    tell(stage, events.Progress(LIVE, "Training", 20, 100, "", 0, "cpu"))
    view.refresh()
    view.list.select([LIVE])
    return run


def tell(stage: Stage, event: events.Event) -> None:
    """Let the engine tell something."""
    stage.client.event_received.emit(event)


def press(view: TrainingView, keys: str) -> None:
    """Do what has these keys, if it can be done now."""
    actions = {action.shortcut().toString(): action for action in view.actions()}
    actions[keys].trigger()
