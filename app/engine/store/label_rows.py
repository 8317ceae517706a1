"""Reads of labels: the newest row of a sentence holds, an empty class takes it away."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Engine

from app.engine.store.rows import first_id, position_of

# of the newest row of each sentence in a range of ids
_NEWEST = (
    "SELECT sentence_id, class FROM label WHERE id IN (SELECT max(id) FROM label "
    "WHERE sentence_id >= ? AND sentence_id < ? GROUP BY sentence_id) AND class != ''"
)


class ClassCount(NamedTuple):
    """A class and how many sentences of some corpora have it."""

    name: str
    n: int


def read_corpus_labels(store: Engine, corpus_id: int) -> dict[int, str]:
    """Read the label of each sentence of a corpus that has one, by position."""
    bounds = first_id(corpus_id), first_id(corpus_id + 1)
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows = raw.execute(f"{_NEWEST} ORDER BY sentence_id", bounds)
        return {position_of(id_): name for id_, name in rows}


def count_classes(store: Engine, corpus_ids: Sequence[int]) -> list[ClassCount]:
    """Count the labelled sentences of corpora by class, the most frequent first."""
    counts: Counter[str] = Counter()
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        for corpus_id in corpus_ids:
            bounds = first_id(corpus_id), first_id(corpus_id + 1)
            sql = f"SELECT class, count(*) FROM ({_NEWEST}) GROUP BY class"
            counts.update(dict(raw.execute(sql, bounds).fetchall()))
    rows = [ClassCount(name, n) for name, n in counts.items()]
    return sorted(rows, key=lambda row: (-row.n, row.name))
