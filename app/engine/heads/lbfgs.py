"""L-BFGS for several logistic regressions on the same rows.

Liu and Nocedal 1989, algorithm 2.1, with a diagonal initial estimate of the curvature
and a backtracking line search (Armijo 1966) for each problem.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from app.engine.heads.workers import Workers

MAX_STEPS = 100
HISTORY_SIZE = 8  # steps in memory
GAP = 2e-6  # per class, mean loss above its minimum by the quadratic model
# For a single problem: probabilities are within 1e-3 of the optimum.
SMALL_GAP, MANY_STEPS = 4e-9, 300
SUFFICIENT = 1e-4  # share of the slope by which a step must reduce the loss
MAX_HALVINGS = 20
BLOCK = 1_024  # rows per item of a thread


class Problem(NamedTuple):
    """Losses of several problems: rows, labels and penalties.

    Attributes:
        rows: float32 (n, f), the last column ones.
        labels: int64 (n, p).
        penalties: float32 (p,), 1 / (C n).
        workers: workers that process the rows.
        row_weights: float32 (n,), mean 1; None: all 1.
        is_precise: stop at `SMALL_GAP` or after `MANY_STEPS`.
    """

    rows: Tensor
    labels: Tensor
    penalties: Tensor
    workers: Workers
    row_weights: Tensor | None = None
    is_precise: bool = False

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
            gains = logits.gather(2, labels)  # (b, p, 1)
            shares = logits.exp_()
            shares.scatter_add_(2, labels, torch.full(labels.shape, -1.0))
            if self.row_weights is not None:
                row_weights = self.row_weights[first : first + BLOCK, None, None]
                gains, shares = gains * row_weights, shares * row_weights
            fit = gains.sum(dim=0)[:, 0]  # (b, p, 1) -> (p,)
            found[first] = fit, shares.flatten(1).T @ rows

        self.workers.each(measure_block, firsts)
        for first in firsts:  # fixed order for reproducible sums
            fit, change = found.pop(first)
            losses -= fit / n
            slopes += (change / n).view_as(weights)
        return losses, slopes


class _Memory:
    """The last steps of L-BFGS and the changes of the slopes."""

    def __init__(self) -> None:
        self.steps: list[Tensor] = []
        self.changes: list[Tensor] = []

    def keep(self, step: Tensor, change: Tensor) -> None:
        """Store a step; ignore a step without positive curvature."""
        bends = (step * change).sum(dim=(1, 2), keepdim=True) > 1e-12
        self.steps = [*self.steps, step * bends][-HISTORY_SIZE:]
        self.changes = [*self.changes, change * bends][-HISTORY_SIZE:]

    def part(self, kept: Tensor) -> None:
        """Continue with some of the problems."""
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
    """Minimise all losses; a solved problem is left out of further steps.

    Args:
        weights: float32 (p, c, f), initial weights.
        curvature: float32 (p, 1, f), approximate second derivatives.

    Raises:
        Cancelled: the run was asked to stop.
    """
    done = weights.clone()
    left = torch.arange(len(weights))
    losses, slopes = problem.measure(weights)
    memory = _Memory()
    gap = SMALL_GAP if problem.is_precise else GAP
    for _ in range(MANY_STEPS if problem.is_precise else MAX_STEPS):
        problem.workers.report.step("Training", 0, 0)
        directions = memory.direction(slopes, curvature)
        gains = -(directions * slopes).sum(dim=(1, 2))  # (p, c, f) -> (p,)
        is_open = gains / 2 > gap * weights.shape[1]
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
    """Step along each direction, halving the step until the loss falls enough."""
    losses, gains = at
    lengths = torch.ones(len(weights))
    for _ in range(MAX_HALVINGS):
        moved = weights + lengths[:, None, None] * directions
        new_losses, slopes = problem.measure(moved)
        # float32 can't represent a smaller decrease
        wanted = losses - SUFFICIENT * lengths * gains + 1e-6 * losses.abs()
        is_too_far = ~(new_losses <= wanted)
        if not is_too_far.any():
            break
        lengths = torch.where(is_too_far, lengths / 2, lengths)
    return moved, new_losses, slopes


def _dot(ones: Tensor, others: Tensor) -> Tensor:
    """Return the products of each problem's arrays, (p, c, f) -> (p, 1, 1)."""
    return (ones * others).sum(dim=(1, 2), keepdim=True)
