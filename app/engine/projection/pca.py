"""Exact principal components of memory-mapped vectors, in one pass."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.mining.exact_search import ExactSide
from app.engine.projection.points import BLOCK, iterate_blocks, select_vectors
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report

STAGE, PROJECTING_STAGE = "Computing principal components", "Projecting sentences"


class Components(NamedTuple):
    """First principal components of vectors.

    Attributes:
        mean: float64 (d,).
        axes: float64 (c, d), orthonormal rows, largest variance first. The largest
            absolute value of each row is positive, for reproducible maps.
        shares: float64 (c,), shares of the variance, 0…1; 0 without variance.
    """

    mean: NDArray[np.float64]
    axes: NDArray[np.float64]
    shares: NDArray[np.float64]


def find_components(side: ExactSide, n_components: int, report: Report) -> Components:
    """Find the first principal components (Pearson 1901; Hotelling 1933).

    The covariance is summed by blocks in float64, with a provisional mean subtracted,
    which avoids cancellation for similar vectors; its eigenvectors are exact.

    Args:
        side: n vectors, n ≥ 1.
        n_components: number of components, at most the dimension.
    """
    n, dim = len(side), side.vectors.shape[1]
    first = select_vectors(side, slice(0, BLOCK)).mean(dim=0)
    total = torch.zeros(dim, dtype=torch.float64)
    moment = torch.zeros((dim, dim), dtype=torch.float64)
    for start, vectors in iterate_blocks(side):
        report.step(STAGE, start, n)
        moved = vectors - first
        total += moved.sum(dim=0, dtype=torch.float64)  # (b, d) -> (d,)
        moment += moved.T @ moved  # (d, b) x (b, d) -> (d, d)
    shift = total.numpy() / n
    covariance = moment.numpy() / n - np.outer(shift, shift)
    values, vectors_ = run_in_thread(lambda: np.linalg.eigh(covariance), report, STAGE)
    axes = vectors_.T[::-1][:n_components]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    values = np.maximum(values[::-1], 0)
    whole = values.sum()
    shares = values[:n_components] / whole if whole > 0 else values[:n_components] * 0
    mean = first.double().numpy() + shift
    return Components(mean, axes * np.where(largest < 0, -1, 1), shares)


def project_vectors(
    side: ExactSide, components: Components, report: Report
) -> FloatArray:
    """Return the coordinates of each vector: float32 (n, c)."""
    axes = torch.from_numpy(components.axes.T.astype(np.float32))  # (d, c)
    mean = torch.from_numpy(components.mean.astype(np.float32))
    found = np.empty((len(side), axes.shape[1]), np.float32)
    for start, vectors in iterate_blocks(side):
        report.step(PROJECTING_STAGE, start, len(side))
        found[start : start + len(vectors)] = ((vectors - mean) @ axes).numpy()
    report.step(PROJECTING_STAGE, len(side), len(side))
    return found
