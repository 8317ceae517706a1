"""SentEval's protocols for classification and relatedness on frozen vectors.

Conneau and Kiela 2018, "SentEval: an evaluation toolkit for universal sentence
representations"; the classifiers are those of `learners`.

Relatedness: Tai, Socher and Manning 2015, section 3.2, with the head of `classify`: KL
divergence, whereas SentEval's code minimises squared errors; the range of scores is
mapped to 1…5 (SentEval loses scores below 1).
"""

from typing import NamedTuple

import numpy as np

from app.arrays import FloatArray, IntArray
from app.engine.classify.labelled_rows import read_scores
from app.engine.evaluation.downstream_sets import Bounds, DownstreamSet
from app.engine.evaluation.learners import Learned, Learner, LogisticLearner
from app.engine.heads.base import Examples
from app.engine.heads.fitting import fit_scores
from app.engine.heads.folds import make_folds
from app.engine.heads.relatedness import ScoreScale, expected_scores
from app.engine.runtime.report import InnerReport, Report
from app.params.classify import HeadSettings
from app.params.evaluation import EvaluateDownstream

LOGISTIC = LogisticLearner()


class ProtocolResult(NamedTuple):
    """Result of a protocol.

    Attributes:
        protocol: nested, train-test or train-dev-test.
        gold, predicted: int64 (n,), classes of the test rows.
        score: accuracy; nested: mean of the folds.
        development: accuracy that selected the penalty; nested: mean of the folds.
        n_development: development rows.
        strengths: selected penalties, one per fold.
    """

    protocol: str
    gold: IntArray
    predicted: IntArray
    score: float
    development: float
    n_development: int
    strengths: tuple[float, ...]


class Folds(NamedTuple):
    """Numbers of outer and inner folds, and the seed."""

    n_outer: int
    n_inner: int
    seed: int


def cross_validate(
    rows: Examples, folds: Folds, report: Report, learner: Learner = LOGISTIC
) -> ProtocolResult:
    """Test each fold with a penalty that was selected on the other folds.

    Args:
        folds: stratified.
    """
    indices = make_folds(rows.classes, folds.n_outer, seed=folds.seed)
    predicted = np.empty(len(rows.classes), np.int64)
    found: list[Learned] = []
    for fold in range(folds.n_outer):
        inner = InnerReport(report, "Cross-validating", fold, folds.n_outer)
        others = rows.part(indices != fold)
        learned = learner.learn_by_folds(others, folds.n_inner, folds.seed, inner)
        predicted[indices == fold] = learned.predict(rows.features[indices == fold])
        found.append(learned)
    is_right = predicted == rows.classes
    return ProtocolResult(
        "nested",
        rows.classes,
        predicted,
        float(np.mean([is_right[indices == f].mean() for f in range(folds.n_outer)])),
        float(np.mean([one.accuracy for one in found])),
        len(rows.classes),
        tuple(one.strength for one in found),
    )


def train_and_test(
    train: Examples,
    test: Examples,
    folds: Folds,
    report: Report,
    learner: Learner = LOGISTIC,
) -> ProtocolResult:
    """Choose the penalty by cross-validation of the training rows, and test once."""
    inner = InnerReport(report, "Training", 0, 1)
    learned = learner.learn_by_folds(train, folds.n_inner, folds.seed, inner)
    return _make_result("train-test", learned, test, len(train.classes))


def train_choose_and_test(
    train: Examples,
    development: Examples,
    test: Examples,
    report: Report,
    learner: Learner = LOGISTIC,
    *,
    seed: int = 1,
) -> ProtocolResult:
    """Choose the penalty on the development rows, and test once."""
    learned = learner.learn_by_development(train, development, seed, report)
    return _make_result("train-dev-test", learned, test, len(development.classes))


def _make_result(
    protocol: str, learned: Learned, test: Examples, n_development: int
) -> ProtocolResult:
    predicted = learned.predict(test.features)
    return ProtocolResult(
        protocol,
        test.classes,
        predicted,
        float((predicted == test.classes).mean()),
        learned.accuracy,
        n_development,
        (learned.strength,),
    )


HELD_SHARE = 0.1  # of training rows, for early stopping without development rows
LR = 0.01  # of Adam, for a linear layer on features of unit vectors
LR_OF_ANY_LENGTH = 0.001  # for vectors that are not normalised, as in SentEval
RelatednessPairs = tuple[
    FloatArray, FloatArray
]  # features float32 (n, f), scores float32 (n,)


class RelatednessResult(NamedTuple):
    """Predicted scores of the test rows.

    Attributes:
        gold, predicted: float32 (n,).
        development: Pearson's r on the development rows, or its mean over folds.
    """

    protocol: str
    gold: FloatArray
    predicted: FloatArray
    development: float
    n_development: int


def score_pairs(
    one: DownstreamSet,
    features: list[FloatArray],
    params: EvaluateDownstream,
    report: Report,
) -> RelatednessResult:
    """Train on the rows and score the test rows or, without test rows, each fold."""
    sets: list[RelatednessPairs] = [
        (some, read_scores(part, *one.bounds))
        for some, part in zip(features, one.parts, strict=True)
    ]
    train = sets[0]
    if len(sets) == 1:
        return _cross_score(train, one.bounds, params, report)
    test = sets[1]
    rest, held = (train, sets[2]) if len(sets) == 3 else _hold_out(train, params.seed)
    inner = InnerReport(report, "Training", 0, 1)
    predicted, development = _fit(rest, held, test[0], one.bounds, params, inner)
    return RelatednessResult(
        "relatedness", test[1], predicted, development, len(held[1])
    )


def _cross_score(
    rows: RelatednessPairs, bounds: Bounds, params: EvaluateDownstream, report: Report
) -> RelatednessResult:
    """Score each fold with a head trained on the other folds."""
    features, scores = rows
    generator = np.random.default_rng(params.seed)
    folds = generator.permutation(np.arange(len(scores)) % params.n_folds)
    predicted = np.empty(len(scores), np.float32)
    found = []
    for fold in range(params.n_folds):
        is_test = folds == fold
        others = features[~is_test], scores[~is_test]
        rest, held = _hold_out(others, params.seed)
        inner = InnerReport(report, "Cross-validating", fold, params.n_folds)
        predicted[is_test], development = _fit(
            rest, held, features[is_test], bounds, params, inner
        )
        found.append((development, len(held[1])))
    developments, sizes = zip(*found, strict=True)
    return RelatednessResult(
        "relatedness", scores, predicted, float(np.mean(developments)), sum(sizes)
    )


def _fit(
    train: RelatednessPairs,
    held: RelatednessPairs,
    features: FloatArray,
    bounds: Bounds,
    params: EvaluateDownstream,
    report: Report,
) -> tuple[FloatArray, float]:
    """Train a head; return the scores of features, and r on the held-out rows."""
    settings = HeadSettings(
        head="relatedness",
        lr=LR if params.normalised else LR_OF_ANY_LENGTH,
        lowest=bounds[0],
        highest=bounds[1],
        seed=params.seed,
    )
    fitted = fit_scores(train, held, settings, report)
    scale = ScoreScale(*bounds)
    scores = scale.from_bins(expected_scores(fitted.head.logits(features)))
    return scores, float(fitted.development)


def _hold_out(
    rows: RelatednessPairs, seed: int
) -> tuple[RelatednessPairs, RelatednessPairs]:
    """Hold out a share of the rows."""
    n = len(rows[1])
    n_held = max(2, round(HELD_SHARE * n))
    held: IntArray = np.random.default_rng(seed).choice(n, n_held, replace=False)
    is_held = np.isin(np.arange(n), held)
    features, scores = rows
    return (features[~is_held], scores[~is_held]), (features[is_held], scores[is_held])
