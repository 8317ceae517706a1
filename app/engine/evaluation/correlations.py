"""Correlations of two columns, with bootstrap intervals of many at once."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from app.engine.report import Report
from app.engine.statistics import LEVEL, N_RESAMPLES, Estimate, FloatArray

STAGE = "Drawing rows again"
BLOCK_CELLS = 4_000_000  # counts that are drawn at a time
NAN = float("nan")


def pearson(ones: ArrayLike, others: ArrayLike) -> float:
    """Give Pearson's r of two columns (n,); NaN where one does not vary."""
    one, other = (np.asarray(side, np.float64) for side in (ones, others))
    counts = np.ones((1, len(one)))
    return float(_weighted_pearson(counts, one[None], other[None])[0])


def spearman(ones: ArrayLike, others: ArrayLike) -> float:
    """Give Spearman's ρ: Pearson's r of ranks, equal values at their mean rank."""
    return pearson(mean_ranks(ones), mean_ranks(others))


def mean_ranks(values: ArrayLike) -> FloatArray:
    """Give each value's rank, equal ones their mean rank: float64 (n,), from 0."""
    _, places, counts = np.unique(
        np.asarray(values), return_inverse=True, return_counts=True
    )
    means: FloatArray = np.cumsum(counts) - (counts + 1) / 2
    return means[places]


class Resamples:
    """Rows drawn with replacement `N_RESAMPLES` times, for every column of n rows.

    A resample is how often each row was drawn, so that a correlation over it is a
    weighted one: percentile bootstrap intervals (Efron 1979) without a loop.
    """

    def __init__(self, n: int, *, seed: int):
        self._n, self._seed = n, seed
        self._kept: list[FloatArray] = []

    def pearson(
        self, ones: ArrayLike, others: ArrayLike, report: Report | None = None
    ) -> Estimate:
        """Estimate r of two columns (n,)."""
        one, other = (np.asarray(side, np.float64) for side in (ones, others))
        found = [
            _weighted_pearson(counts, one[None], other[None])
            for counts in self._blocks(report)
        ]
        return _estimate(pearson(one, other), found)

    def spearman(
        self, ones: ArrayLike, others: ArrayLike, report: Report | None = None
    ) -> Estimate:
        """Estimate ρ of two columns (n,), the rows of each resample ranked anew."""
        one, other = np.asarray(ones), np.asarray(others)
        found = [
            _weighted_pearson(
                counts, _drawn_ranks(counts, one), _drawn_ranks(counts, other)
            )
            for counts in self._blocks(report)
        ]
        return _estimate(spearman(one, other), found)

    def _blocks(self, report: Report | None) -> Iterator[FloatArray]:
        """Give how often each row is drawn: float64 (b, n), the same in every call."""
        if self._kept:
            yield from self._kept
            return
        generator = np.random.default_rng(self._seed)
        size = max(1, BLOCK_CELLS // max(self._n, 1))
        for start in range(0, N_RESAMPLES, size):
            counts = np.empty((min(size, N_RESAMPLES - start), self._n))
            for row in range(len(counts)):
                if report is not None:
                    report.step(STAGE, start + row, N_RESAMPLES)
                drawn = generator.integers(0, self._n, self._n)
                counts[row] = np.bincount(drawn, minlength=self._n)
            if size >= N_RESAMPLES:
                self._kept = [counts]
            yield counts


def _drawn_ranks(counts: FloatArray, values: FloatArray) -> FloatArray:
    """Rank the rows of each resample: float64 (b, n), equal ones at their mean rank."""
    _, places, sizes = np.unique(values, return_inverse=True, return_counts=True)
    order = np.argsort(places, kind="stable")
    firsts = np.cumsum(sizes) - sizes
    of_value = np.add.reduceat(counts[:, order], firsts, axis=1)  # (b, n) -> (b, v)
    ranks: FloatArray = np.cumsum(of_value, axis=1) - (of_value + 1) / 2
    return ranks[:, places]  # (b, v) -> (b, n)


def _weighted_pearson(
    counts: FloatArray, ones: FloatArray, others: FloatArray
) -> FloatArray:
    """Give r of rows that are drawn so often: float64 (b,); NaN without a spread.

    Args:
        counts: float64 (b, n).
        ones: float64 (1, n) or (b, n).
        others: of the same rows.
    """
    n = counts.sum(axis=1, keepdims=True)
    one, other = (
        side - (counts * side).sum(axis=1, keepdims=True) / n for side in (ones, others)
    )
    weighted = counts * one
    products = np.einsum("bn,bn->b", weighted, other)
    squares = np.einsum("bn,bn->b", weighted, one)
    other_squares = np.einsum("bn,bn,bn->b", counts, other, other)
    spread = np.sqrt(squares * other_squares)
    # what rounding leaves of equal values is no spread
    least = 1e-12 * np.abs(n[:, 0]) * _scale(ones) * _scale(others)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: FloatArray = np.where(spread > least, products / spread, NAN)
    return np.clip(found, -1, 1)


def _scale(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def _estimate(value: float, found: list[FloatArray]) -> Estimate:
    """Give the percentile interval of what the resamples gave."""
    known = np.concatenate(found)
    known = known[~np.isnan(known)]
    if not len(known):
        return Estimate(value, NAN, NAN)
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high))


__all__ = ["Resamples", "mean_ranks", "pearson", "spearman"]
