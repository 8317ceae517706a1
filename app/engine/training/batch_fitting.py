"""Train with a batch that fits in GPU memory, halving it when memory runs out."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import torch

from app.engine.runtime.report import Report
from app.engine.training.loop import TrainingResult
from app.engine.training.recipes import Recipe, smaller_batch
from app.engine.training.trainers.trainer import Trainer
from app.errors import ResourceError
from app.params.training.encoder import TrainEncoder

FILE = "halvings"  # in the work folder, so that a resumed run starts with this batch
STAGE = "Halving the batch"

Run = Callable[[Trainer, TrainEncoder, str], TrainingResult]

log = logging.getLogger("training")


class FittedRun(NamedTuple):
    """A training whose batch fitted in memory.

    Attributes:
        trained: result of the loop.
        params: params of the run.
        precision: floating-point format of the steps.
        n_parameters: number of trained weights.
        note: a sentence about the smaller batch; empty: the batch is unchanged.
    """

    trained: TrainingResult
    params: TrainEncoder
    precision: str
    n_parameters: int
    note: str


def train_fitting(
    recipe: Recipe,
    params: TrainEncoder,
    folder: Path,
    report: Report,
    run: Run,
) -> FittedRun:
    """Run a training; when memory runs out, resume with half the batch.

    Args:
        recipe: makes the trainers.
        run: runs the loop with a trainer, its params, and a note to show.

    Raises:
        ResourceError: even the smallest batch does not fit.
    """
    begun = time.monotonic()
    while True:
        n_halvings = _read(folder / FILE)
        fitting = smaller_batch(params, n_halvings)
        fitted = _attempt(
            recipe, fitting, run, _describe(fitting) if n_halvings else ""
        )
        if fitted is not None:
            run_s = time.monotonic() - begun  # including failed attempts
            trained = msgspec.structs.replace(fitted.trained, run_s=run_s)
            return fitted._replace(trained=trained)
        smaller = smaller_batch(params, n_halvings + 1)
        if smaller == fitting:
            raise ResourceError(
                f"Not enough GPU memory for a batch of {fitting.batch_size}. "
                "Choose smaller sizes, close other programs, or use the CPU."
            )
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        _write(folder / FILE, n_halvings + 1)
        log.warning(_describe(smaller))
        report.step(STAGE, 0, 0, _describe(smaller))


def _attempt(
    recipe: Recipe, params: TrainEncoder, run: Run, note: str
) -> FittedRun | None:
    """Run a training; return None, with memory freed, when memory runs out."""
    try:
        trainer = recipe.make(params)
        trained = run(trainer, params, note)
    except torch.OutOfMemoryError:
        return None
    return FittedRun(trained, params, trainer.precision, trainer.n_parameters, note)


def _describe(params: TrainEncoder) -> str:
    tokens = f" and {params.batch_tokens:,} tokens" if params.batch_tokens else ""
    return (
        f"Not enough GPU memory: the batch was reduced to {params.batch_size:,} "
        f"pairs{tokens}."
    )


def _read(file: Path) -> int:
    return int(file.read_text(encoding="utf-8")) if file.exists() else 0


def _write(file: Path, n_halvings: int) -> None:
    part = file.with_suffix(".part")
    part.write_text(f"{n_halvings}\n", encoding="utf-8", newline="\n")
    part.replace(file)
