"""Neighbour preservation of a map, measured on a sample."""

from typing import NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.arrays import FloatArray, IdArray
from app.engine.mining.exact_search import ExactSide
from app.engine.projection.points import BLOCK, iterate_blocks, select_vectors
from app.engine.runtime.report import Report
from app.engine.statistics import bootstrap_estimate

STAGE = "Measuring the map"
K = 15  # neighbours on the map
SAMPLES = ((20_000, 1_000), (200_000, 500))  # up to this many points, this sample size
SMALL_SAMPLE = 300  # sample size for more points
QUERIES = 100  # at a time, for 6 MB of scores per block of points


class MapQuality(msgspec.Struct, frozen=True, kw_only=True):
    """Quality of a map.

    Attributes:
        k: number of nearest neighbours.
        n: points in the sample; neighbours are searched among all points.
        kept: share of the k nearest by cosine that are also among the k nearest on the
            map.
        kept_interval: 95 %, bootstrap over the points.
        trustworthiness: 0…1, closeness by cosine of the k nearest on the map (Venna and
            Kaski 2001, "Neighborhood preservation in nonlinear projection methods",
            equation 1).
        trustworthiness_interval: 95 %, bootstrap over the points.
    """

    k: int
    n: int
    kept: float
    kept_interval: tuple[float, float]
    trustworthiness: float
    trustworthiness_interval: tuple[float, float]


class _Shares(NamedTuple):
    """Measures of each point of the sample: float64 (s,)."""

    kept: NDArray[np.float64]
    trusted: NDArray[np.float64]


def measure_map(
    side: ExactSide, xy: FloatArray, *, seed: int, report: Report
) -> MapQuality | None:
    """Measure a map; None if there are too few points to have non-neighbours.

    Args:
        side: n vectors of length 1.
        xy: float32 (n, 2).
    """
    n = len(side)
    k = min(K, (n - 1) // 2)
    if k < 1:
        return None
    size = next((size for most, size in SAMPLES if n <= most), SMALL_SAMPLE)
    n_sample = min(n, size)
    sample = np.random.default_rng(seed).choice(n, n_sample, replace=False)
    parts = []
    for start in range(0, n_sample, QUERIES):
        some = sample[start : start + QUERIES]
        near = _near_on_map(torch.from_numpy(xy), some, k)
        ranks = _ranks(side, some, near, (start, n_sample), report)
        beyond = (ranks - k).clamp_min(0).sum(dim=1).double()  # (q, k) -> (q,)
        trusted = 1 - 2 * beyond / (k * (2 * n - 3 * k - 1))
        kept = (ranks <= k).double().mean(dim=1)
        parts.append(_Shares(kept.numpy(), trusted.numpy()))
    report.step(STAGE, n_sample, n_sample)
    kept_all, trusted_all = (np.concatenate(part) for part in zip(*parts, strict=True))
    kept_mean = bootstrap_estimate(lambda at: float(kept_all[at].mean()), n_sample)
    trust = bootstrap_estimate(lambda at: float(trusted_all[at].mean()), n_sample)
    return MapQuality(
        k=k,
        n=n_sample,
        kept=kept_mean.value,
        kept_interval=(kept_mean.low, kept_mean.high),
        trustworthiness=trust.value,
        trustworthiness_interval=(trust.low, trust.high),
    )


def _near_on_map(xy: Tensor, some: IdArray, k: int) -> Tensor:
    """Find the k nearest of some points on the map: int64 (q, k)."""
    own = xy[torch.from_numpy(some)]
    best = torch.empty((len(some), 0))
    rows = torch.empty((len(some), 0), dtype=torch.int64)
    for start in range(0, len(xy), BLOCK):
        part = xy[start : start + BLOCK]
        squared = (own[:, None] - part[None]).square().sum(dim=2)  # -> (q, b)
        _leave_out(squared, some - start, torch.inf)
        found = squared.topk(min(k, len(part)), dim=1, largest=False)
        best = torch.cat([best, found.values], dim=1)
        rows = torch.cat([rows, found.indices + start], dim=1)
        order = best.topk(min(k, best.shape[1]), dim=1, largest=False)
        best, rows = order.values, rows.gather(1, order.indices)
    return rows


def _ranks(
    side: ExactSide,
    some: IdArray,
    near: Tensor,
    place: tuple[int, int],
    report: Report,
) -> Tensor:
    """Rank points near on the map by cosine: int64 (q, k), 1 is the nearest.

    Ties have the same rank.
    """
    own = select_vectors(side, some)
    n_queries, k = near.shape
    others = select_vectors(side, near.reshape(-1).numpy()).view(n_queries, k, -1)
    cosines = torch.einsum("qd,qkd->qk", own, others)
    bounds = cosines.sort(dim=1)
    above = torch.zeros((n_queries, k + 1), dtype=torch.int64)
    for start, vectors in iterate_blocks(side):
        report.step(STAGE, place[0], place[1])
        scores = own @ vectors.T  # (q, d) x (d, b) -> (q, b)
        _leave_out(scores, some - start, -torch.inf)
        # number of bounds below each score, with a tolerance for summation
        indices = torch.searchsorted(bounds.values + 1e-6, scores)
        above.scatter_add_(1, indices, torch.ones_like(indices))
    # a score above the j-th bound is above at least j + 1 bounds
    over = above.flip(1).cumsum(1).flip(1)[:, 1:]
    ranks = torch.empty_like(over)
    ranks.scatter_(1, bounds.indices, over + 1)
    return ranks


def _leave_out(scores: Tensor, columns: IdArray, value: float) -> None:
    """Set a value where a row is the point itself."""
    is_here = (columns >= 0) & (columns < scores.shape[1])
    rows = torch.from_numpy(np.nonzero(is_here)[0])
    scores[rows, torch.from_numpy(columns[is_here])] = value
