"""Find nearest neighbours: exact for small sets, else with an inverted file."""

from typing import NamedTuple

import numpy as np

from app.arrays import IdArray
from app.engine.mining.approximate_search import Recall
from app.engine.mining.exact_search import ExactSide, Neighbours, exact_neighbours
from app.engine.mining.neighbours import (
    PassSettings,
    find_neighbours,
    find_own_neighbours,
)
from app.engine.quality.inverted_file import (
    InvertedFile,
    build_inverted_file,
    count_lists_needed,
    search_inverted_file,
)
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.statistics import wilson_interval

SAMPLE_STAGE = "Measuring what is missed"
EXACT_PAIRS = 10**10  # limit of an exact search: about a minute on two cores
SAMPLED = 4_096  # queries with an exact search, to measure the recall
WANTED_SHARE = 0.99  # recall to reach on half of the sample
FEW, USUAL_WIDTH, MAX_WIDTH = 10, 24, 128  # pairs; lists that are looked into


class NeighbourOptions(NamedTuple):
    """Options of a neighbour search.

    Attributes:
        k: number of neighbours per row.
        floor: minimum cosine.
        exact: whether to force an exact search.
        seed: seed of the lists and the sample.
    """

    k: int
    floor: float
    exact: bool = False
    seed: int = 1


class NeighbourResult(NamedTuple):
    """Neighbours and their recall; None: exact search."""

    neighbours: Neighbours
    recall: Recall | None


def find_neighbours_within(
    side: ExactSide, wanted: NeighbourOptions, report: Report
) -> NeighbourResult:
    """Find the k nearest of each row among the other rows of its own side."""
    k = min(wanted.k + 1, len(side))  # includes the row itself
    if wanted.exact or len(side) ** 2 <= 2 * EXACT_PAIRS:
        settings = PassSettings(k, device=preferred_device())
        found = find_own_neighbours(side, settings, report)
        return NeighbourResult(remove_self(found, np.arange(len(side))), None)
    search = _Search(side, side, wanted._replace(k=k), report)
    near = search.run(report, is_self=True)
    own = np.arange(len(side))
    return NeighbourResult(remove_self(near.neighbours, own), near.recall)


def find_neighbours_both_ways(
    source: ExactSide, target: ExactSide, wanted: NeighbourOptions, report: Report
) -> tuple[NeighbourResult, NeighbourResult]:
    """Find the k nearest of each row on the other side, in both directions."""
    if wanted.exact or len(source) * len(target) <= EXACT_PAIRS:
        settings = PassSettings(wanted.k, device=preferred_device())
        both = find_neighbours(source, target, settings, report)
        return NeighbourResult(both[0], None), NeighbourResult(both[1], None)
    there = _Search(source, target, wanted, report).run(report)
    back = _Search(target, source, wanted, report).run(report)
    return there, back


def find_neighbours_in_other(
    source: ExactSide, target: ExactSide, wanted: NeighbourOptions, report: Report
) -> NeighbourResult:
    """Find the k nearest of each row on the other side."""
    if wanted.exact or len(source) * len(target) <= EXACT_PAIRS:
        return find_neighbours_both_ways(
            source, target, wanted._replace(exact=True), report
        )[0]
    return _Search(source, target, wanted, report).run(report)


def remove_self(found: Neighbours, own: IdArray) -> Neighbours:
    """Remove each row from its own neighbours, or else the last neighbour.

    Args:
        found: (n, k), k ≥ 1.
        own: int64 (n,), index of each row on the other side.

    Returns:
        (n, k - 1).
    """
    is_own = found.rows == own[:, None]
    is_own[~is_own.any(axis=1), -1] = True
    shape = len(found.rows), found.rows.shape[1] - 1
    return Neighbours(
        found.scores[~is_own].reshape(shape), found.rows[~is_own].reshape(shape)
    )


def combine_recalls(parts: "list[Recall | None]") -> Recall | None:
    """Combine the recalls of several searches; None: all exact."""
    known = [one for one in parts if one is not None]
    if not known:
        return None
    n = sum(one.sentences for one in known)
    right = sum(one.share * one.sentences for one in known if one.sentences)
    return Recall(*wilson_interval(right, n), n)


class _Search:
    """A search for queries in an inverted file."""

    def __init__(
        self,
        queries: ExactSide,
        stored: ExactSide,
        wanted: NeighbourOptions,
        report: Report,
    ):
        self._queries, self._stored = queries, stored
        self._wanted = wanted
        self._lists: InvertedFile = build_inverted_file(
            stored, seed=wanted.seed, report=report
        )

    def run(self, report: Report, *, is_self: bool = False) -> NeighbourResult:
        """Choose the number of lists on half of a sample, and measure on the rest."""
        wanted, n = self._wanted, len(self._queries)
        draw = np.random.default_rng(wanted.seed)
        indices = draw.permutation(n)[:SAMPLED]
        k = min(wanted.k, len(self._stored))
        truth = exact_neighbours(
            self._queries, self._stored, (indices, k), report, stage=SAMPLE_STAGE
        )
        half = len(indices) // 2
        owners, ranks = np.nonzero(truth.scores >= wanted.floor)
        pairs = indices[owners], truth.rows[owners, ranks]
        if is_self:
            is_other = pairs[0] != pairs[1]
            owners, pairs = owners[is_other], (pairs[0][is_other], pairs[1][is_other])
        width = self._width(owners < half, pairs)
        asked = k, wanted.floor, width
        found = search_inverted_file(self._lists, self._queries, asked, report)
        measured = owners >= half
        some = pairs[0][measured], pairs[1][measured]
        is_found = (found.rows[some[0]] == some[1][:, None]).any(axis=1)
        if is_self:
            is_found |= (found.rows[some[1]] == some[0][:, None]).any(axis=1)
        interval = wilson_interval(float(is_found.sum()), len(is_found))
        return NeighbourResult(found, Recall(*interval, len(is_found)))

    def _width(
        self,
        is_tuned: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
        pairs: tuple[IdArray, IdArray],
    ) -> int:
        some = pairs[0][is_tuned][:SAMPLED], pairs[1][is_tuned][:SAMPLED]
        if len(some[0]) < FEW:
            return USUAL_WIDTH
        needed = np.sort(count_lists_needed(self._lists, self._queries, some))
        width = int(needed[int(np.ceil(WANTED_SHARE * len(needed))) - 1])
        return max(1, min(width, MAX_WIDTH))
