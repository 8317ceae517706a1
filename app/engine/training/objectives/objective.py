"""What a training asks of an objective; `mixture.py` makes those that params name."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from torch import Tensor, nn

from app.engine.report import Report
from app.params.training import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule
    from app.engine.encoders.tokens import Units


class ObjectiveContext(NamedTuple):
    """What objectives are made of.

    Attributes:
        params: the settings; `batch_size` may be a smaller one that fits in memory.
        files: TSV of english⇥foreign, one a language; their text may be read twice.
        units: cut text for the module that is trained.
        n_units: distinct token ids of `units`.
        dim: dimensions of the module's vectors.
        folder: the training's work folder; what is cut or mined stays there, so that
            objectives made again (after a pause, for a smaller batch) find it.
        project_folder: where encoders are looked up besides the bundled ones.
        device: of the heads and of every batch.
        is_kept_out: tells whether a text is of a development or test set: examples
            with such a text are left out, and the objective's notes say how many.
    """

    params: TrainEncoder
    files: Sequence[Path]
    units: "Units"
    n_units: int
    dim: int
    folder: Path
    project_folder: Path | None
    device: str
    is_kept_out: Callable[[str], bool]


class ObjectiveLoss(NamedTuple):
    """The loss of a batch.

    Attributes:
        loss: scalar, float32, differentiable; a mean over the batch's examples.
        values: what else is shown of it, such as error or accuracy (0…1).
        n_sentences, n_tokens: what the module encoded (padding does not count).
    """

    loss: Tensor
    values: dict[str, float]
    n_sentences: int
    n_tokens: int


class Objective(Protocol):
    """One task that a module learns.

    Its order of a step: `prepare`, `draw`, `loss`. Examples are drawn as a function of
    the seed, the step and the counters in `state`, whatever the module: a draw may be
    made ahead of its step, in the order of the steps.

    Attributes:
        name: as it stands in the params.
        heads: its own parameters, trained with the module and left out of the encoder;
            on the context's device.
        n_examples: examples in all.
        notes: sentences for the user about the data, such as what was left out.
    """

    name: str
    heads: nn.Module
    n_examples: int
    notes: tuple[str, ...]

    def prepare(self, step: int, module: "SentenceModule", report: Report) -> None:
        """Do what is due before a step, such as mining; most do nothing."""

    def draw(self, step: int) -> Any:
        """Draw the examples of a step."""

    def loss(self, module: "SentenceModule", examples: Any) -> ObjectiveLoss:
        """Give the loss of drawn examples."""

    def state(self) -> dict[str, Tensor]:
        """Give the counters that decide the next draw (CPU tensors, not the heads)."""

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from counters."""
