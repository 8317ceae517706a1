"""Accuracy and F1 with bootstrap intervals, from confusion matrices."""

from typing import NamedTuple

import numpy as np

from app.engine.classify.heads.head import IntArray
from app.engine.statistics import LEVEL, N_RESAMPLES, Estimate


class ClassScore(NamedTuple):
    """How well one class is found; rates 0…1, NaN where there is nothing to count."""

    precision: float
    recall: float
    f1: float
    n: int


def confusion_matrix(gold: IntArray, predicted: IntArray, n_classes: int) -> IntArray:
    """Count rows by true and predicted class: int64 (c, c)."""
    counts = np.bincount(gold * n_classes + predicted, minlength=n_classes**2)
    return counts.reshape(n_classes, n_classes)


def accuracy_of(confusion: IntArray) -> float:
    """Give the share of the diagonal."""
    total = int(confusion.sum())
    return int(np.trace(confusion)) / total if total else float("nan")


def macro_f1_of(confusion: IntArray) -> float:
    """Give the mean F1 of the classes that occur, in truth or prediction."""
    return float(_macro_f1(confusion[None])[0])


def majority_of(confusion: IntArray) -> float:
    """Give the accuracy of always saying the most frequent class of these rows."""
    total = int(confusion.sum())
    return int(confusion.sum(axis=1).max()) / total if total else float("nan")


def class_scores(confusion: IntArray) -> list[ClassScore]:
    """Score each class."""
    right = np.diag(confusion).astype(np.float64)
    n_gold, n_said = confusion.sum(axis=1), confusion.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = right / n_said, right / n_gold, 2 * right / (n_gold + n_said)
    rows = zip(*(column.tolist() for column in columns), n_gold.tolist(), strict=True)
    return [ClassScore(*row) for row in rows]


def bootstrap_intervals(
    confusion: IntArray, *, seed: int = 1, level: float = LEVEL
) -> tuple[Estimate, Estimate]:
    """Estimate accuracy and macro-F1 with percentile intervals (Efron 1979).

    Rows drawn with replacement give a confusion matrix whose cells are multinomial, so
    it is the cells that are drawn: the same distribution, at any number of rows.

    Returns:
        accuracy, macro_f1.
    """
    n, n_classes = int(confusion.sum()), len(confusion)
    values = accuracy_of(confusion), macro_f1_of(confusion)
    if not n:
        nothing = Estimate(float("nan"), float("nan"), float("nan"))
        return nothing, nothing
    generator = np.random.default_rng(seed)
    cells = generator.multinomial(n, confusion.ravel() / n, N_RESAMPLES)
    drawn = cells.reshape(N_RESAMPLES, n_classes, n_classes)  # (r, c·c) -> (r, c, c)
    accuracies = np.trace(drawn, axis1=1, axis2=2) / n
    tails = [(1 - level) / 2, (1 + level) / 2]
    accuracy, macro_f1 = (
        Estimate(value, *map(float, np.quantile(samples, tails)))
        for value, samples in zip(values, (accuracies, _macro_f1(drawn)), strict=True)
    )
    return accuracy, macro_f1


def _macro_f1(confusions: IntArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Give macro-F1 of each matrix: int64 (r, c, c) -> float64 (r,)."""
    right = np.diagonal(confusions, axis1=1, axis2=2)  # (r, c, c) -> (r, c)
    ends = confusions.sum(axis=1) + confusions.sum(axis=2)
    occurs = ends > 0
    f1 = np.where(occurs, 2 * right / np.maximum(ends, 1), 0.0)
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = f1.sum(axis=1) / np.maximum(
        occurs.sum(axis=1), 1
    )
    return found
