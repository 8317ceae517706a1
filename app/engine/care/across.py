"""Sentences that say the same in two languages: by cosine and margin."""

from typing import NamedTuple

import numpy as np

from app.engine.care.gather import Known
from app.engine.care.nearest import NOTHING, Near, Wanted, near_each_other
from app.engine.mining.by_index import Recall
from app.engine.mining.margin import margin_scores, neighbour_means
from app.engine.report import Report
from app.engine.search.knn import IdArray
from app.engine.store.arrays import FloatArray

K = 4  # neighbours of the margin, as in mining
FEW = 2 * K  # sentences of a side, below which a mean of neighbours tells nothing
ANY_COSINE = -1.0  # the margin asks for neighbours however far


class Across(NamedTuple):
    """Pairs of two sides.

    Attributes:
        ones, others: int64 (p,), places of the chosen sentences.
        cosines, margins: float32 (p,).
        recalls: of both searches, if not all were compared.
    """

    ones: IdArray
    others: IdArray
    cosines: FloatArray
    margins: FloatArray
    recalls: list[Recall | None]


def find_across(
    source: Known,
    target: Known,
    least: tuple[float, float],
    how: tuple[bool, int],
    report: Report,
    *,
    is_mutual: bool = True,
) -> Across:
    """Pair sentences with the nearest on the other side.

    Their cosine and their margin are high enough: ratio of the cosine to the mean
    cosine of both with their four nearest (Artetxe and Schwenk 2019, equations 2, 5).
    Where a side has too few sentences for a mean, the cosine alone decides.

    Args:
        source: one side.
        target: the other.
        least: cosine and margin.
        how: all are compared whatever it takes; seed of what is drawn.
        report: is told of the work.
        is_mutual: only those that are the nearest of each other.
    """
    wanted = Wanted(K, ANY_COSINE, *how)
    near = near_each_other(source.side, target.side, wanted, report)
    of_source, of_target = near[0].neighbours, near[1].neighbours
    means = neighbour_means(of_source.scores), neighbour_means(of_target.scores)
    own = np.arange(len(source.places))
    best, cosines = of_source.rows[:, 0], of_source.scores[:, 0]
    is_there = (best != NOTHING) & (cosines >= least[0])
    own, best, cosines = own[is_there], best[is_there], cosines[is_there]
    margins = margin_scores(cosines, means[0][own], means[1][best], "ratio")
    is_in = margins >= least[1]
    if min(len(source.places), len(target.places)) < FEW:
        is_in[:] = True
    if is_mutual:
        is_in &= of_target.rows[best, 0] == own
    return Across(
        source.places[own[is_in]],
        target.places[best[is_in]],
        cosines[is_in],
        margins[is_in],
        recalls_of(near),
    )


def recalls_of(near: tuple[Near, ...]) -> list[Recall | None]:
    """Give what was measured of each search."""
    return [one.recall for one in near]


def told_translation(cosine: float, margin: float) -> str:
    """Say why two sentences are taken for translations."""
    return f"The cosine is {cosine:.3f}, the margin {margin:.2f}."
