"""Accuracy, F1, means over languages and transfer gaps, each with its interval."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray, IntArray
from app.engine.classify.overlap import connected_components
from app.engine.statistics import LEVEL, N_RESAMPLES, Estimate, wilson_interval


class ClassScore(NamedTuple):
    """Scores of one class; rates 0…1, NaN if undefined."""

    precision: float
    recall: float
    f1: float
    n: int


def confusion_matrix(gold: IntArray, predicted: IntArray, n_classes: int) -> IntArray:
    """Count rows by true and predicted class: int64 (c, c)."""
    counts = np.bincount(gold * n_classes + predicted, minlength=n_classes**2)
    return counts.reshape(n_classes, n_classes)


def accuracy_of(confusion: IntArray) -> float:
    """Return the share of the diagonal."""
    total = int(confusion.sum())
    return int(np.trace(confusion)) / total if total else float("nan")


def macro_f1_of(confusion: IntArray) -> float:
    """Return the mean F1 of the classes that occur, in truth or prediction."""
    return float(_macro_f1(confusion[None])[0])


def majority_of(confusion: IntArray) -> float:
    """Return the accuracy of always predicting these rows' most frequent class."""
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
    confusion: IntArray, *, seed: int = 1
) -> tuple[Estimate, Estimate]:
    """Estimate accuracy and macro-F1 with percentile intervals (Efron 1979).

    The confusion matrix of rows drawn with replacement is multinomial, so cells are
    drawn instead of rows, at a cost independent of the number of rows. If all drawn
    accuracies are equal (at 0 and 1), the interval is Wilson's.

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
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    accuracy, macro_f1 = (
        Estimate(value, *map(float, np.quantile(samples, tails)))
        for value, samples in zip(values, (accuracies, _macro_f1(drawn)), strict=True)
    )
    if accuracy.low == accuracy.high:
        accuracy = wilson_interval(int(np.trace(confusion)), n)
    return accuracy, macro_f1


def _macro_f1(confusions: IntArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return macro-F1 of each matrix: int64 (r, c, c) -> float64 (r,)."""
    right = np.diagonal(confusions, axis1=1, axis2=2)  # (r, c, c) -> (r, c)
    ends = confusions.sum(axis=1) + confusions.sum(axis=2)
    occurs = ends > 0
    f1 = np.where(occurs, 2 * right / np.maximum(ends, 1), 0.0)
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = f1.sum(axis=1) / np.maximum(
        occurs.sum(axis=1), 1
    )
    return found


Sums = NDArray[np.float64]
OF_NO_TEST = -1  # numbers for texts outside tests descend from here
BLOCK = 4_000_000  # numbers of the draws in memory at once


class LanguageRows(NamedTuple):
    """Measurements of the rows in one language.

    Attributes:
        is_home: whether this is the training language.
        shared: int64 (n,), meaning of each row, a number shared by translations.
        sums: float64 (n, m), for each row: (right, 1) for accuracy; (1, x, y, x², y²,
            xy) for Pearson's r.
    """

    is_home: bool
    shared: IntArray
    sums: Sums


class LanguageMeans(NamedTuple):
    """Means over the languages; None: there is no other language."""

    others: Estimate | None
    gap: Estimate | None


def sums_of_classes(gold: IntArray, predicted: IntArray) -> Sums:
    """Prepare rows with predicted classes: float64 (n, 2)."""
    right = (gold == predicted).astype(np.float64)
    return np.stack([right, np.ones(len(right))], axis=1)


def sums_of_scores(gold: FloatArray, found: FloatArray) -> Sums:
    """Prepare pairs with predicted scores: float64 (n, 6)."""
    x, y = (np.asarray(side, np.float64) - side.mean() for side in (gold, found))
    return np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)


def rows_of_development(accuracy: float, n: int) -> LanguageRows:
    """Use the development set in place of a test in the training language."""
    right = (np.arange(n) < round(accuracy * n)).astype(np.float64)
    sums = np.stack([right, np.ones(n)], axis=1)
    return LanguageRows(True, OF_NO_TEST - np.arange(n), sums)


def measure_means(languages: Sequence[LanguageRows], *, seed: int = 1) -> LanguageMeans:
    """Estimate the mean of the other languages and the gap, with percentile intervals.

    Meanings, not rows, are drawn with replacement: a sentence that is drawn twice
    counts twice in each language that it was tested in (a cluster bootstrap, Davison
    and Hinkley 1997, section 3.8). So languages of a parallel set, whose difficulty is
    correlated, are drawn together, and unrelated sets independently. The interval
    reflects sampling of rows; the languages are fixed.

    Args:
        languages: tested languages; without the training language there is no gap.
    """
    others = [index for index, one in enumerate(languages) if not one.is_home]
    own = [index for index, one in enumerate(languages) if one.is_home]
    if not others:
        return LanguageMeans(None, None)
    values = np.stack([_value(one.sums.sum(axis=0)) for one in languages])
    drawn = np.empty((len(languages), N_RESAMPLES))
    generator = np.random.default_rng(seed)
    for pool in _pools(languages):
        drawn[pool] = _draw([languages[index] for index in pool.tolist()], generator)
    mean, means = values[others].mean(), drawn[others].mean(axis=0)
    gap = None
    if own:
        gaps = drawn[own].mean(axis=0) - means
        gap = _estimate(values[own].mean() - mean, gaps)
    return LanguageMeans(_estimate(mean, means), gap)


def gap_from(value: float, others: Estimate | None) -> Estimate | None:
    """Return the gap between a value without known variance and the mean."""
    if others is None:
        return None
    return Estimate(value - others.value, value - others.high, value - others.low)


def _estimate(value: float, drawn: Sums) -> Estimate:
    """Compute percentiles of the draws, without languages that have no rows."""
    known = drawn[~np.isnan(drawn)]
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    ends = np.quantile(known, tails) if len(known) else (np.nan, np.nan)
    return Estimate(float(value), *map(float, ends))


def _pools(languages: Sequence[LanguageRows]) -> list[IntArray]:
    """Group languages that share rows, directly or indirectly."""
    numbers = np.concatenate([one.shared for one in languages])
    indices = np.repeat(
        np.arange(len(languages)), [len(one.shared) for one in languages]
    )
    order = np.argsort(numbers, kind="stable")
    numbers, indices = numbers[order], indices[order]
    is_same = numbers[1:] == numbers[:-1]
    edges = np.stack([indices[:-1][is_same], indices[1:][is_same]], axis=1)
    pools = connected_components(len(languages), np.unique(edges, axis=0))
    return [np.flatnonzero(pools == one) for one in np.unique(pools)]


def _draw(pool: Sequence[LanguageRows], generator: np.random.Generator) -> Sums:
    """Draw meanings, and return the value of each language: float64 (l, r)."""
    numbers = np.unique(np.concatenate([one.shared for one in pool]))
    columns = [
        _by_number(one.sums, np.searchsorted(numbers, one.shared), len(numbers))
        for one in pool
    ]
    # equal clusters are one cell, so a million rows are drawn as a few cells
    cells, counts = np.unique(
        np.concatenate(columns, axis=1), axis=0, return_counts=True
    )
    n, width = len(numbers), columns[0].shape[1]
    found = np.empty((len(pool), N_RESAMPLES))
    step = max(1, BLOCK // len(cells))
    for start in range(0, N_RESAMPLES, step):
        end = min(start + step, N_RESAMPLES)
        draws = generator.multinomial(n, counts / n, end - start)
        totals = draws @ cells  # (r, cells) @ (cells, l·m) -> (r, l·m)
        per_language = totals.reshape(end - start, len(pool), width).swapaxes(0, 1)
        found[:, start:end] = _value(per_language)  # (l, r, m) -> (l, r)
    return found


def _by_number(sums: Sums, numbers: IntArray, n: int) -> Sums:
    """Sum rows with the same meaning: (rows, m) -> (n, m)."""
    columns = [np.bincount(numbers, column, n) for column in sums.T]
    return np.stack(columns, axis=1)


def _value(totals: Sums) -> Sums:
    """Return the accuracy, or Pearson's r, of totals (…, m): (…); NaN without rows."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if totals.shape[-1] == 2:
            accuracy: Sums = totals[..., 0] / totals[..., 1]
            return accuracy
        n, x, y, xx, yy, xy = np.moveaxis(totals, -1, 0)
        spread = np.sqrt((n * xx - x * x) * (n * yy - y * y))
        correlation: Sums = np.where(spread > 0, (n * xy - x * y) / spread, 0.0)
        return correlation
