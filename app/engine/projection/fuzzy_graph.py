"""Fuzzy graph of nearest neighbours for UMAP.

McInnes, Healy and Melville 2018, "UMAP: Uniform Manifold Approximation and Projection
for Dimension Reduction" (arXiv 1802.03426), section 3.1 and Algorithms 1 to 3.
"""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.arrays import FloatArray
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.engine.search.knn import NO_NEIGHBOUR

STAGE = "Weighting neighbours"
N_HALVINGS = 64  # of the interval that contains a bandwidth
TOLERANCE = 1e-5  # tolerance of the sum of a point's memberships
LOWEST_BANDWIDTH = 1e-3  # times the mean distance, as in the authors' code
EQUAL = 2e-6  # smaller cosine distances are rounding errors of float32
BLOCK = 65_536  # points at a time


class FuzzyEdges(NamedTuple):
    """Edges between m distinct pairs of points.

    Attributes:
        heads, tails: int32 (m,), indices of points, head < tail.
        weights: float32 (m,), memberships, above 0 and at most 1.
    """

    heads: NDArray[np.int32]
    tails: NDArray[np.int32]
    weights: FloatArray


def smooth_distances(distances: Tensor) -> tuple[Tensor, Tensor]:
    """Find each point's distance to its nearest other point, and its bandwidth.

    With the bandwidth sigma, the memberships exp(-max(0, d - rho) / sigma) of a point's
    k neighbours sum to log2 k (section 3.1, Algorithm 3); found by bisection for all
    points at once.

    Args:
        distances: float32 (n, k), ascending; inf: no neighbour.

    Returns:
        rho: float32 (n,), smallest distance above 0; 0 if there is none. sigma: float32
        (n,).
    """
    positive = torch.where(distances > 0, distances, torch.inf)
    rho = positive.amin(dim=1)  # (n, k) -> (n,)
    rho = torch.where(rho.isinf(), 0.0, rho)
    beyond = (distances - rho[:, None]).clamp_min(0)
    target = math.log2(distances.shape[1])
    low = torch.zeros_like(rho)
    high = torch.full_like(rho, torch.inf)
    sigma = torch.ones_like(rho)
    for _ in range(N_HALVINGS):
        found = torch.exp(-beyond / sigma[:, None]).sum(dim=1)  # (n, k) -> (n,)
        if bool(((found - target).abs() < TOLERANCE).all()):
            break
        is_wide = found > target
        high = torch.where(is_wide, sigma, high)
        low = torch.where(is_wide, low, sigma)
        sigma = torch.where(high.isinf(), 2 * sigma, (low + high) / 2)
    finite = distances.isfinite()
    known = torch.where(finite, distances, 0.0)
    means = known.sum(dim=1) / finite.sum(dim=1).clamp_min(1)
    floor = torch.where(rho > 0, means, known.sum() / finite.sum().clamp_min(1))
    return rho, torch.maximum(sigma, LOWEST_BANDWIDTH * floor)


def memberships(distances: Tensor) -> Tensor:
    """Return the membership of each neighbour: float32 (n, k), 0…1."""
    rho, sigma = smooth_distances(distances)
    beyond = distances - rho[:, None]
    # 0 / 0 if all neighbours equal their point
    found = torch.exp(-beyond / sigma.clamp_min(1e-30)[:, None])
    return torch.where(beyond <= 0, 1.0, found)


def fuzzy_graph(
    cosines: FloatArray, rows: NDArray[np.int64], report: Report
) -> FuzzyEdges:
    """Weight neighbours, and merge the two directions of each pair.

    Args:
        cosines: float32 (n, k), descending; the distance is 1 − cosine.
        rows: int64 (n, k), neighbours, without the point itself; -1: no neighbour.
    """
    n, k = rows.shape
    weights = np.empty((n, k), np.float32)
    for start in range(0, n, BLOCK):
        report.step(STAGE, start, n)
        part = 1 - torch.from_numpy(np.array(cosines[start : start + BLOCK]))
        distances = torch.where(part < EQUAL, 0.0, part)
        weights[start : start + BLOCK] = memberships(distances).numpy()
    return run_in_thread(partial(fuzzy_union, weights, rows), report, STAGE)


def fuzzy_union(weights: FloatArray, rows: NDArray[np.int64]) -> FuzzyEdges:
    """Merge the memberships of both directions: a + b - a b (Algorithm 1).

    Args:
        weights: float32 (n, k), 0…1, memberships of each point's neighbours.
        rows: int64 (n, k), neighbours; -1: no neighbour.
    """
    n, k = rows.shape
    points = np.repeat(np.arange(n), k)
    others, flat = rows.ravel(), weights.ravel()
    is_edge = (others != NO_NEIGHBOUR) & (flat > 0)
    points, others, flat = points[is_edge], others[is_edge], flat[is_edge]
    keys = np.minimum(points, others) * n + np.maximum(points, others)
    order = np.argsort(keys, kind="stable")
    keys, flat = keys[order], flat[order]
    is_first = np.ones(len(keys), np.bool_)
    is_first[1:] = keys[1:] != keys[:-1]
    firsts = np.nonzero(is_first)[0]
    one = flat[firsts]
    has_second = np.append(~is_first, False)[firsts + 1]
    two = np.where(has_second, flat[np.minimum(firsts + 1, len(flat) - 1)], 0)
    heads, tails = np.divmod(keys[firsts], n)
    return FuzzyEdges(
        heads.astype(np.int32),
        tails.astype(np.int32),
        (one + two - one * two).astype(np.float32),
    )
