"""Multi-layer perceptrons: tanh layers, trained with Adam or L-BFGS.

Follows LASER (Artetxe and Schwenk 2019, section 4, and its released code): tanh,
dropout before each layer, Adam, and the weights of the epoch that is best on the
development set.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from app.arrays import FloatArray
from app.engine.heads.base import Examples, Layers, class_weights
from app.engine.runtime.report import Report

if TYPE_CHECKING:
    import torch

LBFGS_STEPS = 10  # steps per epoch, between two measurements on the development set
TOLERANCE = 1e-4  # maximum slope of the mean loss, as in scikit-learn
WEIGHT_DECAY = 1e-4  # for L-BFGS, which has no dropout to regularise weights

LossOf = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]


class MlpSettings(NamedTuple):
    """Training settings of a perceptron.

    Attributes:
        hidden: sizes of the tanh layers; empty: a linear model.
        optimiser: adam, or lbfgs on all rows at once.
        n_epochs: maximum number of epochs.
        batch_size: rows per step of Adam.
        lr: initial learning rate of Adam.
        lr_decay: factor of the learning rate after each epoch.
        dropout: share of values dropped before each layer, 0…1.
        patience: epochs without improvement after which training ends; 0: no limit.
        keep: the epoch whose layers are returned: best by the measure, or last.
        is_balanced: classes have equal weight.
        seed: seed of weights, order and dropout.
    """

    hidden: tuple[int, ...] = ()
    optimiser: Literal["adam", "lbfgs"] = "adam"
    n_epochs: int = 100
    batch_size: int = 64
    lr: float = 1e-3
    lr_decay: float = 1.0
    dropout: float = 0.0
    patience: int = 10
    keep: Literal["best", "last"] = "best"
    is_balanced: bool = False
    seed: int = 1


class TrainedMlp(NamedTuple):
    """The best layers, their epoch (from 1) and measure."""

    layers: Layers
    epoch: int
    measure: float


def fit_mlp(
    train: Examples, development: Examples, settings: MlpSettings, report: Report
) -> TrainedMlp:
    """Train with cross-entropy; return the epoch with the best development accuracy.

    Of equally accurate epochs, the epoch with the smaller loss is returned.
    """
    import torch

    weights = torch.from_numpy(
        class_weights(train.classes, train.n_classes, is_balanced=settings.is_balanced)
    )

    def loss_of(logits: "torch.Tensor", rows: "torch.Tensor") -> "torch.Tensor":
        return torch.nn.functional.cross_entropy(logits, classes[rows], weight=weights)

    def measure(layers: Layers) -> tuple[float, float]:
        logits = torch.from_numpy(layers.logits(development.features))
        right = torch.from_numpy(development.classes)
        accuracy = float((logits.argmax(dim=1) == right).float().mean())
        return accuracy, -float(torch.nn.functional.cross_entropy(logits, right))

    classes = torch.from_numpy(train.classes)
    return train_layers(
        (train.features, train.n_classes), loss_of, measure, settings, report
    )


def train_layers(
    shape: tuple[FloatArray, int],
    loss_of: LossOf,
    measure: Callable[[Layers], tuple[float, ...]],
    settings: MlpSettings,
    report: Report,
) -> TrainedMlp:
    """Train layers with any loss until a measure no longer improves.

    Args:
        shape: features float32 (n, f) and number of outputs c.
        loss_of: mean loss of logits float32 (b, c) at rows int64 (b,).
        measure: values to maximise, compared in order.
        settings: training settings.
        report: shows each epoch, and may cancel between two steps.
    """
    import torch

    generator = torch.Generator().manual_seed(settings.seed)
    features = torch.from_numpy(np.ascontiguousarray(shape[0], np.float32))
    sizes = (features.shape[1], *settings.hidden, shape[1])
    values = _initial(sizes, generator)
    # with the published batches of 12 rows, the optimiser takes a third of a step
    optimiser = torch.optim.Adam(values, lr=settings.lr, fused=True)
    best: tuple[tuple[float, ...], Layers, int] | None = None
    for epoch in range(1, settings.n_epochs + 1):
        report.step("Training", epoch - 1, settings.n_epochs)
        if settings.optimiser == "lbfgs":
            _step_over_all(values, features, loss_of)
        else:
            order = torch.randperm(len(features), generator=generator)
            for rows in torch.split(order, settings.batch_size):
                report.step("Training", epoch - 1, settings.n_epochs)
                logits = _forward(values, features[rows], settings.dropout, generator)
                optimiser.zero_grad()
                loss_of(logits, rows).backward()
                optimiser.step()
        for group in optimiser.param_groups:
            group["lr"] *= settings.lr_decay
        layers = _layers(values)
        measured = measure(layers)
        report.metric(epoch, development=measured[0])
        if best is None or measured > best[0] or settings.keep == "last":
            best = measured, layers, epoch
        if settings.patience and epoch - best[2] >= settings.patience:
            break
    assert best is not None, "there is at least one epoch"
    return TrainedMlp(best[1], best[2], best[0][0])


def _initial(
    sizes: tuple[int, ...], generator: "torch.Generator"
) -> list["torch.Tensor"]:
    """Draw uniform weights within ±1/√in, as torch's linear layers do."""
    import torch

    values = []
    for n_in, n_out in itertools.pairwise(sizes):
        bound = n_in**-0.5
        for size in ((n_out, n_in), (n_out,)):
            drawn = torch.rand(size, generator=generator) * 2 * bound - bound
            values.append(drawn.requires_grad_(True))
    return values


def _forward(
    values: list["torch.Tensor"],
    rows: "torch.Tensor",
    dropout: float,
    generator: "torch.Generator",
) -> "torch.Tensor":
    """Pass rows through the layers: float32 (b, f) -> (b, c)."""
    import torch

    for index in range(0, len(values), 2):
        if index:
            rows = torch.tanh(rows)
        if dropout:
            kept = torch.rand(rows.shape, generator=generator) >= dropout
            rows = rows * kept / (1 - dropout)
        rows = torch.nn.functional.linear(rows, values[index], values[index + 1])
    return rows


def _step_over_all(
    values: list["torch.Tensor"], features: "torch.Tensor", loss_of: LossOf
) -> None:
    import torch

    every, no_dropout = torch.arange(len(features)), torch.Generator()

    def loss() -> "torch.Tensor":
        fit = loss_of(_forward(values, features, 0.0, no_dropout), every)
        return fit + WEIGHT_DECAY / 2 * sum(
            (weight.square().sum() for weight in values[::2]), torch.zeros(())
        )

    _minimise(values, loss, max_steps=LBFGS_STEPS)


def _minimise(
    weights: Sequence["torch.Tensor"],
    loss: Callable[[], "torch.Tensor"],
    *,
    max_steps: int,
) -> None:
    """Minimise a loss by L-BFGS with a line search, until convergence."""
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


def _layers(values: list["torch.Tensor"]) -> Layers:
    copies = [value.detach().numpy().copy() for value in values]
    return Layers(copies[::2], copies[1::2])
