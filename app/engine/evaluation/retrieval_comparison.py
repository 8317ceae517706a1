"""Comparison of two retrieval evaluations on the same texts, by sentence."""

from collections.abc import Sequence

import numpy as np

from app.arrays import DoubleArray
from app.engine.evaluation.recording import DIGITS
from app.engine.statistics import mcnemar_test, stratified_bootstrap
from app.engine.store.runs import RetrievalHits
from app.errors import UserError
from app.protocol.answers.evaluation import (
    DirectionComparison,
    MeanComparison,
    RetrievalComparison,
)

N_DIRECTIONS = 500  # directions listed in an answer; the mean includes all

Both = tuple[RetrievalHits, RetrievalHits]  # of the same direction in both runs


def compare_retrievals(
    ones: Sequence[RetrievalHits], others: Sequence[RetrievalHits]
) -> RetrievalComparison:
    """Compare the errors of two runs in the directions that both measured.

    Raises:
        UserError: the runs have no texts in common, or a run is from an older version.
    """
    if not ones or not others:
        raise UserError(
            "An older version measured one of the two evaluations and did not record "
            "which sentences were found. Run it again, then compare."
        )
    by_data = {row.data: row for row in others}
    both = [(row, by_data[row.data]) for row in ones if row.data in by_data]
    if not both:
        raise UserError(
            "The two evaluations have no texts in common. Select two evaluations of "
            "the same texts by different encoders."
        )
    return RetrievalComparison(
        directions=tuple(_compare(*pair) for pair in both[:N_DIRECTIONS]),
        mean=_compare_means(both),
        n_left_out=len(ones) + len(others) - 2 * len(both),
    )


def _compare(one: RetrievalHits, other: RetrievalHits) -> DirectionComparison:
    found = mcnemar_test(one.is_right, other.is_right)
    estimate = stratified_bootstrap([_differences(one, other)], [1.0])
    return DirectionComparison(
        source=one.source,
        target=one.target,
        n=one.n,
        one=round(1 - float(one.is_right.mean()), DIGITS),
        other=round(1 - float(other.is_right.mean()), DIGITS),
        difference=estimate.value,
        low=estimate.low,
        high=estimate.high,
        only_one=found.only_one,
        only_other=found.only_other,
        p=found.p,
    )


def _compare_means(both: Sequence[Both]) -> MeanComparison:
    """Compare the mean errors of all directions.

    Pairs of sentences are drawn with the results of all their directions, which are not
    independent.
    """
    by_sample: dict[str, list[DoubleArray]] = {}
    for one, other in both:
        by_sample.setdefault(one.sample, []).append(_differences(one, other))
    strata = [np.mean(rows, axis=0) for rows in by_sample.values()]  # (k, n) -> (n,)
    weights = [len(rows) / len(both) for rows in by_sample.values()]
    estimate = stratified_bootstrap(strata, weights)
    errors = [
        float(np.mean([1 - pair[side].is_right.mean() for pair in both]))
        for side in (0, 1)
    ]
    return MeanComparison(
        n_directions=len(both),
        n=sum(len(stratum) for stratum in strata),
        one=round(errors[0], DIGITS),
        other=round(errors[1], DIGITS),
        difference=estimate.value,
        low=estimate.low,
        high=estimate.high,
    )


def _differences(one: RetrievalHits, other: RetrievalHits) -> DoubleArray:
    """Return the difference of the errors for each row: float64 (n,)."""
    # errors are complements of hits, so the operands are swapped
    return other.is_right.astype(np.float64) - one.is_right
