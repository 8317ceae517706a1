"""What a training asks of an objective; `mixture.py` makes those that params name."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from torch import Tensor, nn

from app.engine.report import Report
from app.params.training import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule
    from app.engine.encoders.tokens import Units
    from app.engine.text.vocabulary import Vocabulary
    from app.engine.training.leaks import KeptOut


class ObjectiveContext(NamedTuple):
    """What objectives are made of.

    Attributes:
        params: the settings; `batch_size` may be a smaller one that fits in memory.
        files: TSV of source⇥target (English first), one for each two languages, from
            which `split_pairs` has taken what must not be seen.
        units: cut text for the module that is trained.
        vocabulary: the pieces that a decoder writes; None where there are only words.
        dim: dimensions of the module's vectors.
        folder: the training's work folder; what is cut or mined stays there, so that
            objectives made again (after a pause, for a smaller batch) find it.
        project_folder: where encoders are looked up besides the bundled ones.
        device: of the heads and of every batch.
        kept_out: sentences of development and test sets: other examples (inference,
            documents, conversations) with one of them are left out, and the
            objective's notes say how many.
    """

    params: TrainEncoder
    files: Sequence[Path]
    units: "Units"
    vocabulary: "Vocabulary | None"
    dim: int
    folder: Path
    project_folder: Path | None
    device: str
    kept_out: "KeptOut"


class ObjectiveLoss(NamedTuple):
    """The loss of a batch.

    Attributes:
        loss: scalar, float32, differentiable; a mean over the batch.
        values: what else is shown of it, such as error or accuracy (0…1).
        n_sentences, n_tokens: what the module encoded (padding does not count).
    """

    loss: Tensor
    values: dict[str, float]
    n_sentences: int
    n_tokens: int


class Objective(Protocol):
    """One task that a module learns.

    Its order in a step: `prepare`, then `draw` and `loss` once for each accumulated
    batch. Examples are a function of the seed and of the counters in `state`, which
    each draw moves on: after `restore` the same draws follow.

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
        """Draw the next examples, for a step of the training."""

    def loss(self, module: "SentenceModule", examples: Any) -> ObjectiveLoss:
        """Give the loss of drawn examples."""

    def state(self) -> dict[str, Tensor]:
        """Give the counters that decide the next draw (CPU tensors, not the heads)."""

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from counters."""
