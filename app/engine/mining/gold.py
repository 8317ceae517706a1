"""Mined pairs against a gold standard: precision, recall, F1 and their curve."""

from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.store.arrays import FloatArray

CURVE_POINTS = 100


class CurvePoint(msgspec.Struct, frozen=True):
    """What a threshold gives; rates 0…1.

    Attributes:
        threshold: score, of the kind that was asked for.
        pairs: pairs at or above it.
    """

    threshold: float
    precision: float
    recall: float
    f1: float
    pairs: int


class Accuracy(NamedTuple):
    """Precision, recall and F1 after each pair, the best score first.

    Attributes:
        precision, recall, f1: float64 (p,), 0…1.
    """

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]


def running_accuracy(is_true: NDArray[np.bool_], n_gold: int) -> Accuracy:
    """Measure after each pair: P = correct / extracted, R = correct / gold.

    Args:
        is_true: bool (p,), whether each pair is in the gold standard, best score first.
        n_gold: pairs of the gold standard.
    """
    n_true = np.cumsum(is_true)
    precision = n_true / np.arange(1, len(is_true) + 1)
    recall = n_true / n_gold
    total = precision + recall
    f1 = np.divide(
        2 * precision * recall, total, out=np.zeros_like(total), where=total > 0
    )
    return Accuracy(precision, recall, f1)


def point_at(scores: FloatArray, accuracy: Accuracy, threshold: float) -> CurvePoint:
    """Give what a threshold gives.

    Args:
        scores: float32 (p,), falling.
        accuracy: after each of them.
        threshold: pairs below it are left out.
    """
    n = int(np.searchsorted(-scores.astype(np.float64), -threshold, side="right"))
    if not n:
        return CurvePoint(threshold, 0.0, 0.0, 0.0, 0)
    precision, recall, f1 = (float(curve[n - 1]) for curve in accuracy)
    return CurvePoint(threshold, precision, recall, f1, n)


def best_threshold(scores: FloatArray, accuracy: Accuracy) -> float:
    """Find the threshold with the best F1: halfway to the next score (LASER, BUCC).

    Equal scores stay together; below the last score the threshold is that score.
    """
    if not len(scores):
        return 0.0
    is_end = np.append(scores[1:] < scores[:-1], True)  # a threshold can cut here
    best = int(np.argmax(np.where(is_end, accuracy.f1, -1)))
    here = float(scores[best])
    if best == len(scores) - 1:
        return here
    return (here + float(scores[best + 1])) / 2


def accuracy_curve(scores: FloatArray, accuracy: Accuracy) -> list[CurvePoint]:
    """Give points of the curve, evenly spaced over the pairs, the best score first."""
    if not len(scores):
        return []
    places = np.unique(np.linspace(0, len(scores) - 1, CURVE_POINTS).astype(np.int64))
    thresholds = np.unique(scores[places])[::-1]
    return [point_at(scores, accuracy, float(one)) for one in thresholds]
