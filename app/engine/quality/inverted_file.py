"""Approximate nearest neighbours by an inverted file: only nearby lists are searched.

Each stored vector is in the list of its nearest centre, and a query searches the lists
of its nearest centres: the coarse quantiser of an inverted file (Jégou et al. 2011,
"Product quantization for nearest neighbor search", section IV). Queries are processed
list by list, so that a list and all its queries are one matrix product of a few
milliseconds, between which a cancel is checked.
"""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from app.arrays import IdArray
from app.engine.mining.exact_search import ExactSide, Neighbours
from app.engine.projection.points import select_vectors
from app.engine.runtime.report import Report
from app.engine.search.knn import NO_NEIGHBOUR

BUILD_STAGE, SEARCH_STAGE = "Making lists", "Comparing within lists"
TRAINED_EACH, MAX_TRAINED = 20, 65_536  # vectors to train the centres
N_ROUNDS = 4
BLOCK = 2_048  # vectors per step
CHUNK = 131_072  # queries per step
ROWS, COLUMNS = 4_096, 4_096  # maximum size of a product: 64 MB


class InvertedFile(NamedTuple):
    """Stored vectors in lists.

    Attributes:
        stored: n vectors.
        centres: float32 (c, d), rows of length 1.
        order: int64 (n,), indices of the stored vectors, list by list.
        starts: int64 (c + 1,), start of each list in `order`.
    """

    stored: ExactSide
    centres: Tensor
    order: IdArray
    starts: IdArray

    def list_of(self, indices: IdArray) -> IdArray:
        """Return the lists of stored vectors, int64 (m,), by index (m,)."""
        where = np.empty(len(self.order), np.int64)
        where[self.order] = np.arange(len(self.order))
        found: IdArray = np.searchsorted(self.starts, where[indices], side="right") - 1
        return found


def build_inverted_file(
    stored: ExactSide, *, seed: int, report: Report
) -> InvertedFile:
    """Assign vectors to 4 √n lists, as recommended by faiss."""
    n = len(stored)
    n_lists = max(1, min(int(4 * math.sqrt(n)), n // TRAINED_EACH))
    draw = np.random.default_rng(seed)
    n_trained = min(n, max(n_lists, min(TRAINED_EACH * n_lists, MAX_TRAINED)))
    chosen = np.sort(draw.choice(n, n_trained, replace=False))
    sample = select_vectors(stored, chosen)
    centres = sample[torch.from_numpy(draw.permutation(n_trained)[:n_lists])].clone()
    for turn in range(N_ROUNDS):
        centres = _updated_centres(centres, sample, turn, report)
    nearest = np.empty(n, np.int64)
    for start in range(0, n, BLOCK):
        report.step(BUILD_STAGE, start, n)
        vectors = select_vectors(stored, slice(start, start + BLOCK))
        closest = (vectors @ centres.T).argmax(dim=1)  # (b, d) x (d, c) -> (b,)
        nearest[start : start + len(vectors)] = closest.numpy()
    order = np.argsort(nearest, kind="stable")
    starts = np.searchsorted(nearest[order], np.arange(n_lists + 1))
    return InvertedFile(stored, centres, order, starts)


def search_inverted_file(
    lists: InvertedFile,
    queries: ExactSide,
    wanted: tuple[int, float, int],
    report: Report,
) -> Neighbours:
    """Find the nearest vectors of queries in their nearest lists.

    Args:
        lists: lists of the stored vectors.
        queries: m vectors.
        wanted: k, the minimum cosine, and the number of lists to search.

    Returns:
        (m, k), -1 for missing neighbours.
    """
    k, floor, width = wanted
    m = len(queries)
    scores = np.full((m, k), -np.inf, np.float32)
    rows = np.full((m, k), NO_NEIGHBOUR, np.int64)
    for start in range(0, m, CHUNK):
        indices = np.arange(start, min(start + CHUNK, m))
        own = select_vectors(queries, indices)
        best = _Best(len(indices), k, floor)
        owners, bounds = _queries_by_list(lists, own, width, report, (start, m))
        n_lists = len(lists.centres)
        for one in range(n_lists):
            share = int(len(indices) * one / n_lists)
            report.step(SEARCH_STAGE, start + share, m)
            members = lists.order[lists.starts[one] : lists.starts[one + 1]]
            who = owners[bounds[one] : bounds[one + 1]]
            _compare(lists.stored, (members, own, who), best, report)
        scores[indices], rows[indices] = best.scores.numpy(), best.rows.numpy()
    report.step(SEARCH_STAGE, m, m)
    return Neighbours(scores, rows)


def count_lists_needed(
    lists: InvertedFile, queries: ExactSide, pairs: tuple[IdArray, IdArray]
) -> IdArray:
    """Return how many lists a query must search to find a stored vector: int64 (p,).

    Args:
        lists: of the stored vectors.
        queries: m vectors.
        pairs: int64 (p,) each, indices of queries and of stored vectors.
    """
    own = select_vectors(queries, pairs[0])
    cosines = own @ lists.centres.T  # (p, d) x (d, c) -> (p, c)
    its = torch.from_numpy(lists.list_of(pairs[1]))
    needed = (cosines >= cosines.gather(1, its[:, None])).sum(dim=1)  # (p, c) -> (p,)
    found: IdArray = needed.numpy()
    return found


class _Best:
    """The k nearest of some queries so far, ignoring scores below a floor."""

    def __init__(self, n: int, k: int, floor: float):
        self.scores = torch.full((n, k), -torch.inf)
        self.rows = torch.full((n, k), NO_NEIGHBOUR, dtype=torch.int64)
        self._lowest = torch.full((n,), floor)

    def add(self, who: Tensor, members: Tensor, scores: Tensor) -> None:
        """Add the scores (q, s) of some queries with some stored vectors."""
        hits = (scores.amax(dim=1) >= self._lowest[who]).nonzero()[:, 0]
        if not len(hits):
            return
        who, scores = who[hits], scores[hits]
        k = self.scores.shape[1]
        near = scores.topk(min(k, scores.shape[1]), dim=1)
        values = near.values
        values[values < self._lowest[who][:, None]] = -torch.inf
        values = torch.cat([self.scores[who], values], dim=1)
        rows = torch.cat([self.rows[who], members[near.indices]], dim=1)
        best = values.topk(k, dim=1)
        self.scores[who] = best.values
        rows = rows.gather(1, best.indices)
        self.rows[who] = rows.masked_fill(best.values == -torch.inf, NO_NEIGHBOUR)
        self._lowest[who] = torch.maximum(self._lowest[who], best.values[:, -1])


def _compare(
    stored: ExactSide,
    of_list: tuple[IdArray, Tensor, IdArray],
    best: _Best,
    report: Report,
) -> None:
    """Compare a list (members and vectors) with the queries that search it."""
    members, own, who = of_list
    for first in range(0, len(members), COLUMNS):
        some = members[first : first + COLUMNS]
        vectors = select_vectors(stored, some)
        ids = torch.from_numpy(some)
        for start in range(0, len(who), ROWS):
            if start or first:
                report.step(SEARCH_STAGE, 0, 0)
            rows = torch.from_numpy(who[start : start + ROWS])
            best.add(rows, ids, own[rows] @ vectors.T)  # (q, d) x (d, s) -> (q, s)


def _queries_by_list(
    lists: InvertedFile, own: Tensor, width: int, report: Report, place: tuple[int, int]
) -> tuple[IdArray, IdArray]:
    """Return the queries of each list, list by list, and the start of each list."""
    n_lists = len(lists.centres)
    width = min(width, n_lists)
    # 16-bit values are sorted by radix sort, ten times as fast.
    kind = np.int16 if n_lists <= np.iinfo(np.int16).max else np.int32
    chosen = np.empty((len(own), width), kind)
    for start in range(0, len(own), BLOCK):
        report.step(SEARCH_STAGE, *place)
        cosines = own[start : start + BLOCK] @ lists.centres.T
        near = cosines.topk(width, dim=1, sorted=False).indices
        chosen[start : start + len(near)] = near.numpy()
    flat = chosen.ravel()
    order = np.argsort(flat, kind="stable")
    bounds = np.searchsorted(flat[order], np.arange(n_lists + 1))
    return order // width, bounds


def _updated_centres(
    centres: Tensor, sample: Tensor, turn: int, report: Report
) -> Tensor:
    """Move each centre to the mean direction of its nearest vectors."""
    sums = torch.zeros_like(centres)
    for start in range(0, len(sample), BLOCK):
        report.step(BUILD_STAGE, 0, 0, f"round {turn + 1} of {N_ROUNDS}")
        part = sample[start : start + BLOCK]
        sums.index_add_(0, (part @ centres.T).argmax(dim=1), part)
    lengths = sums.norm(dim=1, keepdim=True)
    return torch.where(lengths > 1e-12, sums / lengths.clamp_min(1e-12), centres)
