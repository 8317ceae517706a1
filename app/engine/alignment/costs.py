"""Costs of linking two spans, and of leaving a sentence without a link.

Thompson and Koehn 2019, "Vecalign: Improved Sentence Alignment in Linear Time and
Space", equation 1: the distance of two spans, times the sentences of both, over the
mean distance of each from random spans of the other side. The mean distance from all
spans costs no more than that from some, since the mean of products is the product with
the mean; so it is taken, and no chance with it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import DoubleArray, FloatArray
from app.engine.alignment.spans import Spans

N_SAMPLES = 500  # sentences whose nearest are looked for, for the cost of a skip
BLOCK = 1_000  # sentences they are compared with at once
LEAST_MEAN = 1e-3  # distance; below it all sentences are the same
NO_DISTANCE = 2e-6  # what rounding may leave between equal texts


class Move(NamedTuple):
    """Numbers of sentences on each side of a link."""

    n_source: int
    n_target: int


class Costs(NamedTuple):
    """Two sides, and the data to compute the cost of any link between them.

    Attributes:
        source, target: the spans.
        source_means: float32 (k, n), cosine of each span with all of the other side.
        target_means: float32 (k, m).
        skip: cost of a sentence without a link.
    """

    source: Spans
    target: Spans
    source_means: FloatArray
    target_means: FloatArray
    skip: float

    def of_row(self, i: int, low: int, high: int) -> DoubleArray:
        """Compute the costs of all links whose last source sentence is i.

        Args:
            i: position of a source sentence.
            low: the first position where its last target sentence may be.
            high: last such position + 1.

        Returns:
            float64 (k of the target, high - low, k of the source).
        """
        ends = self.target.vectors[:, low:high]
        cosines = ends @ self.source.vectors[:, i].T  # (k, w, d) (d, k) -> (k, w, k)
        means = self.target_means[:, low:high, None] + self.source_means[:, i]
        n_sentences = np.multiply.outer(
            np.arange(1, self.target.k + 1), np.arange(1, self.source.k + 1)
        )
        distances = normalised_distance(cosines, means / 2)
        weighted: DoubleArray = distances * n_sentences[:, None]
        return weighted


def list_moves(joined: int) -> list[Move]:
    """List the links: both sides together have at most one sentence more than `joined`.

    Links of few sentences come first, since the first of equal costs wins.
    """
    sizes = range(1, joined + 1)
    moves = [Move(a, b) for a in sizes for b in sizes if a + b <= joined + 1]
    return sorted(moves, key=lambda move: (sum(move), abs(move[0] - move[1])))


def compute_costs(
    source: Spans, target: Spans, quantile: float, random: np.random.Generator
) -> Costs:
    """Compute the costs of two sides.

    The cost of a skip is a quantile of the costs of sentences with their nearest of the
    other side, on the side where it is lower.

    (The paper uses random pairs, section 3.3. Their share of true pairs
    falls with the length, so one quantile does not fit both 60 and 1,000 sentences;
    with the nearest, the same quantile is best for both.)

    Args:
        source: n sentences.
        target: m sentences.
        quantile: 0…1.
        random: draws the sample of sentences.
    """
    source_means = source.vectors @ target.mean()  # (k, n, d) (d,) -> (k, n)
    target_means = target.vectors @ source.mean()
    sides = (source.vectors[0], source_means[0]), (target.vectors[0], target_means[0])
    nearest = [
        _nearest_costs(own, other, random) for own, other in (sides, sides[::-1])
    ]
    # a long insertion has far neighbours: the other side decides
    skip = min(float(np.quantile(side, quantile)) for side in nearest)
    return Costs(source, target, source_means, target_means, skip)


def _nearest_costs(
    own: tuple[FloatArray, FloatArray],
    other: tuple[FloatArray, FloatArray],
    random: np.random.Generator,
) -> DoubleArray:
    """Return the costs of a sample with their nearest: float64 (≤ `N_SAMPLES`,).

    Args:
        own: float32 (n, d) and (n,), vectors and means of sentences.
        other: those of the other side.
        random: draws the sentences.
    """
    rows = np.arange(len(own[1]))
    if len(rows) > N_SAMPLES:
        rows = random.choice(rows, N_SAMPLES, replace=False)
    lowest = np.full(len(rows), np.inf)
    for start in range(0, len(other[1]), BLOCK):
        part = slice(start, start + BLOCK)
        cosines = own[0][rows] @ other[0][part].T  # (n, d) (d, m) -> (n, m)
        means = (own[1][rows, None] + other[1][part]) / 2
        np.minimum(lowest, normalised_distance(cosines, means).min(axis=1), out=lowest)
    return lowest


def normalised_distance(
    cosines: NDArray[np.floating], means: NDArray[np.floating]
) -> DoubleArray:
    """Return distances relative to random spans: 0 if equal, 1 if as far."""
    distances = 1.0 - cosines.astype(np.float64)
    distances[distances < NO_DISTANCE] = 0
    return distances / np.maximum(1.0 - means.astype(np.float64), LEAST_MEAN)
