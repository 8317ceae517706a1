"""Reads of kept lists of hits."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, select

from app.engine.store.schema import hit, hit_list
from app.errors import UserError

MAX_NAMED = 20  # lists that an error message names


class HitListRow(NamedTuple):
    """A kept list of hits.

    Attributes:
        query: JSON of the params `Concordance` that found them.
        created_at: seconds since 1970.
        run_id: of the run that kept it; None: outside a run.
    """

    id: int
    name: str
    state: str
    query: str
    n_hits: int
    run_id: int | None
    created_at: float


class KeptHits(NamedTuple):
    """The hits of a list, in its order.

    Attributes:
        lines: int64 (m, 3), sentence id, start and end in code points of its text.
        hashes: int64 (m,), of the text when it was kept.
        numbers: int64 (m,), its line in the imported file, from 1.
    """

    lines: NDArray[np.int64]
    hashes: NDArray[np.int64]
    numbers: NDArray[np.int64]


def list_hit_lists(store: Engine) -> list[HitListRow]:
    """List the kept lists that are not deleted, in the order they were made."""
    columns = [hit_list.c[name] for name in HitListRow._fields]
    query = select(*columns).where(hit_list.c.state == "ready").order_by(hit_list.c.id)
    with store.connect() as connection:
        return [HitListRow(*row) for row in connection.execute(query)]


def find_hit_list(store: Engine, name: str) -> HitListRow:
    """Find the kept list of this name or id.

    Raises:
        UserError: no list, or more than one, has that name.
    """
    known = list_hit_lists(store)
    matches = [row for row in known if row.name == name]
    matches = matches or [row for row in known if str(row.id) == name]
    if len(matches) == 1:
        return matches[0]
    if matches:
        ids = ", ".join(str(row.id) for row in matches)
        raise UserError(
            f"{len(matches)} lists of hits are called {name!r}: name one by its id "
            f"({ids})."
        )
    if not known:
        raise UserError(
            f"There is no list of hits {name!r}: the project has none yet. Keep one "
            "with concordance --save NAME."
        )
    names = ", ".join(f"{row.name} (id {row.id})" for row in known[:MAX_NAMED])
    rest = len(known) - MAX_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    raise UserError(
        f"There is no list of hits {name!r}; the project has {names}{more}."
    )


def read_kept_hits(store: Engine, list_id: int) -> KeptHits:
    """Read the hits of a list; empty arrays where there is none."""
    columns = (hit.c.sentence_id, hit.c.start, hit.c.end, hit.c.hash, hit.c.line)
    query = select(*columns).where(hit.c.list_id == list_id).order_by(hit.c.place)
    sql = str(query.compile(store, compile_kwargs={"literal_binds": True}))
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows = raw.execute(sql).fetchall()
    table = np.array(rows, np.int64).reshape(-1, len(columns))  # (m,) of 5 -> (m, 5)
    return KeptHits(table[:, :3], table[:, 3], table[:, 4])


__all__ = [
    "HitListRow",
    "KeptHits",
    "find_hit_list",
    "list_hit_lists",
    "read_kept_hits",
]
