"""SentEval's protocols for classification and relatedness on frozen vectors.

Conneau and Kiela 2018, "SentEval: an evaluation toolkit for universal sentence
representations". Deviations: logistic regression is fitted by L-BFGS to its minimum, so
no rows are held out for early stopping, and the penalties tried are those of
`app.engine.heads.logistic`.

Tai, Socher and Manning 2015, section 3.2, by the head of `classify`: KL divergence,
where SentEval's code minimises squared errors; scores from the lowest to the highest
are mapped to 1…5 (SentEval loses what is below 1).
"""

from typing import NamedTuple

import numpy as np

from app.arrays import FloatArray, IntArray
from app.engine.classify.labelled_rows import read_scores
from app.engine.evaluation.downstream_sets import DownstreamSet
from app.engine.heads.base import Examples, Layers
from app.engine.heads.fitting import fit_scores
from app.engine.heads.folds import make_folds
from app.engine.heads.logistic import (
    GRID,
    PenaltyChoice,
    choose_inverse_l2,
    fit_logistic,
    predict,
    rotate,
    solve,
    to_layers,
)
from app.engine.heads.relatedness import ScoreScale, expected_scores
from app.engine.heads.workers import start_workers
from app.engine.runtime.report import InnerReport, Report
from app.params.classify import HeadSettings
from app.params.evaluation import EvaluateDownstream


class ProtocolResult(NamedTuple):
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


def cross_validate(rows: Examples, folds: Folds, report: Report) -> ProtocolResult:
    """Test each fold with a penalty that was chosen on the others alone.

    Args:
        rows: all of them.
        folds: stratified.
        report: receives the progress.
    """
    places = make_folds(rows.classes, folds.n_outer, seed=folds.seed)
    predicted = np.empty(len(rows.classes), np.int64)
    choices: list[PenaltyChoice] = []
    for fold in range(folds.n_outer):
        inner = InnerReport(report, "Cross-validating", fold, folds.n_outer)
        choice, layers = _choose_and_fit(rows.part(places != fold), folds, inner)
        predicted[places == fold] = predict(layers, rows.features[places == fold])
        choices.append(choice)
    is_right = predicted == rows.classes
    return ProtocolResult(
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
) -> ProtocolResult:
    """Choose the penalty by cross-validation of the training rows, and test once."""
    inner = InnerReport(report, "Training", 0, 1)
    choice, layers = _choose_and_fit(train, folds, inner)
    return _make_result("train-test", layers, test, choice, len(train.classes))


def train_choose_and_test(
    train: Examples, development: Examples, test: Examples, report: Report
) -> ProtocolResult:
    """Choose the penalty on the development rows, and test once.

    Of equally good ones the strongest; each fit begins where the one before it ended.
    """
    best: PenaltyChoice | None = None
    labels, start = train.classes[None], None
    with start_workers(report) as workers:
        rotated = rotate(train.features, workers)
        for place, inverse_l2 in enumerate(GRID):
            inner = InnerReport(report, "Choosing the penalty", place, len(GRID))
            shared = workers._replace(report=inner)
            start = solve(
                rotated, labels, train.n_classes, [inverse_l2], shared, start=start
            )
            layers = to_layers(rotated, start[0])
            is_right = predict(layers, development.features) == development.classes
            if best is None or is_right.mean() > best.accuracy:
                best, chosen = PenaltyChoice(inverse_l2, float(is_right.mean())), layers
    assert best is not None, "there is at least one strength"
    n_development = len(development.classes)
    return _make_result("train-dev-test", chosen, test, best, n_development)


def _choose_and_fit(
    rows: Examples, folds: Folds, report: Report
) -> tuple[PenaltyChoice, Layers]:
    """Choose by inner cross-validation and fit all rows."""
    choice = choose_inverse_l2(
        rows,
        is_balanced=False,
        seed=folds.seed,
        report=report,
        n_folds=folds.n_inner,
    )
    return choice, fit_logistic(rows, choice.inverse_l2, report=report)


def _make_result(
    protocol: str,
    layers: Layers,
    test: Examples,
    choice: PenaltyChoice,
    n_development: int,
) -> ProtocolResult:
    predicted = predict(layers, test.features)
    return ProtocolResult(
        protocol,
        test.classes,
        predicted,
        float((predicted == test.classes).mean()),
        choice.accuracy,
        n_development,
        (choice.inverse_l2,),
    )


HELD_SHARE = 0.1  # of the training rows, for early stopping without development rows
LR = 0.01  # of Adam, for a linear layer on the features of vectors of length 1
RelatednessPairs = tuple[
    FloatArray, FloatArray
]  # features float32 (n, f), scores float32 (n,)


class RelatednessResult(NamedTuple):
    """What was predicted of the rows that were tested.

    Attributes:
        gold, predicted: float32 (n,).
        development: Pearson's r on the development rows; of folds the mean.
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
    """Train on the rows and score the test rows; without these, each fold in turn."""
    sets: list[RelatednessPairs] = [
        (some, read_scores(part, params.lowest, params.highest))
        for some, part in zip(features, one.parts, strict=True)
    ]
    train = sets[0]
    if len(sets) == 1:
        return _cross_score(train, params, report)
    test = sets[1]
    rest, held = (train, sets[2]) if len(sets) == 3 else _hold_out(train, params.seed)
    inner = InnerReport(report, "Training", 0, 1)
    predicted, development = _fit(rest, held, test[0], params, inner)
    return RelatednessResult(
        "relatedness", test[1], predicted, development, len(held[1])
    )


def _cross_score(
    rows: RelatednessPairs, params: EvaluateDownstream, report: Report
) -> RelatednessResult:
    """Score each fold by a head that was trained on the others."""
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
            rest, held, features[is_test], params, inner
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
    params: EvaluateDownstream,
    report: Report,
) -> tuple[FloatArray, float]:
    """Train a head; give the scores of features, and r on the held rows."""
    settings = HeadSettings(
        head="relatedness",
        lr=LR,
        lowest=params.lowest,
        highest=params.highest,
        seed=params.seed,
    )
    fitted = fit_scores(train, held, settings, report)
    scale = ScoreScale(params.lowest, params.highest)
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
