"""Labels that are perhaps wrong: what the rest of the data says of each row.

Confident learning (Northcutt, Jiang and Chuang 2021): probabilities of each row by a
classifier that did not see it; a row counts for a class where its probability is at
least the mean one of that class's own rows; it is suspected where it counts for another
class than its label.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.classify.heads.head import IntArray
from app.engine.store.arrays import FloatArray


class Doubts(NamedTuple):
    """Suspected rows, the most likely wrong first.

    Attributes:
        rows: int64 (m,).
        suggested: int64 (m,), the class that each seems to be of.
        label_probabilities, probabilities: float32 (m,), of the label and of that.
    """

    rows: IntArray
    suggested: IntArray
    label_probabilities: FloatArray
    probabilities: FloatArray


def find_doubts(shares: FloatArray, classes: IntArray) -> Doubts:
    """Find rows that count for another class than their label.

    Args:
        shares: float32 (n, c), probabilities by heads that did not see the row.
        classes: int64 (n,), the labels.
    """
    n_classes = shares.shape[1]
    own = shares[np.arange(len(classes)), classes]
    counts = np.maximum(np.bincount(classes, minlength=n_classes), 1)
    thresholds = np.bincount(classes, own, n_classes) / counts  # equation 2
    counted = np.where(shares >= thresholds, shares, 0)
    best: NDArray[np.int64] = counted.argmax(axis=1)
    is_doubted = (counted.max(axis=1) > 0) & (best != classes)
    rows = np.nonzero(is_doubted)[0]
    likely = shares[rows, best[rows]] - own[rows]
    rows = rows[np.argsort(-likely, kind="stable")]
    return Doubts(rows, best[rows], own[rows], shares[rows, best[rows]])
