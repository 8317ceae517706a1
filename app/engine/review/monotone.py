"""Whether higher scores mean better pairs: if not, no threshold separates them."""

import numpy as np
from numpy.typing import NDArray

from app.engine.statistics import isotonic_fit

FloatArray = NDArray[np.float64]
MIN_JUDGED = 40
MAX_GROUPS = 8
MIN_GROUP = 10  # judgements
N_DRAWS = 500
LEVEL = 0.05  # share of monotone ones that are warned of


def warn_not_monotone(scores: FloatArray, is_right: NDArray[np.bool_]) -> str:
    """Say where better scores go with worse pairs; empty: nowhere, as far as is known.

    The judged pairs are cut into groups of rising scores. The likelihood ratio of free
    shares against rising ones (Robertson, Wright and Dykstra 1988, section 2.3) is
    compared with that of draws from the rising shares.

    Args:
        scores: float64 (j,), of the judged pairs.
        is_right: bool (j,).
    """
    n_groups = min(MAX_GROUPS, len(scores) // MIN_GROUP)
    if len(scores) < MIN_JUDGED:
        return ""
    order = np.argsort(scores, kind="stable")
    groups = np.array_split(order, n_groups)
    n = np.array([len(group) for group in groups], np.float64)
    n_right = np.array([is_right[group].sum() for group in groups], np.float64)
    found = _ratio(n_right, n)
    rising = isotonic_fit(n_right / n, n)
    generator = np.random.default_rng(1)
    drawn = generator.binomial(n.astype(np.int64), rising, (N_DRAWS, n_groups))
    ratios = np.array([_ratio(one.astype(np.float64), n) for one in drawn])
    if found <= 0 or (ratios >= found).mean() >= LEVEL:
        return ""
    return _sentence(groups, scores, n_right / n)


def _ratio(n_right: FloatArray, n: FloatArray) -> float:
    """Give the log likelihood of free shares less that of rising ones."""
    shares = n_right / n
    rising = isotonic_fit(shares, n)
    return _log_likelihood(n_right, n, shares) - _log_likelihood(n_right, n, rising)


def _log_likelihood(n_right: FloatArray, n: FloatArray, shares: FloatArray) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(n_right > 0, n_right * np.log(shares), 0.0)
        wrong = np.where(n > n_right, (n - n_right) * np.log1p(-shares), 0.0)
    return float(right.sum() + wrong.sum())


def _sentence(
    groups: list[NDArray[np.int64]], scores: FloatArray, shares: FloatArray
) -> str:
    """Name the two groups that contradict each other most."""
    falls = shares[:, None] - shares[None, :]  # (lower group, higher group)
    lower, higher = np.unravel_index(np.argmax(np.triu(falls)), falls.shape)
    texts = [
        f"{scores[groups[place][0]]:.3g} to {scores[groups[place][-1]]:.3g}"
        for place in (lower, higher)
    ]
    return (
        f"Higher scores are not better pairs here: from {texts[1]} only "
        f"{100 * shares[higher]:.0f} % are right, but from {texts[0]} "
        f"{100 * shares[lower]:.0f} %. A threshold does not separate them well; look "
        "at what the wrong ones have in common, and filter that."
    )
