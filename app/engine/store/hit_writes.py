"""Writes of kept lists of hits: a list and its hits appear at once."""

import time
from typing import Any, NamedTuple

from sqlalchemy import Engine, insert

from app.engine.store.hit_rows import KeptHits
from app.engine.store.schema import hit_list

_SQL = (
    'INSERT INTO hit (list_id, place, sentence_id, start, "end", hash, line) '
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class NewHitList(NamedTuple):
    """What is known of a list beside its hits.

    Attributes:
        query: JSON of the params `Concordance` that found them.
        run_id: of the run that keeps it; None: outside a run.
    """

    name: str
    query: str
    run_id: int | None


def write_hit_list(store: Engine, new: NewHitList, hits: KeptHits) -> int:
    """Keep hits in the order given; returns the id of the list."""
    values = {
        **new._asdict(),
        "state": "ready",
        "n_hits": len(hits.lines),
        "created_at": time.time(),
    }
    with store.begin() as connection:
        key = connection.execute(insert(hit_list).values(**values))
        list_id = int(key.lastrowid)
        columns = (*hits.lines.T, hits.hashes, hits.numbers)
        rows = zip(
            [list_id] * len(hits.lines),
            range(len(hits.lines)),
            *(column.tolist() for column in columns),
            strict=True,
        )
        raw: Any = connection.connection.driver_connection
        raw.executemany(_SQL, rows)
    return list_id


__all__ = ["NewHitList", "write_hit_list"]
