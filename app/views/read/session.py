"""What is read: the leading corpus, those beside it, and their rows."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from app.engine.store.corpora import CorpusRow
from app.engine.store.pairs.sets import PairSetRow
from app.engine.store.sentences import has_links
from app.errors import ErrorInfo
from app.protocol.answers.reading import LinkedCorporaAnswer, ReadingAnswer
from app.protocol.queries.reading import (
    MAX_COLUMNS,
    LinkedCorporaQuery,
    ReadingQuery,
)
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.read.model import ReadingRows

ALIGNED_KIND = "aligned"


class Partner(NamedTuple):
    """A corpus that can be read beside the leading one.

    Attributes:
        n_links: links between the two.
        alignment: id of their newest alignment; 0: their links were imported.
    """

    corpus: CorpusRow
    n_links: int
    alignment: int = 0


class ReadingSession(QObject):
    """Asks the engine for rows when the selection or the links change.

    Attributes:
        lead: id of the leading corpus; 0: none.
        chosen: ids of the corpora beside it; none: all of the partners.
        partners: what can be read beside it.
        rows: those of the last answer.
    """

    partners_changed = Signal()
    rows_changed = Signal()
    failed = Signal(object)  # ErrorInfo

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(parent)
        self._state = state
        self.lead = 0
        self.chosen: tuple[int, ...] = ()
        self.partners: list[Partner] = []
        self.rows = ReadingRows()
        self._preferred: dict[frozenset[int], int] = {}  # alignment of two corpora
        self._wanted: tuple[int, ...] | None = None  # to choose, once they are listed

    def leads(self) -> list[CorpusRow]:
        """List the corpora that have links or an alignment."""
        project = self._state.project
        if project is None:
            return []
        aligned = {
            id_
            for row in _alignments(project)
            for id_ in (row.source_corpus_id, row.target_corpus_id)
        }
        return [
            row
            for row in project.corpora
            if row.id in aligned or has_links(project.store, row.id)
        ]

    def open(
        self, lead: int, chosen: Sequence[int] | None = None, alignment: int = 0
    ) -> None:
        """Read a corpus; `partners_changed` and `rows_changed` follow.

        Args:
            lead: id of the leading corpus.
            chosen: ids of those beside it; None: the one with the most links.
            alignment: id of the alignment to use between its two corpora.
        """
        project = self._state.project
        if project is None:
            return
        for row in _alignments(project):
            if row.id == alignment:
                self._preferred[_ends(row)] = alignment
        self.lead = lead
        self._wanted = tuple(chosen) if chosen is not None else None
        self._state.ask(LinkedCorporaQuery(corpus=lead), partial(self._on_linked, lead))

    def choose(self, chosen: Sequence[int]) -> None:
        """Read other corpora beside the leading one."""
        if tuple(chosen) != self.chosen:
            self.chosen = tuple(chosen)
            self.refresh()

    def refresh(self) -> None:
        """Ask for the rows again."""
        ids = [row.corpus.id for row in self.partners]
        beside = [id_ for id_ in ids if id_ in self.chosen or not self.chosen]
        corpora = (self.lead, *beside)[:MAX_COLUMNS]
        query = ReadingQuery(corpora=corpora, alignments=self._used(corpora))
        self._state.ask(query, partial(self._on_rows, corpora))

    def close(self) -> None:
        """Read nothing."""
        self.lead, self.chosen, self.partners = 0, (), []
        self.rows = ReadingRows()
        self.partners_changed.emit()
        self.rows_changed.emit()

    # --- private ---

    def _on_linked(self, lead: int, answer: LinkedCorporaAnswer | ErrorInfo) -> None:
        project = self._state.project
        if project is None or lead != self.lead:
            return
        if isinstance(answer, ErrorInfo):
            self._fail(answer)
            return
        counts = {one.corpus: one.n_links for one in answer.corpora}
        found: dict[int, Partner] = {}
        for corpus in project.corpora:
            alignment = self._alignment_of(project, lead, corpus.id)
            if alignment is not None:
                found[corpus.id] = Partner(corpus, alignment.n_pairs, alignment.id)
            elif corpus.id in counts:
                found[corpus.id] = Partner(corpus, counts[corpus.id])
        self.partners = sorted(
            found.values(), key=lambda one: (not one.alignment, -one.n_links)
        )
        wanted = self._wanted
        if wanted is None:
            wanted = tuple(one.corpus.id for one in self.partners[:1])
        self.chosen = tuple(id_ for id_ in wanted if id_ in found)
        self.partners_changed.emit()
        self.refresh()

    def _on_rows(
        self, corpora: Sequence[int], answer: ReadingAnswer | ErrorInfo
    ) -> None:
        project = self._state.project
        if project is None or not corpora or corpora[0] != self.lead:
            return
        if isinstance(answer, ErrorInfo):
            self._fail(answer)
            return
        known = {row.id: row for row in project.corpora}
        if not known.keys() >= set(corpora):
            return  # a change of the corpora follows
        rows = [known[id_] for id_ in corpora]
        self.rows = ReadingRows(rows, answer, project.folder)
        self.rows_changed.emit()

    def _fail(self, error: ErrorInfo) -> None:
        if error.kind != "superseded":
            self.failed.emit(error)

    def _used(self, corpora: Sequence[int]) -> tuple[int, ...]:
        """Return the alignment of each two of the corpora that have one."""
        project = self._state.project
        if project is None:
            return ()
        found = [
            self._alignment_of(project, first, second)
            for place, first in enumerate(corpora)
            for second in corpora[place + 1 :]
        ]
        return tuple(row.id for row in found if row is not None)

    def _alignment_of(
        self, project: ProjectReader, first: int, second: int
    ) -> PairSetRow | None:
        """Return the newest alignment of two corpora, or the one that was opened."""
        ends = frozenset((first, second))
        rows = [row for row in _alignments(project) if _ends(row) == ends]
        wanted = self._preferred.get(ends, 0)
        return next((row for row in rows if row.id == wanted), next(iter(rows), None))


def _alignments(project: ProjectReader) -> list[PairSetRow]:
    """List the alignments, the newest first."""
    return [row for row in project.minings if row.kind == ALIGNED_KIND]


def _ends(row: PairSetRow) -> frozenset[int]:
    return frozenset((row.source_corpus_id, row.target_corpus_id))
