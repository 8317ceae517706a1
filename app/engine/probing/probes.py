"""Probes: classifiers on frozen vectors, trained over seeds and control tasks."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.heads.base import Examples
from app.engine.heads.logistic import (
    LogisticChoice,
    RotatedRows,
    choose_logistic,
    fit_labellings,
    predict,
    rotate,
)
from app.engine.heads.perceptrons import (
    MultiLabelledRows,
    PerceptronConfig,
    TrainedPerceptron,
    list_grid,
    make_rows,
    train_grid,
)
from app.engine.heads.workers import Workers, start_workers
from app.engine.probing.baselines import Labelling
from app.engine.probing.sets import SplitVectors
from app.engine.runtime.report import Report
from app.params.probing import ProbeName


class ProbeFindings(NamedTuple):
    """Results of a probe.

    Attributes:
        right: bool (s, n), whether each test row is right with each seed.
        controls: accuracies on the control task, one per seed; empty: not requested.
        settings: settings selected on the development set.
    """

    right: NDArray[np.bool_]
    controls: tuple[float, ...]
    settings: dict[str, float]


def probe_vectors(
    parts: SplitVectors,
    n_classes: int,
    classifier: ProbeName,
    labellings: Sequence[Labelling],
    *,
    seeds: Sequence[int],
    report: Report,
) -> ProbeFindings:
    """Train and test a probe, and the same probe on each control task.

    Control tasks use the settings selected on the task: they measure how much this
    probe can memorise (Hewitt and Liang 2019, section 3).

    Args:
        parts: vectors and classes.
        n_classes: c.
        classifier: logistic or mlp.
        labellings: control tasks, one per seed; may be empty.
        seeds: seeds of the perceptron's weights; logistic regression has one solution.
    """
    probe = _probe_perceptrons if classifier == "mlp" else _probe_logistic
    with start_workers(report) as workers:
        return probe(parts, n_classes, labellings, seeds, workers)


def probe_repeatedly(
    drawn: Sequence[Callable[[], SplitVectors]],
    n_classes: int,
    classifier: ProbeName,
    *,
    seeds: Sequence[int],
    report: Report,
) -> float:
    """Return the mean accuracy on vectors drawn with each seed.

    The settings are selected on the first vectors.
    """
    with start_workers(report) as workers:
        if classifier == "mlp":
            return _repeat_perceptrons(drawn, n_classes, seeds, workers)
        return _repeat_logistic(drawn, n_classes, workers)


def _probe_logistic(
    parts: SplitVectors,
    n_classes: int,
    labellings: Sequence[Labelling],
    seeds: Sequence[int],
    workers: Workers,
) -> ProbeFindings:
    rotated = rotate(parts.train, workers)
    choice = _choose_logistic(rotated, parts, n_classes, workers)
    right = predict(choice.layers, parts.test) == parts.test_classes
    controls = fit_labellings(
        rotated,
        [labelling.train for labelling in labellings],
        n_classes,
        choice.inverse_l2,
        workers,
    )
    accuracies = [
        float((predict(layers, parts.test) == labelling.test).mean())
        for layers, labelling in zip(controls, labellings, strict=True)
    ]
    return ProbeFindings(
        np.stack([right] * len(seeds)),
        tuple(accuracies),
        {"inverse_l2": choice.inverse_l2},
    )


def _choose_logistic(
    rotated: RotatedRows, parts: SplitVectors, n_classes: int, workers: Workers
) -> LogisticChoice:
    held = Examples(parts.development, parts.development_classes, n_classes)
    return choose_logistic(rotated, parts.train_classes, held, workers)


def _repeat_logistic(
    drawn: Sequence[Callable[[], SplitVectors]], n_classes: int, workers: Workers
) -> float:
    accuracies, inverse_l2 = [], 0.0
    for draw in drawn:
        parts = draw()
        rotated = rotate(parts.train, workers)
        if inverse_l2:
            (layers,) = fit_labellings(
                rotated, [parts.train_classes], n_classes, inverse_l2, workers
            )
        else:
            layers, inverse_l2, _ = _choose_logistic(rotated, parts, n_classes, workers)
        accuracies.append((predict(layers, parts.test) == parts.test_classes).mean())
    return float(np.mean(accuracies))


def _probe_perceptrons(
    parts: SplitVectors,
    n_classes: int,
    labellings: Sequence[Labelling],
    seeds: Sequence[int],
    workers: Workers,
) -> ProbeFindings:
    """Select on the grid with the first seed, and train with the other seeds."""
    train, development, test = _rows_of(parts, labellings)
    chosen, first = _choose_perceptron(train, development, n_classes, seeds[0], workers)
    members = [chosen._replace(seed=seed) for seed in seeds[1:]]
    members += [
        chosen._replace(seed=seed, labelling=index)
        for index, seed in enumerate(seeds[: len(labellings)], 1)
    ]
    found = [first]
    found += train_grid(
        train, development, n_classes, members, seed=seeds[0], workers=workers
    )
    labels = test.labels.numpy()
    right = [one.predict(test.features) for one in found]
    n = len(seeds)
    controls = [
        float((said == labels[index]).mean()) for index, said in enumerate(right[n:], 1)
    ]
    settings = {"hidden": float(chosen.hidden), "dropout": chosen.dropout}
    settings |= {"l2": chosen.l2, "epoch": float(first.epoch)}
    return ProbeFindings(np.stack(right[:n]) == labels[0], tuple(controls), settings)


def _repeat_perceptrons(
    drawn: Sequence[Callable[[], SplitVectors]],
    n_classes: int,
    seeds: Sequence[int],
    workers: Workers,
) -> float:
    accuracies: list[float] = []
    chosen: PerceptronConfig | None = None
    for draw, seed in zip(drawn, seeds, strict=True):
        train, development, test = _rows_of(draw(), ())
        if chosen is None:
            chosen, trained = _choose_perceptron(
                train, development, n_classes, seed, workers
            )
        else:
            (trained,) = train_grid(
                train,
                development,
                n_classes,
                [chosen._replace(seed=seed)],
                seed=seed,
                workers=workers,
            )
        right = trained.predict(test.features) == test.labels[0].numpy()
        accuracies.append(float(right.mean()))
    return float(np.mean(accuracies))


def _choose_perceptron(
    train: MultiLabelledRows,
    development: MultiLabelledRows,
    n_classes: int,
    seed: int,
    workers: Workers,
) -> tuple[PerceptronConfig, TrainedPerceptron]:
    """Train the grid; return the best on the development set, the first of ties."""
    members = list_grid(seed)
    found = train_grid(
        train, development, n_classes, members, seed=seed, workers=workers
    )
    best = max(range(len(members)), key=lambda index: found[index].development)
    return members[best], found[best]


def _rows_of(
    parts: SplitVectors, labellings: Sequence[Labelling]
) -> tuple[MultiLabelledRows, MultiLabelledRows, MultiLabelledRows]:
    """Centre the splits by the training rows, and add the control tasks' labels."""
    mean = parts.train.mean(axis=0)
    labels = [[parts.train_classes], [parts.development_classes], [parts.test_classes]]
    for labelling in labellings:
        for split, classes in zip(labels, labelling, strict=True):
            split.append(classes)
    train, development, test = (
        make_rows(vectors - mean, classes)
        for vectors, classes in zip(
            (parts.train, parts.development, parts.test), labels, strict=True
        )
    )
    return train, development, test
