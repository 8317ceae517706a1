"""Nearest centroid: the class whose mean vector is the most like the row."""

from typing import Any

import numpy as np

from app.engine.classify.heads.head import Arrays, Examples
from app.engine.store.arrays import FloatArray

SCALE = 10.0  # of cosines before softmax; calibration sets it right
NEVER = -1e4  # the score of a class without a row


class Centroids:
    """The mean direction of each class.

    Attributes:
        unit_vectors: float32 (c, f); a class without a row has zeros.
    """

    kind = "centroid"

    def __init__(self, unit_vectors: FloatArray):
        self.unit_vectors = unit_vectors

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> "Centroids":
        """Read what `arrays` gave."""
        return cls(arrays["unit_vectors"])

    def arrays(self) -> Arrays:
        """Give what is to be saved."""
        return {"unit_vectors": self.unit_vectors}

    def logits(self, features: FloatArray) -> FloatArray:
        """Give cosines times `SCALE`: float32 (n, f) -> float32 (n, c)."""
        cosines = _units(features) @ self.unit_vectors.T  # (n, f) -> (n, c)
        has_rows = self.unit_vectors.any(axis=1)
        return np.where(has_rows, SCALE * cosines, NEVER).astype(np.float32)


def fit_centroids(examples: Examples) -> Centroids:
    """Take the mean of each class's rows."""
    sums = np.zeros((examples.n_classes, examples.features.shape[1]), np.float32)
    for one in range(examples.n_classes):
        sums[one] = examples.features[examples.classes == one].sum(axis=0)
    return Centroids(_units(sums))


def _units(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
