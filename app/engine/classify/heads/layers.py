"""Linear layers, as logistic regression, MLP and relatedness are kept and used."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine.classify.heads.head import Arrays
from app.engine.store.arrays import FloatArray

BLOCK = 8_192  # rows at once: hidden layers of a million rows do not fit


class Layers:
    """Linear layers with tanh between them; one layer alone is linear.

    Attributes:
        weights: float32 (out, in) of each layer.
        biases: float32 (out,) of each layer.
    """

    kind = "layers"

    def __init__(self, weights: Sequence[FloatArray], biases: Sequence[FloatArray]):
        self.weights, self.biases = list(weights), list(biases)

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> "Layers":
        """Read what `arrays` gave."""
        places = range(len(arrays) // 2)
        return cls(
            [arrays[f"{place}.weight"] for place in places],
            [arrays[f"{place}.bias"] for place in places],
        )

    def arrays(self) -> Arrays:
        """Give weight and bias of each layer by its place."""
        found: Arrays = {}
        for place, (weight, bias) in enumerate(
            zip(self.weights, self.biases, strict=True)
        ):
            found |= {f"{place}.weight": weight, f"{place}.bias": bias}
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
