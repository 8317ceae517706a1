"""Exact float32 cosines and nearest neighbours."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.arrays import FloatArray, IdArray
from app.engine.mining.rounding import score_error_bound
from app.engine.mining.top_k import RoughHits
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.engine.search.knn import NO_NEIGHBOUR

PAIRS = 8_192  # per step, so that their vectors stay in the cache


class ExactSide(NamedTuple):
    """The unrounded vectors of one side.

    Attributes:
        vectors: float32 (m, d), rows of length 1; may be mapped.
        rows: int64 (n,), participating rows; None: all.
    """

    vectors: FloatArray
    rows: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """Return the number of participating rows."""
        return len(self.vectors) if self.rows is None else len(self.rows)


class Neighbours(NamedTuple):
    """The nearest rows on the other side.

    Attributes:
        scores: float32 (n, k), cosine -1…1, descending; -inf: no neighbour.
        rows: int64 (n, k), indices on the other side; -1: no neighbour.
    """

    scores: FloatArray
    rows: NDArray[np.int64]


def exact_cosines(
    left: ExactSide, right: ExactSide, left_ids: Tensor, right_ids: Tensor
) -> Tensor:
    """Return the cosine of pairs: float32 (m,), on the CPU.

    Each row is summed in the same order, so that the position of a pair has no effect.

    Args:
        left_ids: int64 (m,), indices among the participating rows.
        right_ids: int64 (m,).
    """
    left_rows, right_rows = (
        _vectors_of_rows(left, left_ids),
        _vectors_of_rows(right, right_ids),
    )
    left_all = torch.from_numpy(left.vectors)
    right_all = torch.from_numpy(right.vectors)
    cosines = torch.empty(len(left_rows))
    for start in range(0, len(left_rows), PAIRS):
        end = start + PAIRS
        product = left_all.index_select(0, left_rows[start:end])
        product.mul_(right_all.index_select(0, right_rows[start:end]))
        cosines[start:end] = product.sum(dim=1)  # (m, d) -> (m,)
    return cosines


def nearest_of(
    events: RoughHits, cosines: Tensor, n: int, k: int
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return the k nearest others of each of n owners; ties by index.

    Args:
        events: pairs of owner and other, in any order.
        cosines: float32 (e,), exact scores of the pairs.
        n: number of owners.
        k: number of neighbours per owner.

    Returns:
        scores: float32 (n, k), descending, -inf for missing neighbours; rows: int64 (n,
        k), -1 for missing neighbours.
    """
    owners, others = events.owners.cpu().numpy(), events.others.cpu().numpy()
    values = cosines.numpy()
    order = np.lexsort((others, -values, owners))
    owners = owners[order]
    starts = np.searchsorted(owners, owners)  # (e,), start of each owner's events
    ranks = np.arange(len(owners)) - starts
    is_near = ranks < k
    scores = np.full((n, k), -np.inf, np.float32)
    rows = np.full((n, k), NO_NEIGHBOUR, np.int64)
    index = owners[is_near], ranks[is_near]
    scores[index] = values[order[is_near]]
    rows[index] = others[order[is_near]]
    return scores, rows


def _vectors_of_rows(side: ExactSide, ids: Tensor) -> Tensor:
    ids = ids.cpu()
    return ids if side.rows is None else torch.from_numpy(side.rows)[ids]


EXACT_STAGE = "Searching again"
ROWS, COLUMNS = 128, 16_384  # per step: 8 MB of scores


def search_given_up_rows(
    side: ExactSide, other: ExactSide, found: Neighbours, report: Report
) -> None:
    """Search in float32 the rows that the pass gave up, which have no neighbours yet.

    A row is given up if many others are about equally near, mostly because these are
    equal. Equal rows are therefore searched only once, and only the first k of equal
    others are compared.

    Args:
        other: the side to search.
        found: neighbours of all rows of `side`; missing ones are filled in.
    """
    indices = np.nonzero(found.rows[:, 0] == NO_NEIGHBOUR)[0]
    if not len(indices):
        return
    k = found.rows.shape[1]
    near = exact_neighbours(side, other, (indices, k), report, stage=EXACT_STAGE)
    found.scores[indices], found.rows[indices] = near


def exact_neighbours(
    side: ExactSide,
    other: ExactSide,
    wanted: tuple[IdArray, int],
    report: Report,
    *,
    stage: str,
) -> Neighbours:
    """Find the k nearest of some rows in float32.

    Args:
        other: the side to search.
        wanted: int64 (p,), indices on `side`, and k, at most the size of `other`.
        stage: progress stage to report.
    """
    places, k = wanted
    first, equals = _equal_rows(side, places)
    rivals = run_in_thread(lambda: _first_of_equals(other, k), report, stage)
    searched = places[first]
    parts = []
    for start in range(0, len(searched), ROWS):
        step = partial(report.step, stage, start, len(searched))
        some = searched[start : start + ROWS]
        events = _near_some((side, some), (other, rivals), k, step)
        owners = torch.from_numpy(some)[events.owners]
        cosines = exact_cosines(side, other, owners, events.others)
        parts.append(nearest_of(events, cosines, len(some), k))
    scores, rows = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Neighbours(scores[equals], rows[equals])


def _near_some(
    searched: tuple[ExactSide, IdArray],
    rivals: tuple[ExactSide, IdArray],
    k: int,
    step: Callable[[], None],
) -> RoughHits:
    """Find all candidates for the k nearest of some rows, despite summation errors.

    Args:
        searched: a side and indices on it; owners are indices into these.
        rivals: the other side and indices on it.
        k: number of neighbours per row.
        step: called for every part.
    """
    own = torch.from_numpy(_vectors_at(*searched))
    side, all_places = rivals
    error = 2 * score_error_bound("float32", own.shape[1])
    best = torch.full((len(own), k), -torch.inf)
    found: list[RoughHits] = []
    for start in range(0, len(all_places), COLUMNS):
        step()
        places = all_places[start : start + COLUMNS]
        stored = torch.from_numpy(_vectors_at(side, places))
        scores = own @ stored.T  # (b, d) x (d, n) -> (b, n)
        n_best = min(k, len(places))
        together = torch.cat([best, scores.topk(n_best, dim=1).values], dim=1)
        best = together.topk(k, dim=1).values
        owners, others = (scores >= best[:, -1:] - error).nonzero(as_tuple=True)
        found.append(
            RoughHits(owners, torch.from_numpy(places)[others], scores[owners, others])
        )
    events = RoughHits(*(torch.cat(columns) for columns in zip(*found, strict=True)))
    is_near = events.scores >= best[events.owners, -1] - error
    return RoughHits(*(column[is_near] for column in events))


def _equal_rows(side: ExactSide, indices: IdArray) -> tuple[IdArray, IdArray]:
    """Return the first row of each distinct vector, and the vector of each row."""
    keys = _content_keys(side, indices)
    _, first, equals = np.unique(keys, return_index=True, return_inverse=True)
    return first, equals


def _first_of_equals(side: ExactSide, k: int) -> IdArray:
    """Return the indices of a side, with only the first k of equal vectors."""
    keys = _content_keys(side, np.arange(len(side)))
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    ranks = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    return np.sort(order[ranks < k])


def _content_keys(side: ExactSide, indices: IdArray) -> NDArray[np.uint64]:
    """Hash vectors: equal vectors have equal keys, and others almost surely not.

    A sum of 64 bits with random odd factors: any two of a million different vectors
    collide with a probability of about 3e-8.
    """
    random = np.random.default_rng(0)
    dim = side.vectors.shape[1]
    factors = random.integers(0, 2**63, dim, np.uint64) * np.uint64(2) + np.uint64(1)
    keys = np.empty(len(indices), np.uint64)
    for start in range(0, len(indices), COLUMNS):
        vectors = _vectors_at(side, indices[start : start + COLUMNS])
        bits = (vectors + np.float32(0)).view(np.uint32)  # zeros of either sign
        mixed = bits.astype(np.uint64) * factors  # (n, d)
        mixed ^= mixed >> np.uint64(29)
        keys[start : start + len(bits)] = mixed.sum(axis=1, dtype=np.uint64)
    return keys


def _vectors_at(side: ExactSide, indices: IdArray) -> FloatArray:
    rows = indices if side.rows is None else side.rows[indices]
    vectors: FloatArray = np.asarray(side.vectors[rows], np.float32)
    return vectors
