"""Task: select sentences by a chain of queries and save them as a sub-corpus."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from app.engine.edits.journal import apply_edit
from app.engine.edits.subcorpora import clean_subcorpus_name
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import CorpusRow, list_corpora
from app.engine.store.lookup import SUBCORPUS_PREFIX, find_corpora
from app.engine.store.subcorpora import (
    SubcorpusRow,
    add_subcorpus,
    list_subcorpora,
    write_subcorpus_ids,
)
from app.engine.subcorpora.context import StepContext
from app.engine.subcorpora.execution import StepsResult, run_steps
from app.errors import UserError
from app.params.corpora import MakeSubcorpus
from app.params.query_steps import QueryStep, WithinStep, format_step, parse_steps
from app.plurals import count_text
from app.protocol.edits.corpora import SetSubcorpusMembers
from app.results.task import TaskResult

MAX_IDS = 1_000  # ids listed in a result


class StepCount(msgspec.Struct, frozen=True):
    """Number of sentences after a step.

    Attributes:
        step: the step as a line of text.
        left: remaining sentences.
    """

    step: str
    left: int


class MakeSubcorpusResult(TaskResult, frozen=True, kw_only=True):
    """Sentences selected by a chain.

    Attributes:
        subcorpus: id of the sub-corpus; None: not saved.
        sentences: remaining sentences.
        begun: sentences before the first step.
        steps: number of sentences after each step.
        ids: the first remaining sentences, if no sub-corpus is saved.
    """

    subcorpus: int | None
    name: str
    sentences: int
    begun: int
    steps: list[StepCount]
    ids: list[int]
    seconds: float


class _Chain(NamedTuple):
    """Initial corpora of a chain, its steps as lines, and the sub-corpus to update."""

    corpora: list[CorpusRow]
    steps: tuple[str, ...]
    old: SubcorpusRow | None


def make_subcorpus(
    project: Project, params: MakeSubcorpus, report: Report
) -> MakeSubcorpusResult:
    """Select sentences by a chain of queries; save them if a name is set.

    Raises:
        UserError: a step is invalid or fails, no sentences remain, or the name is
            taken.
        Cancelled: nothing is written.
    """
    begun = time.monotonic()
    chain = _chain(project, params)
    if params.name and chain.old is None:
        with project.store.connect() as connection:
            clean_subcorpus_name(connection, params.name)
    steps = parse_steps(chain.steps)
    if params.name and not steps:
        raise UserError(
            f"The sub-corpus {params.name!r} needs at least one step, such as "
            "'field year=1850..1890'."
        )
    _check_begin(chain.old, steps)
    context = StepContext(SearchSession(project), params.encoder, True, report)
    found = run_steps(context, chain.corpora, steps)
    report.step("Choosing sentences", 1, 1)
    id_ = _keep(project, params, chain, found, report) if params.name else None
    n = len(found.ids)
    of_all = f"{n:,} of {count_text(found.counts[0], 'sentence')}"
    are = "is" if n == 1 else "are"
    where = f" in the sub-corpus {params.name}" if params.name else " left"
    return MakeSubcorpusResult(
        subcorpus=id_,
        name=params.name,
        sentences=n,
        begun=found.counts[0],
        steps=[
            StepCount(format_step(step), left)
            for step, left in zip(steps, found.counts[1:], strict=True)
        ],
        ids=[] if params.name else found.ids[:MAX_IDS].tolist(),
        seconds=time.monotonic() - begun,
        message=f"{of_all} {are}{where}.",
    )


def _chain(project: Project, params: MakeSubcorpus) -> _Chain:
    """Find the start of the chain; a sub-corpus that is updated has its own chain."""
    old = _old(project, params) if params.again else None
    lines = tuple(line.strip() for line in params.steps if line.strip())
    known = list_corpora(project.store)
    if old is not None and not lines and not params.corpora:
        rows = [row for row in known if not old.corpora or row.id in old.corpora]
        return _Chain(rows, old.steps, old)
    lines = lines or (old.steps if old is not None else ())
    if not params.corpora:
        return _Chain(known, lines, old)
    rows = find_corpora(project.store, params.corpora)
    return _Chain(rows, (*first_steps(project, rows), *lines), old)


def first_steps(project: Project, rows: Sequence[CorpusRow]) -> tuple[str, ...]:
    """Return the step that starts a chain with a sub-corpus.

    Raises:
        UserError: the chain starts with a sub-corpus and something else.
    """
    parts = {row.subcorpus for row in rows}
    if parts == {0} or not parts:
        return ()
    if len(parts) > 1:
        raise UserError(
            "Start from corpora or from one sub-corpus. For another one, add the step "
            "'within NAME'."
        )
    (id_,) = parts
    known = list_subcorpora(project.store)
    (name,) = [row.name for row in known if row.id == id_]
    taken = [row.name for row in known]
    taken += [row.name for row in list_corpora(project.store)]
    return (f"within {name if taken.count(name) == 1 else f'{SUBCORPUS_PREFIX}{id_}'}",)


def _check_begin(old: SubcorpusRow | None, steps: Sequence[QueryStep]) -> None:
    """Reject a chain that starts with its result: its first steps would be lost."""
    begun = {step.name for step in steps if isinstance(step, WithinStep)}
    if old is not None and begun & {old.name, f"{SUBCORPUS_PREFIX}{old.id}"}:
        raise UserError(
            f"The sub-corpus {old.name!r} can't be updated from itself. Set its "
            "corpora and all of its steps."
        )


def _old(project: Project, params: MakeSubcorpus) -> SubcorpusRow:
    for row in list_subcorpora(project.store):
        if row.name == params.name:
            return row
    raise UserError(
        f"There is no sub-corpus {params.name!r} to update."
        if params.name
        else "Set the name of the sub-corpus to update."
    )


def _keep(
    project: Project,
    params: MakeSubcorpus,
    chain: _Chain,
    found: StepsResult,
    report: Report,
) -> int:
    """Save the result under a new name or in place of the existing sub-corpus."""
    if not len(found.ids):
        raise UserError("The steps leave no sentences. Change or remove a step.")
    corpora = _kept_corpora(chain, params)
    members = write_subcorpus_ids(project.folder, found.ids)
    if chain.old is not None:
        change = SetSubcorpusMembers(
            subcorpus=chain.old.id,
            corpora=corpora,
            steps=chain.steps,
            array=members.array,
            n_sentences=members.n_sentences,
            counts=members.counts,
        )
        apply_edit(project, change, report.changed)
        return chain.old.id
    with project.store.connect() as connection:
        name = clean_subcorpus_name(connection, params.name)
    kept = (corpora, chain.steps)
    id_ = add_subcorpus(project.store, name, kept, members, report.run)
    report.changed("subcorpus", id_)
    return id_


def _kept_corpora(chain: _Chain, params: MakeSubcorpus) -> tuple[int, ...]:
    """Return the ids of the corpora that the chain starts with; empty: all corpora."""
    if params.corpora:
        return tuple(row.id for row in chain.corpora)
    if chain.old is not None and not params.steps:
        return chain.old.corpora
    return ()
