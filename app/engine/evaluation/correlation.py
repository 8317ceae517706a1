"""Correlation, bootstrap intervals, p-values, and correction for multiple tests."""

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from app.arrays import DoubleArray
from app.engine.runtime.report import Report
from app.engine.statistics import LEVEL, N_RESAMPLES, Estimate

BOOTSTRAP_STAGE = "Bootstrapping"
BLOCK_CELLS = 4_000_000  # counts drawn at a time
NAN = float("nan")


def pearson(ones: ArrayLike, others: ArrayLike) -> float:
    """Return Pearson's r of two columns (n,); NaN if a column is constant."""
    one, other = (np.asarray(side, np.float64) for side in (ones, others))
    counts = np.ones((1, len(one)))
    return float(_weighted_pearson(counts, one[None], other[None])[0])


def spearman(ones: ArrayLike, others: ArrayLike) -> float:
    """Return Spearman's ρ: Pearson's r of ranks, with mean ranks for equal values."""
    return pearson(mean_ranks(ones), mean_ranks(others))


def mean_ranks(values: ArrayLike) -> DoubleArray:
    """Return ranks from 0, with mean ranks for equal values: float64 (n,)."""
    _, indices, counts = np.unique(
        np.asarray(values), return_inverse=True, return_counts=True
    )
    means: DoubleArray = np.cumsum(counts) - (counts + 1) / 2
    return means[indices]


class Resamples:
    """Rows drawn with replacement `N_RESAMPLES` times, for every column of n rows.

    A resample is the count of draws of each row, so that its correlation is a weighted
    correlation: percentile bootstrap intervals (Efron 1979) without a loop.
    """

    def __init__(self, n: int, *, seed: int):
        self._n, self._seed = n, seed
        self._kept: list[DoubleArray] = []

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

    def mean_pearson(
        self, columns: DoubleArray, others: ArrayLike, report: Report | None = None
    ) -> Estimate:
        """Estimate the mean of r over columns (c, n) with one column (n,).

        Rows are drawn together in all columns, as required for translations.
        """
        other = np.asarray(others, np.float64)
        found = [
            np.mean(
                [_weighted_pearson(counts, one[None], other[None]) for one in columns],
                axis=0,
            )
            for counts in self._blocks(report)
        ]
        return _estimate(
            float(np.mean([pearson(one, other) for one in columns])), found
        )

    def spearman(
        self, ones: ArrayLike, others: ArrayLike, report: Report | None = None
    ) -> Estimate:
        """Estimate ρ of two columns (n,), with ranks for each resample."""
        one, other = np.asarray(ones), np.asarray(others)
        found = [
            _weighted_pearson(
                counts, _drawn_ranks(counts, one), _drawn_ranks(counts, other)
            )
            for counts in self._blocks(report)
        ]
        return _estimate(spearman(one, other), found)

    def _blocks(self, report: Report | None) -> Iterator[DoubleArray]:
        """Yield the count of draws of each row: float64 (b, n), equal in every call."""
        if self._kept:
            yield from self._kept
            return
        generator = np.random.default_rng(self._seed)
        size = max(1, BLOCK_CELLS // max(self._n, 1))
        for start in range(0, N_RESAMPLES, size):
            counts = np.empty((min(size, N_RESAMPLES - start), self._n))
            for row in range(len(counts)):
                if report is not None:
                    report.step(BOOTSTRAP_STAGE, start + row, N_RESAMPLES)
                drawn = generator.integers(0, self._n, self._n)
                counts[row] = np.bincount(drawn, minlength=self._n)
            if size >= N_RESAMPLES:
                self._kept = [counts]
            yield counts


def _drawn_ranks(counts: DoubleArray, values: DoubleArray) -> DoubleArray:
    """Rank the rows of each resample, with mean ranks for ties: float64 (b, n)."""
    _, indices, sizes = np.unique(values, return_inverse=True, return_counts=True)
    order = np.argsort(indices, kind="stable")
    firsts = np.cumsum(sizes) - sizes
    of_value = np.add.reduceat(counts[:, order], firsts, axis=1)  # (b, n) -> (b, v)
    ranks: DoubleArray = np.cumsum(of_value, axis=1) - (of_value + 1) / 2
    return ranks[:, indices]  # (b, v) -> (b, n)


def _weighted_pearson(
    counts: DoubleArray, ones: DoubleArray, others: DoubleArray
) -> DoubleArray:
    """Return r of rows weighted by counts: float64 (b,); NaN without variance.

    Args:
        counts: float64 (b, n).
        ones: float64 (1, n) or (b, n).
        others: the other column for the same rows.
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
    # variance due to rounding of equal values is ignored
    least = 1e-12 * np.abs(n[:, 0]) * _scale(ones) * _scale(others)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: DoubleArray = np.where(spread > least, products / spread, NAN)
    return np.clip(found, -1, 1)


def _scale(values: DoubleArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def _estimate(value: float, found: list[DoubleArray]) -> Estimate:
    """Return the percentile interval of the resampled values."""
    known = np.concatenate(found)
    known = known[~np.isnan(known)]
    if not len(known):
        return Estimate(value, NAN, NAN)
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high))


MAX_EXACT_ROWS = 8  # maximum rows to test all orders: 40,320
MIN_P_ROWS = 3
ROUNDING = 1e-9  # tolerance for equal correlations


def spearman_p(ones: DoubleArray, others: DoubleArray) -> float:
    """Return the two-sided p of Spearman's ρ of columns (n,); NaN if ρ is undefined.

    Up to 8 rows, uses the permutation test over all orders, which is also valid with
    ties; above, t = ρ √((n − 2) / (1 − ρ²)) with n − 2 degrees of freedom
    (Kendall and Stuart 1973, section 31.19).
    """
    n, found = len(ones), spearman(ones, others)
    if np.isnan(found) or n < MIN_P_ROWS:
        return float("nan")
    if n > MAX_EXACT_ROWS:
        if abs(found) >= 1:
            return 0.0
        return student_p(found * sqrt((n - 2) / (1 - found**2)), n - 2)
    first, second = mean_ranks(ones), mean_ranks(others)
    first, second = first - first.mean(), second - second.mean()
    products = second[_orders(n)] @ first  # (n!, n) x (n,) -> (n!,)
    observed = abs(float(second @ first))
    return float((np.abs(products) >= observed - ROUNDING).mean())


def student_p(t: float, n_degrees: int) -> float:
    """Return the two-sided p-value of Student's t."""
    return float(2 * special.stdtr(n_degrees, -abs(t)))


def holm(p_values: DoubleArray) -> DoubleArray:
    """Correct for multiple tests by Holm 1979, controlling the family-wise error rate.

    The i-th smallest of m is multiplied by m − i + 1, and at least its predecessor.

    Args:
        p_values: float64 (m,); NaN is returned as NaN and not counted.
    """
    known = np.nonzero(~np.isnan(p_values))[0]
    order = known[np.argsort(p_values[known], kind="stable")]
    factors = len(order) - np.arange(len(order))
    corrected = p_values.copy()
    corrected[order] = np.maximum.accumulate(factors * p_values[order]).clip(0, 1)
    return corrected


def benjamini_hochberg(p_values: DoubleArray) -> DoubleArray:
    """Correct by Benjamini and Hochberg 1995, controlling the false discovery rate.

    The i-th smallest of m is multiplied by m / i, and at most its successor.

    Args:
        p_values: float64 (m,); NaN is returned as NaN and not counted.
    """
    known = np.nonzero(~np.isnan(p_values))[0]
    order = known[np.argsort(p_values[known], kind="stable")][::-1]
    factors = len(order) / np.arange(len(order), 0, -1)
    corrected = p_values.copy()
    corrected[order] = np.minimum.accumulate(factors * p_values[order]).clip(0, 1)
    return corrected


@cache
def _orders(n: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return every order of n rows: int64 (n!, n)."""
    return np.array(list(permutations(range(n))), np.int64)
