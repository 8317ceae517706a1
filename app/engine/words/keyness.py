"""Words that mark one corpus against another."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.report import Report
from app.engine.words.association import signed_log_likelihood
from app.engine.words.stream import Stream, iterate_groups

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Z = 1.959964  # of a normal distribution, for 95 %
ZERO = 0.5  # stands for a count of nought (Hardie 2014)


class SideCounts(NamedTuple):
    """How often n-grams stand on two sides, in the order of their words.

    Attributes:
        places: int64 (g,), where each stands first in the stream of both.
        counts: int64 (g, 2).
    """

    places: IntArray
    counts: IntArray


class Keys(NamedTuple):
    """How n-grams mark the first side: float64 (g,) each.

    Attributes:
        log_likelihood: G², below nought where it is rarer on the first side.
        log_ratio: doublings: 1 is twice as often, for its size.
        low, high: 95 % interval of it.
    """

    log_likelihood: FloatArray
    log_ratio: FloatArray
    low: FloatArray
    high: FloatArray


def count_sides(
    stream: Stream, n: int, n_first: int, min_count: int, report: Report
) -> SideCounts:
    """Count the n-grams of a stream on two sides.

    Args:
        stream: the tokens of the first side, and behind them those of the other.
        n: words of an n-gram.
        n_first: tokens of the first side.
        min_count: of both together; rarer ones are left out.
        report: of progress.
    """
    found_places, found_counts = [np.empty(0, np.int64)], [np.empty((0, 2), np.int64)]
    for groups in iterate_groups(stream, n, report):
        n_groups = len(groups.firsts) - 1
        is_other = groups.places >= n_first
        counts = np.bincount(groups.groups * 2 + is_other, minlength=2 * n_groups)
        counts = counts.reshape(n_groups, 2)  # (2 g,) -> (g, 2)
        is_kept = counts.sum(axis=1) >= min_count  # (g, 2) -> (g,)
        found_places.append(groups.places[groups.firsts[:-1]][is_kept])
        found_counts.append(counts[is_kept])
    return SideCounts(np.concatenate(found_places), np.concatenate(found_counts))


def score_keys(ones: IntArray, others: IntArray, n_ones: int, n_others: int) -> Keys:
    """Score how items mark one side against another.

    Log-likelihood: G² of the 2×2 table this side or the other, this item or another
    (Dunning 1993; all four cells, where Rayson and Garside 2000 add up two). Log ratio:
    log2 of the relative frequencies' ratio, a count of nought standing as 0.5 (Hardie
    2014, "Log Ratio: an informal introduction"). Its interval: that of the logarithm of
    a ratio of two shares, whose variance is 1/a − 1/m + 1/b − 1/n (Katz, Baptista, Azen
    and Pike 1978, "Obtaining confidence intervals for the risk ratio").

    Args:
        ones: int64 (g,), counts on this side.
        others: int64 (g,), counts on the other.
        n_ones: tokens of this side.
        n_others: tokens of the other.
    """
    here, there = np.where(ones > 0, ones, ZERO), np.where(others > 0, others, ZERO)
    n_here, n_there = max(1, n_ones), max(1, n_others)
    ratio = np.log2(here / n_here) - np.log2(there / n_there)
    variance = 1 / here - 1 / n_here + 1 / there - 1 / n_there
    half = Z * np.sqrt(np.maximum(variance, 0)) / np.log(2)
    both = n_ones + n_others
    return Keys(
        signed_log_likelihood(ones, ones + others, n_ones, both),
        ratio,
        ratio - half,
        ratio + half,
    )


__all__ = ["Keys", "SideCounts", "count_sides", "score_keys"]
