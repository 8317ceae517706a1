"""Sample batches of rows of similar length, limited in rows and tokens."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.engine.encoders.tokens import batches_by_length
from app.engine.numeric import IdArray
from app.engine.training.data.batches import PairSampler, file_factors
from app.engine.training.data.tokens import RowRange
from app.params.training.encoder import TrainEncoder

POOL_BATCHES = 8  # drawn together and sorted by length: little padding, still mixed
NO_BOUND = 2**31 - 1  # tokens


class BatchSampler:
    """Draws batches of rows.

    Rows for a pool of batches are drawn at once (see `PairSampler`: groups by size to
    the exponent, each group's rows in shuffled order), sorted by length, cut into
    batches and shuffled, so that batches of a pool contain the same groups. The n-th
    batch depends only on the seed; the state contains the sampler's position.

    Attributes:
        n_rows: number of rows in all groups.
    """

    def __init__(
        self,
        groups: Sequence[RowRange],
        n_tokens: IdArray,
        params: TrainEncoder,
        *,
        smallest: int = 1,
        seed: int = 0,
    ):
        """Make a sampler.

        Args:
            groups: ranges of rows.
            n_tokens: int32 (rows,), tokens of each row.
            params: limits of a batch, exponent and seed.
            smallest: minimum rows per batch; smaller batches are dropped.
            seed: makes the draws of several samplers independent.
        """
        self.n_rows = sum(group.n_pairs for group in groups)
        self._n_tokens = n_tokens
        self._max_tokens = params.batch_tokens or NO_BOUND
        self._batch_size = params.batch_size
        self._smallest = smallest
        self._seed = params.seed + 1_000_003 * seed
        self._sampler = PairSampler(
            groups,
            batch_size=params.batch_size * POOL_BATCHES,
            languages_per_batch=params.languages_per_batch,
            exponent=params.sampling_exponent,
            seed=self._seed,
            factors=file_factors(groups, params.pair_weights),
        )
        self._pool = -1  # index of the current pool
        self._place = 0  # index of the next batch in the pool
        self._n_drawn_before = self._sampler.n_drawn.copy()  # before its draw
        self._batches: list[NDArray[np.int64]] = []

    def draw(self) -> NDArray[np.int64]:
        """Return the rows of the next batch, int64 (b,), by descending length."""
        while self._place >= len(self._batches):
            self._n_drawn_before = self._sampler.n_drawn.copy()
            self._open_pool(self._pool + 1)
            self._place = 0
        self._place += 1
        return self._batches[self._place - 1]

    def state(self) -> dict[str, Tensor]:
        """Return the state that the next draws depend on."""
        return {
            "n_drawn": torch.from_numpy(self._n_drawn_before.copy()),
            "place": torch.tensor([self._pool, self._place]),
        }

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore a state."""
        self._n_drawn_before = tensors["n_drawn"].numpy().copy()
        self._sampler.n_drawn[:] = self._n_drawn_before
        pool, place = tensors["place"].tolist()
        self._batches, self._pool, self._place = [], pool, place
        if pool >= 0:
            self._open_pool(pool)

    def _open_pool(self, pool: int) -> None:
        """Draw a pool and cut it into batches."""
        rows = self._sampler.draw(pool)
        batches = [
            rows[batch]
            for batch in batches_by_length(
                self._n_tokens[rows], self._max_tokens, self._batch_size
            )
            if len(batch) >= self._smallest
        ]
        if not batches:  # every single row exceeds the limit of a batch
            batches = [rows[: max(self._smallest, 1)]]
        generator = np.random.default_rng([self._seed, pool, 2])
        self._batches = [batches[i] for i in generator.permutation(len(batches))]
        self._pool = pool


class BatchRotation:
    """Samplers that alternate, one batch each."""

    def __init__(self, samplers: Sequence[BatchSampler]):
        self._samplers = samplers
        self._n_draws = 0

    def draw(self) -> tuple[int, NDArray[np.int64]]:
        """Return the index of the next sampler and the rows of its next batch."""
        turn = self._n_draws % len(self._samplers)
        self._n_draws += 1
        return turn, self._samplers[turn].draw()

    def state(self) -> dict[str, Tensor]:
        """Return the state: the index of the next sampler and each sampler's state."""
        tensors = {"n_draws": torch.tensor([self._n_draws])}
        for i, sampler in enumerate(self._samplers):
            tensors |= {f"{i}.{name}": t for name, t in sampler.state().items()}
        return tensors

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restore a state."""
        self._n_draws = int(tensors["n_draws"])
        for i, sampler in enumerate(self._samplers):
            names = sampler.state()
            sampler.restore({name: tensors[f"{i}.{name}"] for name in names})
