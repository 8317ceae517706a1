"""Run a chain of queries over the sentences of corpora."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.chains import ChainStep, step_line
from app.engine.project import Project
from app.engine.report import Report
from app.engine.search.desk import SearchDesk
from app.engine.store.members import members
from app.engine.store.rows import CorpusRow, first_id
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.words.index import WordIndex

IdArray = NDArray[np.int64]
Mask = NDArray[np.bool_]


class NotIndexedError(UserError):
    """The words of corpora are not indexed.

    Attributes:
        corpora: their ids.
    """

    def __init__(self, corpora: Sequence[CorpusRow]):
        names = ", ".join(corpus.name for corpus in corpora)
        super().__init__(f"The words of {names} are not indexed yet.")
        self.corpora = [corpus.id for corpus in corpora]


class Left(NamedTuple):
    """What is left of one corpus: its positions, int64 (m,), rising."""

    corpus: CorpusRow
    positions: IdArray

    @property
    def ids(self) -> IdArray:
        """Ids of the sentences: int64 (m,)."""
        return self.positions + first_id(self.corpus.id)

    def some(self, mask: Mask) -> "Left":
        """Give some of them."""
        return Left(self.corpus, self.positions[mask])


@dataclass(frozen=True)
class ChainDesk:
    """What the steps of a chain work with.

    Attributes:
        desk: opens vectors and word indexes.
        encoder: name of the one that finds what is near; empty: the one in use.
        may_index: words that are not indexed yet are indexed, else it is an error.
        report: is told of long steps.
    """

    desk: SearchDesk
    encoder: str = ""
    may_index: bool = False
    report: Report = field(default_factory=Report)

    @property
    def project(self) -> Project:
        """Give the open project."""
        return self.desk.project

    def indexes(self, corpora: Sequence[CorpusRow]) -> "list[WordIndex]":
        """Open the words of corpora.

        Raises:
            NotIndexedError: they are not indexed, and may not be here.
        """
        from app.engine.words.index import open_index

        if self.may_index:
            return [open_index(self.project, row, self.report) for row in corpora]
        found = [(row, self.desk.words.index(row)) for row in corpora]
        missing = [row for row, index in found if index is None]
        if missing:
            raise NotIndexedError(missing)
        return [index for _, index in found if index is not None]


class ChainResult(NamedTuple):
    """What a chain left.

    Attributes:
        counts: sentences before the first step and after each one.
        ids: int64 (n,), rising.
        problems: why a step was left out, for each step; empty: it was not.
        not_indexed: ids of corpora whose words a step would need.
    """

    counts: list[int]
    ids: IdArray
    problems: list[str]
    not_indexed: list[int]


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
    left = [_begin(with_.project, corpus) for corpus in corpora]
    left.sort(key=lambda part: part.corpus.id)
    counts, problems = [_count(left)], []
    not_indexed: list[int] = []
    for step in steps:
        try:
            if isinstance(step, UserError):
                raise step
            left = _apply(with_, left, step)
            problems.append("")
        except UserError as error:
            if not goes_on:
                raise
            problems.append(str(error))
            not_indexed += error.corpora if isinstance(error, NotIndexedError) else []
        counts.append(_count(left))
    ids = np.concatenate([np.empty(0, np.int64), *(part.ids for part in left)])
    return ChainResult(counts, ids, problems, not_indexed)


def _begin(project: Project, corpus: CorpusRow) -> Left:
    rows = members(project, corpus)
    return Left(corpus, np.arange(corpus.n_sentences) if rows is None else rows)


def _apply(with_: ChainDesk, left: list[Left], step: ChainStep) -> list[Left]:
    from app.engine.chains.steps import choose

    masks: Iterator[Mask] = iter(choose(with_, left, step))
    kept: list[Left] = []
    for part, mask in zip(left, masks, strict=True):
        with_.report.step(step_line(step)[:80], len(kept), len(left))
        kept.append(part.some(~mask if step.turned else mask))
    return kept


def _count(left: Sequence[Left]) -> int:
    return sum(len(part.positions) for part in left)
