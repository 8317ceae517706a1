"""Sentences that take no part in anything: hidden or removed, and brought back."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, func, select, text

from app.engine.store.rows import first_id
from app.engine.store.schema import CORPUS_STRIDE, edit, hidden

# By range of ids: grouped by a quotient, SQLite would sort all rows first.
_COUNTS = text(
    "SELECT corpus.id, count(*), sum(hidden.state = 'removed') FROM corpus "
    "JOIN hidden ON sentence_id >= corpus.id * :stride "
    "AND sentence_id < (corpus.id + 1) * :stride GROUP BY corpus.id"
)


class HiddenCount(NamedTuple):
    """How many sentences of a corpus are hidden, and how many removed."""

    n_hidden: int
    n_removed: int


def count_hidden(store: Engine) -> dict[int, HiddenCount]:
    """Count the sentences of each corpus that take no part, where there are some."""
    with store.connect() as connection:
        rows = connection.execute(_COUNTS, {"stride": CORPUS_STRIDE})
        return {id_: HiddenCount(n - m, m) for id_, n, m in rows}


def hidden_ids(store: Engine, corpus_id: int, *, state: str = "") -> NDArray[np.int64]:
    """Name the sentences of a corpus that take no part: int64 (m,), rising.

    Args:
        store: of the project.
        corpus_id: the corpus.
        state: hidden or removed; empty: both.
    """
    sql = "SELECT sentence_id FROM hidden WHERE sentence_id >= ? AND sentence_id < ?"
    values: tuple[int | str, ...] = (first_id(corpus_id), first_id(corpus_id + 1))
    if state:
        sql, values = f"{sql} AND state = ?", (*values, state)
    with store.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        cursor = raw.execute(f"{sql} ORDER BY sentence_id", values)
        return np.fromiter((id_ for (id_,) in cursor), np.int64)


def hidden_state(store: Engine, corpus_id: int) -> tuple[object, ...]:
    """Give what is another as soon as other sentences of a corpus are hidden.

    Changes of hidden sentences are in the journal: its newest entry, the newest that is
    not undone, and how many sentences are hidden tell them apart.
    """
    bounds = hidden.c.sentence_id.between(
        first_id(corpus_id), first_id(corpus_id + 1) - 1
    )
    newest = select(edit.c.id, edit.c.created_at).order_by(edit.c.id.desc()).limit(1)
    done = select(edit.c.id).where(edit.c.undone == 0).order_by(edit.c.id.desc())
    with store.connect() as connection:
        n = connection.scalar(select(func.count()).select_from(hidden).where(bounds))
        if not n:
            return (0,)
        entry = connection.execute(newest).one_or_none()
        last = connection.scalar(done.limit(1))
        return (n, last, *(entry or ()))


def read_hidden(store: Engine, ids: list[int]) -> dict[int, tuple[str, str]]:
    """Read state and reason of those of up to 10,000 sentences that take no part."""
    query = select(hidden.c.sentence_id, hidden.c.state, hidden.c.reason)
    with store.connect() as connection:
        rows = connection.execute(query.where(hidden.c.sentence_id.in_(ids)))
        return {id_: (state, reason) for id_, state, reason in rows}


def ids_of_step(connection: Connection, step: int) -> NDArray[np.int64]:
    """Name the sentences that were hidden in one step and still are: int64 (m,)."""
    query = select(hidden.c.sentence_id).where(hidden.c.step == step)
    found = connection.scalars(query.order_by(hidden.c.sentence_id))
    return np.fromiter(found, np.int64)
