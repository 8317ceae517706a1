"""Relatedness of pairs in SentEval's manner: a trained distribution over five scores.

Tai, Socher and Manning 2015, section 3.2, by the head of `classify`: KL divergence,
where SentEval's code minimises squared errors; scores from the lowest to the highest
are mapped to 1…5 (SentEval loses what is below 1).
"""

from typing import NamedTuple

import numpy as np

from app.engine.classify.fit import fit_scores
from app.engine.classify.heads.relatedness import ScoreScale, expected_scores
from app.engine.classify.labelled import read_scores
from app.engine.evaluation.downstream_sets import DownstreamSet
from app.engine.report import InnerReport, Report
from app.engine.statistics import IntArray
from app.engine.store.arrays import FloatArray
from app.params.classify import HeadSettings
from app.params.evaluation import EvaluateDownstream

HELD_SHARE = 0.1  # of the training rows, for early stopping without development rows
LR = 0.01  # of Adam, for a linear layer on the features of vectors of length 1
Pairs = tuple[FloatArray, FloatArray]  # features float32 (n, f), scores float32 (n,)


class Scored(NamedTuple):
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
) -> Scored:
    """Train on the rows and score the test rows; without these, each fold in turn."""
    sets: list[Pairs] = [
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
    return Scored("relatedness", test[1], predicted, development, len(held[1]))


def _cross_score(rows: Pairs, params: EvaluateDownstream, report: Report) -> Scored:
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
    return Scored(
        "relatedness", scores, predicted, float(np.mean(developments)), sum(sizes)
    )


def _fit(
    train: Pairs,
    held: Pairs,
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


def _hold_out(rows: Pairs, seed: int) -> tuple[Pairs, Pairs]:
    """Hold a share of the rows out."""
    n = len(rows[1])
    n_held = max(2, round(HELD_SHARE * n))
    held: IntArray = np.random.default_rng(seed).choice(n, n_held, replace=False)
    is_held = np.isin(np.arange(n), held)
    features, scores = rows
    return (features[~is_held], scores[~is_held]), (features[is_held], scores[is_held])
