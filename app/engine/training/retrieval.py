"""Retrieval error: how often the nearest neighbour is not the translation."""

import msgspec
import numpy as np

from app.engine.encoders.pooling import FloatArray, normalise_rows
from app.engine.report import Report
from app.engine.search.knn import top_k

BLOCK_ROWS = 1_024


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
    source_vectors: FloatArray, target_vectors: FloatArray, report: Report
) -> RetrievalError:
    """Measure retrieval as LASER does: cosine, an equal text elsewhere is an error.

    Args:
        source_vectors: float32 (n, d); row i is the translation of target row i.
        target_vectors: float32 (n, d).
        report: is told of every block of queries.
    """
    sources, _ = normalise_rows(source_vectors)
    targets, _ = normalise_rows(target_vectors)
    return RetrievalError(
        len(sources),
        _error_rate(sources, targets, report),
        _error_rate(targets, sources, report),
    )


def _error_rate(queries: FloatArray, candidates: FloatArray, report: Report) -> float:
    """Give the share of queries whose nearest candidate has another index."""
    n_wrong = 0
    for first in range(0, len(queries), BLOCK_ROWS):
        report.step("Comparing", first, len(queries))
        block = queries[first : first + BLOCK_ROWS]
        _, nearest = top_k(block, candidates, 1)  # (b, d), (n, d) -> (b, 1)
        n_wrong += int((nearest[:, 0] != np.arange(first, first + len(block))).sum())
    return n_wrong / len(queries)
