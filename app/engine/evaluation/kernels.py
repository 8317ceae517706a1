"""Cosines of pairs of vectors, and the distances that stand for them."""

import numpy as np

from app.engine.statistics import FloatArray
from app.engine.store.arrays import FloatArray as VectorArray
from app.params.evaluation import DistanceName


def cosines_of(ones: VectorArray, others: VectorArray) -> FloatArray:
    """Give the cosine of each pair of unit vectors (n, d): float64 (n,), -1…1.

    A zero vector has the cosine 0 with every other (SentEval takes 0 for NaN as well).
    """
    found: FloatArray = np.einsum("nd,nd->n", ones, others, dtype=np.float64)
    return found.clip(-1, 1)


def angles_of(cosines: FloatArray) -> FloatArray:
    """Give −arccos of cosines, in radians (Chidambaram et al. 2019)."""
    return -distances_of(cosines, "angular")


def distances_of(cosines: FloatArray, distance: DistanceName) -> FloatArray:
    """Give distances of unit vectors by their cosines, of the same shape.

    angular: arccos, 0…π; euclidean: √(2 − 2 cos), 0…2; cosine: 1 − cos, 0…2.
    """
    within = cosines.clip(-1, 1)
    found: FloatArray = 1 - within
    if distance == "angular":
        found = np.arccos(within)
    if distance == "euclidean":
        found = np.sqrt(2 * found)
    return found
