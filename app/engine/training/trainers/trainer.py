"""Trainer protocol of the training loop, and learning rate schedules."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from torch import Tensor

from app.engine.runtime.report import Report
from app.engine.training.trainers.precision import Precision
from app.engine.training.trainers.state import TrainingState
from app.params.training.encoder import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder


HEADS = "heads."  # name prefix of weights that are not the encoder's


class StepResult(NamedTuple):
    """Result of a step.

    Attributes:
        objective: objective of the step.
        loss: mean over the batch.
        values: further values to show, such as error (0…1).
        n_sentences, n_tokens: encoded sentences and tokens.
    """

    objective: str
    loss: float
    values: dict[str, float]
    n_sentences: int
    n_tokens: int


class Trainer(Protocol):
    """A training in progress; equal states take equal steps.

    Attributes:
        step: number of steps made.
        update_s: seconds of the last step's update, which do not depend on the batch.
        precision: format of the steps: float32, bfloat16 or float16.
    """

    step: int
    update_s: float
    precision: Precision

    @property
    def n_parameters(self) -> int:
        """Return the number of trained weights, including heads."""

    def prepare(self, report: Report) -> None:
        """Do work that is due before the next step, such as mining hard negatives."""

    def make_step(self, *, wants_values: bool) -> StepResult:
        """Make one step; compute expensive values only if requested.

        Raises:
            torch.OutOfMemoryError: the GPU's memory is too small for the batch. The
                trainer may then be in an inconsistent state: make a new one from a
                saved state.
        """

    def state(self) -> TrainingState:
        """Return the state that a later run resumes from (shares memory)."""

    def restore(self, state: TrainingState) -> None:
        """Restore a state."""

    def weights(self) -> dict[str, Tensor]:
        """Return the weights of the encoder (shares memory)."""

    def heads(self) -> dict[str, Tensor]:
        """Return the heads that are saved with the weights (shares memory).

        Their names begin with `HEADS` and the name of the objective.
        """

    def encoder(self) -> "Encoder":
        """Return an encoder with the current weights."""

    def measure(self, step: Callable[[str], None]) -> dict[str, float]:
        """Measure on the objectives' held-out examples, if any.

        Args:
            step: called often with the current stage, to allow cancellation.
        """


def linear_lr(step: int, *, highest: float, n_warmup: int, n_steps: int) -> float:
    """Return the rate of a step (from 0): linear to the peak, then linear to zero."""
    if step < n_warmup:
        return highest * (step + 1) / n_warmup
    return highest * (n_steps - step) / max(1, n_steps - n_warmup)


def lr_at(step: int, params: TrainEncoder) -> float:
    """Return the rate of a step (from 0): linear warm-up, then the decay of the params.

    Cosine decay is half a period without restarts (Loshchilov and Hutter 2017, equation
    5, with a lowest rate of 0).
    """
    if step < params.n_warmup or params.decay == "linear":
        return linear_lr(
            step, highest=params.lr, n_warmup=params.n_warmup, n_steps=params.n_steps
        )
    if params.decay == "constant":
        return params.lr
    done = (step - params.n_warmup) / max(1, params.n_steps - params.n_warmup)
    return params.lr * (1 + math.cos(math.pi * done)) / 2
