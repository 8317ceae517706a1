"""Writes of documents: with a shard of an import, or new fields for all of a corpus."""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, update

from app.engine.store.schema import document
from app.engine.text.documents import Stretch


def append_documents(
    raw: sqlite3.Connection, corpus_id: int, stretches: Sequence[Stretch]
) -> None:
    """Write stretches behind those that a corpus has; the first may go on with one."""
    rows = [
        (corpus_id, one.first, one.n_sentences, one.mark.name, _json(one.mark.fields))
        for one in stretches
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


def write_fields(
    connection: Connection, corpus_id: int, fields: dict[int, dict[str, str]]
) -> None:
    """Give stretches other fields, by the position that each begins at."""
    for first, values in fields.items():
        connection.execute(
            update(document)
            .where(document.c.corpus_id == corpus_id, document.c.first == first)
            .values(fields=_json(values.items()))
        )


def _json(fields: Iterable[tuple[str, str]]) -> str:
    return json.dumps(dict(fields), ensure_ascii=False)


__all__ = ["append_documents", "write_fields"]
