"""Vectors for tests of mining, and neighbours by a slow reference."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.mining.exact_search import ExactSide, Neighbours, exact_cosines


def unit(vectors: NDArray[np.floating[Any]]) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / lengths, np.float32)


def two_sides(
    n: int, m: int, *, dim: int = 32, seed: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Make clusters, and in half of the targets a noisy copy of a source."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((7, dim))
    source = centres[random.integers(0, 7, n)] + random.standard_normal((n, dim))
    target = centres[random.integers(0, 7, m)] + random.standard_normal((m, dim))
    half = min(n, m) // 2
    target[:half] = source[:half] + 0.3 * random.standard_normal((half, dim))
    return unit(source), unit(target[random.permutation(m)])


def all_neighbours(side: ExactSide, other: ExactSide, k: int) -> Neighbours:
    """Score every pair in float32 and sort: equal scores by the other's place."""
    n, m = len(side), len(other)
    left = torch.arange(n).repeat_interleave(m)
    right = torch.arange(m).repeat(n)
    scores = exact_cosines(side, other, left, right).numpy().reshape(n, m)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return Neighbours(np.take_along_axis(scores, order, axis=1), order)
