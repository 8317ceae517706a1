"""Estimates with intervals, agreement coefficients and paired tests."""

from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from app.arrays import BoolArray, DoubleArray, IntArray

LEVEL = 0.95  # of intervals, unless specified otherwise
N_RESAMPLES = 1_000
N_GROUPS = 20  # groups of a jackknife
T_GROUPS = 2.0930  # Student's t with N_GROUPS - 1 degrees of freedom, at LEVEL


class Estimate(NamedTuple):
    """A value with the interval that contains the true one with probability `LEVEL`."""

    value: float
    low: float
    high: float


class Strata(NamedTuple):
    """A stratified sample.

    Attributes:
        sizes: float64 (h,), members of each stratum.
        n: float64 (h,), number of checked members.
        n_right: float64 (h,), number of checked members that are right.
    """

    sizes: DoubleArray
    n: DoubleArray
    n_right: DoubleArray


def wilson_interval(n_right: float, n: float) -> Estimate:
    """Estimate a proportion (Wilson 1927, "Probable inference", equation 1).

    Args:
        n_right: successes.
        n: number of trials; may be fractional (effective independent trials).
    """
    if n <= 0:
        return Estimate(float("nan"), 0.0, 1.0)
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    share, spread = n_right / n, z * z / n
    centre = (share + spread / 2) / (1 + spread)
    half = z * np.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return Estimate(
        share,
        max(0.0, min(share, float(centre - half))),
        min(1.0, max(share, float(centre + half))),
    )


def smooth_shares(strata: Strata) -> DoubleArray:
    """Estimate the share of right members in each stratum, for variances: float64 (h,).

    Uses neighbouring strata, too; never 0 or 1.
    """
    weights = np.array([1, 2, 3, 2, 1]) / 3
    n, n_right = (_convolved(column, weights) for column in (strata.n, strata.n_right))
    # plus half a success and half a failure (Jeffreys)
    shares: DoubleArray = (n_right + 0.5) / (n + 1)
    return shares


def stratified_estimate(strata: Strata) -> Estimate:
    """Estimate the share of right members in all strata.

    The estimate weights each stratum by its size (Cochran 1977, sections 5.3–5.5, with
    finite population correction). The share of a stratum without checked members is
    interpolated between its checked neighbours, which therefore also get its weight in
    the variance. The interval is Wilson's for the number of independent trials with the
    same variance (Korn and Graubard 1998).
    """
    total = strata.sizes.sum()
    (seen,) = np.nonzero(strata.n)
    if not total or not len(seen):
        return Estimate(float("nan"), 0.0, 1.0)
    n, smooth = strata.n[seen], smooth_shares(strata)[seen]
    stood_for = _sizes_stood_for(strata.sizes, seen)
    weights = stood_for / total
    variances = smooth * (1 - smooth) / n * (1 - n / stood_for)
    variance = float((weights**2 * variances).sum())
    share = float(weights @ (strata.n_right[seen] / n))
    if variance <= 0:  # all were checked
        return Estimate(share, share, share)
    mean = float(weights @ smooth)
    n_alike = max(1.0, mean * (1 - mean) / variance)
    return wilson_interval(share * n_alike, n_alike)


def _sizes_stood_for(sizes: DoubleArray, seen: IntArray) -> DoubleArray:
    """Distribute all members over the strata with checked members: float64 (s,).

    Args:
        sizes: float64 (h,).
        seen: int64 (s,), strata with checked members.
    """
    indices = np.interp(np.arange(len(sizes)), seen, np.arange(len(seen)))
    before = indices.astype(np.int64)  # (h,)
    after = np.minimum(before + 1, len(seen) - 1)
    parts = indices - before  # (h,), share of the weight for the next one
    dealt: DoubleArray = np.zeros(len(seen))
    np.add.at(dealt, before, sizes * (1 - parts))
    np.add.at(dealt, after, sizes * parts)
    return dealt


def bootstrap_estimate(
    statistic: Callable[[IntArray], float],
    n: int,
    *,
    seed: int = 1,
) -> Estimate:
    """Estimate a statistic with a percentile bootstrap interval (Efron 1979).

    Args:
        statistic: computed for members by index, int64 (n,); may be NaN.
        n: number of members.
    """
    value = statistic(np.arange(n))
    generator = np.random.default_rng(seed)
    drawn = [
        statistic(generator.integers(0, n, n)) for _ in range(N_RESAMPLES if n else 0)
    ]
    known = np.array([one for one in drawn if not np.isnan(one)])
    if not len(known):
        return Estimate(value, float("nan"), float("nan"))
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high))


def jackknife_estimate(
    statistic: Callable[[BoolArray], float], n: int, *, seed: int = 1
) -> Estimate:
    """Estimate a statistic with the interval of a delete-a-group jackknife (Kott 2001).

    Members are randomly assigned to 20 groups, and each group is left out in turn; the
    variance is (G − 1) / G Σ (θ_g − θ̄)². Use it for statistics for which a bootstrap
    is wrong: a member drawn twice is its own nearest neighbour and reduces the spread.
    Since many members are left out at once, it is also valid for statistics that are
    not smooth (Shao and Wu 1989).

    Args:
        statistic: computed for a mask of members, bool (n,).
        n: number of members; below 20 there is no interval.
    """
    value = statistic(np.ones(n, np.bool_))
    if n < N_GROUPS:
        return Estimate(value, float("nan"), float("nan"))
    groups = np.random.default_rng(seed).permutation(np.arange(n) % N_GROUPS)
    left = np.array([statistic(groups != group) for group in range(N_GROUPS)])
    squares = float(np.square(left - left.mean()).sum())
    half = T_GROUPS * np.sqrt(squares * (N_GROUPS - 1) / N_GROUPS)
    return Estimate(value, float(value - half), float(value + half))


def cohen_kappa(ones: IntArray, others: IntArray, n_classes: int) -> float:
    """Measure the agreement of two annotators beyond chance (Cohen 1960); may be NaN.

    Args:
        ones: int64 (n,), classes 0…n_classes-1.
        others: int64 (n,), classes of the same items by the other annotator.
        n_classes: number of classes.
    """
    n = len(ones)
    if not n:
        return float("nan")
    table = np.bincount(ones * n_classes + others, minlength=n_classes**2)
    shares = table.reshape(n_classes, n_classes) / n  # (one, other)
    expected = float(shares.sum(axis=1) @ shares.sum(axis=0))
    if expected >= 1:
        return float("nan")
    return (float(np.trace(shares)) - expected) / (1 - expected)


def krippendorff_alpha(counts: IntArray) -> float:
    """Measure the agreement of any number of annotators on nominal classes.

    Krippendorff 1970; the coincidence matrix as in Krippendorff 2004, section 11.3. NaN
    if no item has two judgements, or all have one class.

    Args:
        counts: int64 (n, c), number of judgements of each item by class.
    """
    n_judges = counts.sum(axis=1)  # (n, c) -> (n,)
    counts, n_judges = counts[n_judges >= 2], n_judges[n_judges >= 2]
    of_class = counts.sum(axis=0)  # (n, c) -> (c,)
    n_values = int(of_class.sum())
    # pairs of different values of an item, weighted by 1 / (m - 1)
    differing = (n_judges**2 - (counts**2).sum(axis=1)) / (n_judges - 1)
    expected = n_values**2 - int((of_class**2).sum())
    if not expected:
        return float("nan")
    return 1 - (n_values - 1) * float(differing.sum()) / expected


class McNemar(NamedTuple):
    """Test of two classifiers: counts of rows that only one got right, and p.

    Attributes:
        p: probability of an equally or more uneven split by chance.
    """

    only_one: int
    only_other: int
    p: float


def mcnemar_test(one_right: BoolArray, other_right: BoolArray) -> McNemar:
    """Test exactly whether two classifiers have the same accuracy (McNemar 1947).

    In that case, each row on which they differ is a toss of a fair coin: a two-sided
    binomial test.

    Args:
        one_right: bool (n,).
        other_right: bool (n,), of the same rows.
    """
    from scipy import special  # takes 0.3 s to import

    only_one = int(np.count_nonzero(one_right & ~other_right))
    only_other = int(np.count_nonzero(other_right & ~one_right))
    n = only_one + only_other
    tail = float(special.bdtr(min(only_one, only_other), n, 0.5))
    return McNemar(only_one, only_other, min(1.0, 2 * tail))


def paired_bootstrap(
    ones: DoubleArray, others: DoubleArray, *, seed: int = 1
) -> Estimate:
    """Estimate the mean difference of paired values by resampling rows.

    Efron and Tibshirani 1993, section 16.4; for systems on one test set Koehn 2004.

    Args:
        ones: float64 (n,).
        others: float64 (n,), of the same rows.
    """
    differences = ones - others
    return bootstrap_estimate(
        lambda rows: float(differences[rows].mean()), len(differences), seed=seed
    )


def stratified_bootstrap(
    strata: Sequence[DoubleArray], weights: Sequence[float], *, seed: int = 1
) -> Estimate:
    """Estimate a weighted sum of means by resampling each stratum separately.

    The counts of distinct values follow a multinomial distribution, so that rows do not
    have to be drawn one by one.

    Args:
        strata: float64 (n,) each, with few distinct values.
    """
    generator = np.random.default_rng(seed)
    value, drawn = 0.0, np.zeros(N_RESAMPLES)
    for stratum, weight in zip(strata, weights, strict=True):
        values, counts = np.unique(stratum, return_counts=True)
        n = len(stratum)
        draws = generator.multinomial(n, counts / n, N_RESAMPLES)  # (resamples, values)
        drawn += weight * (draws @ values) / n
        value += weight * float(stratum.mean())
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high))


def _convolved(column: DoubleArray, weights: DoubleArray) -> DoubleArray:
    """Return weighted sums of neighbours, of the same length."""
    full = np.convolve(column, weights)
    edge = len(weights) // 2
    return full[edge : edge + len(column)]
