"""What is known of the sentences of a range of ids, as a map shows it: plain numbers.

Each read is of a range, so that a map of a million sentences is read piece by piece.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

Ids = NDArray[np.int64]

_LANGUAGES = (
    "SELECT id, language FROM sentence WHERE id >= ? AND id < ? AND language != ?"
)
_LENGTHS = "SELECT id, length FROM sentence WHERE id >= ? AND id < ? ORDER BY id"
_LABELS = (
    "SELECT sentence_id, class FROM label WHERE id IN (SELECT max(id) FROM label "
    "WHERE sentence_id >= ? AND sentence_id < ? GROUP BY sentence_id) AND class != ''"
)
_LINKS = "SELECT source_id, target_id FROM link WHERE source_id >= ? AND source_id < ?"


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
    return _read(store, _LANGUAGES, low, high, usual)


def read_lengths(store: Engine, low: int, high: int) -> Ids:
    """Read id and length (code points) of each sentence: int64 (n, 2)."""
    return np.array(_read(store, _LENGTHS, low, high), np.int64).reshape(-1, 2)


def read_range_labels(store: Engine, low: int, high: int) -> list[tuple[int, str]]:
    """Read id and newest label of the sentences that have one."""
    return _read(store, _LABELS, low, high)


def read_range_links(store: Engine, low: int, high: int) -> Ids:
    """Read the links that begin in a range: source and target, int64 (n, 2)."""
    return np.array(_read(store, _LINKS, low, high), np.int64).reshape(-1, 2)


def _read(store: Engine, sql: str, *values: object) -> list[Any]:
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows: list[Any] = raw.execute(sql, values).fetchall()
    return rows
