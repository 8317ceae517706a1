"""Probes: how much of a task a classifier finds in vectors, over seeds and controls."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.probing.controls import Labelling
from app.engine.probing.logistic import (
    choose_logistic,
    fit_labellings,
    predict,
    rotate,
)
from app.engine.probing.vectors import Parts
from app.engine.report import Report
from app.params.probing import ProbeName


class Findings(NamedTuple):
    """What a probe found.

    Attributes:
        right: bool (s, n), which test rows it got right with each seed.
        controls: accuracies on the control task, one a seed; empty: not asked for.
        settings: what was chosen on the development set.
    """

    right: NDArray[np.bool_]
    controls: tuple[float, ...]
    settings: dict[str, float]


def probe_vectors(
    parts: Parts,
    n_classes: int,
    classifier: ProbeName,
    labellings: Sequence[Labelling],
    *,
    seeds: Sequence[int],
    report: Report,
) -> Findings:
    """Train and test a probe, and the same probe on each control task.

    The control tasks take the settings that the task chose: they ask what this probe
    can learn by heart (Hewitt and Liang 2019, section 3).

    Args:
        parts: vectors and classes.
        n_classes: c.
        classifier: logistic or mlp.
        labellings: control tasks, one a seed; or none.
        seeds: of the perceptron's weights; logistic regression has one solution.
        report: may end it.
    """
    return _probe_logistic(parts, n_classes, labellings, seeds, report)


def probe_again(
    drawn: Sequence[Callable[[], Parts]],
    n_classes: int,
    classifier: ProbeName,
    report: Report,
) -> float:
    """Give the mean accuracy on vectors that are drawn anew with each seed.

    The settings are chosen on the first ones.
    """
    return _again_logistic(drawn, n_classes, report)


def _probe_logistic(
    parts: Parts,
    n_classes: int,
    labellings: Sequence[Labelling],
    seeds: Sequence[int],
    report: Report,
) -> Findings:
    rotated = rotate(parts.train)
    choice = choose_logistic(rotated, parts, parts.train_classes, n_classes, report)
    right = predict(choice.layers, parts.test) == parts.test_classes
    controls = fit_labellings(
        rotated,
        [labelling.train for labelling in labellings],
        n_classes,
        choice.inverse_l2,
        report,
    )
    accuracies = [
        float((predict(layers, parts.test) == labelling.test).mean())
        for layers, labelling in zip(controls, labellings, strict=True)
    ]
    return Findings(
        np.stack([right] * len(seeds)),
        tuple(accuracies),
        {"inverse_l2": choice.inverse_l2},
    )


def _again_logistic(
    drawn: Sequence[Callable[[], Parts]], n_classes: int, report: Report
) -> float:
    accuracies, inverse_l2 = [], 0.0
    for draw in drawn:
        parts = draw()
        rotated = rotate(parts.train)
        if inverse_l2:
            (layers,) = fit_labellings(
                rotated, [parts.train_classes], n_classes, inverse_l2, report
            )
        else:
            layers, inverse_l2, _ = choose_logistic(
                rotated, parts, parts.train_classes, n_classes, report
            )
        accuracies.append((predict(layers, parts.test) == parts.test_classes).mean())
    return float(np.mean(accuracies))
