"""Read texts, columns, labels and links of many sentences at once.

Each read is of a range, so that a map of a million sentences is read piece by piece.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, select, union_all

from app.engine.store.corpora import MAX_VARIABLES, first_sentence_id, position_of
from app.engine.store.schema import link

IntegerColumn = Literal["id", "line", "length", "hash"]
PAGE = 20_000


def read_texts(store: Engine, corpus_id: int, start: int, end: int) -> list[str]:
    """Read the texts of a corpus's sentences at the positions start … end - 1.

    Raises:
        RuntimeError: a sentence is missing: the store is damaged.
    """
    base = first_sentence_id(corpus_id)
    sql = "SELECT text FROM sentence WHERE id >= ? AND id < ? ORDER BY id"
    with store.connect() as connection:
        cursor = _driver_connection(connection).execute(sql, (base + start, base + end))
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
    bounds = (first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1))
    with store.connect() as connection:
        cursor = _driver_connection(connection).execute(sql, bounds)
        return np.fromiter((value for (value,) in cursor), np.int64)


def iterate_texts(
    store: Engine, corpus_id: int, *, pattern: str = ""
) -> Iterator[list[tuple[int, str]]]:
    """Return id and text of a corpus's sentences by pages, in the order of position.

    Args:
        store: the project's database.
        corpus_id: whose sentences.
        pattern: only texts LIKE it (escape character: backslash); empty: all.
    """
    sql = "SELECT id, text FROM sentence WHERE id >= ? AND id < ?"
    values: tuple[Any, ...] = (
        first_sentence_id(corpus_id),
        first_sentence_id(corpus_id + 1),
    )
    if pattern:
        sql += r" AND text LIKE ? ESCAPE '\'"
        values += (pattern,)
    with store.connect() as connection:
        cursor = _driver_connection(connection).execute(sql + " ORDER BY id", values)
        while page := cursor.fetchmany(PAGE):
            yield page


def read_languages(store: Engine, corpus_id: int) -> NDArray[Any] | None:
    """Read the language of each sentence; None where all have the same.

    Returns:
        str (n,) in the order of position.
    """
    bounds = (first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1))
    place = "FROM sentence WHERE id >= ? AND id < ?"
    with store.connect() as connection:
        raw = _driver_connection(connection)
        sql = f"SELECT min(language), max(language) {place}"
        lowest, highest = raw.execute(sql, bounds).fetchone()
        if lowest == highest:
            return None
        cursor = raw.execute(f"SELECT language {place} ORDER BY id", bounds)
        return np.array([language for (language,) in cursor])


def _driver_connection(connection: Any) -> Any:
    """Return the sqlite3 connection under SQLAlchemy's."""
    return connection.connection.driver_connection


IdRows = NDArray[np.int64]

_LANGUAGES_SQL = (
    "SELECT id, language FROM sentence WHERE id >= ? AND id < ? AND language != ?"
)
_LENGTHS_SQL = "SELECT id, length FROM sentence WHERE id >= ? AND id < ? ORDER BY id"
_LABELS_SQL = (
    "SELECT sentence_id, class FROM label WHERE id IN (SELECT max(id) FROM label "
    "WHERE sentence_id >= ? AND sentence_id < ? GROUP BY sentence_id) AND class != ''"
)
_LINKS_SQL = (
    "SELECT source_id, target_id FROM link WHERE source_id >= ? AND source_id < ?"
)


def read_other_languages(
    store: Engine, low: int, high: int, usual: str
) -> list[tuple[int, str]]:
    """Read id and language of the sentences that are not in the usual one.

    Args:
        store: of the project.
        low: first id.
        high: the id behind the last one.
        usual: language of their corpus.
    """
    return _read_integer_rows(store, _LANGUAGES_SQL, low, high, usual)


def read_lengths(store: Engine, low: int, high: int) -> IdRows:
    """Read id and length (code points) of each sentence: int64 (n, 2)."""
    return np.array(
        _read_integer_rows(store, _LENGTHS_SQL, low, high), np.int64
    ).reshape(-1, 2)


def read_range_labels(store: Engine, low: int, high: int) -> list[tuple[int, str]]:
    """Read id and newest label of the sentences that have one."""
    return _read_integer_rows(store, _LABELS_SQL, low, high)


def read_range_links(store: Engine, low: int, high: int) -> IdRows:
    """Read the links that begin in a range: source and target, int64 (n, 2)."""
    return np.array(_read_integer_rows(store, _LINKS_SQL, low, high), np.int64).reshape(
        -1, 2
    )


def _read_integer_rows(store: Engine, sql: str, *values: object) -> list[Any]:
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows: list[Any] = raw.execute(sql, values).fetchall()
    return rows


# of the newest row of each sentence in a range of ids
_CORPUS_LABELS_SQL = (
    "SELECT sentence_id, class FROM label WHERE id IN (SELECT max(id) FROM label "
    "WHERE sentence_id >= ? AND sentence_id < ? GROUP BY sentence_id) AND class != ''"
)


class ClassCount(NamedTuple):
    """A class and how many sentences of some corpora have it."""

    name: str
    n: int


def read_corpus_labels(store: Engine, corpus_id: int) -> dict[int, str]:
    """Read the label of each sentence of a corpus that has one, by position."""
    bounds = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows = raw.execute(f"{_CORPUS_LABELS_SQL} ORDER BY sentence_id", bounds)
        return {position_of(id_): name for id_, name in rows}


def count_classes(store: Engine, corpus_ids: Sequence[int]) -> list[ClassCount]:
    """Count the labelled sentences of corpora by class, the most frequent first."""
    counts: Counter[str] = Counter()
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        for corpus_id in corpus_ids:
            bounds = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
            sql = f"SELECT class, count(*) FROM ({_CORPUS_LABELS_SQL}) GROUP BY class"
            counts.update(dict(raw.execute(sql, bounds).fetchall()))
    rows = [ClassCount(name, n) for name, n in counts.items()]
    return sorted(rows, key=lambda row: (-row.n, row.name))


def list_translations(store: Engine, ids: Sequence[int]) -> dict[int, list[int]]:
    """List the sentences that links say are translations of each of some sentences.

    Returns:
        Rising ids for each sentence that has a translation.
    """
    found: dict[int, set[int]] = {}
    with store.connect() as connection:
        for start in range(0, len(ids), MAX_VARIABLES // 2):
            wanted = [int(id_) for id_ in ids[start : start + MAX_VARIABLES // 2]]
            query = union_all(
                select(link.c.source_id, link.c.target_id).where(
                    link.c.source_id.in_(wanted)
                ),
                select(link.c.target_id, link.c.source_id).where(
                    link.c.target_id.in_(wanted)
                ),
            )
            for asked, other in connection.execute(query):
                found.setdefault(asked, set()).add(other)
    return {id_: sorted(others) for id_, others in found.items()}
