"""The training loop of static encoders: batch, loss, gradient, update, checkpoint."""

import logging
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from app.engine.encoders.pooling import SILENT_ROW, FloatArray
from app.engine.report import Report
from app.engine.training.batches import (
    Bags,
    Batch,
    PairSampler,
    TableShape,
    make_batch,
)
from app.engine.training.objectives.ranking import Ranking, rank_translations
from app.engine.training.row_adam import RowAdam
from app.engine.training.schedule import linear_lr
from app.engine.training.state import TrainingState, load_state, save_state
from app.engine.training.tokens import TokenPairs
from app.params.training import TrainEncoder

STAGE = "Training"
METRIC_STEPS = 10
INIT_STD = 0.01  # ten times more or less learns slower
BLOCK_ROWS = 4_096

log = logging.getLogger("training")


class TrainedTable(msgspec.Struct, frozen=True):
    """What the loop gives back.

    Attributes:
        table: float32 (rows, d), the weights.
        loss, error: means over the last steps (error: 0…1, in the batch).
        first_step: the step at which this run began (above 0: it was resumed).
    """

    table: FloatArray
    loss: float
    error: float
    first_step: int


class Trainer:
    """A training in progress: the table, its optimiser and its sampler."""

    def __init__(
        self, pairs: TokenPairs, shape: TableShape, params: TrainEncoder, device: str
    ):
        self.step = 0
        self._pairs = pairs
        self._shape = shape
        self._params = params
        self._device = device
        self._sampler = PairSampler(
            pairs.languages,
            batch_size=params.batch_size,
            languages_per_batch=params.languages_per_batch,
            exponent=params.sampling_exponent,
            seed=params.seed,
        )
        self.optimiser = RowAdam(_first_table(shape, params).to(device))

    def make_step(self, *, wants_error: bool = False) -> Ranking:
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
            wants_error=wants_error,
        )
        self._update(batch, ranking)
        self.step += 1
        return ranking

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
        params = self._params
        lr = linear_lr(
            self.step,
            highest=params.lr,
            n_warmup=params.n_warmup,
            n_steps=params.n_steps,
        )
        self.optimiser.begin(lr)
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

    def restore(self, state: TrainingState) -> None:
        """Go on from a state."""
        self.step = self.optimiser.n_updates = state.step
        self.optimiser.table.copy_(state.tensors["table"])
        self.optimiser.first_moments.copy_(state.tensors["first_moments"])
        self.optimiser.second_moments.copy_(state.tensors["second_moments"])
        self._sampler.n_drawn[:] = state.tensors["n_drawn"].numpy()


def train_table(
    trainer: Trainer, params: TrainEncoder, folder: Path, report: Report
) -> TrainedTable:
    """Train to the last step, from the folder's checkpoint if there is one."""
    state = load_state(folder)
    if state is not None:
        trainer.restore(state)
        log.info("training goes on from step %d", state.step)
    del state
    first_step = trainer.step
    losses: list[float] = []
    error = 0.0
    saved_at = time.monotonic()
    interval_s = params.checkpoint_every_s
    while trainer.step < params.n_steps:
        note = f"loss {losses[-1]:.3f}" if losses else ""
        report.step(STAGE, trainer.step, params.n_steps, note)
        is_shown = (trainer.step + 1) % METRIC_STEPS == 0
        ranking = trainer.make_step(wants_error=is_shown)
        losses.append(ranking.loss)
        if ranking.error is not None:
            error = ranking.error
            report.metric(trainer.step, loss=ranking.loss, error=error)
        if time.monotonic() - saved_at >= interval_s:
            save_state(folder, trainer.state())
            saved_at = time.monotonic()
    report.step(STAGE, trainer.step, params.n_steps)
    loss = float(np.mean(losses[-100:])) if losses else 0.0
    table: FloatArray = trainer.optimiser.table.cpu().numpy()
    return TrainedTable(table, loss, error, first_step)


def _first_table(shape: TableShape, params: TrainEncoder) -> Tensor:
    """Draw the first weights; the silent row is zero and stays so."""
    generator = torch.Generator().manual_seed(params.seed)
    n_rows = shape.n_pieces + shape.n_bigrams + shape.n_ngrams
    table = torch.randn(n_rows, params.dim, generator=generator) * INIT_STD
    table[SILENT_ROW] = 0
    return table
