"""The k nearest training rows vote."""

from typing import Any

import numpy as np

from app.engine.classify.heads.head import Arrays, Examples, IntArray
from app.engine.store.arrays import FloatArray

SMALLEST_SHARE = 1e-3  # of votes, so that no class is impossible


class Neighbours:
    """The training rows.

    Attributes:
        unit_vectors: float32 (n, f).
        classes: int64 (n,).
        n_classes: c.
        k: how many vote.
    """

    kind = "knn"

    def __init__(
        self, unit_vectors: FloatArray, classes: IntArray, n_classes: int, k: int
    ):
        self.unit_vectors, self.classes = unit_vectors, classes
        self.n_classes, self.k = n_classes, min(k, len(classes))

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> "Neighbours":
        """Read what `arrays` gave."""
        n_classes, k = arrays["sizes"].astype(np.int64).tolist()
        classes = arrays["classes"].astype(np.int64)
        return cls(arrays["unit_vectors"], classes, n_classes, k)

    def arrays(self) -> Arrays:
        """Give what is to be saved."""
        return {
            "unit_vectors": self.unit_vectors,
            "classes": self.classes.astype(np.float32),  # exact below 2^24
            "sizes": np.array([self.n_classes, self.k], np.float32),
        }

    def logits(self, features: FloatArray) -> FloatArray:
        """Give the logarithms of the classes' shares of the votes, (n, f) -> (n, c)."""
        from app.engine.search.knn import top_k

        _, nearest = top_k(features, self.unit_vectors, self.k)
        votes = np.zeros((len(features), self.n_classes), np.float32)
        rows = np.arange(len(features))
        for place in range(self.k):
            votes[rows, self.classes[nearest[:, place]]] += 1
        return np.log(np.maximum(votes / self.k, SMALLEST_SHARE))


def keep_neighbours(examples: Examples, k: int) -> Neighbours:
    """Keep all rows, each of length 1."""
    lengths = np.linalg.norm(examples.features, axis=1, keepdims=True)
    units = examples.features / np.where(lengths > 0, lengths, 1)
    return Neighbours(units.astype(np.float32), examples.classes, examples.n_classes, k)
