"""Which document a sentence is in: the documents of some corpora, read once."""

from bisect import bisect_right
from collections.abc import Sequence

from sqlalchemy import Engine

from app.engine.store.document_rows import (
    DocumentRow,
    field_names,
    list_documents,
)
from app.engine.store.rows import corpus_of, position_of


class DocumentBook:
    """Knows the stretches of the corpora that were asked about."""

    def __init__(self, store: Engine | None):
        self._store = store
        self._known: dict[int, tuple[list[int], list[DocumentRow]]] = {}

    def stretches(self, corpus_id: int) -> list[DocumentRow]:
        """Give the stretches of a corpus in the order of position."""
        return self._read(corpus_id)[1]

    def fields(self, corpus_ids: list[int]) -> list[str]:
        """Name the fields of the documents of corpora."""
        return field_names(row for id_ in corpus_ids for row in self.stretches(id_))

    def of(self, sentence_id: int) -> DocumentRow | None:
        """Give the stretch that a sentence is in; None where there is none."""
        firsts, rows = self._read(corpus_of(sentence_id))
        place = position_of(sentence_id)
        index = bisect_right(firsts, place) - 1
        if index < 0 or place >= rows[index].first + rows[index].n_sentences:
            return None
        return rows[index]

    def name_of(self, sentence_id: int) -> str:
        """Name the document of a sentence; empty where there is none."""
        row = self.of(sentence_id)
        return row.name if row is not None else ""

    def values_of(self, sentence_id: int, fields: Sequence[str]) -> tuple[str, ...]:
        """Give fields of the document of a sentence; empty where it has none."""
        row = self.of(sentence_id)
        known = row.fields if row is not None else {}
        return tuple(known.get(name, "") for name in fields)

    def _read(self, corpus_id: int) -> tuple[list[int], list[DocumentRow]]:
        known = self._known.get(corpus_id)
        if known is None:
            rows = list_documents(self._store, corpus_id) if self._store else []
            known = self._known[corpus_id] = ([row.first for row in rows], rows)
        return known


__all__ = ["DocumentBook"]
