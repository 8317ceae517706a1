"""Run a chain of queries over the sentences of corpora."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.chains import ChainStep, NearStep, step_line
from app.engine.chains.context import ChainDesk
from app.engine.chains.memory import After, IdArray, Left, Mask
from app.engine.chains.missing import NotEncodedError, NotIndexedError
from app.engine.chains.steps import choose
from app.engine.project import Project
from app.engine.store.members import members
from app.engine.store.rows import CorpusRow
from app.errors import UserError

if TYPE_CHECKING:
    pass


class ChainResult(NamedTuple):
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


def run_chain(
    with_: ChainDesk,
    corpora: Sequence[CorpusRow],
    steps: Sequence[ChainStep | UserError],
    *,
    goes_on: bool = False,
) -> ChainResult:
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
    done = [_known(with_, key, partial(_begin, with_.project, corpora))]
    for step in steps:
        key = (*key, _mark(with_, step))
        make = partial(_after, with_, done[-1].left, step, goes_on=goes_on)
        done.append(_known(with_, key, make))
    ids = [part.ids for part in done[-1].left]
    return ChainResult(
        [after.n for after in done],
        np.concatenate([np.empty(0, np.int64), *ids]),
        [after.problem for after in done[1:]],
        [id_ for after in done for id_ in after.not_indexed],
        [id_ for after in done for id_ in after.not_encoded],
    )


def _known(
    with_: ChainDesk, key: tuple[Hashable, ...], make: Callable[[], After]
) -> After:
    """Give what stands after the steps of a key; what is made is kept."""
    memory = with_.memory
    found = memory.find(key) if memory is not None else None
    if found is not None:
        return found
    made = make()
    if memory is not None:
        memory.keep(key, made)
    return made


def _mark(with_: ChainDesk, step: ChainStep | UserError) -> Hashable:
    """Give all that a step depends on beside the project's database."""
    if isinstance(step, UserError):
        return str(step)
    if not isinstance(step, NearStep):
        return step
    try:
        return step, with_.desk.encoder(with_.encoder).fingerprint
    except UserError as error:  # the step will tell
        return step, str(error)


def _begin(project: Project, corpora: Sequence[CorpusRow]) -> After:
    left = []
    for corpus in sorted(corpora, key=lambda row: row.id):
        rows = members(project, corpus)
        left.append(
            Left(corpus, np.arange(corpus.n_sentences) if rows is None else rows)
        )
    return After(left)


def _after(
    with_: ChainDesk,
    left: list[Left],
    step: ChainStep | UserError,
    *,
    goes_on: bool,
) -> After:
    """Apply a step; one that fails leaves what there was.

    Raises:
        UserError: it can't be done, and `goes_on` is false.
    """
    try:
        if isinstance(step, UserError):
            raise step
        return After(_apply(with_, left, step))
    except UserError as error:
        if not goes_on:
            raise
        after = After(left, str(error))
        match error:
            case NotIndexedError():
                return after._replace(not_indexed=error.corpora)
            case NotEncodedError():
                return after._replace(not_encoded=error.corpora)
        return after


def _apply(with_: ChainDesk, left: list[Left], step: ChainStep) -> list[Left]:

    masks: Iterator[Mask] = iter(choose(with_, left, step))
    kept: list[Left] = []
    for part, mask in zip(left, masks, strict=True):
        with_.report.step(step_line(step)[:80], len(kept), len(left))
        kept.append(part.some(~mask if step.turned else mask))
    return kept
