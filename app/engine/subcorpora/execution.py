"""Run the query steps of a sub-corpus, and count the sentences that each leaves."""

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
    CorpusSelection,
    Mask,
    NotEncodedError,
    NotIndexedError,
    QueryStepResult,
    cached_steps,
)
from app.engine.subcorpora.steps import select_sentences
from app.errors import UserError
from app.params.query_steps import NearStep, QueryStep, format_step, parse_step
from app.protocol.answers.corpora import StepCounts
from app.protocol.queries.words import StepsQuery


class StepsResult(NamedTuple):
    """What a chain left.

    Attributes:
        counts: sentences before the first step and after each one.
        ids: int64 (n,), rising.
        problems: why a step was left out, for each step; empty: it was not.
        not_indexed: ids of corpora whose words a step would need.
        not_encoded: ids of corpora whose vectors a step would need.
    """

    counts: list[int]
    ids: IdArray
    problems: list[str]
    not_indexed: list[int]
    not_encoded: list[int]


def run_steps(
    with_: StepContext,
    corpora: Sequence[CorpusRow],
    steps: Sequence[QueryStep | UserError],
    *,
    goes_on: bool = False,
) -> StepsResult:
    """Apply steps, each to what the one before left.

    Args:
        with_: what the steps work with.
        corpora: where it begins; of a sub-corpus its sentences.
        steps: of the chain; an error stands for one that could not be read.
        goes_on: a step that fails is left out, and its problem told.

    Raises:
        UserError: a step can't be done, and `goes_on` is false.
    """
    if with_.memory is not None:
        with_.memory.forget_old()
    begins = sorted((row.id, row.subcorpus) for row in corpora)
    key: tuple[Hashable, ...] = tuple(begins)
    done = [_cached_result(with_, key, partial(_first_result, with_.project, corpora))]
    for step in steps:
        key = (*key, _cache_key(with_, step))
        make = partial(_step_result, with_, done[-1].left, step, goes_on=goes_on)
        done.append(_cached_result(with_, key, make))
    ids = [part.ids for part in done[-1].left]
    return StepsResult(
        [after.n for after in done],
        np.concatenate([np.empty(0, np.int64), *ids]),
        [after.problem for after in done[1:]],
        [id_ for after in done for id_ in after.not_indexed],
        [id_ for after in done for id_ in after.not_encoded],
    )


def _cached_result(
    with_: StepContext, key: tuple[Hashable, ...], make: Callable[[], QueryStepResult]
) -> QueryStepResult:
    """Return what stands after the steps of a key; what is made is kept."""
    memory = with_.memory
    found = memory.find(key) if memory is not None else None
    if found is not None:
        return found
    made = make()
    if memory is not None:
        memory.keep(key, made)
    return made


def _cache_key(with_: StepContext, step: QueryStep | UserError) -> Hashable:
    """Return all that a step depends on beside the project's database."""
    if isinstance(step, UserError):
        return str(step)
    if not isinstance(step, NearStep):
        return step
    try:
        return step, with_.desk.encoder(with_.encoder).fingerprint
    except UserError as error:  # the step will tell
        return step, str(error)


def _first_result(project: Project, corpora: Sequence[CorpusRow]) -> QueryStepResult:
    left = []
    for corpus in sorted(corpora, key=lambda row: row.id):
        rows = active_positions(project, corpus)
        left.append(
            CorpusSelection(
                corpus, np.arange(corpus.n_sentences) if rows is None else rows
            )
        )
    return QueryStepResult(left)


def _step_result(
    with_: StepContext,
    left: list[CorpusSelection],
    step: QueryStep | UserError,
    *,
    goes_on: bool,
) -> QueryStepResult:
    """Apply a step; one that fails leaves what there was.

    Raises:
        UserError: it can't be done, and `goes_on` is false.
    """
    try:
        if isinstance(step, UserError):
            raise step
        return QueryStepResult(_apply_step(with_, left, step))
    except UserError as error:
        if not goes_on:
            raise
        after = QueryStepResult(left, str(error))
        match error:
            case NotIndexedError():
                return after._replace(not_indexed=error.corpora)
            case NotEncodedError():
                return after._replace(not_encoded=error.corpora)
        return after


def _apply_step(
    with_: StepContext, left: list[CorpusSelection], step: QueryStep
) -> list[CorpusSelection]:

    masks: Iterator[Mask] = iter(select_sentences(with_, left, step))
    kept: list[CorpusSelection] = []
    for part, mask in zip(left, masks, strict=True):
        with_.report.step(format_step(step)[:80], len(kept), len(left))
        kept.append(part.some(~mask if step.turned else mask))
    return kept


def answer_steps_query(
    session: SearchSession, query: StepsQuery, report: Report
) -> StepCounts:
    """Count what each step leaves; a step that fails is skipped.

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
    corpora = session.corpora(query.corpora, query.subcorpora)
    corpora = [
        row for row in corpora if matches_language(row.language, query.languages)
    ]
    context = StepContext(
        session, query.encoder, report=report, memory=cached_steps(session)
    )
    found = run_steps(context, corpora, steps, goes_on=True)
    return StepCounts(
        counts=found.counts,
        file=session.share_array(found.ids),
        n=len(found.ids),
        problems=found.problems,
        not_indexed=found.not_indexed,
        not_encoded=found.not_encoded,
    )
