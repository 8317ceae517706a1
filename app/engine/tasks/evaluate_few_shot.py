"""Task: measure how much a few labels in the target language improve accuracy."""

from typing import NamedTuple

import numpy as np

from app.arrays import BoolArray, IntArray
from app.engine.classify.classes import index_labels
from app.engine.classify.features import document_language, make_features, vectors_of
from app.engine.classify.labelled_rows import LabelledRows, read_labelled
from app.engine.classify.overlap import exclude_translations, group_rows
from app.engine.classify.training import check_training
from app.engine.encoders.registry import load_encoder
from app.engine.heads.base import Examples
from app.engine.heads.fitting import choose_features, fit_held_out
from app.engine.heads.folds import hold_out
from app.engine.project.project import Project
from app.engine.runtime.report import InnerReport, Report
from app.engine.statistics import LEVEL, N_RESAMPLES
from app.errors import UserError
from app.number_format import format_percent
from app.params.classify import EvaluateFewShot
from app.plurals import count_text
from app.results.transfer import (
    FEW_SHOT_SIZES,
    EvaluateFewShotResult,
    FewShotPoint,
)

STAGE = "Drawing labels"


class _Sets(NamedTuple):
    """Rows of the training language, rows to draw labels from, and test rows."""

    source: Examples
    pool: Examples
    test: Examples


def evaluate_few_shot(
    project: Project | None, params: EvaluateFewShot, report: Report
) -> EvaluateFewShotResult:
    """Train on one language and some labels of another; test on the other.

    Follows Chidambaram et al. (2019), with repeated draws.

    Raises:
        UserError: the data do not suit the head, or there are too few rows.
    """
    if params.head == "relatedness":
        raise UserError(
            "The few-shot curve needs classes, not scores. Choose another head."
        )
    sets = _read_sets(project, params, report)
    sizes = [n for n in params.sizes or FEW_SHOT_SIZES if n <= len(sets.pool.classes)]
    if not sizes:
        raise UserError(
            f"{params.target} has {len(sets.pool.classes):,} rows to draw from, fewer "
            "than the smallest number of labels. Choose a smaller number."
        )
    left_out = [n for n in params.sizes if n > len(sets.pool.classes)]
    zero_shot = _find_right(sets.source, sets.test, params, report)
    points: list[FewShotPoint] = []
    sizes = sorted(set(sizes))
    for n in sizes:
        done, total = len(points) * params.repeats, len(sizes) * params.repeats
        together, alone = _draw(sets, n, params, report, done=done, total=total)
        points.append(_make_point(n, zero_shot, together, alone, seed=params.seed))
        report.metric(n, accuracy=points[-1].accuracy)
    majority = np.bincount(sets.test.classes).max() / len(sets.test.classes)
    return EvaluateFewShotResult(
        n_train=len(sets.source.classes),
        n_test=len(sets.test.classes),
        zero_shot=float(zero_shot.mean()),
        majority=float(majority),
        repeats=params.repeats,
        points=tuple(points),
        message=_describe(params, float(zero_shot.mean()), points[-1])
        + _words_on(left_out, len(sets.pool.classes)),
    )


def _describe(params: EvaluateFewShot, zero_shot: float, last: FewShotPoint) -> str:
    """Return the accuracy without labels and with the most labels."""
    return (
        f"{params.target}, trained on {params.train}: accuracy "
        f"{format_percent(zero_shot, 1)} without labels of {params.target}, "
        f"{format_percent(last.accuracy, 1)} with {last.n:,}."
    )


def _words_on(left_out: list[int], n_pool: int) -> str:
    """Describe numbers of labels that were skipped."""
    named = ", ".join(f"{n:,}" for n in sorted(set(left_out)))
    return (
        f" Skipped {named}: there are only {n_pool:,} rows to draw from."
        if named
        else ""
    )


def _read_sets(
    project: Project | None, params: EvaluateFewShot, report: Report
) -> _Sets:
    """Read and encode the rows; without a test set, use half of the target's rows."""
    source = read_labelled(project, params.train)
    classes = check_training(source, params)
    others = [
        read_labelled(project, named) for named in (params.target, params.test) if named
    ]
    if params.apart:
        tests = {str(index): rows for index, rows in enumerate(others)}
        source, _ = exclude_translations(project, source, tests)
    encoder = load_encoder(params.encoder, project.folder if project else None)

    def examples_of(rows: LabelledRows) -> Examples:
        indices = index_labels(rows.labels, classes, rows.source, params.similar_labels)
        if len(rows.texts) != len(source.texts):
            raise UserError(
                f"{rows.source} and {source.source} can't be combined: one has single "
                "texts and the other pairs."
            )
        if (indices < 0).all():
            raise UserError(f"{rows.source}: none of its labels occurs in training.")
        language = document_language(rows, documents=params.documents)
        vectors = vectors_of(project, encoder, rows, report, document_language=language)
        kind = choose_features(params, len(vectors))
        groups = group_rows([rows], project.store if project else None)
        whole = Examples(make_features(vectors, kind), indices, len(classes), groups)
        return whole.part(indices >= 0)

    sets = [examples_of(rows) for rows in (source, *others)]
    if len(sets) == 3:
        return _Sets(*sets)
    pool = sets[1]
    held = hold_out(pool.classes, 0.5, seed=params.seed, groups=pool.groups)
    if not len(held):
        raise UserError(
            f"{params.target}: all rows of each class are translations or "
            "duplicates, so none can be tested on. Name a test set."
        )
    is_test = np.isin(np.arange(len(pool.classes)), held)
    return _Sets(sets[0], pool.part(~is_test), pool.part(is_test))


def _draw(
    sets: _Sets,
    n: int,
    params: EvaluateFewShot,
    report: Report,
    *,
    done: int,
    total: int,
) -> tuple[list[BoolArray], list[BoolArray]]:
    """Draw n labels several times, after `done` of all `total` draws.

    Returns:
        Whether each test row is right with the training language, and with the labels
        alone, bool (n,) for each draw; the second omits draws of a single class.
    """
    labels = count_text(n, "label")
    together: list[BoolArray] = []
    alone: list[BoolArray] = []
    for draw in range(params.repeats):
        report.step(STAGE, done + draw, total, labels)
        inner = InnerReport(report, STAGE, done + draw, total, note=labels)
        generator = np.random.default_rng((params.seed, n, draw))
        rows: IntArray = generator.choice(len(sets.pool.classes), n, replace=False)
        drawn = sets.pool.part(rows)
        both = _joined(sets.source, drawn)
        together.append(_find_right(both, sets.test, params, inner))
        if np.bincount(drawn.classes).max() < n:
            alone.append(_find_right(drawn, sets.test, params, inner))
    return together, alone


def _make_point(
    n: int,
    zero_shot: BoolArray,
    together: list[BoolArray],
    alone: list[BoolArray],
    *,
    seed: int,
) -> FewShotPoint:
    """Summarise the draws of n labels; `zero_shot`: rows right without labels."""
    accuracies = [float(right.mean()) for right in together]
    return FewShotPoint(
        n=n,
        accuracy=float(np.mean(accuracies)),
        deviation=float(np.std(accuracies, ddof=1)) if len(accuracies) > 1 else 0.0,
        lowest=min(accuracies),
        highest=max(accuracies),
        alone=float(np.mean(alone)) if alone else None,
        gain_interval=_gain_interval(zero_shot, np.stack(together), seed=seed),
    )


def _gain_interval(
    zero_shot: BoolArray, together: BoolArray, *, seed: int
) -> tuple[float, float]:
    """Return the interval of the gain from labels, a bootstrap over rows and draws.

    Args:
        zero_shot: bool (n,), whether each test row is right without labels.
        together: bool (draws, n), whether each test row is right with labels.
    """
    gains = together.astype(np.float64) - zero_shot  # (draws, n) - (n,)
    n_draws, n = gains.shape
    generator = np.random.default_rng(seed)
    found = np.empty(N_RESAMPLES)
    for index in range(N_RESAMPLES):
        draws = generator.integers(0, n_draws, n_draws)
        rows = generator.integers(0, n, n)
        found[index] = gains[draws].mean(axis=0)[rows].mean()
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _joined(one: Examples, other: Examples) -> Examples:
    assert one.groups is not None
    assert other.groups is not None
    above = int(one.groups.max()) + 1
    return Examples(
        np.concatenate([one.features, other.features]),
        np.concatenate([one.classes, other.classes]),
        one.n_classes,
        np.concatenate([one.groups, other.groups + above]),
    )


def _find_right(
    train: Examples, test: Examples, params: EvaluateFewShot, report: Report
) -> BoolArray:
    """Train, and return whether each test row is right: bool (n,)."""
    share, seed = params.development_share, params.seed
    held = hold_out(train.classes, share, seed=seed, groups=train.groups)
    is_held = np.isin(np.arange(len(train.classes)), held)
    head = fit_held_out(train, is_held, params, report).head
    said = head.logits(test.features).argmax(axis=1)
    right: BoolArray = said == test.classes
    return right
