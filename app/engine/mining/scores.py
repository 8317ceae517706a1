"""Margin scores of pairs, and the histogram of scores.

Artetxe & Schwenk 2019, "Margin-based Parallel Corpus Mining with Multilingual Sentence
Embeddings", equations 2 to 5.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.params.mining import MarginName

Scores = NDArray[np.float32]

# Lower means are raised to this value: a ratio needs a mean above 0 (a deviation from
# the paper, which does not mention this), and dissimilar neighbours must not make a
# pair look good.
MIN_MEAN = 0.01
MAX_MEAN = 0.999
# Threshold of the median value of pairs. Links of texts that translate each other had
# 0.7 to 0.8, at least 0.36 in ten lines; links of unrelated texts at most 0.1. Mined
# pairs of 60 to 800 sentences had 0.4 to 0.55 against their neighbours; unrelated ones
# at most 0.06.
WEAK_VALUE = 0.15


def median_value(cosines: NDArray[np.floating], means: NDArray[np.floating]) -> float:
    """Return the median value of pairs: 0: as similar as the mean; 1: identical.

    Args:
        cosines: float (n,), cosines of the pairs.
        means: float (n,), mean cosines of both sentences with other sentences.
    """
    if not len(cosines):
        return 0.0
    values = (cosines - means) / (1 - np.minimum(means, MAX_MEAN))
    return float(np.median(values))


def neighbour_means(scores: FloatArray) -> FloatArray:
    """Return the mean cosine of each sentence with its neighbours.

    The sum over NN_k(x) of cos(x, z) / k; fewer neighbours are divided by their number.

    Args:
        scores: float32 (n, k), cosines; -inf: no neighbour.

    Returns:
        float32 (n,); 0 for a sentence without neighbours.
    """
    is_there = scores > -np.inf
    n_there = is_there.sum(axis=1)
    sums = np.where(is_there, scores, 0).sum(axis=1, dtype=np.float64)
    means: FloatArray = (sums / np.maximum(n_there, 1)).astype(np.float32)
    return means


def margin_scores(
    cosines: FloatArray,
    source_means: FloatArray,
    target_means: FloatArray,
    margin: MarginName,
) -> Scores:
    """Return the margin scores of pairs.

    The neighbourhood b = sum over NN_k(x) of cos(x, z) / 2k + sum over NN_k(y) of
    cos(y, z) / 2k is half the sum of the two means; absolute: a (equation 3);
    distance: a - b (equation 4); ratio: a / b (equation 5).

    Args:
        cosines: float32, any shape: a = cos(x, y).
        source_means: float32, same shape, neighbour mean of each pair's source.
        target_means: float32, same shape, neighbour mean of each pair's target.

    Returns:
        float32, of the same shape.
    """
    if margin == "absolute":
        return cosines
    means = (source_means + target_means) * np.float32(0.5)
    if margin == "distance":
        distances: Scores = cosines - means
        return distances
    ratios: Scores = cosines / np.maximum(means, np.float32(MIN_MEAN))
    return ratios


N_BINS = 60


class Histogram(msgspec.Struct, frozen=True):
    """Counts over bins of equal width.

    Attributes:
        low: start of the first bin.
        high: end of the last bin.
        counts: count of each bin.
    """

    low: float
    high: float
    counts: list[int]


def describe_scores(scores: FloatArray) -> Histogram:
    """Return the histogram of scores, float32 (n,); without bins if there are none."""
    if not len(scores):
        return Histogram(0.0, 0.0, [])
    low, high = float(scores.min()), float(scores.max())
    counts, _ = np.histogram(scores, N_BINS, (low, high if high > low else low + 1))
    return Histogram(low, high, counts.tolist())
