"""List candidate pairs of neighbours with scores, and select pairs.

Candidate generation as in Artetxe & Schwenk 2019, section 3.2: forward, backward,
intersection, and max score, which selects the best pairs first and each sentence once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray, IdArray
from app.engine.mining.exact_search import Neighbours
from app.engine.mining.scores import margin_scores, neighbour_means
from app.params.mining import MarginName, RetrievalName

Mask = NDArray[np.bool_]
NOTHING = -1
MAX_ROUNDS = 64  # of the vectorised greedy choice; the rest is processed one by one


class Candidates(NamedTuple):
    """Distinct pairs of neighbours, best score first.

    Attributes:
        sources, targets: int64 (c,), rows of the two sides, which order equal scores.
        cosines, scores: float32 (c,).
        is_forward: bool (c,), whether the target is among the k nearest of the source.
        is_backward: bool (c,), whether the source is among the k nearest of the target.
    """

    sources: IdArray
    targets: IdArray
    cosines: FloatArray
    scores: FloatArray
    is_forward: Mask
    is_backward: Mask


class RunnersUp(NamedTuple):
    """The best other candidate of one side of each pair.

    Attributes:
        rows: int64 (p,), rows of the other side; -1: none.
        scores: float32 (p,); NaN: none.
    """

    rows: IdArray
    scores: FloatArray


def list_candidates(
    of_sources: Neighbours, of_targets: Neighbours, margin: MarginName
) -> Candidates:
    """List all pairs of neighbours with their scores.

    Args:
        of_sources: neighbours of n source rows among m target rows, (n, k).
        of_targets: neighbours of the target rows among the source rows, (m, k).
        margin: margin of the scores.
    """
    n, m = len(of_sources.rows), len(of_targets.rows)
    forward = _pairs_of(of_sources)
    backward = _pairs_of(of_targets)
    keys = np.concatenate([forward[0] * m + forward[1], backward[1] * m + backward[0]])
    keys, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    cosines = np.concatenate([forward[2], backward[2]])[first]
    directions = np.zeros((2, len(keys)), np.bool_)
    directions[0, inverse[: len(forward[0])]] = True
    directions[1, inverse[len(forward[0]) :]] = True
    sources, targets = keys // max(m, 1), keys % max(m, 1)
    source_means = neighbour_means(of_sources.scores)
    target_means = neighbour_means(of_targets.scores)
    scores = margin_scores(
        cosines, source_means[sources], target_means[targets], margin
    )
    assert n * m < 2**63
    order = np.argsort(-scores, kind="stable")  # equal scores by ascending keys
    columns = sources, targets, cosines, scores, *directions
    return Candidates(*(column[order] for column in columns))


def choose_pairs(candidates: Candidates, retrieval: RetrievalName) -> IdArray:
    """Select pairs from the candidates.

    Returns:
        int64 (p,), indices into `candidates`, ascending: best score first.
    """
    forward = _best_of_each(candidates.sources, candidates.is_forward)
    backward = _best_of_each(candidates.targets, candidates.is_backward)
    if retrieval == "forward":
        return forward
    if retrieval == "backward":
        return backward
    if retrieval == "intersection":
        return np.intersect1d(forward, backward, assume_unique=True)
    both = np.union1d(forward, backward)
    return both[greedy_one_to_one(candidates.sources[both], candidates.targets[both])]


def greedy_one_to_one(sources: IdArray, targets: IdArray) -> IdArray:
    """Select pairs in order so that each row of either side occurs once.

    A pair that is the first remaining pair of both its rows is always selected. All
    such pairs are selected at once, and other pairs with their rows are removed.

    Args:
        sources: int64 (c,), best pair first.
        targets: int64 (c,).

    Returns:
        int64 (p,), indices of the selected pairs, ascending.
    """
    left = np.arange(len(sources))
    taken: list[IdArray] = []
    for _ in range(MAX_ROUNDS):
        if not len(left):
            break
        own, other = sources[left], targets[left]
        is_taken = _is_first(own) & _is_first(other)
        taken.append(left[is_taken])
        goes = _is_one_of(own, own[is_taken]) | _is_one_of(other, other[is_taken])
        left = left[~goes]
    taken.append(_one_by_one(sources, targets, left))
    return np.sort(np.concatenate(taken))


def find_runners_up(
    candidates: Candidates, sources: IdArray, targets: IdArray
) -> tuple[RunnersUp, RunnersUp]:
    """Find the best other candidate of each pair's source, and of its target.

    Args:
        sources: int64 (p,), rows of pairs, candidates or not.
        targets: int64 (p,).

    Returns:
        Other targets of the sources; other sources of the targets.
    """
    own, other, scores = candidates.sources, candidates.targets, candidates.scores
    return (
        _runners_up((own, other), scores, (sources, targets)),
        _runners_up((other, own), scores, (targets, sources)),
    )


def _runners_up(
    candidates: tuple[IdArray, IdArray],
    scores: FloatArray,
    pairs: tuple[IdArray, IdArray],
) -> RunnersUp:
    """Return each row's first candidate, or its second if the first is the pair."""
    own, other = candidates
    if not len(own):
        nothing = np.full(len(pairs[0]), NOTHING, np.int64)
        return RunnersUp(nothing, np.full(len(nothing), np.nan, np.float32))
    by_own = np.argsort(own, kind="stable")  # best first within a row
    sorted_own, last = own[by_own], len(own) - 1
    index = np.searchsorted(sorted_own, pairs[0])
    first = np.minimum(index, last)
    index = index + (
        (sorted_own[first] == pairs[0]) & (other[by_own[first]] == pairs[1])
    )
    inside = np.minimum(index, last)
    is_there = (index <= last) & (sorted_own[inside] == pairs[0])
    found = by_own[inside]
    rows = np.where(is_there, other[found], NOTHING)
    return RunnersUp(rows, np.where(is_there, scores[found], np.float32(np.nan)))


def _pairs_of(neighbours: Neighbours) -> tuple[IdArray, IdArray, FloatArray]:
    """Return owner, neighbour and cosine of every existing neighbour."""
    owners, indices = np.nonzero(neighbours.rows != NOTHING)
    found = neighbours.rows[owners, indices], neighbours.scores[owners, indices]
    return owners, *found


def _best_of_each(owners: IdArray, is_in: Mask) -> IdArray:
    """Return the index of each owner's first candidate among some, ascending."""
    indices = np.nonzero(is_in)[0]
    return indices[_is_first(owners[indices])]


def _is_first(values: IdArray) -> Mask:
    """Mark the first occurrence of each value."""
    indices = np.arange(len(values))
    first = np.empty(values.max(initial=-1) + 1, np.int64)
    first[values[::-1]] = indices[::-1]  # the last write to an index wins
    is_first: Mask = first[values] == indices
    return is_first


def _is_one_of(values: IdArray, wanted: IdArray) -> Mask:
    """Mark the values that occur among others."""
    is_wanted = np.zeros(values.max(initial=-1) + 1, np.bool_)
    is_wanted[wanted] = True
    return is_wanted[values]


def _one_by_one(sources: IdArray, targets: IdArray, left: IdArray) -> IdArray:
    """Select pairs one by one: chains in which each pair depends on the one before."""
    used_sources: set[int] = set()
    used_targets: set[int] = set()
    taken = []
    for index in left.tolist():
        source, target = int(sources[index]), int(targets[index])
        if source not in used_sources and target not in used_targets:
            used_sources.add(source)
            used_targets.add(target)
            taken.append(index)
    return np.array(taken, np.int64)
