"""Columns of exported tables: the document of each sentence and its fields."""

from collections.abc import Iterable

from sqlalchemy import Engine

from app.engine.store.documents import DocumentCache


class DocumentColumns:
    """Reads the documents of sentences.

    Attributes:
        header: names of the columns; empty if the corpora have no documents.
    """

    def __init__(self, store: Engine | None, corpora: Iterable[int]):
        """Read the document fields of the corpora with these ids."""
        ids = list(corpora)
        self._documents = DocumentCache(store)
        self._fields = self._documents.fields(ids)
        has_documents = any(self._documents.sections(id_) for id_ in ids)
        self.header = ("document", *self._fields) if has_documents else ()

    def cells(self, sentence_id: int) -> tuple[str, ...]:
        """Return the cells of a sentence; empty if the sentence is in no document."""
        if not self.header:
            return ()
        name = self._documents.name_of(sentence_id)
        return (name, *self._documents.values_of(sentence_id, self._fields))
