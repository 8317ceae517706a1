"""Evaluate vectors on one task of the downstream suite."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from app.arrays import DoubleArray, FloatArray, IntArray
from app.engine.classify.features import FeatureName, make_features
from app.engine.classify.measures import (
    bootstrap_intervals,
    confusion_matrix,
    majority_of,
)
from app.engine.evaluation.correlation import Resamples
from app.engine.evaluation.downstream_sets import DownstreamSet, classes_of
from app.engine.evaluation.learners import Learner, LogisticLearner, SigmoidLearner
from app.engine.evaluation.protocols import (
    Folds,
    ProtocolResult,
    RelatednessResult,
    cross_validate,
    score_pairs,
    train_and_test,
    train_choose_and_test,
)
from app.engine.evaluation.published_results import task_key
from app.engine.evaluation.recording import DIGITS, rounded_interval
from app.engine.heads.base import Examples
from app.engine.runtime.report import Report
from app.engine.statistics import LEVEL, N_RESAMPLES, Estimate
from app.errors import UserError
from app.params.evaluation import EvaluateDownstream
from app.results.measurements import Transferred

POSITIVE = {"1", "true", "yes", "paraphrase", "duplicate", "equivalent"}
WITH_FOUR_BLOCKS = "snli"  # SentEval's code uses two for other pairs


class SuiteContext(NamedTuple):
    """Settings and data shared by all tasks of a run.

    Attributes:
        published: scores by system, for each task and metric.
    """

    encoder: str
    params: EvaluateDownstream
    published: dict[tuple[str, str], dict[str, float]]


class DownstreamScore(NamedTuple):
    """A score of a task, before it becomes a row."""

    metric: str
    estimate: Estimate
    judged: ProtocolResult | RelatednessResult
    majority: float | None = None
    mean_squared_error: float | None = None


def measure_set(
    one: DownstreamSet,
    vectors: list[tuple[FloatArray, ...]],
    context: SuiteContext,
    report: Report,
) -> list[Transferred]:
    """Train and test one task by the protocol for its files.

    Args:
        one: train, test and development rows.
        vectors: vectors of `one.parts`, float32 (n, d) for each text.
        context: encoder, settings and published scores.

    Raises:
        UserError: all predicted scores of pairs are the same.
    """
    kind = choose_features(one, context.params)
    features = [make_features(some, kind) for some in vectors]
    measure = _score_relatedness if one.gives_scores else _score_classes
    found = measure(one, features, context.params, report)
    return [_row(one.name, finding, context) for finding in found]


def choose_features(one: DownstreamSet, params: EvaluateDownstream) -> FeatureName:
    """Choose the features; if not specified, as in SentEval's code."""
    if len(one.rows.texts) == 1:
        return "single"
    if params.features in ("pair", "difference"):
        return params.features
    return "pair" if task_key(one.name) == WITH_FOUR_BLOCKS else "difference"


def _score_classes(
    one: DownstreamSet,
    features: list[FloatArray],
    params: EvaluateDownstream,
    report: Report,
) -> Iterator[DownstreamScore]:
    """Return accuracy and, for pairs with two classes, F1 of the positive class."""
    classes, places = classes_of(one)
    parts = [
        Examples(some, gold, len(classes))
        for some, gold in zip(features, places, strict=True)
    ]
    judged = _run_protocol(parts, params, report)
    confusion = confusion_matrix(judged.gold, judged.predicted, len(classes))
    accuracy, _ = bootstrap_intervals(confusion, seed=params.seed)
    estimate = Estimate(judged.score, accuracy.low, accuracy.high)
    yield DownstreamScore("accuracy", estimate, judged, majority_of(confusion))
    positive = [index for index, name in enumerate(classes) if name.lower() in POSITIVE]
    if len(one.rows.texts) == 2 and len(classes) == 2 and len(positive) == 1:
        yield DownstreamScore(
            "f1", f1_estimate(confusion, positive[0], params.seed), judged
        )


def _run_protocol(
    parts: list[Examples], params: EvaluateDownstream, report: Report
) -> ProtocolResult:
    """Run the protocol for the given parts: data, test rows, development rows."""
    folds = Folds(params.n_folds, params.n_inner_folds, params.seed)
    learner = choose_learner(params)
    train, *others = parts
    if not others:
        return cross_validate(train, folds, report, learner)
    if len(others) == 1:
        return train_and_test(train, others[0], folds, report, learner)
    test, development = others
    return train_choose_and_test(
        train, development, test, report, learner, seed=params.seed
    )


def choose_learner(params: EvaluateDownstream) -> Learner:
    """Return logistic regression, or the MLP if hidden units are set."""
    if params.n_hidden:
        return SigmoidLearner(params.n_hidden, params.dropout)
    return LogisticLearner()


def _score_relatedness(
    one: DownstreamSet,
    features: list[FloatArray],
    params: EvaluateDownstream,
    report: Report,
) -> Iterator[DownstreamScore]:
    """Return Pearson's (with the squared error) and Spearman's correlation."""
    _check_pairs(one, features)
    scored = score_pairs(one, features, params, report)
    if np.ptp(scored.predicted) == 0:
        raise UserError(
            f"{one.name}: all predicted scores are the same, so there is nothing to "
            "correlate. Check the encoder's coverage."
        )
    resamples = Resamples(len(scored.gold), seed=params.seed)
    sides = scored.predicted, scored.gold
    error = float(np.mean((scored.predicted - scored.gold).astype(np.float64) ** 2))
    straight = resamples.pearson(*sides, report)
    yield DownstreamScore("pearson", straight, scored, mean_squared_error=error)
    yield DownstreamScore("spearman", resamples.spearman(*sides, report), scored)


def _check_pairs(one: DownstreamSet, features: list[FloatArray]) -> None:
    """Reject pairs without differences, whose predictions would reflect only the folds.

    Raises:
        UserError: both texts or both vectors are equal in all rows of a file.
    """
    for part, some in zip(one.parts, features, strict=True):
        first, second = part.texts
        if first == second:
            raise UserError(
                f"{part.source}: both texts are the same in all {len(first):,} rows. "
                "Use pairs of different texts."
            )
        if np.ptp(some, axis=0).max(initial=0.0) == 0:
            raise UserError(
                f"{part.source}: all {len(first):,} pairs have the same vectors. Check "
                "the texts and the encoder's coverage."
            )


def f1_estimate(confusion: IntArray, positive: int, seed: int) -> Estimate:
    """Estimate F1 of one of two classes by a bootstrap of the confusion matrix's cells.

    F1 = 2 TP / (2 TP + FP + FN); 0 if there are no true or predicted positives.
    """
    n = int(confusion.sum())
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(n, confusion.ravel() / n, N_RESAMPLES)
    low, high = np.quantile(
        _f1(drawn.reshape(-1, 2, 2), positive), [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    )
    value = float(_f1(confusion[None], positive)[0])
    return Estimate(value, float(low), float(high))


def _f1(confusions: IntArray, positive: int) -> DoubleArray:
    """Return F1 of each matrix: int64 (r, 2, 2) -> float64 (r,)."""
    right = confusions[:, positive, positive]
    ends = confusions[:, positive].sum(axis=1) + confusions[:, :, positive].sum(axis=1)
    found: DoubleArray = 2 * right / np.maximum(ends, 1)
    return found


def describe_learner(params: EvaluateDownstream) -> str:
    """Return the name of the classifier: logistic, or MLP (50)."""
    return f"MLP ({params.n_hidden})" if params.n_hidden else "logistic"


def _row(name: str, finding: DownstreamScore, context: SuiteContext) -> Transferred:
    judged, estimate = finding.judged, finding.estimate
    error = finding.mean_squared_error
    published = context.published.get((task_key(name), finding.metric), {})
    return Transferred(
        encoder=context.encoder,
        data=name,
        protocol=judged.protocol,
        metric=finding.metric,
        n=len(judged.gold),
        score=round(float(estimate.value), DIGITS),
        score_interval=rounded_interval(estimate),
        development=round(judged.development, DIGITS),
        n_development=judged.n_development,
        majority=None if finding.majority is None else round(finding.majority, DIGITS),
        mean_squared_error=None if error is None else round(error, DIGITS),
        classifier=describe_learner(context.params)
        if finding.metric in ("accuracy", "f1")
        else "",
        published=published,
    )
