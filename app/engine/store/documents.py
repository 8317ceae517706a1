"""Read and write documents: their sentences and metadata fields.

A document is all sections with the same name and fields.
"""

import json
import math
import sqlite3
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    Connection,
    Engine,
    Integer,
    Select,
    bindparam,
    column,
    func,
    select,
    update,
)

from app.engine.store.corpora import (
    CorpusRow,
    corpus_of,
    first_sentence_id,
    position_of,
)
from app.engine.store.rows import read_rows_by_id, select_fields
from app.engine.store.schema import CORPUS_STRIDE, document, sentence

MAX_READ = 10_000  # sections; reading them takes about 0.03 s
MAX_VALUES = 500  # of a field


class DocumentRow(NamedTuple):
    """One section of a corpus, or a whole document.

    Attributes:
        first: position of the first sentence, from 0.
        n_sentences: number of sentences.
        name: name of the document.
        fields: metadata such as author and year; values are text.
    """

    first: int
    n_sentences: int
    name: str
    fields: dict[str, str]


def list_documents(store: Engine, corpus_id: int) -> list[DocumentRow]:
    """List the sections of a corpus in the order of position."""
    with store.connect() as connection:
        return read_sections(connection, corpus_id)


def read_sections(connection: Connection, corpus_id: int) -> list[DocumentRow]:
    """List the sections of a corpus within a transaction (see `list_documents`)."""
    query = (
        select_fields(document, DocumentRow)
        .where(document.c.corpus_id == corpus_id)
        .order_by(document.c.first)
    )
    decoded: dict[str, dict[str, str]] = {}
    rows = []
    for first, n, name, fields in connection.execute(query):
        if fields not in decoded:
            decoded[fields] = json.loads(fields)
        rows.append(DocumentRow(first, n, name, decoded[fields]))
    return rows


def whole_documents(sections: Iterable[DocumentRow]) -> list[DocumentRow]:
    """Join the sections of each document, in the order of the first sections."""
    found: dict[tuple[object, ...], DocumentRow] = {}
    for row in sections:
        key = document_key(row)
        known = found.get(key)
        if known is not None:
            row = known._replace(n_sentences=known.n_sentences + row.n_sentences)
        found[key] = row
    return list(found.values())


def shorten_document_names(names: Iterable[str]) -> dict[str, str]:
    """Shorten names to the last part, plus as many folders as make them unique.

    Args:
        names: document names with folders, such as "Brief/1848/Keller".
    """
    parts = {name: name.split("/") for name in names}
    short: dict[str, str] = {}
    n_parts = 1
    while parts:
        tails = {name: "/".join(own[-n_parts:]) for name, own in parts.items()}
        counts = Counter(tails.values())
        done = {
            name: tail
            for name, tail in tails.items()
            if counts[tail] == 1 or n_parts >= len(parts[name])
        }
        short |= done
        parts = {name: own for name, own in parts.items() if name not in done}
        n_parts += 1
    return short


def read_last_line(store: Engine, corpus: CorpusRow) -> int:
    """Return the highest line number of a corpus; lines rise within a document."""
    ends = {row.first + row.n_sentences for row in list_documents(store, corpus.id)}
    base = first_sentence_id(corpus.id) - 1
    ids = [base + end for end in ends | {corpus.n_sentences}]
    rows = read_rows_by_id(store, sentence, _LineRow, ids)
    return max((row.line for row in rows if row is not None), default=0)


class _LineRow(NamedTuple):
    id: int
    line: int


def document_key(row: DocumentRow) -> tuple[object, ...]:
    """Return a key that is equal for the sections of one document."""
    return (row.name, *sorted(row.fields.items()))


def document_numbers(store: Engine, corpus: CorpusRow) -> NDArray[np.int32]:
    """Number the document of each sentence, in the order of the first sections.

    Returns:
        int32 (n,), from 0, in the order of position; all 0 if the corpus has no
        documents. Sentences outside documents form one more document.
    """
    rows = list_documents(store, corpus.id)
    numbers = np.full(corpus.n_sentences, -1 if rows else 0, np.int32)
    known: dict[tuple[object, ...], int] = {}
    for row in rows:
        number = known.setdefault(document_key(row), len(known))
        numbers[row.first : row.first + row.n_sentences] = number
    numbers[numbers < 0] = len(known)
    return numbers


def document_of(store: Engine, sentence_id: int) -> DocumentRow | None:
    """Return the section that contains a sentence; None if no document does."""
    index = position_of(sentence_id)
    query = (
        select_fields(document, DocumentRow)
        .where(document.c.corpus_id == corpus_of(sentence_id))
        .where(document.c.first <= index)
        .order_by(document.c.first.desc())
        .limit(1)
    )
    with store.connect() as connection:
        found = connection.execute(query).one_or_none()
    if found is None or index >= found.first + found.n_sentences:
        return None
    fields = json.loads(found.fields)
    return DocumentRow(found.first, found.n_sentences, found.name, fields)


def read_document_names(store: Engine, ids: Sequence[int]) -> dict[int, str]:
    """Return the document names of those sentences that have a document, by id.

    Each name is looked up by the index, since a corpus may have very many documents.
    """
    with store.connect() as connection:
        values = {"ids": json.dumps(list(map(int, ids)))}
        return dict(tuple(row) for row in connection.execute(_names_query(), values))


@cache  # called for every sentence that is shown
def _names_query() -> Select[Any]:
    """Select the document name of each sentence in the JSON list `ids`."""
    wanted = func.json_each(bindparam("ids"))
    asked = wanted.table_valued(column("value", Integer), name="asked").c.value
    corpus_id, place = asked // CORPUS_STRIDE, asked % CORPUS_STRIDE
    other = document.alias()
    last_before = select(func.max(other.c.first)).where(
        other.c.corpus_id == corpus_id, other.c.first <= place
    )
    return select(asked, document.c.name).where(
        document.c.corpus_id == corpus_id,
        document.c.first == last_before.scalar_subquery(),
        place < document.c.first + document.c.n_sentences,
    )


def read_field_names(store: Engine, corpus_ids: Sequence[int]) -> list[str]:
    """Return the field names of corpora's documents, without reading the documents."""
    query = select(document.c.fields).distinct()
    query = query.where(document.c.corpus_id.in_(corpus_ids))
    with store.connect() as connection:
        said = [json.loads(text) for text in connection.scalars(query)]
    return sorted({name for fields in said for name in fields})


def count_field_values(
    store: Engine, corpus_ids: Sequence[int], name: str
) -> list[tuple[str, int]]:
    """Count the sentences of each value of a field (in any case), most frequent first.

    Only the first `MAX_READ` sections are read, to limit the time.
    """
    query = select(document.c.fields, document.c.n_sentences)
    query = query.where(document.c.corpus_id.in_(corpus_ids)).limit(MAX_READ)
    counts: Counter[str] = Counter()
    with store.connect() as connection:
        for text, n_sentences in connection.execute(query):
            fields = json.loads(text)
            folded = {key.casefold(): value for key, value in fields.items()}
            counts[folded.get(name.casefold(), "")] += n_sentences
    del counts[""]
    return counts.most_common(MAX_VALUES)


def count_document_names(
    store: Engine, corpus_ids: Sequence[int]
) -> list[tuple[str, int]]:
    """Count the sentences of each document name, in the order of the corpora."""
    query = (
        select(document.c.name, func.sum(document.c.n_sentences))
        .where(document.c.corpus_id.in_(corpus_ids))
        .group_by(document.c.name)
        .order_by(func.min(document.c.corpus_id), func.min(document.c.first))
        .limit(MAX_VALUES)
    )
    with store.connect() as connection:
        return [(name, int(n)) for name, n in connection.execute(query)]


def parse_field_number(value: str) -> float | None:
    """Parse a field value as a number; None if it is not a number."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def document_field_names(rows: Iterable[DocumentRow]) -> list[str]:
    """Return the field names of documents in the order of first occurrence."""
    return list(dict.fromkeys(name for row in rows for name in row.fields))


def append_documents(
    raw: sqlite3.Connection, corpus_id: int, sections: Sequence[DocumentRow]
) -> None:
    """Append sections to a corpus; the first may continue the last existing section."""
    rows = [
        (
            corpus_id,
            one.first,
            one.n_sentences,
            one.name,
            _encode_fields(one.fields),
        )
        for one in sections
    ]
    if rows:
        _, first, n, name, fields = rows[0]
        done = raw.execute(
            "UPDATE document SET n_sentences = n_sentences + ? WHERE corpus_id = ? "
            "AND first = (SELECT max(first) FROM document WHERE corpus_id = ?) "
            "AND first + n_sentences = ? AND name = ? AND fields = ?",
            (n, corpus_id, corpus_id, first, name, fields),
        )
        rows = rows[1:] if done.rowcount else rows
    raw.executemany("INSERT INTO document VALUES (?, ?, ?, ?, ?)", rows)


def write_document_fields(
    connection: Connection, corpus_id: int, fields: dict[int, dict[str, str]]
) -> None:
    """Change the fields of sections, given by the position of their first sentence."""
    for first, values in fields.items():
        connection.execute(
            update(document)
            .where(document.c.corpus_id == corpus_id, document.c.first == first)
            .values(fields=_encode_fields(values))
        )


def _encode_fields(fields: dict[str, str]) -> str:
    return json.dumps(fields, ensure_ascii=False)


class DocumentCache:
    """Caches the sections of the corpora that were queried."""

    def __init__(self, store: Engine | None):
        self._store = store
        self._known: dict[int, tuple[list[int], list[DocumentRow]]] = {}

    def sections(self, corpus_id: int) -> list[DocumentRow]:
        """Return the sections of a corpus in the order of position."""
        return self._read(corpus_id)[1]

    def fields(self, corpus_ids: list[int]) -> list[str]:
        """Return the field names of the documents of corpora."""
        return document_field_names(
            row for id_ in corpus_ids for row in self.sections(id_)
        )

    def of(self, sentence_id: int) -> DocumentRow | None:
        """Return the section that contains a sentence; None if no section does."""
        firsts, rows = self._read(corpus_of(sentence_id))
        place = position_of(sentence_id)
        index = bisect_right(firsts, place) - 1
        if index < 0 or place >= rows[index].first + rows[index].n_sentences:
            return None
        return rows[index]

    def name_of(self, sentence_id: int) -> str:
        """Return the document name of a sentence; empty if it has no document."""
        row = self.of(sentence_id)
        return row.name if row is not None else ""

    def values_of(self, sentence_id: int, fields: Sequence[str]) -> tuple[str, ...]:
        """Return field values of a sentence's document; empty for missing fields."""
        row = self.of(sentence_id)
        known = row.fields if row is not None else {}
        return tuple(known.get(name, "") for name in fields)

    def _read(self, corpus_id: int) -> tuple[list[int], list[DocumentRow]]:
        known = self._known.get(corpus_id)
        if known is None:
            rows = list_documents(self._store, corpus_id) if self._store else []
            known = self._known[corpus_id] = ([row.first for row in rows], rows)
        return known
