"""Reads of many rows at once, past SQLAlchemy's row objects, which cost five times."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.store.rows import first_id

IntegerColumn = Literal["id", "line", "length", "hash"]
PAGE = 20_000


def read_texts(store: Engine, corpus_id: int, start: int, end: int) -> list[str]:
    """Read the texts of a corpus's sentences at the positions start … end - 1.

    Raises:
        RuntimeError: a sentence is missing: the store is damaged.
    """
    base = first_id(corpus_id)
    sql = "SELECT text FROM sentence WHERE id >= ? AND id < ? ORDER BY id"
    with store.connect() as connection:
        cursor = _raw(connection).execute(sql, (base + start, base + end))
        texts = [text for (text,) in cursor]
    if len(texts) != end - start:
        raise RuntimeError(
            f"corpus {corpus_id} has {len(texts)} sentences at {start}…{end - 1}"
        )
    return texts


def read_integers(
    store: Engine, corpus_id: int, column: IntegerColumn
) -> NDArray[np.int64]:
    """Read one column of a corpus's sentences in the order of position."""
    sql = f"SELECT {column} FROM sentence WHERE id >= ? AND id < ? ORDER BY id"
    bounds = (first_id(corpus_id), first_id(corpus_id + 1))
    with store.connect() as connection:
        cursor = _raw(connection).execute(sql, bounds)
        return np.fromiter((value for (value,) in cursor), np.int64)


def iterate_texts(
    store: Engine, corpus_id: int, *, pattern: str = ""
) -> Iterator[list[tuple[int, str]]]:
    """Give id and text of a corpus's sentences by pages, in the order of position.

    Args:
        store: the project's database.
        corpus_id: whose sentences.
        pattern: only texts LIKE it (escape character: backslash); empty: all.
    """
    sql = "SELECT id, text FROM sentence WHERE id >= ? AND id < ?"
    values: tuple[Any, ...] = (first_id(corpus_id), first_id(corpus_id + 1))
    if pattern:
        sql += r" AND text LIKE ? ESCAPE '\'"
        values += (pattern,)
    with store.connect() as connection:
        cursor = _raw(connection).execute(sql + " ORDER BY id", values)
        while page := cursor.fetchmany(PAGE):
            yield page


def read_languages(store: Engine, corpus_id: int) -> NDArray[Any] | None:
    """Read the language of each sentence; None where all have the same.

    Returns:
        str (n,) in the order of position.
    """
    bounds = (first_id(corpus_id), first_id(corpus_id + 1))
    place = "FROM sentence WHERE id >= ? AND id < ?"
    with store.connect() as connection:
        raw = _raw(connection)
        sql = f"SELECT min(language), max(language) {place}"
        lowest, highest = raw.execute(sql, bounds).fetchone()
        if lowest == highest:
            return None
        cursor = raw.execute(f"SELECT language {place} ORDER BY id", bounds)
        return np.array([language for (language,) in cursor])


def _raw(connection: Any) -> Any:
    """Give the sqlite3 connection under SQLAlchemy's."""
    return connection.connection.driver_connection
