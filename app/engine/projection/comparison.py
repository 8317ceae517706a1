"""Comparison of sentences' neighbours between the maps of two encoders."""

from typing import NamedTuple

import numpy as np
from torch import Tensor

from app.arrays import FloatArray, IdArray
from app.engine.project.project import Project
from app.engine.projection.stored_map import existing_ids, map_vectors, open_map
from app.engine.search.knn import top_k
from app.engine.statistics import Estimate, bootstrap_estimate
from app.errors import UserError
from app.protocol.queries.maps import CompareProjectionsQuery

SEED = 1
MAX_WORK = 10**12  # multiplications, which take seconds on two cores
MAX_QUERIES, MAX_POOL = 20_000, 200_000


class Comparison(NamedTuple):
    """Differences of neighbours between two encoders.

    Attributes:
        ids: int64 (n,), most changed first.
        shares: float32 (n,), share of common k nearest neighbours, 0…1.
        k: number of neighbours.
        n_shared: sentences that are on both maps.
        mean: mean share.
    """

    ids: IdArray
    shares: FloatArray
    k: int
    n_shared: int
    mean: Estimate


def compare_projections(project: Project, query: CompareProjectionsQuery) -> Comparison:
    """Compare the nearest neighbours of the sentences of two maps.

    For very many sentences, a sample is compared, with neighbours in a larger sample.

    Raises:
        UserError: a map or vectors were deleted, or the maps have fewer than three
            sentences in common.
    """
    one, other = open_map(project, query.one), open_map(project, query.other)
    shared = np.intersect1d(one.ids, other.ids, assume_unique=True)
    shared = existing_ids(one, existing_ids(other, shared))
    if len(shared) < 3:
        raise UserError(
            f"{one.row.name} and {other.row.name} have {len(shared):,} sentences in "
            "common. Compare maps of the same corpora."
        )
    draw = np.random.default_rng(SEED)
    pool = shared
    if len(shared) > MAX_POOL:
        pool = np.sort(draw.choice(shared, MAX_POOL, replace=False))
    sides = [map_vectors(project, shown, pool) for shown in (one, other)]
    indices = _sample_rows(len(pool), sides, draw)
    k = min(query.k, len(pool) - 1)
    neighbours = [_nearest(vectors, indices, k) for vectors in sides]
    shares = shared_neighbour_shares(neighbours[0], neighbours[1], len(pool))
    mean = bootstrap_estimate(lambda at: float(shares[at].mean()), len(shares))
    order = np.argsort(shares, kind="stable")
    return Comparison(pool[indices][order], shares[order], k, len(shared), mean)


def _sample_rows(n: int, sides: list[Tensor], draw: np.random.Generator) -> IdArray:
    """Return the rows to compare: all rows if that takes only seconds."""
    dim = sum(vectors.shape[1] for vectors in sides)
    n_queries = min(n, MAX_QUERIES, max(100, MAX_WORK // (2 * n * dim)))
    return np.sort(draw.choice(n, n_queries, replace=False))


def _nearest(vectors: Tensor, indices: IdArray, k: int) -> IdArray:
    """Return the k nearest neighbours of rows, without themselves: int64 (q, k)."""
    every = vectors.numpy()
    _, rows = top_k(every[indices], every, k + 1)
    is_own = rows == indices[:, None]
    is_own[~is_own.any(axis=1), -1] = True
    found: IdArray = rows[~is_own].reshape(len(indices), k)
    return found


def shared_neighbour_shares(ones: IdArray, others: IdArray, n: int) -> FloatArray:
    """Return the share of common neighbours of each row: float32 (q,)."""
    owners = np.arange(len(ones))[:, None] * n
    is_kept = np.isin(ones + owners, others + owners)
    shares: FloatArray = is_kept.mean(axis=1).astype(np.float32)  # (q, k) -> (q,)
    return shares
