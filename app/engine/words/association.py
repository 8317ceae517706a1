"""Association measures for co-occurrence counts: log-likelihood and Dice."""

import numpy as np
from numpy.typing import ArrayLike

from app.arrays import DoubleArray


def signed_log_likelihood(
    both: ArrayLike, one: ArrayLike, other: ArrayLike, n: ArrayLike
) -> DoubleArray:
    """Measure association by the log-likelihood ratio of a 2×2 table, signed.

    G² = 2 Σ O ln(O / E) over the four cells (Dunning 1993, "Accurate methods for the
    statistics of surprise and coincidence", section 4; for words of aligned sentences
    Moore 2004, "On log-likelihood-ratios and the significance of rare events", equation
    1). It is negative if the two occur together less often than expected by chance. The
    arguments broadcast.

    Args:
        both: number of places with both.
        one: number of places with the first.
        other: number of places with the second.
        n: number of all places.

    Returns:
        float64, of the broadcast shape.
    """
    both, one, other, n = (
        np.asarray(count, np.float64) for count in (both, one, other, n)
    )
    expected = one * other / np.maximum(n, 1)
    rows, columns = (one, n - one), (other, n - other)
    cells = (
        (both, rows[0], columns[0]),
        (one - both, rows[0], columns[1]),
        (other - both, rows[1], columns[0]),
        (n - one - other + both, rows[1], columns[1]),
    )
    total = np.zeros(np.broadcast_shapes(both.shape, one.shape, other.shape, n.shape))
    for observed, row, column in cells:
        ratio = observed * n / np.where(row * column > 0, row * column, 1)
        total += observed * np.log(np.where(observed > 0, ratio, 1))
    return np.where(both < expected, -2.0, 2.0) * np.maximum(total, 0)


def dice(both: ArrayLike, one: ArrayLike, other: ArrayLike) -> DoubleArray:
    """Return the Dice coefficient, 2 b / (o + p), 0…1.

    Dice 1945, "Measures of the amount of ecologic association between species".
    """
    both, one, other = (np.asarray(count, np.float64) for count in (both, one, other))
    return np.asarray(2 * both / np.maximum(one + other, 1))
