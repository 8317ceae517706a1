"""What differs between two encoders on the same sentences: neighbours and pairs."""

from typing import NamedTuple

import numpy as np

from app.engine.care.nearest import without_itself
from app.engine.mining.again import exact_neighbours
from app.engine.mining.rescoring import ExactSide
from app.engine.projection.comparison import kept_shares
from app.engine.report import Report
from app.engine.search.knn import IdArray
from app.engine.store.arrays import FloatArray

NEIGHBOUR_STAGE, PAIR_STAGE = "compare neighbours", "compare pairs"

Sides = tuple[ExactSide, ExactSide]  # the same sentences by two encoders


class MovedNeighbours(NamedTuple):
    """The nearest neighbours of q sentences by two encoders.

    Attributes:
        places: int64 (q,), the sentences.
        ones, others: int64 (q, k), places of their neighbours, the nearest first.
        shares: float32 (q,), share of the neighbours that both have.
    """

    places: IdArray
    ones: IdArray
    others: IdArray
    shares: FloatArray


class MovedPairs(NamedTuple):
    """The translations of two languages as two encoders find them.

    Attributes:
        ones, others: int64 (p, 2), places of the pairs that each encoder finds.
        n_wrong: by encoder, for the sources and for the targets; None without links.
        n: pairs that are linked; 0: none are.
        n_pools: sentences of the target and of the source language.
    """

    ones: IdArray
    others: IdArray
    n_wrong: tuple[tuple[int, int], tuple[int, int]] | None
    n: int
    n_pools: tuple[int, int]


def move_neighbours(
    sides: Sides, places: IdArray, k: int, report: Report
) -> MovedNeighbours:
    """Compare the k nearest of sentences among all; `places`: int64 (m,), theirs."""
    found = []
    for side in sides:
        near = exact_neighbours(
            side, side, (places, k + 1), report, stage=NEIGHBOUR_STAGE
        )
        found.append(without_itself(near, places).rows)
    shares = kept_shares(found[0], found[1], len(sides[0]))
    return MovedNeighbours(places, found[0], found[1], shares)


def move_linked(
    sides: Sides, pairs: IdArray, pools: tuple[IdArray, IdArray], report: Report
) -> MovedPairs:
    """Compare which linked pairs are the nearest of each other, each way.

    Args:
        sides: all sentences by both encoders.
        pairs: int64 (p, 2), places of a source and its translation.
        pools: int64, places of the sentences of the source and the target language.
        report: is told of the work.
    """
    found, wrong = [], []
    for side in sides:
        there = _nearest_place(side, pairs[:, 0], pools[1], report)
        back = _nearest_place(side, pairs[:, 1], pools[0], report)
        is_there, is_back = there == pairs[:, 1], back == pairs[:, 0]
        found.append(pairs[is_there & is_back])
        wrong.append((int((~is_there).sum()), int((~is_back).sum())))
    sizes = len(pools[1]), len(pools[0])
    return MovedPairs(found[0], found[1], (wrong[0], wrong[1]), len(pairs), sizes)


def move_mutual(
    sides: Sides, places: IdArray, pools: tuple[IdArray, IdArray], report: Report
) -> MovedPairs:
    """Compare which pairs are the nearest of each other where nothing is linked.

    Args:
        sides: all sentences by both encoders.
        places: int64 (q,), sentences of the source language.
        pools: int64, places of the sentences of the source and the target language.
        report: is told of the work.
    """
    found = []
    for side in sides:
        there = _nearest_place(side, places, pools[1], report)
        back = _nearest_place(side, there, pools[0], report)
        found.append(np.stack([places, there], axis=1)[back == places])
    sizes = len(pools[1]), len(pools[0])
    return MovedPairs(found[0], found[1], None, 0, sizes)


def only_in(pairs: IdArray, others: IdArray) -> IdArray:
    """Give the pairs (p, 2) that are not among others, in their order."""
    known = set(map(tuple, others.tolist()))
    is_new = [pair not in known for pair in map(tuple, pairs.tolist())]
    chosen: IdArray = pairs[np.array(is_new, bool)]
    return chosen


def _nearest_place(
    side: ExactSide, places: IdArray, pool: IdArray, report: Report
) -> IdArray:
    """Give the place of the nearest in a pool: int64 (q,)."""
    rows = np.arange(len(side)) if side.rows is None else side.rows
    own = ExactSide(side.vectors, rows[places])
    among = ExactSide(side.vectors, rows[pool])
    everyone = np.arange(len(places))
    near = exact_neighbours(own, among, (everyone, 1), report, stage=PAIR_STAGE)
    found: IdArray = pool[near.rows[:, 0]]
    return found
