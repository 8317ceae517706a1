"""Task: measure how much a few labels in the target language improve accuracy."""

from typing import NamedTuple

import numpy as np

from app.arrays import IntArray
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
from app.errors import UserError
from app.number_format import format_percent
from app.params.classify import EvaluateFewShot
from app.results.transfer import (
    FEW_SHOT_SIZES,
    EvaluateFewShotResult,
    FewShotPoint,
)

STAGE = "Drawing labels"


class _Sets(NamedTuple):
    """The training language, what labels are drawn from, and what is tested on."""

    source: Examples
    pool: Examples
    test: Examples


def evaluate_few_shot(
    project: Project | None, params: EvaluateFewShot, report: Report
) -> EvaluateFewShotResult:
    """Train on all of one language and some labels of another; test on the other.

    As Chidambaram et al. (2019) do with reviews, with repeated draws.

    Raises:
        UserError: the data do not do for the head, or are too few.
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
    zero_shot = _accuracy(sets.source, sets.test, params, report)
    points: list[FewShotPoint] = []
    sizes = sorted(set(sizes))
    for n in sizes:
        done, total = len(points) * params.repeats, len(sizes) * params.repeats
        points.append(_measure(sets, n, params, report, done=done, total=total))
        report.metric(n, accuracy=points[-1].accuracy)
    last = points[-1]
    majority = np.bincount(sets.test.classes).max() / len(sets.test.classes)
    return EvaluateFewShotResult(
        n_train=len(sets.source.classes),
        n_test=len(sets.test.classes),
        zero_shot=zero_shot,
        majority=float(majority),
        repeats=params.repeats,
        points=tuple(points),
        message=f"Accuracy {format_percent(zero_shot, 1)} without labels of the target "
        f"language, {format_percent(last.accuracy, 1)} with {last.n:,}."
        + _words_on(left_out, len(sets.pool.classes)),
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
    """Read and encode the rows; without a test set half of the target's are one."""
    source = read_labelled(project, params.train)
    classes = check_training(source, params)
    others = [
        read_labelled(project, named) for named in (params.target, params.test) if named
    ]
    if params.apart:
        tests = {str(place): rows for place, rows in enumerate(others)}
        source, _ = exclude_translations(project, source, tests)
    encoder = load_encoder(params.encoder, project.folder if project else None)

    def examples_of(rows: LabelledRows) -> Examples:
        places = index_labels(rows.labels, classes, rows.source, params.similar_labels)
        if len(rows.texts) != len(source.texts):
            raise UserError(
                f"{rows.source} and {source.source} can't be combined: one has single "
                "texts and the other pairs."
            )
        if (places < 0).all():
            raise UserError(f"{rows.source}: none of its labels occurs in training.")
        language = document_language(rows, documents=params.documents)
        vectors = vectors_of(project, encoder, rows, report, document_language=language)
        kind = choose_features(params, len(vectors))
        groups = group_rows([rows], project.store if project else None)
        whole = Examples(make_features(vectors, kind), places, len(classes), groups)
        return whole.part(places >= 0)

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


def _measure(
    sets: _Sets,
    n: int,
    params: EvaluateFewShot,
    report: Report,
    *,
    done: int,
    total: int,
) -> FewShotPoint:
    """Draw n labels several times; `done` of all `total` draws are before these."""
    together: list[float] = []
    alone: list[float] = []
    for draw in range(params.repeats):
        report.step(STAGE, done + draw, total, f"{n:,} labels")
        inner = InnerReport(report, STAGE, done + draw, total, note=f"{n:,} labels")
        generator = np.random.default_rng((params.seed, n, draw))
        rows: IntArray = generator.choice(len(sets.pool.classes), n, replace=False)
        drawn = sets.pool.part(rows)
        both = _joined(sets.source, drawn)
        together.append(_accuracy(both, sets.test, params, inner))
        if np.bincount(drawn.classes).max() < n:
            alone.append(_accuracy(drawn, sets.test, params, inner))
    return FewShotPoint(
        n=n,
        accuracy=float(np.mean(together)),
        deviation=float(np.std(together, ddof=1)) if len(together) > 1 else 0.0,
        lowest=min(together),
        highest=max(together),
        alone=float(np.mean(alone)) if alone else None,
    )


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


def _accuracy(
    train: Examples, test: Examples, params: EvaluateFewShot, report: Report
) -> float:
    share, seed = params.development_share, params.seed
    held = hold_out(train.classes, share, seed=seed, groups=train.groups)
    is_held = np.isin(np.arange(len(train.classes)), held)
    head = fit_held_out(train, is_held, params, report).head
    said = head.logits(test.features).argmax(axis=1)
    return float(np.mean(said == test.classes))
