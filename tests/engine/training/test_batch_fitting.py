"""Out of GPU memory halves the batch, goes on from the checkpoint, and says so."""

from pathlib import Path

import msgspec
import pytest
import torch

from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.batch_fitting import FittedRun, train_fitting
from app.engine.training.loop import TrainingLoop, TrainingResult
from app.engine.training.recipes import Recipe, smaller_batch
from app.engine.training.trainers.trainer import StepResult, Trainer
from app.errors import Paused, ResourceError
from app.params.training.encoder import TrainEncoder
from tests.engine.training.making import STATIC, Curve, make_tiny, pause

PARAMS = msgspec.structs.replace(
    STATIC, n_steps=30, batch_size=64, batch_tokens=0, checkpoint_every_s=1e-9
)


class SmallMemory:
    """A recipe whose trainers run out of memory with batches above a size."""

    def __init__(self, recipe: Recipe, n_fitting: int, from_step: int):
        self.device, self.notes = recipe.device, recipe.notes
        self.n_examples = recipe.n_examples
        self.n_inference = recipe.n_inference
        self.save = recipe.save
        self.made: list[int] = []
        self._recipe, self._n_fitting, self._from_step = recipe, n_fitting, from_step

    def make(self, params: TrainEncoder) -> Trainer:
        self.made.append(params.batch_size)
        trainer = self._recipe.make(params)
        make_step = trainer.make_step

        def make_fitting_step(*, wants_values: bool) -> StepResult:
            if trainer.step >= self._from_step and params.batch_size > self._n_fitting:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return make_step(wants_values=wants_values)

        trainer.make_step = make_fitting_step  # type: ignore[method-assign] # plays a GPU
        return trainer


def train(recipe: SmallMemory, folder: Path, curve: Curve) -> FittedRun:
    def run(trainer: Trainer, params: TrainEncoder, note: str) -> TrainingResult:
        return TrainingLoop(trainer, params, folder, curve.report).run(note=note)

    return train_fitting(recipe, PARAMS, folder, curve.report, run)


def test_half_the_batch_goes_on_from_the_checkpoint(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    recipe = SmallMemory(make_tiny(vocabulary, tmp_path, PARAMS), 16, from_step=12)
    curve = Curve()
    fitted = train(recipe, tmp_path, curve)
    assert recipe.made == [64, 32, 16]
    assert fitted.trained.first_step == 12  # nothing that was done is lost
    assert fitted.trained.n_steps == 30
    assert fitted.params.batch_size == 16
    expected = "Not enough GPU memory: the batch was reduced to 16 pairs."
    assert fitted.note == expected
    assert expected in curve.notes
    assert any(note.startswith(f"{expected} · loss") for note in curve.notes)


def test_a_resumed_run_begins_with_the_batch_that_fits(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    recipe = SmallMemory(make_tiny(vocabulary, tmp_path, PARAMS), 32, from_step=0)
    with pytest.raises(Paused):
        train(recipe, tmp_path, Curve(10, pause))
    recipe.made.clear()
    assert train(recipe, tmp_path, Curve()).params.batch_size == 32
    assert recipe.made == [32]


def test_no_batch_that_fits_is_told(vocabulary: Vocabulary, tmp_path: Path) -> None:
    recipe = SmallMemory(make_tiny(vocabulary, tmp_path, PARAMS), 1, from_step=0)
    with pytest.raises(ResourceError, match="Not enough GPU memory for a batch of 2"):
        train(recipe, tmp_path, Curve())
    assert recipe.made == [64, 32, 16, 8, 4, 2]


def test_a_bound_of_tokens_is_never_halved_away() -> None:
    params = msgspec.structs.replace(PARAMS, batch_size=64, batch_tokens=9)
    bounds = [smaller_batch(params, n).batch_tokens for n in range(6)]
    assert bounds == [9, 4, 2, 1, 1, 1]
    assert smaller_batch(PARAMS, 3).batch_tokens == 0  # there was none
