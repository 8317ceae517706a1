"""The loop over real trainers: curves, pause, finish, patience, best weights."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.development import DevelopmentSet
from app.engine.training.loop import TrainingLoop, TrainingResult, wait_after
from app.engine.training.recipes import Recipe
from app.engine.training.trainers.state import load_state
from app.errors import Cancelled, Paused, UserError
from app.params.training.encoder import TrainEncoder
from tests.engine.training.making import BILSTM, STATIC, Curve, finish, make_tiny, pause
from tests.engine.training.synthetic import write_pairs

each_kind = pytest.mark.parametrize(
    "params", [STATIC, BILSTM], ids=["static", "bilstm"]
)


@pytest.fixture
def development(tmp_path: Path) -> DevelopmentSet:
    return DevelopmentSet(
        {
            code: write_pairs(tmp_path / f"{code}.tsv", 30, seed=50 + i)
            for i, code in enumerate(("deu", "fra"))
        }
    )


def train(
    recipe: Recipe,
    params: TrainEncoder,
    folder: Path,
    curve: Curve,
    development: DevelopmentSet | None = None,
) -> TrainingResult:
    folder.mkdir(exist_ok=True)
    trainer = recipe.make(params)
    return TrainingLoop(trainer, params, folder, curve.report, development).run()


def assert_equal_weights(one: dict[str, Tensor], other: dict[str, Tensor]) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_array_equal(value.numpy(), other[name].numpy())


def test_error_falls(vocabulary: Vocabulary, tmp_path: Path) -> None:
    curve = Curve()
    recipe = make_tiny(vocabulary, tmp_path, STATIC)
    trained = train(recipe, STATIC, tmp_path, curve)
    assert curve.points[200]["error"] < 0.05 < 0.5 < curve.points[10]["error"]
    assert curve.points[200]["loss"] < curve.points[10]["loss"]
    assert (
        curve.points[200]["lr"]
        < curve.points[10]["lr"]
        == pytest.approx(0.03 * (200 - 9) / 195)
    )
    assert not trained.weights["table"][0].any()  # the silent row stays silent


@each_kind
def test_a_paused_run_goes_on_to_the_same_curve(
    params: TrainEncoder,
    vocabulary: Vocabulary,
    tmp_path: Path,
    development: DevelopmentSet,
) -> None:
    params = msgspec.structs.replace(params, n_steps=40, evaluate_every=15)
    recipe = make_tiny(vocabulary, tmp_path / "data", params)
    whole, before, after = Curve(), Curve(20, pause), Curve()
    expected = train(recipe, params, tmp_path / "whole", whole, development)
    with pytest.raises(Paused):
        train(recipe, params, tmp_path / "cut", before, development)
    resumed = train(recipe, params, tmp_path / "cut", after, development)
    assert resumed.first_step == 20
    assert before.points | after.points == whole.points
    assert {10, 15, 20, 30, 40} <= whole.points.keys()
    assert_equal_weights(resumed.weights, expected.weights)
    assert resumed.measured == expected.measured


@each_kind
def test_a_checkpoint_between_two_points_gives_the_same_curve(
    params: TrainEncoder, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    params = msgspec.structs.replace(params, n_steps=30)
    recipe = make_tiny(vocabulary, tmp_path / "data", params)
    whole, after = Curve(), Curve()
    train(recipe, params, tmp_path / "whole", whole)
    often = msgspec.structs.replace(params, checkpoint_every_s=1e-9)
    cancelled = Curve(20, Report.cancel)
    with pytest.raises(Cancelled):  # the checkpoint is that of step 20
        train(recipe, often, tmp_path / "cut", cancelled)
    newest = max((tmp_path / "cut").glob("checkpoint-*"))
    newest.unlink()  # as if it had been killed while it was written
    resumed = train(recipe, params, tmp_path / "cut", after)
    assert resumed.first_step == 19
    assert {**cancelled.points, **after.points} == whole.points


@each_kind
@pytest.mark.parametrize("at", [15, 24])  # amid a measurement, and between two steps
def test_no_step_is_lost_at_a_cancellation(
    params: TrainEncoder,
    at: int,
    vocabulary: Vocabulary,
    tmp_path: Path,
    development: DevelopmentSet,
) -> None:
    class Cancelling(Report):
        def step(self, stage: str, done: int, total: int, note: str = "") -> None:
            if done == at:
                self.cancel()
            super().step(stage, done, total, note)

    params = msgspec.structs.replace(params, n_steps=40, evaluate_every=15)
    recipe = make_tiny(vocabulary, tmp_path / "data", params)
    whole, after = Curve(), Curve()
    expected = train(recipe, params, tmp_path / "whole", whole, development)
    report, folder = Cancelling(), tmp_path / "cut"
    folder.mkdir()
    loop = TrainingLoop(recipe.make(params), params, folder, report, development)
    loop._save_s = 1.0  # the checkpoint before was written while the disk was busy
    with pytest.raises(Cancelled):
        loop.run()
    assert report.saved_at == (at, 40)
    resumed = train(recipe, params, folder, after, development)
    assert resumed.first_step == at
    assert ("dev.error" in after.points.get(15, {})) == (at == 15)
    assert all(whole.points[step] == point for step, point in after.points.items())
    assert_equal_weights(resumed.weights, expected.weights)
    assert resumed.measured == expected.measured


def test_the_best_weights_are_kept(
    vocabulary: Vocabulary, tmp_path: Path, development: DevelopmentSet
) -> None:
    params = msgspec.structs.replace(
        STATIC, n_steps=60, evaluate_every=20, decay="constant", lr=0.05
    )
    recipe = make_tiny(vocabulary, tmp_path, params)
    curve = Curve()
    trained = train(recipe, params, tmp_path, curve, development)
    errors = {s: p["dev.error"] for s, p in curve.points.items() if "dev.error" in p}
    assert sorted(errors) == [0, 20, 40, 60]
    best = min(list(errors)[1:], key=lambda step: (errors[step], step))
    assert trained.kept_step == best
    assert trained.measured["dev.error"] == errors[best] < errors[0]
    assert not trained.note
    of_languages = [curve.points[best][f"dev.error.{code}"] for code in ("deu", "fra")]
    assert trained.measured["dev.error"] == pytest.approx(np.mean(of_languages))


def test_patience_ends_a_training_that_gets_no_better(
    vocabulary: Vocabulary, tmp_path: Path, development: DevelopmentSet
) -> None:
    params = msgspec.structs.replace(
        STATIC, lr=1e-9, n_warmup=0, evaluate_every=5, patience=2
    )
    recipe = make_tiny(vocabulary, tmp_path, params)
    trained = train(recipe, params, tmp_path, Curve(), development)
    assert (trained.ending, trained.n_steps, trained.kept_step) == ("patience", 15, 5)


def test_random_weights_are_never_kept_and_a_note_says_that_they_were_as_good(
    vocabulary: Vocabulary, tmp_path: Path, development: DevelopmentSet
) -> None:
    params = msgspec.structs.replace(
        STATIC, lr=1e-9, n_warmup=0, n_steps=20, evaluate_every=5
    )
    recipe = make_tiny(vocabulary, tmp_path / "data", params)
    curve = Curve()
    trained = train(recipe, params, tmp_path / "whole", curve, development)
    error = f"{100 * curve.points[0]['dev.error']:.1f}\u00a0%"
    assert trained.kept_step == 5  # nothing was learned
    assert trained.note == (
        "No trained weights were better than the random ones at the start "
        f"(development error {error} at the start, then {error}). "
        "Train for more steps, with fewer layers, or at another learning rate."
    )
    with pytest.raises(Paused):
        train(recipe, params, tmp_path / "cut", Curve(10, pause), development)
    resumed = train(recipe, params, tmp_path / "cut", Curve(), development)
    assert resumed.first_step > 0
    assert resumed.note == trained.note


def test_weights_to_start_from_are_kept_where_training_makes_them_no_better(
    vocabulary: Vocabulary, tmp_path: Path, development: DevelopmentSet
) -> None:
    params = msgspec.structs.replace(
        STATIC, lr=1e-9, n_warmup=0, n_steps=10, evaluate_every=5
    )
    trainer = make_tiny(vocabulary, tmp_path, params).make(params)
    continued = msgspec.structs.replace(params, initial="another")
    loop = TrainingLoop(trainer, continued, tmp_path, Report(), development)
    trained = loop.run()
    assert (trained.kept_step, trained.note) == (0, "")


def test_finish_ends_now_and_keeps_the_best(
    vocabulary: Vocabulary, tmp_path: Path, development: DevelopmentSet
) -> None:
    recipe = make_tiny(vocabulary, tmp_path, STATIC)
    curve = Curve(30, finish)
    trained = train(recipe, STATIC, tmp_path, curve, development)
    assert (trained.ending, trained.n_steps) == ("finished early", 30)
    assert curve.points[30]["dev.error"] == trained.measured["dev.error"]


def test_a_loss_that_is_no_number_is_told(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    recipe = make_tiny(vocabulary, tmp_path, STATIC)
    trainer = recipe.make(STATIC)
    state = trainer.state()
    state.tensors["table"].fill_(float("nan"))
    with pytest.raises(UserError, match="not finite at step 10"):
        TrainingLoop(trainer, STATIC, tmp_path, Report()).run()
    assert not list(tmp_path.glob("checkpoint-*"))


def test_checkpoints_are_written_while_training(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    params = msgspec.structs.replace(STATIC, n_steps=3, checkpoint_every_s=1e-6)
    train(make_tiny(vocabulary, tmp_path, params), params, tmp_path, Curve())
    assert list(tmp_path.glob("checkpoint-*.safetensors"))


def test_a_run_resumed_with_other_threads_says_so(
    vocabulary: Vocabulary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = msgspec.structs.replace(STATIC, n_steps=12)
    recipe = make_tiny(vocabulary, tmp_path, params)
    n_threads = torch.get_num_threads()
    with pytest.raises(Paused):
        train(recipe, params, tmp_path, Curve(10, pause))
    monkeypatch.setattr("torch.get_num_threads", lambda: 7)
    note = train(recipe, params, tmp_path, Curve()).note
    assert note.startswith(
        f"Training resumed at step 10 with 7 threads after {n_threads}"
    )


def test_a_resumed_training_reports_its_whole_time_and_curve(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    params = msgspec.structs.replace(STATIC, n_steps=40)
    recipe = make_tiny(vocabulary, tmp_path, params)
    first, second = Curve(20, pause), Curve()
    with pytest.raises(Paused):
        train(recipe, params, tmp_path, first)
    state = load_state(tmp_path)
    assert state is not None
    with (tmp_path / "points.jsonl").open("ab") as stream:
        stream.write(b'[30,{"loss":1.0}]\n[30,{"lo')  # killed after the checkpoint
    second.report.run = 7
    trained = train(recipe, params, tmp_path, second)
    earlier_s = float(state.notes["elapsed_s"])
    assert earlier_s > 0
    assert trained.elapsed_s == pytest.approx(earlier_s + trained.run_s, rel=0.1)
    assert {step: second.points[step] for step in first.points} == first.points
    assert sorted(second.points) == [10, 20, 30, 40]
    assert second.points[30]["loss"] != 1.0


def test_slow_checkpoints_are_written_seldom() -> None:
    assert wait_after(0.5, wanted_s=0.1) == 0.1
    assert wait_after(8.0, wanted_s=20.0) == 32.0  # a fifth of the time, no more
    assert wait_after(2.0, wanted_s=20.0) == 20.0


def test_a_resumed_run_knows_its_last_loss(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    params = msgspec.structs.replace(STATIC, n_steps=12)
    recipe = make_tiny(vocabulary, tmp_path, params)
    with pytest.raises(Paused):
        train(recipe, params, tmp_path, Curve(10, pause))
    assert train(recipe, params, tmp_path, Curve()).values["loss"] > 0


@each_kind
def test_weights_that_are_no_numbers_are_never_saved(
    params: TrainEncoder, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    params = msgspec.structs.replace(params, n_steps=3)
    trainer = make_tiny(vocabulary, tmp_path, params).make(params)
    next(iter(trainer.weights().values()))[0, 0] = float("nan")
    with pytest.raises(UserError, match="not finite at step 3"):
        TrainingLoop(trainer, params, tmp_path, Curve().report).run()


def test_the_last_step_has_a_point(vocabulary: Vocabulary, tmp_path: Path) -> None:
    params = msgspec.structs.replace(STATIC, n_steps=13)
    curve = Curve()
    trained = train(make_tiny(vocabulary, tmp_path, params), params, tmp_path, curve)
    assert sorted(curve.points) == [10, 13]
    assert trained.values["loss"] == curve.points[13]["loss"] > 0
