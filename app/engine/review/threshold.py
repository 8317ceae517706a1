"""Estimate precision above each score, and the threshold, from judgements.

The pairs of a set are divided into strata by score. Within a stratum the judged pairs
represent the others, whatever their share, so the most informative pairs may be judged
first without biasing the estimate. A threshold is always the score of a judged pair, so
that no score is suggested in a stratum without judgements.

A judgement shows whether the mined pair is right. An accepted pair is right, edited or
not; a pair with a swapped-in runner-up is wrong, since the runner-up was not mined.
Skipped and flagged pairs do not count, nor do verdicts set for a range of scores, since
those pairs were not read.
"""

from math import erf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import DoubleArray, IdArray
from app.engine.review.pair_columns import PairColumns
from app.engine.statistics import (
    Estimate,
    Strata,
    smooth_shares,
    stratified_estimate,
)
from app.number_format import format_percent, format_score, round_down
from app.plurals import count_text
from app.protocol.answers.pairs import PrecisionPoint, ThresholdAnswer

MIN_JUDGED = 40
MAX_GROUPS = 8
MIN_GROUP = 10  # judgements
N_DRAWS = 500
LEVEL = 0.05  # share of monotone samples that give a warning


def warn_not_monotone(scores: DoubleArray, is_right: NDArray[np.bool_]) -> str:
    """Return a warning if higher scores have worse pairs; otherwise empty.

    The judged pairs are divided into groups of rising scores. The likelihood ratio of
    free shares against rising shares (Robertson, Wright and Dykstra 1988, section 2.3)
    is compared with the ratio for draws from the rising shares.

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
    rising = _rising_shares(n_right, n)
    generator = np.random.default_rng(1)
    drawn = generator.binomial(n.astype(np.int64), rising, (N_DRAWS, n_groups))
    ratios = np.array([_ratio(one.astype(np.float64), n) for one in drawn])
    if found <= 0 or (ratios >= found).mean() >= LEVEL:
        return ""
    return _contradiction_sentence(groups, scores, n_right / n)


def _rising_shares(n_right: DoubleArray, n: DoubleArray) -> DoubleArray:
    """Return the best-fitting rising shares: float64 (g,)."""
    from scipy import optimize  # takes 0.3 s to import

    shares: DoubleArray = optimize.isotonic_regression(n_right / n, weights=n).x
    return shares


def _ratio(n_right: DoubleArray, n: DoubleArray) -> float:
    """Return the log likelihood of free shares minus that of rising shares."""
    shares = n_right / n
    rising = _rising_shares(n_right, n)
    return _log_likelihood(n_right, n, shares) - _log_likelihood(n_right, n, rising)


def _log_likelihood(n_right: DoubleArray, n: DoubleArray, shares: DoubleArray) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(n_right > 0, n_right * np.log(shares), 0.0)
        wrong = np.where(n > n_right, (n - n_right) * np.log1p(-shares), 0.0)
    return float(right.sum() + wrong.sum())


def _contradiction_sentence(
    groups: list[NDArray[np.int64]], scores: DoubleArray, shares: DoubleArray
) -> str:
    """Describe the two groups that contradict each other most."""
    falls = shares[:, None] - shares[None, :]  # (lower group, higher group)
    lower, higher = np.unravel_index(np.argmax(np.triu(falls)), falls.shape)
    texts = [
        " to ".join(format_score(scores[groups[index][end]]) for end in (0, -1))
        for index in (lower, higher)
    ]
    return (
        f"Higher scores do not have a higher precision here: "
        f"{format_percent(shares[higher])} of the pairs from {texts[1]} are correct, "
        f"but {format_percent(shares[lower])} of those from {texts[0]}. A threshold "
        "does not separate them well. Look for what the wrong pairs have in common, "
        "and filter by it."
    )


MIN_STRATUM = 20  # pairs
# Ends of the strata as shares of the pairs, best first: narrow at the top, where scores
# differ most.
EDGES = (0.002, 0.005, 0.01, 0.02, 0.035, *np.arange(0.05, 1.0, 0.04), 1.0)


class JudgedPairs(NamedTuple):
    """The pairs of a set with their judgements, best score first.

    Attributes:
        places: int64 (p,), index of each pair in the order of id.
        scores: float64 (p,), falling.
        is_decided: bool (p,), judged right or wrong.
        is_right: bool (p,).
        ends: int64 (h,), end of each stratum; the last is p.
    """

    places: IdArray
    scores: DoubleArray
    is_decided: NDArray[np.bool_]
    is_right: NDArray[np.bool_]
    ends: IdArray

    @property
    def strata(self) -> Strata:
        """Count the judgements in each stratum."""
        if not len(self.ends):
            nothing = np.empty(0)
            return Strata(nothing, nothing, nothing)
        starts = np.concatenate([[0], self.ends[:-1]])
        n, n_right = (
            np.add.reduceat(column.astype(np.float64), starts)
            for column in (self.is_decided, self.is_right)
        )
        return Strata((self.ends - starts).astype(np.float64), n, n_right)


def read_judged(columns: PairColumns) -> JudgedPairs:
    """Read the judgements of the selected pairs of a set."""
    verdicts = columns.verdicts()
    (indices,) = np.nonzero(columns.is_taken)
    return judge_strata(
        indices,
        columns.scores[indices],
        verdicts.is_decided[indices],
        verdicts.is_right[indices],
    )


def judge_strata(
    indices: IdArray,
    scores: DoubleArray,
    is_decided: NDArray[np.bool_],
    is_right: NDArray[np.bool_],
) -> JudgedPairs:
    """Sort pairs by score and cut them into strata.

    Args:
        indices: int64 (p,), positions of the pairs.
        scores: float64 (p,).
        is_decided: bool (p,), judged right or wrong.
        is_right: bool (p,), judged right.
    """
    order = np.argsort(-scores, kind="stable")
    ends = stratum_ends(scores[order])
    return JudgedPairs(
        indices[order], scores[order], is_decided[order], is_right[order], ends
    )


def stratum_ends(scores: DoubleArray) -> IdArray:
    """Return the ends of strata of falling scores: int64 (h,); ties stay together.

    A stratum has at least `MIN_STRATUM` pairs, if there are so many.
    """
    n = len(scores)
    ends: list[int] = []
    for edge in EDGES:
        index = round(edge * n)
        if index < n:  # the first pair with a lower score
            last = scores[max(0, index - 1)]
            index = int(np.searchsorted(-scores, -last, side="right"))
        if index - (ends[-1] if ends else 0) >= max(1, min(MIN_STRATUM, n)):
            ends.append(index)
    if ends and ends[-1] < n:
        ends[-1] = n
    return np.array(ends, np.int64)


def precision_curve(judged: JudgedPairs) -> list[PrecisionPoint]:
    """Estimate the precision at or above the lowest judged score of each stratum.

    Strata without judgements have no point, since their precision is only inferred from
    neighbouring strata. The highest threshold comes first.
    """
    strata = judged.strata
    (decided,) = np.nonzero(judged.is_decided)
    points = []
    for h in np.nonzero(strata.n)[0].tolist():
        last = decided[np.searchsorted(decided, judged.ends[h]) - 1]
        threshold = float(judged.scores[last])
        n_kept = int(np.searchsorted(-judged.scores, -threshold, side="right"))
        part = Strata(*(column[: h + 1].copy() for column in strata))
        part.sizes[h] -= judged.ends[h] - n_kept
        estimate = stratified_estimate(part)
        points.append(PrecisionPoint(threshold, *estimate, int(part.n.sum()), n_kept))
    return points


def estimate_threshold(
    judged: JudgedPairs,
    precision: float,
    *,
    is_blind: bool = False,
    n_as_range: int = 0,
) -> ThresholdAnswer:
    """Estimate precision by threshold.

    Args:
        precision: the target precision, 0…1.
        is_blind: whether the scores are unknown.
        n_as_range: number of pairs judged as a range, to be mentioned.
    """
    n_judged = int(judged.is_decided.sum())
    if is_blind:
        text = (
            "The package has no scores. The threshold is estimated where the "
            "judgements are merged."
        )
        return ThresholdAnswer(n_judged, [], None, text)
    curve = precision_curve(judged)
    precise = [point for point in curve if point.precision >= precision]
    advice = precise[-1] if precise else None
    warning = warn_not_monotone(
        judged.scores[judged.is_decided], judged.is_right[judged.is_decided]
    )
    decided = f"accepted or rejected{' one by one' if n_as_range else ''}"
    text = _threshold_sentence(judged, curve, advice, precision, decided)
    if n_as_range:
        pairs = count_text(n_as_range, "more pair" if n_judged else "pair")
        was = "was" if n_as_range == 1 else "were"
        text += (
            f" {pairs} {was} judged as a range without being read, and "
            f"{'does' if n_as_range == 1 else 'do'} not count here."
        )
    tip = "Choose “Most informative first” to need fewer judgements."
    is_open = not curve or bool(_unknown_below(judged, advice))
    return ThresholdAnswer(
        n_judged, curve, advice, text, warning, tip if is_open else ""
    )


def order_by_value(judged: JudgedPairs, precision: float, seed: int) -> IdArray:
    """Order pairs by the value of a judgement for the estimate: indices, int64 (p,).

    A judgement in a stratum with share w above a threshold lowers the variance at that
    threshold by w² s² (1 / n - 1 / (n + 1)) (Neyman 1934, one judgement at a time).
    Thresholds are weighted by the plausibility that they will be suggested. Within a
    stratum the order is random.
    """
    strata = judged.strata
    n_strata = len(judged.ends)
    if not n_strata:
        return np.empty(0, np.int64)
    smooth = np.full(n_strata, 0.5)
    plausible = np.ones(n_strata)
    if strata.n.any():
        smooth = smooth_shares(strata)
        parts = [
            stratified_estimate(Strata(*(column[:h] for column in strata)))
            for h in range(1, n_strata + 1)
        ]
        plausible = _weigh_thresholds(parts, precision)
    shares = strata.sizes[:, None] / judged.ends[None, :]  # (stratum, threshold)
    shares = np.triu(shares)  # a threshold sees the strata above it
    gains = (shares**2 @ plausible) * smooth * (1 - smooth)  # (h, t) @ (t,) -> (h,)
    stratum = np.repeat(np.arange(n_strata), strata.sizes.astype(np.int64))
    turn = _turns(stratum, judged, seed)
    n_before = strata.n[stratum] + turn
    keys = gains[stratum] / ((n_before + 1) * (n_before + 2))
    keys[judged.is_decided] = -1  # judged pairs come last
    return np.argsort(-keys, kind="stable")


def _turns(stratum: IdArray, judged: JudgedPairs, seed: int) -> IdArray:
    """Draw a random rank within its stratum for each pair, from 0: int64 (p,)."""
    lots = np.random.default_rng(seed).random(len(stratum))
    order = np.lexsort((lots, judged.is_decided, stratum))
    starts = np.concatenate([[0], judged.ends[:-1]])
    turns = np.empty(len(stratum), np.int64)
    turns[order] = np.arange(len(stratum)) - starts[stratum]
    return turns


def _weigh_thresholds(estimates: list[Estimate], precision: float) -> DoubleArray:
    """Weight thresholds by the plausibility that they will be suggested.

    The suggested threshold is the lowest one that reaches the target precision. The
    precision of a plausible threshold is therefore near the target, and no lower
    threshold reaches it; otherwise the few pairs above a high threshold would count as
    much as all pairs.

    Args:
        estimates: precision estimates, highest threshold first; NaN: unknown.

    Returns:
        float64 (t,), 0…1.
    """
    near, reaches = np.ones(len(estimates)), np.full(len(estimates), 0.5)
    for index, one in enumerate(estimates):
        if not np.isnan(one.value):
            spread = max(1e-6, (one.high - one.low) / 4)
            z = (one.value - precision) / spread
            near[index] = 0.02 + np.exp(-0.5 * z**2)
            reaches[index] = min(0.999, 0.5 + 0.5 * erf(z / sqrt(2)))
    fails_below = np.cumprod((1 - reaches)[::-1])[::-1]  # this and all lower
    weights: DoubleArray = near * np.append(fails_below[1:], 1.0)
    return weights


def _threshold_sentence(
    judged: JudgedPairs,
    curve: list[PrecisionPoint],
    advice: PrecisionPoint | None,
    precision: float,
    decided: str,
) -> str:
    """Describe the suggested threshold, or why there is none.

    Args:
        decided: name of the pairs that count.
    """
    if not curve:
        return (
            f"No pair is {decided} yet. Judge a few pairs to estimate the precision "
            "above each score."
        )
    best = advice or max(curve, key=lambda point: point.precision)
    words = describe_point(best)
    if advice is None:
        words = f"No threshold reaches {format_percent(precision)}. {words}"
    unknown = _unknown_below(judged, advice)
    if unknown:
        words += (
            f" A lower threshold may be enough: no pair {unknown} is {decided} yet."
        )
    return words


def _unknown_below(judged: JudgedPairs, advice: PrecisionPoint | None) -> str:
    """Describe the scores below the advice if no stratum there is judged; else empty.

    Otherwise a threshold that is too low is already known.
    """
    if advice is None or advice.n_kept >= len(judged.scores):
        return ""
    top = format_score(round_down(advice.threshold))
    lower = np.flatnonzero(judged.is_decided[advice.n_kept :])  # (number below,)
    if not len(lower):
        return f"below {top}"
    next_place = advice.n_kept + int(lower[0])
    own, other = np.searchsorted(
        judged.ends, [advice.n_kept - 1, next_place], side="right"
    )
    if other - own < 2:
        return ""
    return f"between {format_score(judged.scores[next_place])} and {top}"


def describe_point(point: PrecisionPoint) -> str:
    """Describe the precision at a threshold, and the number of pairs that reach it."""
    below, above = point.precision - point.low, point.high - point.precision
    share = format_percent(point.precision)
    threshold = format_score(round_down(point.threshold))
    if point.n >= point.n_kept:
        n = count_text(point.n, "pair")
        return f"At {threshold}, {share} of {n} are correct. All of them are judged."
    if max(below, above) - min(below, above) < 0.03:
        half = (below + above) / 2
        decimals = int(half < 0.0095)
        share = (
            f"{format_percent(point.precision, decimals)} ± {100 * half:.{decimals}f}"
        )
    else:
        share += f" ({100 * point.low:.0f} to {format_percent(point.high)})"
    n = count_text(point.n, "judgement")
    return (
        f"At {threshold}, {share} of the pairs are correct, from {n}. "
        f"About {_rounded(point.n_kept)} pairs reach this score."
    )


def _rounded(n: int) -> str:
    """Format a number with three significant figures."""
    digits = max(0, len(str(n)) - 3)
    return f"{round(n, -digits):,}"
