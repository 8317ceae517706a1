"""Logistic regression on one set of vectors, many at once: penalties and labellings.

All problems have the same rows, so one matrix product serves them all, and one
eigendecomposition of the covariance preconditions every one: L-BFGS (Liu and Nocedal
1989, algorithm 2.1) then takes some ten steps instead of a hundred. What is minimised
is scikit-learn's C Σ −log p(class) + ½ ‖W‖², divided by C n; the bias is free.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from app.engine.classify.heads.head import IntArray
from app.engine.classify.heads.layers import Layers
from app.engine.classify.heads.logistic import GRID, PATIENCE
from app.engine.probing.lbfgs import Problem, minimise_all
from app.engine.probing.vectors import Parts
from app.engine.probing.workers import Workers

ROWS = 4_096  # that one thread turns at once
MAX_LOGITS = 4_000_000  # of problems that are solved at once
MAX_ROTATED = 1_024  # dimensions whose axes are found in less than a second


class Rotated(NamedTuple):
    """Centred rows in the axes of their covariance, and a last column of ones.

    Attributes:
        rows: float32 (n, f + 1).
        axes: float32 (f, f), a column each; None: the rows' own.
        variances: float32 (f + 1,) of the columns of `rows`, 1 of the ones.
        mean: float32 (f,).
    """

    rows: Tensor
    axes: Tensor | None
    variances: Tensor
    mean: Tensor


class LogisticChoice(NamedTuple):
    """The layers of the inverse strength that is best on the development set."""

    layers: Layers
    inverse_l2: float
    development: float


def rotate(features: np.ndarray, workers: Workers) -> Rotated:
    """Centre rows float32 (n, f), and turn them into the axes of their covariance."""
    values = torch.from_numpy(np.ascontiguousarray(features, np.float32))
    mean = values.mean(dim=0)  # (n, f) -> (f,)
    values = values - mean
    axes = None
    variances = values.square().mean(dim=0)  # (n, f) -> (f,)
    if values.shape[1] <= MAX_ROTATED:
        found, axes = torch.linalg.eigh(_covariance(values, workers))
        variances, axes = found.clamp_min(0).float(), axes.float()
    rows = torch.ones(len(values), values.shape[1] + 1)

    def turn(first: int) -> None:
        part = values[first : first + ROWS]
        rows[first : first + ROWS, :-1] = part if axes is None else part @ axes

    workers.each(turn, range(0, len(values), ROWS))
    return Rotated(rows, axes, torch.cat([variances, torch.ones(1)]), mean)


def choose_logistic(
    rotated: Rotated, parts: Parts, classes: IntArray, n_classes: int, workers: Workers
) -> LogisticChoice:
    """Choose C on the development set, as SentEval does; of equals the smallest.

    The strongest penalties come first, and the next ones begin where those ended, until
    they no longer help.
    """
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
            right = predict(layers, parts.development) == parts.development_classes
            accuracy = float(right.mean())
            n_worse += 1
            if best is None or accuracy > best.development:
                best, n_worse = LogisticChoice(layers, strength, accuracy), 0
        if n_worse > PATIENCE:
            break
    assert best is not None, "there is at least one strength"
    return best


def fit_labellings(
    rotated: Rotated,
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


def predict(layers: Layers, features: np.ndarray) -> IntArray:
    """Give the likeliest class of each row, int64 (n,)."""
    found: IntArray = layers.logits(features).argmax(axis=1)
    return found


def to_layers(rotated: Rotated, weights: Tensor) -> Layers:
    """Turn weights (c, f + 1) back into the axes of the vectors as they are."""
    weight = weights[:, :-1]
    if rotated.axes is not None:
        weight = weight @ rotated.axes.T  # (c, f) -> (c, f)
    bias = weights[:, -1] - weight @ rotated.mean
    return Layers([np.ascontiguousarray(weight.numpy())], [bias.numpy()])


def solve(
    rotated: Rotated,
    labels: IntArray,
    n_classes: int,
    inverse_l2: Sequence[float],
    workers: Workers,
    *,
    start: Tensor | None = None,
) -> Tensor:
    """Solve problems that share their rows.

    Args:
        rotated: the rows.
        labels: int64 (p, n), of each problem.
        n_classes: c.
        inverse_l2: C of each problem.
        workers: share the rows.
        start: float32 (1 or p, c, f + 1), where to begin; None: at 0.

    Returns:
        float32 (p, c, f + 1), the last column is the bias.
    """
    n, f = rotated.rows.shape
    problem = Problem(
        rotated.rows,
        torch.from_numpy(np.ascontiguousarray(labels.T)),
        1 / (torch.tensor(inverse_l2, dtype=torch.float32) * n),
        workers,
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
    """Give the covariance of centred rows, float64 (f, f)."""
    firsts = range(0, len(values), ROWS)
    found: dict[int, Tensor] = {}

    def multiply(first: int) -> None:
        part = values[first : first + ROWS]
        found[first] = part.T @ part

    workers.each(multiply, firsts)
    total = torch.zeros(values.shape[1], values.shape[1], dtype=torch.float64)
    for first in firsts:  # in this order whichever thread was faster
        total += found.pop(first)
    return total / len(values)
