"""Retrieval error: how often the nearest neighbour is not the translation."""

import msgspec
import numpy as np

from app.engine.encoders.pooling import FloatArray, normalise_rows

BLOCK_ROWS = 2_048


class RetrievalError(msgspec.Struct, frozen=True):
    """Shares of sentences whose nearest neighbour has another index, 0…1.

    Attributes:
        n: pairs.
        source_to_target, target_to_source: the two directions.
    """

    n: int
    source_to_target: float
    target_to_source: float

    @property
    def mean(self) -> float:
        """Give the mean of both directions."""
        return (self.source_to_target + self.target_to_source) / 2


def retrieval_error(
    source_vectors: FloatArray, target_vectors: FloatArray
) -> RetrievalError:
    """Measure retrieval as LASER does: cosine, an equal text elsewhere is an error.

    Args:
        source_vectors: float32 (n, d); row i is the translation of target row i.
        target_vectors: float32 (n, d).
    """
    sources, _ = normalise_rows(source_vectors)
    targets, _ = normalise_rows(target_vectors)
    return RetrievalError(
        len(sources), _error_rate(sources, targets), _error_rate(targets, sources)
    )


def _error_rate(queries: FloatArray, candidates: FloatArray) -> float:
    """Give the share of queries whose nearest candidate has another index."""
    n_wrong = 0
    for first in range(0, len(queries), BLOCK_ROWS):
        block = queries[first : first + BLOCK_ROWS]
        nearest = (block @ candidates.T).argmax(axis=1)  # (b, d) x (d, n) -> (b,)
        n_wrong += int((nearest != np.arange(first, first + len(block))).sum())
    return n_wrong / len(queries)
