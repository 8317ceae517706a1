"""A training in the real engine: paused, killed, resumed: the curve is the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import text

from app.engine.project.project import open_read_only
from app.engine.store.runs import read_measurements
from app.params import build_params
from app.params.training.encoder import PlanTraining, TrainEncoder
from app.params.translation import TrainTranslationGrid
from app.protocol import commands, events
from app.results.measurements import GridMeasured
from tests.engine.training.making import RATES
from tests.engine.training.synthetic import write_pairs
from tests.engine.translation.made import SETTINGS, write_table
from tests.process.harness import EngineProcess

N_STEPS = 50


def params(folder: Path) -> TrainEncoder:
    pairs = folder / "eng-deu.tsv"
    if not pairs.exists():
        write_pairs(pairs, 400)
    return TrainEncoder(
        name="small",
        pairs=(pairs,),
        architecture="bilstm",
        n_pieces=300,
        embed_dim=16,
        dim=16,
        dropout=0.2,
        n_steps=N_STEPS,
        batch_size=16,
        batch_tokens=400,
        clip_norm=1.0,
        precision="float32",
        n_development=20,
        evaluate_every=20,
        checkpoint_every_s=0.05,
    )


def wait_until(
    engine: EngineProcess, is_there: Callable[[events.Event], bool]
) -> events.Event:
    """Wait for an event; a failure ends the wait."""
    while True:
        event = engine.next_event()
        engine.events.append(event)
        if isinstance(event, events.Failed):
            raise AssertionError(event.error.message + event.error.traceback)
        if is_there(event):
            return event


def reached(step: int) -> Callable[[events.Event], bool]:
    return lambda event: isinstance(event, events.Metric) and event.step >= step


def finished(event: events.Event) -> bool:
    return isinstance(event, events.Finished)


def curve_of(folder: Path, run: int) -> list[Any]:
    """Read all points of a run but the rates, which are never twice the same."""
    with open_read_only(folder) as project, project.store.connect() as connection:
        query = text(
            "SELECT step, name, value FROM metric WHERE run_id = :run "
            "ORDER BY step, name"
        )
        rows = connection.execute(query, {"run": run}).all()
    return [tuple(row) for row in rows if row.name not in RATES]


def state_of(folder: Path, run: int) -> str:
    with open_read_only(folder) as project, project.store.connect() as connection:
        query = text("SELECT state FROM run WHERE id = :run")
        return str(connection.execute(query, {"run": run}).scalar())


def test_a_training_paused_and_killed_draws_the_same_curve(tmp_path: Path) -> None:
    settings = params(tmp_path)
    cut, whole = tmp_path / "cut.isogloss", tmp_path / "whole.isogloss"
    with EngineProcess(tmp_path) as engine:
        engine.open(cut, "create")
        run = engine.run(settings)
        wait_until(engine, reached(10))
        engine.send(commands.Steer(run, "pause"))
        wait_until(engine, lambda event: isinstance(event, events.Paused))
        assert state_of(cut, run) == "interrupted"
        assert not (cut / "encoders" / "small").exists()
        engine.run(settings, resume=run)
        wait_until(engine, reached(30))
        engine.process.kill()
        engine.close()
    with EngineProcess(tmp_path) as engine:
        assert engine.open(cut).interrupted == [run]
        assert engine.run(settings, resume=run) == run
        wait_until(engine, reached(40))
        engine.send(commands.Steer(run, "pause"))
        wait_until(engine, lambda event: isinstance(event, events.Paused))
        again = engine.run(settings)  # the same command, as another run
        resumed = wait_until(engine, finished)
        engine.open(whole, "create")
        other = engine.run(settings)
        expected = wait_until(engine, finished)
    assert isinstance(resumed, events.Finished)
    assert isinstance(expected, events.Finished)
    assert resumed.result["resumed_at_step"] > 10
    points = curve_of(cut, again)
    assert points == curve_of(whole, other)
    names = {name for _, name, _ in points}
    assert names == {"loss", "error", "lr", "dev.error", "dev.error.deu"}
    assert {step for step, name, _ in points if name == "dev.error"} == {0, 20, 40, 50}
    for key in ("development_error", "kept_step", "loss", "n_pairs"):
        assert resumed.result[key] == expected.result[key]
    weights = [
        (folder / "encoders" / "small" / "weights.safetensors").read_bytes()
        for folder in (cut, whole)
    ]
    assert weights[0] == weights[1]


def test_finish_saves_the_encoder_and_a_plan_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "p.isogloss"
    settings = params(tmp_path)
    values = {name: getattr(settings, name) for name in settings.__struct_fields__}
    with EngineProcess(tmp_path) as engine:
        engine.open(folder, "create")
        engine.run(PlanTraining(**values))
        planned = wait_until(engine, finished)
        assert isinstance(planned, events.Finished)
        assert planned.result["time_s"] > 0
        assert not any((folder / "encoders").glob("*"))
        run = engine.run(settings)
        wait_until(engine, reached(10))
        engine.send(commands.Steer(run, "finish"))
        ended = wait_until(engine, finished)
    assert isinstance(ended, events.Finished)
    assert ended.result["ending"] == "finished early"
    assert 10 <= ended.result["n_steps"] < N_STEPS
    assert [file.name for file in (folder / "encoders").iterdir()] == ["small"]


def _translation_grid(folder: Path) -> TrainTranslationGrid:
    table = folder / "table.tsv"
    if not table.exists():
        write_table(table, languages=("eng", "deu"))
    values = {
        **SETTINGS,
        "n_steps": 16,
        "evaluate_every": 8,
        "checkpoint_every_s": 0.02,
        "name": "sweep",
        "table": table,
        "vary": ["n_heads=1|2"],
    }
    grid: TrainTranslationGrid = build_params(TrainTranslationGrid, values)
    return grid


def _grid_of(folder: Path, run: int) -> list[tuple[Any, ...]]:
    """Read the rows of a grid, with the hash of each model's weights."""
    with open_read_only(folder) as project:
        rows = read_measurements(project.store, run)
    return [
        (
            row.varied,
            row.is_done,
            row.scores,
            (folder / "encoders" / row.encoder / "weights.safetensors").read_bytes(),
        )
        for row in rows
        if isinstance(row, GridMeasured)
    ]


def test_a_killed_comparison_of_translation_models_ends_the_same(
    tmp_path: Path,
) -> None:
    settings = _translation_grid(tmp_path)
    cut, whole = tmp_path / "cut.isogloss", tmp_path / "whole.isogloss"
    with EngineProcess(tmp_path) as engine:
        engine.open(cut, "create")
        run = engine.run(settings)
        wait_until(
            engine,
            lambda event: (
                isinstance(event, events.Progress)
                and event.stage.startswith("Training 2 of 2: Training")
                and event.done >= 6
            ),
        )
        engine.process.kill()
        engine.close()
    with EngineProcess(tmp_path) as engine:
        assert engine.open(cut).interrupted == [run]
        engine.run(settings, resume=run)
        stages = set()

        def is_finished(event: events.Event) -> bool:
            if isinstance(event, events.Progress):
                stages.add(event.stage)
            return finished(event)

        wait_until(engine, is_finished)
        engine.open(whole, "create")
        other = engine.run(settings)
        wait_until(engine, finished)
    assert any(stage.startswith("Training 2 of 2") for stage in stages)
    assert not any(stage.startswith("Training 1 of 2") for stage in stages)
    rows = _grid_of(cut, run)
    assert [(varied, is_done) for varied, is_done, *_ in rows] == [
        ({"Heads": "1"}, True),
        ({"Heads": "2"}, True),
    ]
    assert rows == _grid_of(whole, other)
