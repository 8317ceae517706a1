"""Fast trainer of static encoders: translation ranking with explicit gradients.

`translation_ranking.py` has the same objective for any module, with autograd.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from app.arrays import FloatArray
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.static.table_rows import SILENT_ROW
from app.engine.runtime.report import Report
from app.engine.training.data.batches import (
    Bags,
    Batch,
    PairSampler,
    TableShape,
    file_factors,
    make_batch,
)
from app.engine.training.data.tokens import TokenPairs
from app.engine.training.trainers.precision import Precision
from app.engine.training.trainers.state import TrainingState
from app.engine.training.trainers.trainer import StepResult, lr_at
from app.params.training.encoder import TrainEncoder

LOWEST_TEMPERATURE = 0.03  # exp(-2 / 0.03) is still a normal float32


class RankingGradient(msgspec.Struct, frozen=True):
    """Loss of a batch and its gradient.

    Attributes:
        loss: mean over the pairs and both directions.
        source_gradients, target_gradients: float32 (b, d), with respect to the vectors.
        error: share of sentences (both directions) whose nearest neighbour in the batch
            is not their translation, 0…1; None if not requested.
    """

    loss: float
    source_gradients: Tensor
    target_gradients: Tensor
    error: float | None


def rank_translations(
    source_vectors: Tensor,
    target_vectors: Tensor,
    masked: Tensor,
    *,
    temperature: float,
    margin: float,
    wants_error: bool = False,
) -> RankingGradient:
    """Return the symmetric in-batch softmax loss over cosine with an additive margin.

    Yang et al. 2019, "Improving Multilingual Sentence Embedding using Bi-directional
    Dual Encoder with Additive Margin Softmax", equations 2 to 5; divided by a
    temperature, and averaged (not summed) over the two directions. The gradient is
    explicit: both directions share one exponential, since no logit is above 1 /
    temperature, and the (b, b) matrix is traversed as rarely as possible.

    Args:
        source_vectors: float32 (b, d).
        target_vectors: float32 (b, d); row i is the translation of source row i.
        masked: bool (b, b), pairs (i, j) that are not negatives; false on the diagonal.
        temperature: divides the cosines; at least `LOWEST_TEMPERATURE`.
        margin: subtracted from the true pair's cosine.
        wants_error: whether to compute the error.
    """
    sources, source_norms = _normalise(source_vectors)
    targets, target_norms = _normalise(target_vectors)
    n_pairs = len(sources)
    logits = (sources / temperature) @ targets.T  # (b, d) x (d, b) -> (b, b)
    logits.masked_fill_(masked, -torch.inf)
    error = _count_errors(logits) if wants_error else None
    logits.diagonal().sub_(margin / temperature)
    true_logits = logits.diagonal().clone()
    weights = logits.sub_(1 / temperature).exp_()
    row_sums = weights.sum(1)  # (b, b) -> (b,)
    column_sums = weights.sum(0)  # (b, b) -> (b,)
    log_sums = (row_sums.log().mean() + column_sums.log().mean()) / 2
    loss = log_sums + 1 / temperature - true_logits.mean()
    shares = torch.add(1 / row_sums[:, None], 1 / column_sums[None, :])
    gradient = weights.mul_(shares).mul_(1 / (2 * n_pairs * temperature))
    gradient.diagonal().sub_(1 / (n_pairs * temperature))
    return RankingGradient(
        loss.item(),
        _through_norm(gradient @ targets, sources, source_norms),
        _through_norm(gradient.T @ sources, targets, target_norms),
        error,
    )


def _normalise(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Return unit rows and the original lengths (b, 1), never 0."""
    norms = vectors.norm(dim=1, keepdim=True).clamp_min_(1e-12)
    return vectors / norms, norms


def _through_norm(gradients: Tensor, units: Tensor, norms: Tensor) -> Tensor:
    """Convert gradients of unit rows into gradients of the original rows."""
    along = (gradients * units).sum(1, keepdim=True)  # (b, d) -> (b, 1)
    return (gradients - units * along) / norms


def _count_errors(logits: Tensor) -> float:
    """Return the share of rows and columns whose largest value is off the diagonal."""
    expected = torch.arange(len(logits), device=logits.device)
    wrong_rows = (logits.argmax(1) != expected).float().mean()
    wrong_columns = (logits.argmax(0) != expected).float().mean()
    return float((wrong_rows + wrong_columns) / 2)


BETA_1 = 0.9
BETA_2 = 0.999
EPSILON = 1e-8


class RowAdam:
    """Adam (Kingma and Ba 2015, algorithm 1), applied to selected rows of a table.

    The moments of other rows are unchanged (lazy Adam); with all rows selected at each
    step it is exactly Adam.

    Attributes:
        table: float32 (rows, d), changed in place.
        first_moments, second_moments: float32 (rows, d).
        n_updates: number of updates so far, to correct the bias of the moments.
    """

    def __init__(self, table: Tensor):
        self.table = table
        self.first_moments = torch.zeros_like(table)
        self.second_moments = torch.zeros_like(table)
        self.n_updates = 0
        self._rate = 0.0
        self._second_scale = 1.0

    def begin(self, lr: float) -> None:
        """Begin an update at a learning rate; `apply` then updates rows in blocks."""
        self.n_updates += 1
        self._rate = lr / (1 - BETA_1**self.n_updates)
        self._second_scale = 1 - BETA_2**self.n_updates

    def apply(self, rows: Tensor, gradients: Tensor) -> None:
        """Change distinct rows, each at most once per update.

        Args:
            rows: int64 (r,), distinct.
            gradients: float32 (r, d), gradients of these rows.
        """
        first = self.first_moments.index_select(0, rows)
        first.lerp_(gradients, 1 - BETA_1)
        second = self.second_moments.index_select(0, rows).mul_(BETA_2)
        second.addcmul_(gradients, gradients, value=1 - BETA_2)
        _put_rows(self.first_moments, rows, first)
        _put_rows(self.second_moments, rows, second)
        divisors = second.div_(self._second_scale).sqrt_().add_(EPSILON)
        self.table.index_add_(0, rows, first.div_(divisors), alpha=-self._rate)


def _put_rows(table: Tensor, rows: Tensor, values: Tensor) -> None:
    """Overwrite rows; on the CPU with numpy, which copies complete rows at once."""
    if table.device.type == "cpu":
        table.numpy()[rows.numpy()] = values.numpy()
    else:
        table.index_copy_(0, rows, values)


NAME = "ranking"
INIT_STD = 0.01  # ten times more or less learns more slowly
BLOCK_ROWS = 4_096


class StaticTrainer:
    """A training in progress: the table, its optimiser and its sampler."""

    def __init__(
        self,
        pairs: TokenPairs,
        shape: TableShape,
        params: TrainEncoder,
        device: str,
        make_encoder: Callable[[FloatArray], Encoder],
    ):
        self.step = 0
        self.update_s = 0.0
        self.precision: Precision = "float32"
        self._pairs = pairs
        self._shape = shape
        self._params = params
        self._device = device
        self._make_encoder = make_encoder
        self._sampler = PairSampler(
            pairs.languages,
            batch_size=params.batch_size,
            languages_per_batch=params.languages_per_batch,
            exponent=params.sampling_exponent,
            seed=params.seed,
            factors=file_factors(pairs.languages, params.pair_weights),
        )
        self.optimiser = RowAdam(_first_table(shape, params).to(device))

    @property
    def n_parameters(self) -> int:
        """Return the number of weights."""
        return self.optimiser.table.numel()

    def prepare(self, report: Report) -> None:
        """Do nothing: this trainer mines no negatives."""

    def make_step(self, *, wants_values: bool) -> StepResult:
        """Make one step: batch, sums, loss, gradient, update."""
        params = self._params
        pair_ids = self._sampler.draw(self.step)
        batch = make_batch(self._pairs, pair_ids, self._shape)
        vectors = self._sum(batch.pieces, self.optimiser.table)
        if batch.words is not None and batch.ngrams is not None:
            word_vectors = self._sum(batch.ngrams, self.optimiser.table)
            vectors += self._sum(batch.words, word_vectors)
        source_vectors, target_vectors = vectors.chunk(2)  # (2b, d) -> 2 x (b, d)
        ranking = rank_translations(
            source_vectors,
            target_vectors,
            self._on_device(batch.masked),
            temperature=params.temperature,
            margin=params.margin,
            wants_error=wants_values,
        )
        self._update(batch, ranking)
        self.step += 1
        values = {} if ranking.error is None else {"error": ranking.error}
        n_sentences = 2 * len(pair_ids)
        return StepResult(NAME, ranking.loss, values, n_sentences, batch.n_tokens)

    def state(self) -> TrainingState:
        """Return the state that a later run resumes from (shares memory)."""
        return TrainingState(
            self.step,
            {
                "table": self.optimiser.table,
                "first_moments": self.optimiser.first_moments,
                "second_moments": self.optimiser.second_moments,
                "n_drawn": torch.from_numpy(self._sampler.n_drawn),
            },
        )

    def restore(self, state: TrainingState) -> None:
        """Restore a state."""
        self.step = self.optimiser.n_updates = state.step
        self.optimiser.table.copy_(state.tensors["table"])
        self.optimiser.first_moments.copy_(state.tensors["first_moments"])
        self.optimiser.second_moments.copy_(state.tensors["second_moments"])
        self._sampler.n_drawn[:] = state.tensors["n_drawn"].numpy()

    def weights(self) -> dict[str, Tensor]:
        """Return the table (shares memory)."""
        return {"table": self.optimiser.table}

    def heads(self) -> dict[str, Tensor]:
        """Return nothing: ranking has no head."""
        return {}

    def measure(self, step: Callable[[str], None]) -> dict[str, float]:
        """Return no values: ranking holds out no examples."""
        return {}

    def encoder(self) -> Encoder:
        """Return an encoder with the current table."""
        return self._make_encoder(self.optimiser.table.cpu().numpy())

    def _sum(self, bags: Bags, table: Tensor) -> Tensor:
        """Sum the rows of each bag: (rows, d) -> (bags, d)."""
        return functional.embedding_bag(
            self._on_device(bags.places),
            table,
            self._on_device(bags.starts),
            mode="sum",
        )

    def _update(self, batch: Batch, ranking: RankingGradient) -> None:
        """Update the rows that a batch used."""
        gradients = torch.cat([ranking.source_gradients, ranking.target_gradients])
        self.optimiser.begin(lr_at(self.step, self._params))
        self._update_rows(batch.pieces, gradients)
        if batch.words is not None and batch.ngrams is not None:
            word_gradients = functional.embedding_bag(
                self._on_device(batch.words.row_bags),
                gradients,
                self._on_device(batch.words.row_starts),
                mode="sum",
            )  # (2b, d) -> (w, d)
            self._update_rows(batch.ngrams, word_gradients)

    def _update_rows(self, bags: Bags, bag_gradients: Tensor) -> None:
        """Update the rows of bags, in blocks that fit in the cache."""
        rows = self._on_device(bags.rows)
        row_bags = self._on_device(bags.row_bags)
        ends = np.append(bags.row_starts, len(bags.row_bags))
        for first in range(0, len(rows), BLOCK_ROWS):
            last = min(first + BLOCK_ROWS, len(rows))
            begin, end = ends[first], ends[last]
            gradients = functional.embedding_bag(
                row_bags[begin:end],
                bag_gradients,
                self._on_device(bags.row_starts[first:last] - begin),
                mode="sum",
            )
            self.optimiser.apply(rows[first:last], gradients)

    def _on_device(self, array: NDArray[Any]) -> Tensor:
        """Move an array to the training device."""
        return torch.from_numpy(array).to(self._device)


def _first_table(shape: TableShape, params: TrainEncoder) -> Tensor:
    """Draw initial weights; the silent row is always zero."""
    generator = torch.Generator().manual_seed(params.seed)
    n_rows = shape.n_pieces + shape.n_bigrams + shape.n_ngrams
    table = torch.randn(n_rows, params.dim, generator=generator) * INIT_STD
    table[SILENT_ROW] = 0
    return table
