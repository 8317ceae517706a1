"""The objective protocol, and encoding the columns of a batch in one pass."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from torch import Tensor, nn

from app.engine.encoders.tokens import Tokens, collate
from app.engine.runtime.report import Report
from app.params.training.encoder import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.neural import NeuralEncoder, SentenceModule
    from app.engine.encoders.tokens import Tokeniser
    from app.engine.text.subword_vocabulary import Vocabulary
    from app.engine.training.held_out import HeldOutSentences


class ObjectiveContext(NamedTuple):
    """What objectives are made of.

    Attributes:
        params: the settings; `batch_size` may be a smaller one that fits in memory.
        files: TSV of source⇥target (English first), one for each two languages, from
            which `split_pairs` has taken what must not be seen.
        tokeniser: of the trained module.
        vocabulary: the pieces that a decoder writes; None where there are only words.
        dim: dimensions of the module's vectors.
        folder: the training's work folder; what is cut or mined stays there, so that
            objectives made again (after a pause, for a smaller batch) find it.
        project_folder: where encoders are looked up besides the bundled ones.
        device: of the heads and of every batch.
        kept_out: sentences of development and test sets: other examples (inference,
            documents, conversations) with one of them are left out, and the
            objective's notes say how many.
        train_coarse: trains an encoder of the same architecture by ranking alone, to
            mine hard negatives; None: the bundled encoder mines them.
    """

    params: TrainEncoder
    files: Sequence[Path]
    tokeniser: "Tokeniser"
    vocabulary: "Vocabulary | None"
    dim: int
    folder: Path
    project_folder: Path | None
    device: str
    kept_out: "HeldOutSentences"
    train_coarse: "Callable[[Report], NeuralEncoder] | None" = None


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

    @classmethod
    def of_columns(
        cls, columns: "Columns", loss: Tensor, values: dict[str, float]
    ) -> "ObjectiveLoss":
        """Return the loss of a batch whose module encoded these columns."""
        return cls(loss, values, columns.n_sentences, columns.n_tokens)


class Objective(Protocol):
    """One task that a module learns.

    Its order in a step: `prepare`, then `draw` and `loss` once for each accumulated
    batch. Examples are a function of the seed and of the counters in `state`, which
    each draw moves on: after `restore` the same draws follow.

    Attributes:
        name: as in the params.
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
        """Return the loss of drawn examples."""

    def state(self) -> dict[str, Tensor]:
        """Return the counters that set the next draw (CPU tensors, not the heads)."""

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore counters."""


@runtime_checkable
class MeasuredObjective(Protocol):
    """An objective that holds out some of its examples and measures on them."""

    def measure(
        self, module: "SentenceModule", step: Callable[[str], None]
    ) -> dict[str, float]:
        """Measure a module in evaluation mode with the heads as they are.

        Args:
            module: in evaluation mode.
            step: called often with the current stage, to allow cancellation.

        Returns:
            Values by the names of their curves; empty: nothing is held out.
        """


class Columns(NamedTuple):
    """Sentences to encode together: columns one after the other.

    Attributes:
        tokens: of all sentences.
        sizes: sentences of each column.
    """

    tokens: Tokens
    sizes: tuple[int, ...]

    @property
    def n_sentences(self) -> int:
        """Return the number of sentences."""
        return sum(self.sizes)

    @property
    def n_tokens(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens.ids)


def take_columns(tokens: Tokens, columns: list[np.ndarray]) -> Columns:
    """Take the sentences of some columns, int64 (b,) each."""
    sizes = tuple(len(column) for column in columns)
    return Columns(tokens.take(np.concatenate(columns)), sizes)


def encode_columns(
    module: "SentenceModule", columns: Columns, device: str
) -> tuple[Tensor, ...]:
    """Return the vectors of each column: float (b, d) each."""
    batch = collate(columns.tokens, np.arange(columns.n_sentences), device)
    vectors: Tensor = module(batch)  # (sentences, d)
    return vectors.split_with_sizes(columns.sizes)
