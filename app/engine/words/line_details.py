"""Read the context, document and translations of concordance lines for export."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from app.arrays import IntArray
from app.engine.search.languages import matches_language
from app.engine.search.session import SearchSession
from app.engine.store.corpora import (
    CorpusRow,
    corpus_of,
    first_sentence_id,
    position_of,
)
from app.engine.store.documents import DocumentRow, list_documents
from app.engine.store.hidden_sentences import hidden_ids
from app.engine.store.sentences import SentenceRow, list_translations, read_sentences
from app.engine.text.writers.concordance_lines import ContextSentence, LineRecord
from app.engine.words.line_neighbours import LineNeighbourOptions, find_neighbours
from app.protocol.answers.words import LineNeighbour


class LineOptions(NamedTuple):
    """What to read in addition to the lines.

    Attributes:
        near: languages of the nearest sentences to read.
        context: number of sentences before and after.
        corpora: corpora that are searched for neighbours.
        with_translations: read linked translations.
    """

    near: Sequence[str] = ()
    context: int = 0
    corpora: Sequence[CorpusRow] = ()
    with_translations: bool = False


class LineReader:
    """Reads the texts of lines; caches documents and hidden sentences by corpus."""

    def __init__(
        self, session: SearchSession, corpora: Sequence[CorpusRow], extras: LineOptions
    ):
        """Initialise an empty cache.

        Args:
            corpora: corpora of the lines.
        """
        self._session, self._extras = session, extras
        self._store = session.project.store
        self._names = {corpus.id: corpus.name for corpus in session.corpora()}
        self._corpora = {corpus.id: corpus for corpus in corpora}
        self._documents: dict[int, list[DocumentRow]] = {}
        self._hidden: dict[int, set[int]] = {}
        self.not_encoded: set[int] = set()

    def describe(self, lines: IntArray) -> list[LineRecord]:
        """Describe lines; skip those whose sentence was deleted.

        Args:
            lines: int64 (m, 3), sentence id, start and end in code points.
        """
        read = read_sentences(self._store, lines[:, 0].tolist())
        known = [
            (row, begin, end)
            for row, (begin, end) in zip(read, lines[:, 1:].tolist(), strict=True)
            if row is not None
        ]
        ids = list(dict.fromkeys(row.id for row, _, _ in known))
        near = self._near(ids)
        around = self._around(ids)
        translations = self._translations(ids)
        return [
            self._unit(row, (begin, end))._replace(
                near=near.get(row.id, ()),
                before=around[row.id][0],
                after=around[row.id][1],
                translations=translations.get(row.id, ()),
            )
            for row, begin, end in known
        ]

    def _unit(self, row: SentenceRow, span: tuple[int, int]) -> LineRecord:
        document = self._document(row.id)
        begin, end = span
        return LineRecord(
            left=row.text[:begin],
            hit=row.text[begin:end],
            right=row.text[end:],
            corpus=self._names.get(corpus_of(row.id), ""),
            document=document.name if document else "",
            fields=document.fields if document else {},
            line=row.line,
            language=row.language,
            sentence=row.id,
        )

    def _document(self, sentence: int) -> DocumentRow | None:
        corpus_id, position = corpus_of(sentence), position_of(sentence)
        if corpus_id not in self._documents:
            self._documents[corpus_id] = list_documents(self._store, corpus_id)
        rows = self._documents[corpus_id]
        index = bisect_right(rows, position, key=lambda row: row.first) - 1
        if index < 0 or position >= rows[index].first + rows[index].n_sentences:
            return None
        return rows[index]

    def _around(
        self, ids: Sequence[int]
    ) -> dict[int, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Read the sentences before and after each line, without hidden sentences."""
        n = self._extras.context
        if not n:
            return dict.fromkeys(ids, ((), ()))
        wanted = sorted({id_ + step for id_ in ids for step in range(-n, n + 1)})
        texts = {
            row.id: row.text
            for row in read_sentences(self._store, wanted)
            if row is not None and not self._is_hidden(row.id)
        }

        def texts_of(id_: int, steps: range) -> tuple[str, ...]:
            low, high = (
                first_sentence_id(corpus_of(id_)),
                first_sentence_id(corpus_of(id_) + 1),
            )
            around = [id_ + step for step in steps if low <= id_ + step < high]
            return tuple(texts[other] for other in around if other in texts)

        return {
            id_: (texts_of(id_, range(-n, 0)), texts_of(id_, range(1, n + 1)))
            for id_ in ids
        }

    def _is_hidden(self, sentence: int) -> bool:
        corpus_id = corpus_of(sentence)
        if corpus_id not in self._hidden:
            ids = hidden_ids(self._store, corpus_id)
            self._hidden[corpus_id] = set(ids.tolist())
        return sentence in self._hidden[corpus_id]

    def _near(self, ids: Sequence[int]) -> dict[int, tuple[ContextSentence, ...]]:
        """Find the nearest similar sentence of each language for each line."""
        extras = self._extras
        if not extras.near or not ids:
            return {}
        options = LineNeighbourOptions(extras.corpora, extras.near)
        found = find_neighbours(self._session, ids, options)
        self.not_encoded |= set(found.not_encoded)
        others = sorted({one.sentence for line in found.neighbours for one in line})
        read = zip(others, read_sentences(self._store, others), strict=True)
        texts = {id_: row.text for id_, row in read if row is not None}
        return {
            id_: tuple(
                self._near_text(code, best, texts[best.sentence])
                for code in extras.near
                if (best := _best_of(line, code)) is not None and best.is_similar
            )
            for id_, line in zip(ids, found.neighbours, strict=True)
        }

    def _near_text(self, asked: str, near: LineNeighbour, text: str) -> ContextSentence:
        corpus = self._names.get(corpus_of(near.sentence), "")
        return ContextSentence(
            asked,
            near.language,
            text,
            corpus,
            near.sentence,
            near.score,
            near.is_translation,
        )

    def _translations(self, ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
        if not self._extras.with_translations:
            return {}
        linked = list_translations(self._store, ids)
        others = sorted({other for group in linked.values() for other in group})
        read = zip(others, read_sentences(self._store, others), strict=True)
        texts = {
            id_: row.text
            for id_, row in read
            if row is not None and corpus_of(id_) in self._names
        }
        return {
            id_: tuple(texts[other] for other in group if other in texts)
            for id_, group in linked.items()
        }


def _best_of(line: Sequence[LineNeighbour], code: str) -> LineNeighbour | None:
    """Return the neighbour in a language: a translation, or the nearest sentence."""
    own = [one for one in line if matches_language(one.language, [code])]
    return min(
        own,
        key=lambda one: (not one.is_translation, -(one.score or 0.0), one.sentence),
        default=None,
    )
