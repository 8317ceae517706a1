"""The history of judgements: each step in words, a bulk step as one line."""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine

from app.engine.store.held import read_of_step
from app.engine.store.judgement_words import describe_step
from app.engine.store.pair_rows import first_pair_id

SAMPLE = 50  # pairs of a step that its words are taken from


class HistoryStep(NamedTuple):
    """What one change did.

    Attributes:
        step: its number; they rise.
        n_pairs: that it touched.
        pair_id: the first of them.
        who: who did it; empty: nobody gave a name.
        created_at: seconds since 1970, UTC.
        text: what it did, in a sentence.
        undoes: the step that it took back; None: it is no undo.
        origin: the package that the judgements came with; empty: made here.
        n_undos: how often Undo brings the project back to the moment right after this
            step; None: it was taken back itself, or is no step that Undo goes to.
    """

    step: int
    n_pairs: int
    pair_id: int
    who: str
    created_at: float
    text: str
    undoes: int | None
    origin: str
    n_undos: int | None


def read_steps(
    store: Engine, mining_id: int, *, before: int | None = None, limit: int = 50
) -> list[HistoryStep]:
    """Read the steps of a mining, the newest first.

    Args:
        store: the project's database.
        mining_id: whose pairs.
        before: only steps with a smaller number: the next page.
        limit: steps of a page.
    """
    low, high = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    sql = (
        "SELECT step, count(*), min(pair_id) FROM judgement WHERE step < ? "
        "AND pair_id >= ? AND pair_id < ? GROUP BY step ORDER BY step DESC LIMIT ?"
    )
    values = (2**62 if before is None else before, low, high, limit)
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        found = raw.execute(sql, values).fetchall()
        undos = _count_undos(connection, found[-1][0]) if found else {}
        # a statement for each step: a bulk step's rows are not all read
        return [_step(connection, *row, n_undos=undos.get(row[0])) for row in found]


def _step(
    connection: Connection, step: int, n: int, pair_id: int, *, n_undos: int | None
) -> HistoryStep:
    raw: Any = connection.connection.driver_connection
    who, created_at, undoes, origin = raw.execute(
        "SELECT who, created_at, undoes, origin FROM judgement "
        "WHERE step = ? AND pair_id = ?",
        (step, pair_id),
    ).fetchone()
    before, after = read_of_step(connection, step, SAMPLE)
    text = describe_step(before, after, n_all=n) or "The judgement is confirmed."
    said = text if undoes is None else f"Undone. {text}"
    return HistoryStep(step, n, pair_id, who, created_at, said, undoes, origin, n_undos)


def _count_undos(connection: Connection, oldest: int) -> dict[int, int]:
    """Count the changes of the journal behind each step, back to the oldest wanted.

    The journal names a step in the change that takes it back; the steps rise with it.
    """
    raw: Any = connection.connection.driver_connection
    cursor = raw.execute(
        "SELECT CASE json_extract(inverse, '$.change') WHEN 'UndoJudgement' "
        "THEN json_extract(inverse, '$.step') END FROM edit WHERE undone = 0 "
        "ORDER BY id DESC"
    )
    found: dict[int, int] = {}
    for n, (step,) in enumerate(cursor):
        if step is None:
            continue
        if step < oldest:
            break
        found[step] = n
    cursor.close()
    return found
