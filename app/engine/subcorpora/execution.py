"""Run the query steps of a sub-corpus, and count the sentences after each step."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from app.arrays import IdArray
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.languages import matches_language
from app.engine.search.session import SearchSession
from app.engine.store.corpora import CorpusRow
from app.engine.subcorpora.context import StepContext
from app.engine.subcorpora.step_cache import (
    Mask,
    NotEncodedError,
    NotIndexedError,
    QueryStepResult,
    SelectedRows,
    cached_steps,
)
from app.engine.subcorpora.steps import select_sentences
from app.errors import UserError
from app.params.query_steps import NearStep, QueryStep, format_step, parse_step
from app.protocol.answers.corpora import StepCounts
from app.protocol.queries.words import StepsQuery


class StepsResult(NamedTuple):
    """The result of query steps.

    Attributes:
        counts: sentences before the first step and after each one.
        ids: int64 (n,), ascending.
        problems: reason why each step was skipped; empty: not skipped.
        not_indexed: ids of corpora whose words a step would need.
        not_encoded: ids of corpora whose vectors a step would need.
    """

    counts: list[int]
    ids: IdArray
    problems: list[str]
    not_indexed: list[int]
    not_encoded: list[int]


def run_steps(
    context: StepContext,
    corpora: Sequence[CorpusRow],
    steps: Sequence[QueryStep | UserError],
    *,
    skips_failed: bool = False,
) -> StepsResult:
    """Apply steps, each to the result of the previous step.

    Args:
        corpora: initial corpora or parts of corpora.
        steps: in order; an error for each step that could not be parsed.
        skips_failed: whether to skip a failing step and report its problem.

    Raises:
        UserError: a step fails, and `skips_failed` is false.
    """
    if context.cache is not None:
        context.cache.forget_old()
    begins = sorted((row.id, row.subcorpus) for row in corpora)
    key: tuple[Hashable, ...] = tuple(begins)
    done = [
        _cached_result(context, key, partial(_first_result, context.project, corpora))
    ]
    for step in steps:
        key = (*key, _cache_key(context, step))
        make = partial(
            _step_result, context, done[-1].left, step, skips_failed=skips_failed
        )
        done.append(_cached_result(context, key, make))
    ids = [part.ids for part in done[-1].left]
    return StepsResult(
        [after.n for after in done],
        np.concatenate([np.empty(0, np.int64), *ids]),
        [after.problem for after in done[1:]],
        [id_ for after in done for id_ in after.not_indexed],
        [id_ for after in done for id_ in after.not_encoded],
    )


def _cached_result(
    context: StepContext, key: tuple[Hashable, ...], make: Callable[[], QueryStepResult]
) -> QueryStepResult:
    """Return the cached result of the steps of a key, or compute and cache it."""
    cache = context.cache
    found = cache.find(key) if cache is not None else None
    if found is not None:
        return found
    made = make()
    if cache is not None:
        cache.keep(key, made)
    return made


def _cache_key(context: StepContext, step: QueryStep | UserError) -> Hashable:
    """Return what a step depends on, except for the project's database."""
    if isinstance(step, UserError):
        return str(step)
    if not isinstance(step, NearStep):
        return step
    try:
        return step, context.session.encoder(context.encoder).fingerprint
    except UserError as error:  # raised again when the step runs
        return step, str(error)


def _first_result(project: Project, corpora: Sequence[CorpusRow]) -> QueryStepResult:
    left = []
    for corpus in sorted(corpora, key=lambda row: row.id):
        rows = active_positions(project, corpus)
        left.append(
            SelectedRows(
                corpus, np.arange(corpus.n_sentences) if rows is None else rows
            )
        )
    return QueryStepResult(left)


def _step_result(
    context: StepContext,
    left: list[SelectedRows],
    step: QueryStep | UserError,
    *,
    skips_failed: bool,
) -> QueryStepResult:
    """Apply a step; a skipped one leaves the selection unchanged.

    Raises:
        UserError: the step fails, and `skips_failed` is false.
    """
    try:
        if isinstance(step, UserError):
            raise step
        return QueryStepResult(_apply_step(context, left, step))
    except UserError as error:
        if not skips_failed:
            raise
        after = QueryStepResult(left, str(error))
        match error:
            case NotIndexedError():
                return after._replace(not_indexed=error.corpora)
            case NotEncodedError():
                return after._replace(not_encoded=error.corpora)
        return after


def _apply_step(
    context: StepContext, left: list[SelectedRows], step: QueryStep
) -> list[SelectedRows]:

    masks: Iterator[Mask] = iter(select_sentences(context, left, step))
    kept: list[SelectedRows] = []
    for part, mask in zip(left, masks, strict=True):
        context.report.step(format_step(step)[:80], len(kept), len(left))
        kept.append(part.some(~mask if step.turned else mask))
    return kept


def answer_steps_query(
    session: SearchSession, query: StepsQuery, report: Report
) -> StepCounts:
    """Count the sentences after each step; a step that fails is skipped.

    Leading steps that equal those of an earlier query are not run again.

    Raises:
        UserError: an initial sub-corpus does not exist.
        Cancelled: a newer query came; the finished steps stay cached.
    """
    steps: list[QueryStep | UserError] = []
    for line in query.steps:
        try:
            steps.append(parse_step(line))
        except UserError as error:
            steps.append(error)
    corpora = session.searched_corpora(query.corpora, query.subcorpora)
    corpora = [
        row for row in corpora if matches_language(row.language, query.languages)
    ]
    context = StepContext(
        session, query.encoder, report=report, cache=cached_steps(session)
    )
    found = run_steps(context, corpora, steps, skips_failed=True)
    return StepCounts(
        counts=found.counts,
        file=session.share_array(found.ids),
        n=len(found.ids),
        problems=found.problems,
        not_indexed=found.not_indexed,
        not_encoded=found.not_encoded,
    )
