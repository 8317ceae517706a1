"""The documents of exported pairs: their names and fields, as columns of their own."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Engine

from app.engine.store.document_book import DocumentBook
from app.engine.text.writers import PairHead, PairUnit


class PairSource(NamedTuple):
    """Pairs to write.

    Attributes:
        n: how many are still to be looked at.
        pages: of each page, how many were looked at, and those to write.
    """

    head: PairHead
    n: int
    pages: Iterator[tuple[int, list[PairUnit]]]


def tell_documents(
    store: Engine, source: PairSource, corpora: tuple[int, int]
) -> PairSource:
    """Tell of each pair which documents its first sentences are in.

    Args:
        store: of the project.
        source: the pairs.
        corpora: ids of those of the sides.

    Returns:
        The same pairs, where neither corpus has documents.
    """
    book = DocumentBook(store)
    if not any(book.stretches(id_) for id_ in corpora):
        return source
    fields = [tuple(book.fields([id_])) for id_ in corpora]
    head = source.head._replace(
        has_documents=True, source_fields=fields[0], target_fields=fields[1]
    )

    def pages() -> Iterator[tuple[int, list[PairUnit]]]:
        for n, units in source.pages:
            yield n, [_told(unit, head, book) for unit in units]

    return PairSource(head, source.n, pages())


def _told(unit: PairUnit, head: PairHead, book: DocumentBook) -> PairUnit:
    return unit._replace(
        source_document=book.name_of(unit.source_id),
        target_document=book.name_of(unit.target_id),
        source_values=book.values_of(unit.source_id, head.source_fields),
        target_values=book.values_of(unit.target_id, head.target_fields),
    )


__all__ = ["PairSource", "tell_documents"]
