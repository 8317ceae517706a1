"""Objective protocol, and encoding of a batch's columns in one pass."""

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
    """Inputs to make objectives.

    Attributes:
        params: settings; `batch_size` may be reduced to fit in memory.
        files: TSV of source⇥target (English first), one per language pair, from which
            `split_pairs` removed held-out pairs.
        tokeniser: tokeniser of the trained module.
        vocabulary: pieces that a decoder generates; None for a vocabulary of words.
        dim: dimension of the module's vectors.
        folder: work folder with tokens and mined negatives, which are reused after a
            pause or with a smaller batch.
        project_folder: folder to find encoders in, besides the bundled encoders.
        device: device of the heads and of every batch.
        kept_out: sentences of development and test sets; other examples (NLI pairs,
            documents, conversations) with such a sentence are left out and counted in
            the objective's notes.
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
    """Loss of a batch.

    Attributes:
        loss: scalar, float32, differentiable; a mean over the batch.
        values: further values to show, such as error or accuracy (0…1).
        n_sentences, n_tokens: encoded sentences and tokens, without padding.
    """

    loss: Tensor
    values: dict[str, float]
    n_sentences: int
    n_tokens: int

    @classmethod
    def of_columns(
        cls, columns: "Columns", loss: Tensor, values: dict[str, float]
    ) -> "ObjectiveLoss":
        """Return the loss of a batch with the counts of its encoded columns."""
        return cls(loss, values, columns.n_sentences, columns.n_tokens)


class Objective(Protocol):
    """One task that a module learns.

    Order of calls in a step: `prepare`, then `draw` and `loss` once for each
    accumulated batch. Examples depend only on the seed and on the counters in `state`,
    which each draw advances: the same draws follow after `restore`.

    Attributes:
        name: name as in the params.
        heads: further parameters on the context's device, trained with the module but
            not part of the encoder.
        n_examples: number of examples.
        notes: sentences for the user about the data, such as omitted rows.
    """

    name: str
    heads: nn.Module
    n_examples: int
    notes: tuple[str, ...]

    def prepare(self, step: int, module: "SentenceModule", report: Report) -> None:
        """Do work that is due before a step, such as mining, if any."""

    def draw(self, step: int) -> Any:
        """Draw the next examples, for a step of the training."""

    def loss(self, module: "SentenceModule", examples: Any) -> ObjectiveLoss:
        """Return the loss of drawn examples."""

    def state(self) -> dict[str, Tensor]:
        """Return the counters that determine the next draw (CPU tensors)."""

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore counters."""


@runtime_checkable
class MeasuredObjective(Protocol):
    """An objective that holds out some of its examples and measures on them."""

    def measure(
        self, module: "SentenceModule", step: Callable[[str], None]
    ) -> dict[str, float]:
        """Measure a module in evaluation mode with the current heads.

        Args:
            module: module in evaluation mode.
            step: called often with the current stage, to allow cancellation.

        Returns:
            Values by the names of their curves; empty: no held-out examples.
        """


class Columns(NamedTuple):
    """Concatenated columns of sentences to encode together.

    Attributes:
        tokens: tokens of all sentences.
        sizes: number of sentences of each column.
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
    """Return the columns of the given sentences, int64 (b,) per column."""
    sizes = tuple(len(column) for column in columns)
    return Columns(tokens.take(np.concatenate(columns)), sizes)


def encode_columns(
    module: "SentenceModule", columns: Columns, device: str
) -> tuple[Tensor, ...]:
    """Return the vectors of each column: float (b, d) each."""
    batch = collate(columns.tokens, np.arange(columns.n_sentences), device)
    vectors: Tensor = module(batch)  # (sentences, d)
    return vectors.split_with_sizes(columns.sizes)
