"""What every head keeps to, and what heads are trained on."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from app.engine.store.arrays import FloatArray

IntArray = NDArray[np.int64]
Arrays = dict[str, NDArray[np.float32]]


class Head(Protocol):
    """A trained head: features in, one score a class out.

    Attributes:
        kind: names the class that reads its arrays again.
    """

    kind: str

    def logits(self, features: FloatArray) -> FloatArray:
        """Score rows: float32 (n, f) -> float32 (n, c); softmax makes probabilities."""

    def arrays(self) -> Arrays:
        """Give what is to be saved."""


class Examples(NamedTuple):
    """Labelled rows.

    Attributes:
        features: float32 (n, f).
        classes: int64 (n,), 0…c-1.
        n_classes: c.
        groups: int64 (n,), one number for rows that say the same; None: no two do.
    """

    features: FloatArray
    classes: IntArray
    n_classes: int
    groups: IntArray | None = None

    def part(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Examples":
        """Give some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return Examples(self.features[rows], self.classes[rows], self.n_classes, groups)

    def __repr__(self) -> str:
        """Say how many there are."""
        return f"Examples({len(self.classes)} rows, {self.n_classes} classes)"


def softmax(logits: FloatArray) -> FloatArray:
    """Make probabilities of scores: float32 (n, c), rows of sum 1."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    powers = np.exp(shifted)
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares


def class_weights(
    classes: IntArray, n_classes: int, *, is_balanced: bool
) -> FloatArray:
    """Weigh classes by n / (c n_class), so that each counts alike, or all by 1.

    Returns:
        float32 (c,); a class without a row weighs nothing.
    """
    counts = np.bincount(classes, minlength=n_classes)
    if not is_balanced:
        return np.ones(n_classes, np.float32)
    weights = len(classes) / (np.count_nonzero(counts) * np.maximum(counts, 1))
    return np.where(counts > 0, weights, 0).astype(np.float32)
