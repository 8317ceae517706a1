"""Reads of documents: which stretch of a corpus belongs to which, and their fields.

A document is what has one name and the same fields; it may lie in several stretches.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, Integer, column, func, select

from app.engine.store.rows import CorpusRow, corpus_of, position_of
from app.engine.store.schema import CORPUS_STRIDE, document

MAX_READ = 10_000  # stretches, in about 0.03 s
MAX_VALUES = 500  # of a field


class DocumentRow(NamedTuple):
    """One stretch of a corpus, or a whole document.

    Attributes:
        first: position of its first sentence, from 0.
        n_sentences: how many it has.
        name: of the document.
        fields: what is known of it: author, year, …; values are text.
    """

    first: int
    n_sentences: int
    name: str
    fields: dict[str, str]


def list_documents(store: Engine, corpus_id: int) -> list[DocumentRow]:
    """List the stretches of a corpus in the order of position; none: no documents."""
    with store.connect() as connection:
        return read_stretches(connection, corpus_id)


def read_stretches(connection: Connection, corpus_id: int) -> list[DocumentRow]:
    """List the stretches of a corpus within a transaction; see `list_documents`."""
    query = (
        select(*(document.c[name] for name in DocumentRow._fields))
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


def whole_documents(stretches: Iterable[DocumentRow]) -> list[DocumentRow]:
    """Join the stretches of each document; it stands where its first one stands."""
    found: dict[tuple[object, ...], DocumentRow] = {}
    for row in stretches:
        key = document_key(row)
        known = found.get(key)
        if known is not None:
            row = known._replace(n_sentences=known.n_sentences + row.n_sentences)
        found[key] = row
    return list(found.values())


def tell_apart(names: Iterable[str]) -> dict[str, str]:
    """Give names by their last part, with as many folders as tell them apart.

    Args:
        names: of documents, with their folders: "Brief/1848/Keller".
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


def document_key(row: DocumentRow) -> tuple[object, ...]:
    """Give what two stretches of one document have in common."""
    return (row.name, *sorted(row.fields.items()))


def document_numbers(store: Engine, corpus: CorpusRow) -> NDArray[np.int32]:
    """Number the document of each sentence, in the order in which they begin.

    Returns:
        int32 (n,), from 0, in the order of position; all 0 where there are none. What
        lies in no document is one more.
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
    """Give the stretch that a sentence stands in; None where it is in no document."""
    place = position_of(sentence_id)
    query = (
        select(*(document.c[name] for name in DocumentRow._fields))
        .where(document.c.corpus_id == corpus_of(sentence_id))
        .where(document.c.first <= place)
        .order_by(document.c.first.desc())
        .limit(1)
    )
    with store.connect() as connection:
        found = connection.execute(query).one_or_none()
    if found is None or place >= found.first + found.n_sentences:
        return None
    fields = json.loads(found.fields)
    return DocumentRow(found.first, found.n_sentences, found.name, fields)


def read_document_names(store: Engine, ids: Sequence[int]) -> dict[int, str]:
    """Name the document of each sentence that is in one, by its id.

    The index finds each: a corpus may have very many documents.
    """
    wanted = func.json_each(json.dumps(list(map(int, ids))))
    asked = wanted.table_valued(column("value", Integer), name="asked").c.value
    corpus_id, place = asked // CORPUS_STRIDE, asked % CORPUS_STRIDE
    other = document.alias()
    last_before = select(func.max(other.c.first)).where(
        other.c.corpus_id == corpus_id, other.c.first <= place
    )
    query = select(asked, document.c.name).where(
        document.c.corpus_id == corpus_id,
        document.c.first == last_before.scalar_subquery(),
        place < document.c.first + document.c.n_sentences,
    )
    with store.connect() as connection:
        return dict(tuple(row) for row in connection.execute(query))


def read_field_names(store: Engine, corpus_ids: Sequence[int]) -> list[str]:
    """Name the fields of the documents of corpora, without reading the documents."""
    query = select(document.c.fields).distinct()
    query = query.where(document.c.corpus_id.in_(corpus_ids))
    with store.connect() as connection:
        said = [json.loads(text) for text in connection.scalars(query)]
    return sorted({name for fields in said for name in fields})


def read_field_values(store: Engine, corpus_ids: Sequence[int], name: str) -> list[str]:
    """Give values of a field, whatever its case, the most frequent first.

    They are of the first `MAX_READ` stretches: what can be offered at once.
    """
    query = select(document.c.fields).where(document.c.corpus_id.in_(corpus_ids))
    counts: Counter[str] = Counter()
    with store.connect() as connection:
        for text in connection.scalars(query.limit(MAX_READ)):
            fields = json.loads(text)
            folded = {key.casefold(): value for key, value in fields.items()}
            counts.update([folded.get(name.casefold(), "")])
    del counts[""]
    return [value for value, _ in counts.most_common(MAX_VALUES)]


def as_number(value: str) -> float | None:
    """Read a value of a field as a number; None: it is none."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def field_names(rows: Iterable[DocumentRow]) -> list[str]:
    """Name the fields of documents in the order in which they first come."""
    return list(dict.fromkeys(name for row in rows for name in row.fields))


__all__ = [
    "DocumentRow",
    "as_number",
    "document_key",
    "document_numbers",
    "document_of",
    "field_names",
    "list_documents",
    "read_document_names",
    "read_field_names",
    "read_field_values",
    "read_stretches",
    "tell_apart",
    "whole_documents",
]
