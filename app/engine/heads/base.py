"""The head protocol, training examples, class weights and linear layers."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray, IntArray

Arrays = dict[str, NDArray[np.float32]]


class Head(Protocol):
    """A trained head: returns one score per class for features.

    Attributes:
        kind: name of the class that loads its arrays.
    """

    kind: str

    def logits(self, features: FloatArray) -> FloatArray:
        """Score rows: float32 (n, f) -> float32 (n, c), logits of a softmax."""

    def arrays(self) -> Arrays:
        """Return the arrays to save."""


class Examples(NamedTuple):
    """Labelled rows.

    Attributes:
        features: float32 (n, f).
        classes: int64 (n,), 0…c-1.
        n_classes: c.
        groups: int64 (n,), a number shared by rows with the same meaning; None: all
            differ.
    """

    features: FloatArray
    classes: IntArray
    n_classes: int
    groups: IntArray | None = None

    def part(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Examples":
        """Return some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return Examples(self.features[rows], self.classes[rows], self.n_classes, groups)

    def __repr__(self) -> str:
        """Return the number of rows."""
        return f"Examples({len(self.classes)} rows, {self.n_classes} classes)"


def softmax(logits: FloatArray) -> FloatArray:
    """Return probabilities: float32 (n, c), rows of sum 1."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    powers = np.exp(shifted)
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares


def class_weights(
    classes: IntArray, n_classes: int, *, is_balanced: bool
) -> FloatArray:
    """Return class weights n / (c n_class), which balance the classes, or all 1.

    Returns:
        float32 (c,); 0 for a class without rows.
    """
    counts = np.bincount(classes, minlength=n_classes)
    if not is_balanced:
        return np.ones(n_classes, np.float32)
    weights = len(classes) / (np.count_nonzero(counts) * np.maximum(counts, 1))
    return np.where(counts > 0, weights, 0).astype(np.float32)


BLOCK = 8_192  # rows at once: hidden layers of a million rows do not fit


class Layers:
    """Linear layers with tanh in between; a single layer is linear.

    Attributes:
        weights: float32 (out, in) of each layer.
        biases: float32 (out,) of each layer.
    """

    kind = "layers"

    def __init__(self, weights: Sequence[FloatArray], biases: Sequence[FloatArray]):
        self.weights, self.biases = list(weights), list(biases)

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> "Layers":
        """Make a head from the arrays of `arrays`."""
        indices = range(len(arrays) // 2)
        return cls(
            [arrays[f"{index}.weight"] for index in indices],
            [arrays[f"{index}.bias"] for index in indices],
        )

    def arrays(self) -> Arrays:
        """Return weight and bias of each layer, by index."""
        found: Arrays = {}
        for index, (weight, bias) in enumerate(
            zip(self.weights, self.biases, strict=True)
        ):
            found |= {f"{index}.weight": weight, f"{index}.bias": bias}
        return found

    def logits(self, features: FloatArray) -> FloatArray:
        """Score rows: float32 (n, f) -> float32 (n, c)."""
        scores = np.empty((len(features), len(self.biases[-1])), np.float32)
        for start in range(0, len(features), BLOCK):
            rows = features[start : start + BLOCK]
            for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
                rows = np.tanh(rows @ weight.T + bias)  # (b, in) -> (b, out)
            last = rows @ self.weights[-1].T + self.biases[-1]  # (b, h) -> (b, c)
            scores[start : start + BLOCK] = last
        return scores
