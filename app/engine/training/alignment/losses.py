"""Losses that align sentences of another language with frozen English vectors."""

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from app.engine.training.alignment.data import AlignmentData
from app.engine.training.data.sampler import BatchSampler
from app.engine.training.objective import (
    Columns,
    ObjectiveLoss,
    encode_columns,
    take_columns,
)
from app.engine.training.objectives.sampled import SampledObjective
from app.params.training.encoder import TrainEncoder

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule


class LossSettings(NamedTuple):
    """The loss to minimise.

    Attributes:
        name: align, or rank as a control.
        negatives: λ of align, 0 ≤ λ < 0.5.
        margin: α of rank.
    """

    name: Literal["align", "rank"]
    negatives: float
    margin: float


def pair_losses(
    english: Tensor,
    other: Tensor,
    sentence_ids: Tensor,
    shift: int,
    settings: LossSettings,
) -> Tensor:
    """Return the loss of each pair, (b,).

    L_align(x, y) = d(x, y) - λ (d(x_c, y) + d(x, y_c)), and L_rank(x, y) = max(0, α -
    d(x, y_c) + d(x, y)) + max(0, α - d(x_c, y) + d(x, y)), where d(a, b) = ‖a - b‖ is
    not squared (Conneau et al. 2018, XNLI, section 4.2.2). Below λ = 0.5 the minimum is
    y = x, by the triangle inequality; above it there is no minimum.

    Args:
        english: x, (b, d).
        other: y, (b, d).
        sentence_ids: int64 (b,), the same for equal English sentences, whose
            translations are not negatives.
        shift: a pair's negatives are the sentences of the pair `shift` positions
            earlier.
        settings: loss and its weights.
    """
    distances = _distances(english, other)
    is_negative = sentence_ids != sentence_ids.roll(shift)
    to_other_english = _distances(english.roll(shift, 0), other)
    to_other_sentence = _distances(english, other.roll(shift, 0))
    if settings.name == "rank":
        terms = [
            (settings.margin - negative + distances).clamp(min=0)
            for negative in (to_other_sentence, to_other_english)
        ]
        return is_negative * (terms[0] + terms[1])
    negatives = to_other_english + to_other_sentence
    return distances - settings.negatives * is_negative * negatives


def _distances(ones: Tensor, others: Tensor) -> Tensor:
    """Return ‖a - b‖ of rows, (b, d) x (b, d) -> (b,), with gradient 0 at 0."""
    distances: Tensor = torch.linalg.vector_norm(ones - others, dim=1)
    return distances


class AlignmentExamples(NamedTuple):
    """Pairs of a batch, with the position of their negatives.

    Attributes:
        columns: sentences of the other language.
        english_vectors: float16 (b, d), unit vectors.
        sentence_ids: int64 (b,), ids of the English sentences.
        shift: see `pair_losses`; 0 in a batch of one pair, which has no negative.
    """

    columns: Columns
    english_vectors: NDArray[np.float16]
    sentence_ids: NDArray[np.int64]
    shift: int


class AlignmentObjective(SampledObjective[BatchSampler]):
    """Align sentences with the frozen vectors of their English translations.

    Only the encoder of the other language is trained; the English vectors are
    constants, computed once, and have length 1, as all vectors that Isogloss compares.
    The encoder's own vectors are not normalised, so that it learns direction and
    length. Negatives are random pairs of the batch.
    """

    name = "alignment"

    def __init__(
        self,
        data: AlignmentData,
        loss: LossSettings,
        params: TrainEncoder,
        device: str,
    ):
        """Make the objective.

        Args:
            data: pairs with English vectors.
            params: batch size and seed.
        """
        self.heads: nn.Module = nn.Module()
        self.n_examples = data.store.n_rows
        self.notes: tuple[str, ...] = data.store.notes
        self._data, self._loss = data, loss
        self._seed, self._device = params.seed, device
        self._drawer = BatchSampler(data.store.groups, data.store.n_tokens(), params)

    def draw(self, step: int) -> AlignmentExamples:
        """Draw pairs and negatives."""
        rows = self._drawer.draw()
        ids = self._data.store.tags[rows].astype(np.int64)
        generator = np.random.default_rng([self._seed, step, 3])
        shift = int(generator.integers(1, len(rows))) if len(rows) > 1 else 0
        columns = take_columns(self._data.store.tokens, [rows])
        vectors = np.asarray(self._data.english_vectors[ids])
        return AlignmentExamples(columns, vectors, ids, shift)

    def loss(
        self, module: "SentenceModule", examples: AlignmentExamples
    ) -> ObjectiveLoss:
        """Return the mean loss of the pairs, and their mean distance."""
        (other,) = encode_columns(module, examples.columns, self._device)
        english = torch.from_numpy(examples.english_vectors).to(self._device).float()
        sentence_ids = torch.from_numpy(examples.sentence_ids).to(self._device)
        with torch.autocast(english.device.type, enabled=False):
            other = other.float()
            losses = pair_losses(
                english, other, sentence_ids, examples.shift, self._loss
            )
            distance = _distances(english, other.detach()).mean()
        return ObjectiveLoss.of_columns(
            examples.columns,
            losses.mean(),
            {"distance": float(distance)},
        )
