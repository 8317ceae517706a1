"""Logistic regression by L-BFGS for many penalties and labellings of the same rows.

Liu and Nocedal 1989, algorithm 2.1, with a diagonal first guess of the curvature and a
backtracking line search (Armijo 1966) for each problem.

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

from app.arrays import IntArray
from app.engine.classify.heads.base import Layers
from app.engine.classify.heads.logistic import GRID, PATIENCE
from app.engine.probing.execution import Workers
from app.engine.probing.sets import SplitVectors

MAX_STEPS = 100
HISTORY_SIZE = 8  # steps that are remembered
GAP = 2e-6  # a class, of the mean loss to its minimum by the quadratic model
SUFFICIENT = 1e-4  # share of the slope that a step must gain
MAX_HALVINGS = 20
BLOCK = 1_024  # rows that one thread takes at once


class Problem(NamedTuple):
    """What losses are made of.

    Attributes:
        rows: float32 (n, f), the last column ones.
        labels: int64 (n, p).
        penalties: float32 (p,), 1 / (C n).
        workers: share the rows.
    """

    rows: Tensor
    labels: Tensor
    penalties: Tensor
    workers: Workers

    def part(self, kept: Tensor) -> "Problem":
        """Return some of the problems."""
        return self._replace(
            labels=self.labels[:, kept], penalties=self.penalties[kept]
        )

    def measure(self, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Return losses float32 (p,) and slopes (p, c, f) at weights (p, c, f)."""
        free = weights.clone()
        free[:, :, -1] = 0  # the bias is not penalised
        losses = self.penalties / 2 * free.square().sum(dim=(1, 2))
        slopes = self.penalties[:, None, None] * free
        n, n_problems, n_classes = len(self.rows), *weights.shape[:2]
        flat = weights.view(n_problems * n_classes, -1)  # (p, c, f) -> (pc, f)
        firsts = range(0, n, BLOCK)
        found: dict[int, tuple[Tensor, Tensor]] = {}

        def measure_block(first: int) -> None:
            rows = self.rows[first : first + BLOCK]
            labels = self.labels[first : first + BLOCK, :, None]
            logits = (rows @ flat.T).view(-1, n_problems, n_classes)
            logits -= logits.logsumexp(dim=2, keepdim=True)
            fit = logits.gather(2, labels).sum(dim=0)[:, 0]  # (b, p, 1) -> (p,)
            shares = logits.exp_()
            shares.scatter_add_(2, labels, torch.full(labels.shape, -1.0))
            found[first] = fit, shares.flatten(1).T @ rows

        self.workers.each(measure_block, firsts)
        for first in firsts:  # in this order whichever thread was faster
            fit, change = found.pop(first)
            losses -= fit / n
            slopes += (change / n).view_as(weights)
        return losses, slopes


class _Memory:
    """The last steps of L-BFGS and how the slopes changed over them."""

    def __init__(self) -> None:
        self.steps: list[Tensor] = []
        self.changes: list[Tensor] = []

    def keep(self, step: Tensor, change: Tensor) -> None:
        """Keep a step; one along which a problem does not bend counts for nothing."""
        bends = (step * change).sum(dim=(1, 2), keepdim=True) > 1e-12
        self.steps = [*self.steps, step * bends][-HISTORY_SIZE:]
        self.changes = [*self.changes, change * bends][-HISTORY_SIZE:]

    def part(self, kept: Tensor) -> None:
        """Go on with some of the problems."""
        self.steps = [one[kept] for one in self.steps]
        self.changes = [one[kept] for one in self.changes]

    def direction(self, slopes: Tensor, curvature: Tensor) -> Tensor:
        """Return the direction −H g by the two-loop recursion, (p, c, f)."""
        found, shares = slopes.clone(), []
        pairs = list(zip(self.steps, self.changes, strict=True))
        products = [_dot(step, change).clamp_min(1e-30) for step, change in pairs]
        for (step, change), product in zip(pairs[::-1], products[::-1], strict=True):
            shares.append(_dot(step, found) / product)
            found -= shares[-1] * change
        if pairs:
            step, change = pairs[-1]
            scale = _dot(step, change) / _dot(change, change / curvature).clamp_min(
                1e-30
            )
            found *= torch.where(scale > 0, scale, 1)
        found /= curvature
        for (step, change), product, share in zip(
            pairs, products, shares[::-1], strict=True
        ):
            found += step * (share - _dot(change, found) / product)
        return -found


def minimise_all(problem: Problem, weights: Tensor, curvature: Tensor) -> Tensor:
    """Minimise all losses; a problem that is solved takes no further part.

    Args:
        problem: the losses.
        weights: float32 (p, c, f), where to begin.
        curvature: float32 (p, 1, f), about how much the losses bend.

    Raises:
        Cancelled: the run was asked to stop.
    """
    done = weights.clone()
    left = torch.arange(len(weights))
    losses, slopes = problem.measure(weights)
    memory = _Memory()
    for _ in range(MAX_STEPS):
        problem.workers.report.step("Training", 0, 0)
        directions = memory.direction(slopes, curvature)
        gains = -(directions * slopes).sum(dim=(1, 2))  # (p, c, f) -> (p,)
        is_open = gains / 2 > GAP * weights.shape[1]
        if not is_open.all():
            done[left[~is_open]] = weights[~is_open]
            if not is_open.any():
                return done
            left, weights, slopes = left[is_open], weights[is_open], slopes[is_open]
            losses, directions, gains = (
                losses[is_open],
                directions[is_open],
                gains[is_open],
            )
            curvature, problem = curvature[is_open], problem.part(is_open)
            memory.part(is_open)
        moved, losses, new_slopes = _search(
            problem, weights, directions, (losses, gains)
        )
        memory.keep(moved - weights, new_slopes - slopes)
        weights, slopes = moved, new_slopes
    done[left] = weights
    return done


def _search(
    problem: Problem,
    weights: Tensor,
    directions: Tensor,
    at: tuple[Tensor, Tensor],
) -> tuple[Tensor, Tensor, Tensor]:
    """Go along each direction, half as far until the loss falls as it should."""
    losses, gains = at
    lengths = torch.ones(len(weights))
    for _ in range(MAX_HALVINGS):
        moved = weights + lengths[:, None, None] * directions
        new_losses, slopes = problem.measure(moved)
        # float32 cannot see a smaller fall
        wanted = losses - SUFFICIENT * lengths * gains + 1e-6 * losses.abs()
        is_too_far = ~(new_losses <= wanted)
        if not is_too_far.any():
            break
        lengths = torch.where(is_too_far, lengths / 2, lengths)
    return moved, new_losses, slopes


def _dot(ones: Tensor, others: Tensor) -> Tensor:
    """Return the products of each problem's arrays, (p, c, f) -> (p, 1, 1)."""
    return (ones * others).sum(dim=(1, 2), keepdim=True)


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
    rotated: Rotated,
    parts: SplitVectors,
    classes: IntArray,
    n_classes: int,
    workers: Workers,
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
    """Return the likeliest class of each row, int64 (n,)."""
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
    """Return the covariance of centred rows, float64 (f, f)."""
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
