"""Multinomial logistic regression with an L2 penalty, one or many at once.

The objective is scikit-learn's C Σ −w log p(class) + ½ ‖W‖², divided by C n, without a
penalty on the bias. Problems with the same rows (penalties, labellings) share one
matrix product, and one eigendecomposition of the covariance preconditions all problems:
L-BFGS then needs about ten steps instead of a hundred.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from app.arrays import BoolArray, FloatArray, IntArray
from app.engine.heads.base import Examples, Layers, class_weights
from app.engine.heads.folds import make_folds
from app.engine.heads.lbfgs import Problem, minimise_all
from app.engine.heads.workers import Workers, start_workers
from app.engine.runtime.report import InnerReport, Report

# Inverse strengths to try (C in scikit-learn, for rows of length 1, whose features are
# about sixteen times smaller than standardised features).
GRID = (0.0625, 0.25, 1.0, 4.0, 16.0, 64.0, 256.0, 1024.0)
PATIENCE = 2  # consecutive strengths that are worse than the best
N_FOLDS = 5
MAX_ROWS = 20_000  # rows that cross-validation uses
BLOCK = 4_096  # rows per item of a thread
MAX_LOGITS = 4_000_000  # limit of logits of problems solved at once
MAX_ROTATED = 1_024  # dimensions, whose axes are computed in less than a second


class RotatedRows(NamedTuple):
    """Centred rows in the axes of their covariance, plus a last column of ones.

    Attributes:
        rows: float32 (n, f + 1).
        axes: float32 (f, f), one per column; None: rows are not rotated.
        variances: float32 (f + 1,), variances of the columns of `rows`, 1 for the ones.
        mean: float32 (f,).
        weights: float32 (n,), mean 1; None: all 1.
        is_precise: problems are solved to `SMALL_GAP`.
    """

    rows: Tensor
    axes: Tensor | None
    variances: Tensor
    mean: Tensor
    weights: Tensor | None = None
    is_precise: bool = False

    def part(self, kept: BoolArray) -> "RotatedRows":
        """Return some of the rows without weights, in the axes of all rows."""
        return self._replace(rows=self.rows[torch.from_numpy(kept)], weights=None)

    def balance(self, classes: IntArray, n_classes: int) -> "RotatedRows":
        """Weight the rows so that classes are balanced."""
        weights = class_weights(classes, n_classes, is_balanced=True)[classes]
        return self._replace(weights=torch.from_numpy(weights))


class PenaltyChoice(NamedTuple):
    """The best inverse strength in cross-validation and its accuracy (0…1)."""

    inverse_l2: float
    accuracy: float


class LogisticChoice(NamedTuple):
    """Layers for the inverse strength that is best on the development set."""

    layers: Layers
    inverse_l2: float
    development: float


def fit_logistic(
    examples: Examples,
    inverse_l2: float,
    *,
    is_balanced: bool = False,
    report: Report | None = None,
) -> Layers:
    """Fit a logistic regression.

    Rows are not rotated: for a single problem, computing the axes of the covariance
    takes longer than the steps it saves.

    Args:
        examples: rows; classes without a row are allowed.
        inverse_l2: C.
        is_balanced: weight rows by the inverse of their class's frequency.
        report: shows the training and can cancel it.
    """
    with start_workers(report or Report()) as workers:
        rotated = rotate(examples.features, workers, turns=False)
        if is_balanced:
            rotated = rotated.balance(examples.classes, examples.n_classes)
        labels, n_classes = examples.classes[None], examples.n_classes
        (weights,) = solve(rotated, labels, n_classes, [inverse_l2], workers)
    return to_layers(rotated, weights)


def choose_inverse_l2(
    examples: Examples,
    *,
    is_balanced: bool,
    seed: int,
    report: Report,
    n_folds: int = N_FOLDS,
) -> PenaltyChoice:
    """Choose C by stratified cross-validation; the smallest of equally good values.

    Starts with the strongest penalty and initialises each problem with the previous
    solution, until accuracy no longer improves.
    """
    rows = np.arange(len(examples.classes))
    generator = np.random.default_rng(seed)
    if len(rows) > MAX_ROWS:
        rows = np.sort(generator.choice(rows, MAX_ROWS, replace=False))
    sample = examples.part(rows)
    folds = make_folds(sample.classes, n_folds, seed=seed, groups=sample.groups)
    starts: list[Tensor | None] = [None] * n_folds
    best, n_worse = PenaltyChoice(GRID[0], -1.0), 0
    with start_workers(report) as workers:
        whole = rotate(sample.features, workers)
        for index, inverse_l2 in enumerate(GRID):
            n_right = 0
            for fold in range(n_folds):
                done, total = index * n_folds + fold, len(GRID) * n_folds
                inner = InnerReport(report, "Choosing the penalty", done, total)
                kept = folds != fold
                train, classes = whole.part(kept), sample.classes[kept]
                if is_balanced:
                    train = train.balance(classes, sample.n_classes)
                starts[fold] = weights = solve(
                    train,
                    classes[None],
                    sample.n_classes,
                    [inverse_l2],
                    workers._replace(report=inner),
                    start=starts[fold],
                )
                held = sample.part(~kept)
                predicted = predict(to_layers(train, weights[0]), held.features)
                n_right += int(np.count_nonzero(predicted == held.classes))
            accuracy = n_right / len(sample.classes)
            # Equal accuracy counts as improvement: strong penalties all predict one
            # class.
            n_worse = 0 if accuracy >= best.accuracy else n_worse + 1
            if accuracy > best.accuracy:
                best = PenaltyChoice(inverse_l2, accuracy)
            if n_worse > PATIENCE:
                break
    return best


def choose_logistic(
    rotated: RotatedRows, classes: IntArray, development: Examples, workers: Workers
) -> LogisticChoice:
    """Choose C on the development set, as SentEval does; the smallest of equals.

    Starts with the strongest penalties and initialises the next problems with their
    solutions, until accuracy no longer improves.

    Args:
        classes: int64 (n,), classes of the training rows.
        development: development rows.
        workers: workers that process the rows.
    """
    n_classes = development.n_classes
    size = max(1, MAX_LOGITS // (len(classes) * n_classes))
    best: LogisticChoice | None = None
    n_worse, start = 0, None
    for first in range(0, len(GRID), size):
        strengths = GRID[first : first + size]
        labels = np.stack([classes] * len(strengths))
        weights = solve(rotated, labels, n_classes, strengths, workers, start=start)
        start = weights[-1:]
        for strength, one in zip(strengths, weights, strict=True):
            layers = to_layers(rotated, one)
            right = predict(layers, development.features) == development.classes
            accuracy = float(right.mean())
            n_worse += 1
            if best is None or accuracy > best.development:
                best, n_worse = LogisticChoice(layers, strength, accuracy), 0
        if n_worse > PATIENCE:
            break
    assert best is not None, "there is at least one strength"
    return best


def fit_labellings(
    rotated: RotatedRows,
    labellings: Sequence[IntArray],
    n_classes: int,
    inverse_l2: float,
    workers: Workers,
) -> list[Layers]:
    """Fit a classifier to each of several labellings of the same rows."""
    size = max(1, MAX_LOGITS // (len(rotated.rows) * n_classes))
    found = []
    for first in range(0, len(labellings), size):
        labels = np.stack(labellings[first : first + size])
        strengths = [inverse_l2] * len(labels)
        weights = solve(rotated, labels, n_classes, strengths, workers)
        found += [to_layers(rotated, one) for one in weights]
    return found


def predict(layers: Layers, features: FloatArray) -> IntArray:
    """Return the most likely class of each row, int64 (n,)."""
    found: IntArray = layers.logits(features).argmax(axis=1)
    return found


def rotate(
    features: FloatArray, workers: Workers, *, turns: bool = True
) -> RotatedRows:
    """Centre rows float32 (n, f), and rotate them to the axes of their covariance."""
    values = torch.from_numpy(np.ascontiguousarray(features, np.float32))
    mean = values.mean(dim=0)  # (n, f) -> (f,)
    rows = torch.ones(len(values), values.shape[1] + 1)
    centred = rows[:, :-1]  # the only copy of the rows
    torch.sub(values, mean, out=centred)
    axes = None
    if turns and values.shape[1] <= MAX_ROTATED:
        found, axes = torch.linalg.eigh(_covariance(centred, workers))
        variances, axes = found.clamp_min(0).float(), axes.float()

        def turn(first: int) -> None:
            centred[first : first + BLOCK] = centred[first : first + BLOCK] @ axes

        workers.each(turn, range(0, len(values), BLOCK))
    else:
        variances = centred.square().mean(dim=0)  # (n, f) -> (f,)
    variances = torch.cat([variances, torch.ones(1)])
    return RotatedRows(rows, axes, variances, mean, is_precise=not turns)


def to_layers(rotated: RotatedRows, weights: Tensor) -> Layers:
    """Convert weights (c, f + 1) to layers for vectors in the original axes."""
    weight = weights[:, :-1]
    if rotated.axes is not None:
        weight = weight @ rotated.axes.T  # (c, f) -> (c, f)
    bias = weights[:, -1] - weight @ rotated.mean
    return Layers([np.ascontiguousarray(weight.numpy())], [bias.numpy()])


def solve(
    rotated: RotatedRows,
    labels: IntArray,
    n_classes: int,
    inverse_l2: Sequence[float],
    workers: Workers,
    *,
    start: Tensor | None = None,
) -> Tensor:
    """Solve problems that share their rows.

    Args:
        labels: int64 (p, n), labels of each problem.
        n_classes: c.
        inverse_l2: C of each problem.
        workers: workers that process the rows.
        start: float32 (1 or p, c, f + 1), initial weights; None: zeros.

    Returns:
        float32 (p, c, f + 1), the last column is the bias.
    """
    n, f = rotated.rows.shape
    problem = Problem(
        rotated.rows,
        torch.from_numpy(np.ascontiguousarray(labels.T)),
        1 / (torch.tensor(inverse_l2, dtype=torch.float32) * n),
        workers,
        rotated.weights,
        rotated.is_precise,
    )
    weights = torch.zeros(len(labels), n_classes, f)
    if start is not None:
        weights += start
    # at p = 1/c the second derivative of the loss by a logit is (1 - 1/c) / c
    bend = (1 - 1 / n_classes) / n_classes * rotated.variances
    penalty = problem.penalties[:, None] * torch.ones(f)
    penalty[:, -1] = 1e-6 * bend[-1]
    curvature = (bend + penalty)[:, None]  # (p, f) -> (p, 1, f)
    return minimise_all(problem, weights, curvature)


def _covariance(values: Tensor, workers: Workers) -> Tensor:
    """Return the covariance of centred rows, float64 (f, f)."""
    firsts = range(0, len(values), BLOCK)
    found: dict[int, Tensor] = {}

    def multiply(first: int) -> None:
        part = values[first : first + BLOCK]
        found[first] = part.T @ part

    workers.each(multiply, firsts)
    total = torch.zeros(values.shape[1], values.shape[1], dtype=torch.float64)
    for first in firsts:  # fixed order for reproducible sums
        total += found.pop(first)
    return total / len(values)
