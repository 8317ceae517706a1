"""Heads by distance: nearest centroid and k nearest neighbours."""

from typing import Any

import numpy as np

from app.arrays import FloatArray, IntArray
from app.engine.heads.base import Arrays, Examples

SCALE = 10.0  # factor of cosines before softmax, later corrected by calibration
NEVER = -1e4  # score of a class without rows


class Centroids:
    """Mean direction of each class.

    Attributes:
        unit_vectors: float32 (c, f), zeros for a class without rows.
    """

    kind = "centroid"

    def __init__(self, unit_vectors: FloatArray):
        self.unit_vectors = unit_vectors

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> "Centroids":
        """Make a head from the arrays of `arrays`."""
        return cls(arrays["unit_vectors"])

    def arrays(self) -> Arrays:
        """Return the arrays to save."""
        return {"unit_vectors": self.unit_vectors}

    def logits(self, features: FloatArray) -> FloatArray:
        """Return cosines times `SCALE`: float32 (n, f) -> float32 (n, c)."""
        cosines = _units(features) @ self.unit_vectors.T  # (n, f) -> (n, c)
        has_rows = self.unit_vectors.any(axis=1)
        return np.where(has_rows, SCALE * cosines, NEVER).astype(np.float32)


def fit_centroids(examples: Examples) -> Centroids:
    """Compute the mean of each class's rows."""
    sums = np.zeros((examples.n_classes, examples.features.shape[1]), np.float32)
    for one in range(examples.n_classes):
        sums[one] = examples.features[examples.classes == one].sum(axis=0)
    return Centroids(_units(sums))


def _units(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


SMALLEST_SHARE = 1e-3  # of votes, so that no class has probability 0


class NearestNeighbours:
    """Training rows for nearest neighbours.

    Attributes:
        unit_vectors: float32 (n, f).
        classes: int64 (n,).
        n_classes: c.
        k: number of neighbours that vote.
    """

    kind = "knn"

    def __init__(
        self, unit_vectors: FloatArray, classes: IntArray, n_classes: int, k: int
    ):
        self.unit_vectors, self.classes = unit_vectors, classes
        self.n_classes, self.k = n_classes, min(k, len(classes))

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> "NearestNeighbours":
        """Make a head from the arrays of `arrays`."""
        n_classes, k = arrays["sizes"].astype(np.int64).tolist()
        classes = arrays["classes"].astype(np.int64)
        return cls(arrays["unit_vectors"], classes, n_classes, k)

    def arrays(self) -> Arrays:
        """Return the arrays to save."""
        return {
            "unit_vectors": self.unit_vectors,
            "classes": self.classes.astype(np.float32),  # exact below 2^24
            "sizes": np.array([self.n_classes, self.k], np.float32),
        }

    def logits(self, features: FloatArray) -> FloatArray:
        """Return the logarithms of the vote shares of the classes, (n, f) -> (n, c)."""
        from app.engine.search.knn import top_k

        _, nearest = top_k(features, self.unit_vectors, self.k)
        votes = np.zeros((len(features), self.n_classes), np.float32)
        rows = np.arange(len(features))
        for index in range(self.k):
            votes[rows, self.classes[nearest[:, index]]] += 1
        return np.log(np.maximum(votes / self.k, SMALLEST_SHARE))


def fit_neighbours(examples: Examples, k: int) -> NearestNeighbours:
    """Store all rows, normalised to length 1."""
    lengths = np.linalg.norm(examples.features, axis=1, keepdims=True)
    units = examples.features / np.where(lengths > 0, lengths, 1)
    return NearestNeighbours(
        units.astype(np.float32), examples.classes, examples.n_classes, k
    )
