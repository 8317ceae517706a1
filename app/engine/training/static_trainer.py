"""The fast trainer of static encoders by ranking alone: its gradient is written out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from app.engine.encoders.encoder import Encoder
from app.engine.encoders.ngrams import SILENT_ROW
from app.engine.encoders.pooling import FloatArray
from app.engine.report import Report
from app.engine.training.batches import (
    Bags,
    Batch,
    PairSampler,
    TableShape,
    make_batch,
)
from app.engine.training.objectives.ranking import Ranking, rank_translations
from app.engine.training.precision import Precision
from app.engine.training.row_adam import RowAdam
from app.engine.training.schedule import lr_at
from app.engine.training.state import TrainingState
from app.engine.training.tokens import TokenPairs
from app.engine.training.trainer import StepResult
from app.params.training import TrainEncoder

NAME = "ranking"
INIT_STD = 0.01  # ten times more or less learns slower
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
        )
        self.optimiser = RowAdam(_first_table(shape, params).to(device))

    @property
    def n_parameters(self) -> int:
        """Give the number of weights."""
        return self.optimiser.table.numel()

    def prepare(self, report: Report) -> None:
        """Do nothing: there is nothing to mine."""

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
        """Give what a later run needs to go on from here (shares memory)."""
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
        """Go on from a state."""
        self.step = self.optimiser.n_updates = state.step
        self.optimiser.table.copy_(state.tensors["table"])
        self.optimiser.first_moments.copy_(state.tensors["first_moments"])
        self.optimiser.second_moments.copy_(state.tensors["second_moments"])
        self._sampler.n_drawn[:] = state.tensors["n_drawn"].numpy()

    def weights(self) -> dict[str, Tensor]:
        """Give the table (shares memory)."""
        return {"table": self.optimiser.table}

    def encoder(self) -> Encoder:
        """Give an encoder of the table as it is now."""
        return self._make_encoder(self.optimiser.table.cpu().numpy())

    def _sum(self, bags: Bags, table: Tensor) -> Tensor:
        """Sum the rows of each bag: (rows, d) -> (bags, d)."""
        return functional.embedding_bag(
            self._on_device(bags.places),
            table,
            self._on_device(bags.starts),
            mode="sum",
        )

    def _update(self, batch: Batch, ranking: Ranking) -> None:
        """Update the rows that a batch touched."""
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
        """Bring an array to the device that trains."""
        return torch.from_numpy(array).to(self._device)


def _first_table(shape: TableShape, params: TrainEncoder) -> Tensor:
    """Draw the first weights; the silent row is zero and stays so."""
    generator = torch.Generator().manual_seed(params.seed)
    n_rows = shape.n_pieces + shape.n_bigrams + shape.n_ngrams
    table = torch.randn(n_rows, params.dim, generator=generator) * INIT_STD
    table[SILENT_ROW] = 0
    return table
