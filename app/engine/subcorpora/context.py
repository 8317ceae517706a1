"""What the query steps of a sub-corpus work with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import CorpusRow
from app.engine.subcorpora.step_cache import NotIndexedError, StepCache
from app.engine.words.cache import word_cache

if TYPE_CHECKING:
    from app.engine.words.index import WordIndex


@dataclass(frozen=True)
class StepContext:
    """What the steps of a chain work with.

    Attributes:
        desk: opens vectors and word indexes.
        encoder: name of the one that finds what is near; empty: the one in use.
        may_index: words that are not indexed yet are indexed, else it is an error.
        report: is told of long steps.
        memory: of the steps of older chains; None: nothing is kept.
    """

    desk: SearchSession
    encoder: str = ""
    may_index: bool = False
    report: Report = field(default_factory=Report)
    memory: StepCache | None = None

    @property
    def project(self) -> Project:
        """Return the open project."""
        return self.desk.project

    def indexes(self, corpora: Sequence[CorpusRow]) -> "list[WordIndex]":
        """Open the words of corpora.

        Raises:
            NotIndexedError: they are not indexed, and may not be here.
        """
        from app.engine.words.index import open_index

        if self.may_index:
            return [open_index(self.project, row, self.report) for row in corpora]
        found = [(row, word_cache(self.desk).index(row)) for row in corpora]
        missing = [row for row, index in found if index is None]
        if missing:
            raise NotIndexedError(missing)
        return [index for _, index in found if index is not None]
