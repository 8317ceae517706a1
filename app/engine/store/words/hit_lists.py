"""Read and write saved lists of concordance hits."""

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, insert, select

from app.engine.store.lookup import EntityKind, find_named
from app.engine.store.rows import read_rows, select_fields
from app.engine.store.schema import hit, hit_list

HIT_LIST_KIND = EntityKind(
    "hit list", "hit lists", "Save the hits of a search or a concordance first."
)


class HitListRow(NamedTuple):
    """A saved list of hits.

    Attributes:
        query: JSON of the params `Concordance` that found them.
        created_at: seconds since 1970.
        run_id: id of the run that saved the list; None: saved outside a run.
    """

    id: int
    name: str
    state: str
    query: str
    n_hits: int
    run_id: int | None
    created_at: float


class SavedHits(NamedTuple):
    """The hits of a saved list, in order.

    Attributes:
        lines: int64 (m, 3), sentence id, start and end (code points of the text).
        hashes: int64 (m,), hash of the text when the list was saved.
        numbers: int64 (m,), line in the imported file, from 1.
    """

    lines: NDArray[np.int64]
    hashes: NDArray[np.int64]
    numbers: NDArray[np.int64]


def list_hit_lists(store: Engine) -> list[HitListRow]:
    """List the saved lists in the order of creation."""
    query = select_fields(hit_list, HitListRow)
    query = query.where(hit_list.c.state == "ready").order_by(hit_list.c.id)
    return read_rows(store, query, HitListRow)


def find_hit_list(store: Engine, name: str) -> HitListRow:
    """Find a saved list by name or id.

    Raises:
        UserError: no list, or more than one, has that name.
    """
    return find_named(list_hit_lists(store), name, HIT_LIST_KIND)


def read_saved_hits(store: Engine, list_id: int) -> SavedHits:
    """Read the hits of a list; empty arrays for a list without hits."""
    columns = (hit.c.sentence_id, hit.c.start, hit.c.end, hit.c.hash, hit.c.line)
    query = select(*columns).where(hit.c.list_id == list_id).order_by(hit.c.place)
    sql = str(query.compile(store, compile_kwargs={"literal_binds": True}))
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows = raw.execute(sql).fetchall()
    table = np.array(rows, np.int64).reshape(-1, len(columns))  # (m,) of 5 -> (m, 5)
    return SavedHits(table[:, :3], table[:, 3], table[:, 4])


_SQL = (
    'INSERT INTO hit (list_id, place, sentence_id, start, "end", hash, line) '
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class NewHitList(NamedTuple):
    """Data of a list apart from its hits.

    Attributes:
        query: JSON of the params `Concordance` that found them.
        run_id: id of the run that saves the list; None: saved outside a run.
    """

    name: str
    query: str
    run_id: int | None


def write_hit_list(store: Engine, new: NewHitList, hits: SavedHits) -> int:
    """Save hits in the given order, and return the id of the list."""
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
