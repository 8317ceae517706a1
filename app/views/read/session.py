"""State of reading: the leading source, its partners and the rows."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from app.engine.store.corpora import CorpusRow
from app.engine.store.documents import DocumentRow, list_documents
from app.engine.store.pairs.sets import PairSetRow, count_verdicts
from app.engine.store.sentences import has_links
from app.errors import ErrorInfo
from app.protocol.answers.reading import LinkedCorporaAnswer, ReadingAnswer
from app.protocol.queries.reading import MAX_COLUMNS, LinkedCorporaQuery, ReadingQuery
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.read.model import ReadingRows
from app.views.widgets.corpus_choices import (
    describe_corpus,
    describe_subcorpus,
    rank_language,
)
from app.views.widgets.number_format import format_count

ALIGNED_KIND = "aligned"


class Partner(NamedTuple):
    """A corpus that can be read next to the leading one.

    Attributes:
        n_links: number of links between the two corpora.
        alignment: id of the alignment in use; 0: imported links.
        pairs: id of the pair set in use; 0: none.
        has_imported: whether links between the two corpora were imported.
        alignments: all alignments of the two corpora, newest first.
    """

    corpus: CorpusRow
    n_links: int
    alignment: int = 0
    pairs: int = 0
    has_imported: bool = False
    alignments: tuple[PairSetRow, ...] = ()

    @property
    def has_choice(self) -> bool:
        """Return whether there are several sets of links to read."""
        return len(self.alignments) + self.has_imported > 1 and not self.pairs


class ReadingSource(NamedTuple):
    """The leading source: a corpus, or its part in a sub-corpus or pair set.

    Attributes:
        corpus: id of the leading corpus; 0: none.
        subcorpus: id of the sub-corpus that restricts the sentences; 0: none.
        pairs: id of the pair set to read; 0: links and alignments.
        accepted_only: read only accepted pairs.
    """

    corpus: int = 0
    subcorpus: int = 0
    pairs: int = 0
    accepted_only: bool = False

    @property
    def is_whole(self) -> bool:
        """Return whether the complete corpus is read."""
        return not self.subcorpus and not self.pairs


class ReadingSession(QObject):
    """Requests rows from the engine when the selection or the links change.

    Attributes:
        source: leading source.
        chosen: ids of the selected partners; empty: all partners.
        partners: corpora that can be read next to the source.
        rows: rows of the last answer.
    """

    partners_changed = Signal()
    rows_changed = Signal()
    failed = Signal(object)  # ErrorInfo

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(parent)
        self._state = state
        self.source = ReadingSource()
        self.chosen: tuple[int, ...] = ()
        self.partners: list[Partner] = []
        self.rows = ReadingRows()
        # selected alignment of two corpora; 0: imported links
        self._preferred: dict[frozenset[int], int] = {}
        self._wanted: tuple[int, ...] | None = None  # to select once listed

    def sources(self) -> list[tuple[ReadingSource, str]]:
        """List the leading sources with titles: corpora, sub-corpora, pair sets."""
        project = self._state.project
        if project is None:
            return []
        aligned = {id_ for row in _alignments(project) for id_ in _ends(row)}
        leads = {
            row.id: row
            for row in project.corpora
            if row.id in aligned or has_links(project.store, row.id)
        }
        found = [
            (ReadingSource(id_), describe_corpus(row)) for id_, row in leads.items()
        ]
        for part in project.subcorpora:
            ids = [id_ for id_ in part.counts if id_ in leads]
            for id_ in ids:
                title = describe_subcorpus(part)
                if len(ids) > 1:
                    title = f"⊂ {part.name} · {describe_corpus(leads[id_])}"
                found.append((ReadingSource(id_, subcorpus=part.id), title))
        for row in _pair_sets(project):
            found += self._pair_sources(project, row)
        return found

    def _pair_sources(
        self, project: ProjectReader, row: PairSetRow
    ) -> list[tuple[ReadingSource, str]]:
        """List a pair set and, if it has accepted pairs, its accepted pairs alone."""
        source = ReadingSource(row.source_corpus_id, pairs=row.id)
        title = self.tr("Pairs: {name} · {n}")
        found = [(source, title.format(name=row.name, n=format_count(row.n_pairs)))]
        verdicts = count_verdicts(project.store, row.id)
        if verdicts is None or verdicts.get("accept"):
            title = self.tr("Accepted pairs: {name}").format(name=row.name)
            if verdicts is not None:
                title += f" · {format_count(verdicts['accept'])}"
            found.append((source._replace(accepted_only=True), title))
        return found

    def open(
        self,
        source: ReadingSource,
        chosen: Sequence[int] | None = None,
        alignment: int = 0,
    ) -> None:
        """Open a source, then emit `partners_changed` and `rows_changed`.

        Args:
            source: leading source.
            chosen: ids of the partners; None: the other corpus of the pair set, or
                a corpus with many links that is easy to read.
            alignment: id of the alignment to use between its two corpora; 0: keep.
        """
        project = self._state.project
        if project is None:
            return
        for row in _alignments(project):
            if row.id == alignment:
                self._preferred[_ends(row)] = alignment
        self.source = source
        self._wanted = tuple(chosen) if chosen is not None else None
        query = LinkedCorporaQuery(corpus=source.corpus)
        self._state.ask(query, partial(self._on_linked, source))

    @property
    def threshold(self) -> float | None:
        """The minimum score of pairs; None: no minimum."""
        if self.source.accepted_only:
            return None
        return self._state.thresholds.of(self.source.pairs)

    def suggest_source(self) -> ReadingSource:
        """Return the initial source: an aligned corpus that is easy to read."""
        project, sources = self._state.project, [one for one, _ in self.sources()]
        if project is None or not sources:
            return ReadingSource()
        languages = {row.id: row.language for row in project.corpora}
        aligned = {id_ for row in _alignments(project) for id_ in _ends(row)}
        wholes = [one for one in sources if one.is_whole]
        return min(
            wholes or sources,
            key=lambda one: (
                rank_language(languages.get(one.corpus, "")),
                one.corpus not in aligned,
            ),
        )

    def _suggest_partner(self) -> tuple[int, ...]:
        """Return the partner that is easiest to read among the best linked ones."""
        if not self.partners:
            return ()
        first = self.partners[0]
        alike = [
            one
            for one in self.partners
            if bool(one.pairs) == bool(first.pairs)
            and bool(one.alignments) == bool(first.alignments)
            and 2 * one.n_links >= first.n_links
        ]
        return (
            min(alike, key=lambda one: rank_language(one.corpus.language)).corpus.id,
        )

    @property
    def has_documents(self) -> bool:
        """Whether the leading corpus has several documents."""
        project, lead = self._state.project, self.source.corpus
        return project is not None and len(list_documents(project.store, lead)) > 1

    def list_documents(self) -> dict[int, DocumentRow]:
        """Return the documents of the first column by first row."""
        project, corpora = self._state.project, self.rows.corpora
        if project is None or not corpora:
            return {}
        found = list_documents(project.store, corpora[0].id)
        starts = self.rows.rows_of_documents([one.first for one in found])
        return {row: found[at] for row, at in starts.items()}

    def choose(self, chosen: Sequence[int]) -> None:
        """Select the partners of the leading source."""
        if tuple(chosen) != self.chosen:
            self.chosen = tuple(chosen)
            self.refresh()

    def choose_links(self, corpus: int, alignment: int) -> None:
        """Use an alignment of the leading and another corpus; 0: imported links."""
        self._preferred[frozenset((self.source.corpus, corpus))] = alignment
        self.open(self.source, self.chosen)

    def save_choices(self) -> list[list[int]]:
        """Return the selected links: two corpora, and an alignment or 0."""
        return [[*sorted(ends), id_] for ends, id_ in self._preferred.items()]

    def restore_choices(self, saved: Sequence[Sequence[int]]) -> None:
        """Restore the saved selection of links."""
        self._preferred = {frozenset((one, other)): id_ for one, other, id_ in saved}

    def refresh(self) -> None:
        """Request the rows again."""
        ids = [row.corpus.id for row in self.partners]
        beside = [id_ for id_ in ids if id_ in self.chosen or not self.chosen]
        source = self.source
        corpora = (source.corpus, *beside)[:MAX_COLUMNS]
        query = ReadingQuery(
            corpora=corpora,
            alignments=tuple(self._chosen_alignments(corpora)),
            fallbacks=tuple(self._newest_alignments(corpora)),
            subcorpus=source.subcorpus,
            pairs=source.pairs,
            accepted_only=source.accepted_only,
            lowest=self.threshold,
        )
        self._state.ask(query, partial(self._on_rows, source, corpora))

    def close(self) -> None:
        """Close the source and remove the rows."""
        self.source, self.chosen, self.partners = ReadingSource(), (), []
        self._preferred = {}
        self.rows = ReadingRows()
        self.partners_changed.emit()
        self.rows_changed.emit()

    # --- private ---

    def _on_linked(
        self, source: ReadingSource, answer: LinkedCorporaAnswer | ErrorInfo
    ) -> None:
        project = self._state.project
        if project is None or source != self.source:
            return
        if isinstance(answer, ErrorInfo):
            self._fail(answer)
            return
        counts = {one.corpus: one.n_links for one in answer.corpora}
        found: dict[int, Partner] = {}
        paired = next((r for r in _pair_sets(project) if r.id == source.pairs), None)
        for corpus in project.corpora:
            n_imported = counts.get(corpus.id, 0)
            rows = _alignments_between(project, source.corpus, corpus.id)
            row = self._alignment_to_read(rows, has_imported=n_imported > 0)
            if paired is not None and corpus.id == paired.target_corpus_id:
                found[corpus.id] = Partner(corpus, paired.n_pairs, pairs=paired.id)
            elif rows or n_imported:
                n_links = row.n_pairs if row is not None else n_imported
                id_ = row.id if row is not None else 0
                found[corpus.id] = Partner(
                    corpus, n_links, id_, 0, n_imported > 0, tuple(rows)
                )
        self.partners = sorted(
            found.values(),
            key=lambda one: (not one.pairs, not one.alignments, -one.n_links),
        )
        wanted = self._wanted
        if wanted is None:
            wanted = self._suggest_partner()
        self.chosen = tuple(id_ for id_ in wanted if id_ in found)
        self.partners_changed.emit()
        self.refresh()

    def _on_rows(
        self,
        source: ReadingSource,
        corpora: Sequence[int],
        answer: ReadingAnswer | ErrorInfo,
    ) -> None:
        project = self._state.project
        if project is None or source != self.source:
            return
        if isinstance(answer, ErrorInfo):
            self._fail(answer)
            return
        known = {row.id: row for row in project.corpora}
        if not known.keys() >= set(corpora):
            return  # a change of the corpora will follow
        rows = [known[id_] for id_ in corpora]
        self.rows = ReadingRows(rows, answer, project.folder)
        self.rows_changed.emit()

    def _fail(self, error: ErrorInfo) -> None:
        if error.kind != "superseded":
            self.failed.emit(error)

    def _chosen_alignments(self, corpora: Sequence[int]) -> Iterator[int]:
        """Return the selected alignments between these corpora that still exist."""
        project = self._state.project
        rows = _alignments(project) if project is not None else []
        for row in rows:
            if _ends(row) <= set(corpora) and self._preferred.get(_ends(row)) == row.id:
                yield row.id

    def _newest_alignments(self, corpora: Sequence[int]) -> Iterator[int]:
        """Return the newest alignment of each two of these corpora."""
        project = self._state.project
        if project is None:
            return
        for one, other in combinations(corpora, 2):
            for row in _alignments_between(project, one, other)[:1]:
                yield row.id

    def _alignment_to_read(
        self, rows: Sequence[PairSetRow], *, has_imported: bool
    ) -> PairSetRow | None:
        """Return the selected alignment or, without imported links, the newest one."""
        for row in rows:
            if self._preferred.get(_ends(row)) == row.id:
                return row
        return None if has_imported else next(iter(rows), None)


def _alignments(project: ProjectReader) -> list[PairSetRow]:
    """List the alignments, newest first."""
    return [row for row in project.minings if row.kind == ALIGNED_KIND]


def _alignments_between(
    project: ProjectReader, first: int, second: int
) -> list[PairSetRow]:
    ends = frozenset((first, second))
    return [row for row in _alignments(project) if _ends(row) == ends]


def _pair_sets(project: ProjectReader) -> list[PairSetRow]:
    """List the pair sets between two corpora, without alignments."""
    known = {row.id for row in project.corpora}
    return [
        row
        for row in project.minings
        if row.kind != ALIGNED_KIND and len(_ends(row)) == 2 and _ends(row) <= known
    ]


def _ends(row: PairSetRow) -> frozenset[int]:
    return frozenset((row.source_corpus_id, row.target_corpus_id))
