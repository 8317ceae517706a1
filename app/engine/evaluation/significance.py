"""Whether a correlation may be chance, and what remains of that after many tests."""

from functools import cache
from itertools import permutations
from math import exp, lgamma, log, sqrt

import numpy as np

from app.engine.evaluation.correlations import mean_ranks, spearman
from app.engine.statistics import FloatArray

EXACT_N = 8  # up to so many rows every order is looked at: 40,320
FEWEST = 3
ROUNDING = 1e-9  # two correlations that are as far apart are equal
MAX_TERMS, PRECISION = 300, 1e-15


def spearman_p(ones: FloatArray, others: FloatArray) -> float:
    """Give the two-sided p of Spearman's ρ of columns (n,); NaN where there is no ρ.

    Up to 8 rows it is the permutation test over all orders, which holds with equal
    values too; beyond, t = ρ √((n − 2) / (1 − ρ²)) with n − 2 degrees of freedom
    (Kendall and Stuart 1973, section 31.19).
    """
    n, found = len(ones), spearman(ones, others)
    if np.isnan(found) or n < FEWEST:
        return float("nan")
    if n > EXACT_N:
        if abs(found) >= 1:
            return 0.0
        return student_p(found * sqrt((n - 2) / (1 - found**2)), n - 2)
    first, second = mean_ranks(ones), mean_ranks(others)
    first, second = first - first.mean(), second - second.mean()
    products = second[_orders(n)] @ first  # (n!, n) x (n,) -> (n!,)
    observed = abs(float(second @ first))
    return float((np.abs(products) >= observed - ROUNDING).mean())


def student_p(t: float, n_degrees: int) -> float:
    """Give the two-sided p of Student's t: I_x(ν/2, 1/2) at x = ν / (ν + t²)."""
    return incomplete_beta(n_degrees / 2, 0.5, n_degrees / (n_degrees + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Give the regularised incomplete beta function I_x(a, b), 0…1.

    By its continued fraction (DLMF 8.17.22), evaluated by Lentz's method; where that
    converges slowly, by I_x(a, b) = 1 − I_{1−x}(b, a) (DLMF 8.17.4).
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = a * log(x) + b * log(1 - x) + lgamma(a + b) - lgamma(a) - lgamma(b)
    return exp(front) / a / _fraction(a, b, x)


def holm(p_values: FloatArray) -> FloatArray:
    """Correct for many tests by Holm 1979: the chance of one false finding at all.

    The i-th smallest of m is multiplied by m − i + 1, and no smaller than those before.

    Args:
        p_values: float64 (m,); NaN stays and is not counted.
    """
    known = np.nonzero(~np.isnan(p_values))[0]
    order = known[np.argsort(p_values[known], kind="stable")]
    factors = len(order) - np.arange(len(order))
    corrected = p_values.copy()
    corrected[order] = np.maximum.accumulate(factors * p_values[order]).clip(0, 1)
    return corrected


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Correct by Benjamini and Hochberg 1995: the share of false among the findings.

    The i-th smallest of m is multiplied by m / i, and no larger than those behind.

    Args:
        p_values: float64 (m,); NaN stays and is not counted.
    """
    known = np.nonzero(~np.isnan(p_values))[0]
    order = known[np.argsort(p_values[known], kind="stable")][::-1]
    factors = len(order) / np.arange(len(order), 0, -1)
    corrected = p_values.copy()
    corrected[order] = np.minimum.accumulate(factors * p_values[order]).clip(0, 1)
    return corrected


@cache
def _orders(n: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Give every order of n rows: int64 (n!, n)."""
    return np.array(list(permutations(range(n))), np.int64)


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate 1 + d_1 x / (1 + d_2 x / (1 + …)) from the front."""
    value, c, d = 1.0, 1.0, 0.0
    for term in range(1, MAX_TERMS):
        m = term // 2
        if term % 2:
            factor = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            factor = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + factor * d)
        c = 1 + factor / c
        value *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return value
