"""Multinomial logistic regression with an L2 penalty, fitted by L-BFGS."""

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.arrays import IntArray
from app.engine.classify.heads.base import Examples, Layers, class_weights
from app.engine.classify.heads.folds import make_folds
from app.engine.runtime.report import InnerReport, Report

if TYPE_CHECKING:
    import torch

# Inverse strengths that cross-validation tries (as C of scikit-learn, for rows of
# length 1, whose features are some sixteen times smaller than standardised ones).
GRID = (0.0625, 0.25, 1.0, 4.0, 16.0, 64.0, 256.0, 1024.0)
N_FOLDS = 5
MAX_ROWS = 20_000  # that cross-validation looks at
TOLERANCE = 1e-4  # largest slope of the mean loss, as scikit-learn's
MAX_STEPS = 200
CHOOSING_STEPS = 30  # while strengths are compared: the order is known long before
PATIENCE = 2  # strengths in a row that are worse than the best


class PenaltyChoice(NamedTuple):
    """What cross-validation found: an inverse strength and its accuracy (0…1)."""

    inverse_l2: float
    accuracy: float


def fit_logistic(
    examples: Examples,
    inverse_l2: float,
    *,
    is_balanced: bool = False,
    start: Layers | None = None,
    max_steps: int = MAX_STEPS,
    report: Report | None = None,
) -> Layers:
    """Minimise C Σ w −log p(class) + ½ ‖W‖²; the bias is free (as scikit-learn does).

    Args:
        examples: rows; every class may be among them or not.
        inverse_l2: C.
        is_balanced: rows weigh by the inverse of their class's frequency.
        start: layers to begin with.
        max_steps: of L-BFGS (Liu and Nocedal 1989).
        report: shows the steps, and may end them.
    """
    import torch

    features = torch.from_numpy(np.ascontiguousarray(examples.features, np.float32))
    classes = torch.from_numpy(examples.classes)
    per_class = class_weights(
        examples.classes, examples.n_classes, is_balanced=is_balanced
    )
    weights = torch.from_numpy(per_class)
    total = float(per_class[examples.classes].sum())
    weight = torch.zeros(examples.n_classes, features.shape[1])
    bias = torch.zeros(examples.n_classes)
    if start is not None:
        weight = torch.from_numpy(start.weights[0].copy())
        bias = torch.from_numpy(start.biases[0].copy())
    weight.requires_grad_(True)
    bias.requires_grad_(True)

    n_looks = itertools.count()

    def loss() -> "torch.Tensor":
        if report is not None:
            report.step("Training", next(n_looks), 0)
        logits = torch.nn.functional.linear(features, weight, bias)  # (n, f) -> (n, c)
        fit = torch.nn.functional.cross_entropy(
            logits, classes, weight=weights, reduction="sum"
        )
        return fit / total + weight.square().sum() / (2 * inverse_l2 * total)

    minimise([weight, bias], loss, max_steps=max_steps)
    return Layers([weight.detach().numpy()], [bias.detach().numpy()])


def choose_inverse_l2(
    examples: Examples,
    *,
    is_balanced: bool,
    seed: int,
    report: Report,
    n_folds: int = N_FOLDS,
) -> PenaltyChoice:
    """Choose C by stratified cross-validation; of equally good ones the smallest.

    The strengths are tried from the strongest penalty on, each beginning where the one
    before it ended, until they no longer help.
    """
    rows = np.arange(len(examples.classes))
    generator = np.random.default_rng(seed)
    if len(rows) > MAX_ROWS:
        rows = np.sort(generator.choice(rows, MAX_ROWS, replace=False))
    sample = examples.part(rows)
    folds = make_folds(sample.classes, n_folds, seed=seed, groups=sample.groups)
    starts: list[Layers | None] = [None] * n_folds
    best, n_worse = PenaltyChoice(GRID[0], -1.0), 0
    for place, inverse_l2 in enumerate(GRID):
        n_right = 0
        for fold in range(n_folds):
            done, total = place * n_folds + fold, len(GRID) * n_folds
            inner = InnerReport(report, "Choosing the penalty", done, total)
            layers = fit_logistic(
                sample.part(folds != fold),
                inverse_l2,
                is_balanced=is_balanced,
                start=starts[fold],
                max_steps=CHOOSING_STEPS,
                report=inner,
            )
            starts[fold] = layers
            n_right += _count_right(layers, sample.part(folds == fold))
        accuracy = n_right / len(sample.classes)
        # an equal one is no sign: strong penalties say the same class of all rows
        n_worse = 0 if accuracy >= best.accuracy else n_worse + 1
        if accuracy > best.accuracy:
            best = PenaltyChoice(inverse_l2, accuracy)
        if n_worse > PATIENCE:
            break
    return best


def minimise(
    weights: Sequence["torch.Tensor"],
    loss: Callable[[], "torch.Tensor"],
    *,
    max_steps: int,
) -> None:
    """Minimise a loss by L-BFGS with a line search, until it is flat."""
    import torch

    optimiser = torch.optim.LBFGS(
        weights,
        max_iter=max_steps,
        tolerance_grad=TOLERANCE,
        tolerance_change=1e-9,
        history_size=10,
        line_search_fn="strong_wolfe",
    )

    def closure() -> "torch.Tensor":
        optimiser.zero_grad()
        value = loss()
        value.backward()
        return value

    optimiser.step(closure)


def _count_right(layers: Layers, examples: Examples) -> int:
    predicted: IntArray = layers.logits(examples.features).argmax(axis=1)
    return int(np.count_nonzero(predicted == examples.classes))
