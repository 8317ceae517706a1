"""SentEval's protocols for classes on frozen vectors, with logistic regression.

Conneau and Kiela 2018, "SentEval: an evaluation toolkit for universal sentence
representations". Deviations: logistic regression is fitted by L-BFGS to its minimum, so
no rows are held out for early stopping, and the penalties tried are those of
`heads/logistic.py`.
"""

from typing import NamedTuple

import numpy as np

from app.engine.classify.folds import make_folds
from app.engine.classify.heads.head import Examples
from app.engine.classify.heads.layers import Layers
from app.engine.classify.heads.logistic import (
    CHOOSING_STEPS,
    GRID,
    Choice,
    choose_inverse_l2,
    fit_logistic,
)
from app.engine.report import InnerReport, Report
from app.engine.statistics import IntArray


class Judged(NamedTuple):
    """What a protocol gave.

    Attributes:
        protocol: nested, train-test or train-dev-test.
        gold, predicted: int64 (n,), classes of the rows that were tested.
        score: accuracy; nested: the mean of the folds.
        development: accuracy by which the penalty was chosen; nested: the mean.
        n_development: rows of it.
        inverse_l2: what was chosen, in each fold.
    """

    protocol: str
    gold: IntArray
    predicted: IntArray
    score: float
    development: float
    n_development: int
    inverse_l2: tuple[float, ...]


class Folds(NamedTuple):
    """How rows are dealt: outer and inner folds, and the seed of the dealing."""

    n_outer: int
    n_inner: int
    seed: int


def cross_validate(rows: Examples, folds: Folds, report: Report) -> Judged:
    """Test each fold with a penalty that was chosen on the others alone.

    Args:
        rows: all of them.
        folds: stratified.
        report: is told of the outer folds.
    """
    places = make_folds(rows.classes, folds.n_outer, seed=folds.seed)
    predicted = np.empty(len(rows.classes), np.int64)
    choices: list[Choice] = []
    for fold in range(folds.n_outer):
        inner = InnerReport(report, "Cross-validating", fold, folds.n_outer)
        choice, layers = _choose_and_fit(rows.part(places != fold), folds, inner)
        predicted[places == fold] = _predict(layers, rows.part(places == fold))
        choices.append(choice)
    is_right = predicted == rows.classes
    return Judged(
        "nested",
        rows.classes,
        predicted,
        float(np.mean([is_right[places == f].mean() for f in range(folds.n_outer)])),
        float(np.mean([choice.accuracy for choice in choices])),
        len(rows.classes),
        tuple(choice.inverse_l2 for choice in choices),
    )


def train_and_test(
    train: Examples, test: Examples, folds: Folds, report: Report
) -> Judged:
    """Choose the penalty by cross-validation of the training rows, and test once."""
    inner = InnerReport(report, "Training", 0, 1)
    choice, layers = _choose_and_fit(train, folds, inner)
    return _judge("train-test", layers, test, choice, len(train.classes))


def train_choose_and_test(
    train: Examples, development: Examples, test: Examples, report: Report
) -> Judged:
    """Choose the penalty on the development rows, and test once.

    Of equally good ones the strongest; each fit begins where the one before it ended.
    """
    best, layers = Choice(GRID[0], -1.0), None
    for place, inverse_l2 in enumerate(GRID):
        inner = InnerReport(report, "Choosing the penalty", place, len(GRID))
        layers = fit_logistic(
            train, inverse_l2, start=layers, max_steps=CHOOSING_STEPS, report=inner
        )
        is_right = _predict(layers, development) == development.classes
        if is_right.mean() > best.accuracy:
            best = Choice(inverse_l2, float(is_right.mean()))
    chosen = fit_logistic(
        train, best.inverse_l2, report=InnerReport(report, "Training", 0, 1)
    )
    n_development = len(development.classes)
    return _judge("train-dev-test", chosen, test, best, n_development)


def _choose_and_fit(
    rows: Examples, folds: Folds, report: Report
) -> tuple[Choice, Layers]:
    """Choose by inner cross-validation and fit all rows."""
    choice = choose_inverse_l2(
        rows,
        is_balanced=False,
        seed=folds.seed,
        report=report,
        n_folds=folds.n_inner,
    )
    return choice, fit_logistic(rows, choice.inverse_l2, report=report)


def _judge(
    protocol: str, layers: Layers, test: Examples, choice: Choice, n_development: int
) -> Judged:
    predicted = _predict(layers, test)
    return Judged(
        protocol,
        test.classes,
        predicted,
        float((predicted == test.classes).mean()),
        choice.accuracy,
        n_development,
        (choice.inverse_l2,),
    )


def _predict(layers: Layers, rows: Examples) -> IntArray:
    found: IntArray = layers.logits(rows.features).argmax(axis=1)
    return found
