"""Classifiers of SentEval's protocols, and the choice of their penalty.

Conneau and Kiela 2018, section 3. Logistic regression is fitted by L-BFGS to
convergence, so no rows are held out for early stopping; its penalties are in
`app.engine.heads.logistic`. The perceptron is SentEval's: one hidden layer of sigmoid
units, Adam on batches of 64, a measurement on the development rows every 4 epochs with
a tenacity of 5, and weight decay of 1e-5 to 1e-2.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
import torch

from app.arrays import FloatArray, IntArray
from app.engine.heads.base import Examples
from app.engine.heads.folds import hold_out, make_folds
from app.engine.heads.logistic import (
    GRID,
    choose_inverse_l2,
    fit_logistic,
    predict,
    rotate,
    solve,
    to_layers,
)
from app.engine.heads.perceptrons import (
    L2,
    MultiLabelledRows,
    PerceptronConfig,
    TrainedPerceptron,
    train_grid,
)
from app.engine.heads.workers import start_workers
from app.engine.runtime.report import InnerReport, Report

HELD_SHARE = 0.05  # of the training rows, for early stopping without development rows


class Learned(NamedTuple):
    """A classifier and its selected penalty.

    Attributes:
        predict: float32 (n, f) -> int64 (n,).
        accuracy: accuracy that selected the penalty, 0…1.
        strength: selected inverse L2, or the perceptron's weight decay.
    """

    predict: Callable[[FloatArray], IntArray]
    accuracy: float
    strength: float


class Learner(Protocol):
    """Chooses a penalty and fits a classifier."""

    def learn_by_folds(
        self, rows: Examples, n_folds: int, seed: int, report: Report
    ) -> Learned:
        """Choose by cross-validation of the rows, and fit all of them."""

    def learn_by_development(
        self, train: Examples, development: Examples, seed: int, report: Report
    ) -> Learned:
        """Choose on the development rows, and fit the training rows."""


class LogisticLearner:
    """Logistic regression."""

    def learn_by_folds(
        self, rows: Examples, n_folds: int, seed: int, report: Report
    ) -> Learned:
        """Choose by cross-validation of the rows, and fit all of them."""
        choice = choose_inverse_l2(
            rows, is_balanced=False, seed=seed, report=report, n_folds=n_folds
        )
        layers = fit_logistic(rows, choice.inverse_l2, report=report)
        return Learned(
            lambda features: predict(layers, features),
            choice.accuracy,
            choice.inverse_l2,
        )

    def learn_by_development(
        self, train: Examples, development: Examples, seed: int, report: Report
    ) -> Learned:
        """Choose on the development rows, and fit the training rows.

        Of equally good penalties, selects the strongest; each fit starts from the
        previous solution.
        """
        best: Learned | None = None
        labels, start = train.classes[None], None
        with start_workers(report) as workers:
            rotated = rotate(train.features, workers)
            for index, inverse_l2 in enumerate(GRID):
                inner = InnerReport(report, "Choosing the penalty", index, len(GRID))
                shared = workers._replace(report=inner)
                start = solve(
                    rotated, labels, train.n_classes, [inverse_l2], shared, start=start
                )
                layers = to_layers(rotated, start[0])
                is_right = predict(layers, development.features) == development.classes
                accuracy = float(is_right.mean())
                if best is None or accuracy > best.accuracy:
                    best = Learned(partial(predict, layers), accuracy, inverse_l2)
        assert best is not None, "there is at least one strength"
        return best


class SigmoidLearner(NamedTuple):
    """SentEval's perceptron.

    Attributes:
        n_hidden: sigmoid units (nhid).
        dropout: share of the units' inputs that are set to 0.
    """

    n_hidden: int
    dropout: float = 0.0

    def learn_by_folds(
        self, rows: Examples, n_folds: int, seed: int, report: Report
    ) -> Learned:
        """Choose by cross-validation of the rows, and fit all but 5 % of them."""
        folds = make_folds(rows.classes, n_folds, seed=seed)
        accuracies = np.zeros(len(L2))
        for fold in range(n_folds):
            inner = InnerReport(report, "Choosing the penalty", fold, n_folds)
            train, held = rows.part(folds != fold), rows.part(folds == fold)
            found = self._train(train, held, L2, seed, inner)
            accuracies += [one.development / n_folds for one in found]
        best = int(accuracies.argmax())
        held_rows = hold_out(rows.classes, HELD_SHARE, seed=seed)
        is_held = np.isin(np.arange(len(rows.classes)), held_rows)
        (fitted,) = self._train(
            rows.part(~is_held), rows.part(is_held), L2[best : best + 1], seed, report
        )
        return _learned(fitted, float(accuracies[best]), L2[best])

    def learn_by_development(
        self, train: Examples, development: Examples, seed: int, report: Report
    ) -> Learned:
        """Choose on the development rows, and fit the training rows."""
        found = self._train(train, development, L2, seed, report)
        best = max(range(len(L2)), key=lambda index: found[index].development)
        return _learned(found[best], found[best].development, L2[best])

    def _train(
        self,
        train: Examples,
        development: Examples,
        strengths: tuple[float, ...],
        seed: int,
        report: Report,
    ) -> list[TrainedPerceptron]:
        members = [
            PerceptronConfig(self.n_hidden, self.dropout, l2, seed) for l2 in strengths
        ]
        with start_workers(report) as workers:
            return train_grid(
                _to_tensors(train),
                _to_tensors(development),
                train.n_classes,
                members,
                seed=seed,
                workers=workers,
            )


def _to_tensors(rows: Examples) -> MultiLabelledRows:
    features = torch.from_numpy(np.ascontiguousarray(rows.features, np.float32))
    return MultiLabelledRows(features, torch.from_numpy(rows.classes[None]))


def _learned(fitted: TrainedPerceptron, accuracy: float, l2: float) -> Learned:
    return Learned(
        lambda features: fitted.predict(
            torch.from_numpy(np.ascontiguousarray(features, np.float32))
        ),
        accuracy,
        l2,
    )
