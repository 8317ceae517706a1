"""The context in which the steps of a sub-corpus run."""

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
    """The context of query steps.

    Attributes:
        session: opens vectors and word indexes.
        encoder: name of the encoder for steps by meaning; empty for the one in use.
        may_index: whether to index words that are not indexed yet.
        report: receives the progress of long steps.
        cache: results of earlier steps; None to cache nothing.
    """

    session: SearchSession
    encoder: str = ""
    may_index: bool = False
    report: Report = field(default_factory=Report)
    cache: StepCache | None = None

    @property
    def project(self) -> Project:
        """The open project."""
        return self.session.project

    def indexes(self, corpora: Sequence[CorpusRow]) -> "list[WordIndex]":
        """Open the word indexes of corpora.

        Raises:
            NotIndexedError: some are not indexed, and `may_index` is false.
        """
        from app.engine.words.index import open_index

        if self.may_index:
            return [open_index(self.project, row, self.report) for row in corpora]
        found = [(row, word_cache(self.session).index(row)) for row in corpora]
        missing = [row for row, index in found if index is None]
        if missing:
            raise NotIndexedError(missing)
        return [index for _, index in found if index is not None]
