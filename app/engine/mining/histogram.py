"""The distribution of scores, small enough to be kept beside them."""

import msgspec
import numpy as np

from app.engine.store.arrays import FloatArray

N_BINS = 60


class Histogram(msgspec.Struct, frozen=True):
    """Counts over bins of equal width.

    Attributes:
        low: where the first bin begins.
        high: where the last one ends.
        counts: of each bin.
    """

    low: float
    high: float
    counts: list[int]


def describe_scores(scores: FloatArray) -> Histogram:
    """Count scores: float32 (n,); no score gives no bins."""
    if not len(scores):
        return Histogram(0.0, 0.0, [])
    low, high = float(scores.min()), float(scores.max())
    counts, _ = np.histogram(scores, N_BINS, (low, high if high > low else low + 1))
    return Histogram(low, high, counts.tolist())
