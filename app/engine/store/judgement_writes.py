"""Writes of judgements: rows are only ever appended, a step at a time.

A row is what holds for its pair from then on. A step is what one change did; taking it
back is another step, which appends what held before.
"""

import json
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection

from app.engine.store.held import HELD_COLUMNS, PAIRS_SQL, STEP_SQL, Held
from app.engine.store.judgement_rows import AGAINST_SQL

_CONDITIONS: dict[str, list[str]] = {
    "all": [],
    "unjudged": ["coalesce(j.verdict, '') = ''"],
    "judged": ["j.verdict <> ''"],
    "conflict": [
        f"EXISTS (SELECT 1 FROM opinion o WHERE o.pair_id = p.id AND {AGAINST_SQL})"
    ],
    **{
        verdict: [f"j.verdict = '{verdict}'"]
        for verdict in ("accept", "reject", "flag", "skip")
    },
}
_COLUMNS = (
    "pair_id, source_id, target_id, verdict, source_text, target_text, note, tags, "
    "who, origin, verdict_id, step, undoes, created_at"
)


class ScoreRange(NamedTuple):
    """Pairs with ids and scores from … to, both included, that are so judged now."""

    first: int
    last: int
    lowest: float | None
    highest: float | None
    which: str


def next_step(connection: Connection) -> int:
    """Give the number of a new step; from here on nobody else writes."""
    raw: Any = connection.connection.driver_connection
    if not raw.in_transaction:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    (newest,) = raw.execute("SELECT max(step) FROM judgement").fetchone()
    return (newest or 0) + 1


def append_judgements(
    connection: Connection, step: int, rows: Iterable[Held], *, is_given: bool = True
) -> None:
    """Append what holds from now on.

    Args:
        connection: in a transaction.
        step: its number.
        rows: what holds.
        is_given: the verdict is said now; else it is the one that held.
    """
    raw: Any = connection.connection.driver_connection
    marks = ", ".join("?" * (_COLUMNS.count(",") + 1))
    now = time.time()
    raw.executemany(
        f"INSERT INTO judgement ({_COLUMNS}) VALUES ({marks})",
        [
            (
                *row[:7],
                json.dumps(row.tags, ensure_ascii=False),
                *(row.who, row.origin),
                *(None if is_given else row.given_id, step, None, now),
            )
            for row in rows
        ],
    )


def append_range(
    connection: Connection, step: int, where: ScoreRange, verdict: str, who: str
) -> int:
    """Judge all pairs of a range in one statement; returns how many it were."""
    conditions = ["p.id BETWEEN :first AND :last", "p.n_source > 0", "p.n_target > 0"]
    if where.lowest is not None:
        conditions.append("p.score >= :lowest")
    if where.highest is not None:
        conditions.append("p.score <= :highest")
    conditions += _CONDITIONS[where.which]
    raw: Any = connection.connection.driver_connection
    kept = HELD_COLUMNS.split(", coalesce(j.verdict")[0]
    sql = (
        f"INSERT INTO judgement ({_COLUMNS}) SELECT {kept}, :verdict, j.source_text, "
        f"j.target_text, coalesce(j.note, ''), coalesce(j.tags, '[]'), :who, '', NULL, "
        f":step, NULL, :now {PAIRS_SQL} WHERE {' AND '.join(conditions)} ORDER BY p.id"
    )
    values = _named(
        **where._asdict(), step=step, verdict=verdict, who=who, now=time.time()
    )
    return int(raw.execute(sql, values).rowcount)


def append_before(connection: Connection, step: int, undoes: int, who: str) -> int:
    """Append what held before a step for each pair of it; returns how many."""
    raw: Any = connection.connection.driver_connection
    held = HELD_COLUMNS.replace("coalesce(j.who, '')", ":who")
    sql = (
        f"INSERT INTO judgement ({_COLUMNS}) SELECT {held}, :step, :undoes, :now "
        f"{STEP_SQL} ORDER BY p.id"
    )
    values = _named(step=step, undoes=undoes, who=who, now=time.time())
    return int(raw.execute(sql, values).rowcount)


def _named(**values: object) -> dict[str, object]:
    return values
