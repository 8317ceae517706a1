"""Writes of judgements: rows are only ever appended, a step at a time.

A row is what holds for its pair from then on. A step is what one change did; taking it
back is another step, which appends what held before.
"""

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from app.engine.store.judgement_rows import CONFLICT_SQL

_HELD = (
    "p.id, coalesce(j.source_id, p.source_id), coalesce(j.target_id, p.target_id), "
    "coalesce(j.verdict, ''), j.source_text, j.target_text, coalesce(j.note, ''), "
    "coalesce(j.tags, '[]'), coalesce(j.who, ''), coalesce(j.origin, '')"
)
_NEWEST = "(SELECT max(id) FROM judgement WHERE pair_id = p.id)"
_PAIRS = f"FROM pair p LEFT JOIN judgement j ON j.id = {_NEWEST}"
_OF_STEP = (
    "FROM (SELECT pair_id, min(id) AS id FROM judgement WHERE step = :undoes "
    "GROUP BY pair_id) s JOIN pair p ON p.id = s.pair_id LEFT JOIN judgement j "
    "ON j.id = (SELECT max(id) FROM judgement WHERE pair_id = p.id AND id < s.id)"
)
_CONDITIONS: dict[str, list[str]] = {
    "all": [],
    "unjudged": ["coalesce(j.verdict, '') = ''"],
    "judged": ["j.verdict <> ''"],
    "conflict": [CONFLICT_SQL.format(pair="p.id")],
    **{
        verdict: [f"j.verdict = '{verdict}'"]
        for verdict in ("accept", "reject", "flag", "skip")
    },
}
_COLUMNS = (
    "pair_id, source_id, target_id, verdict, source_text, target_text, note, tags, "
    "who, origin, step, undoes, created_at"
)


class Held(NamedTuple):
    """What holds for a pair; a pair that was never judged has an empty verdict.

    Attributes:
        source_id, target_id: the first sentences; a runner-up may be swapped in.
        source_text, target_text: as edited; None: as imported.
        who: who said so; empty: nobody.
        origin: the package that it came with; empty: it was said here.
    """

    pair_id: int
    source_id: int
    target_id: int
    verdict: str
    source_text: str | None
    target_text: str | None
    note: str
    tags: tuple[str, ...]
    who: str
    origin: str


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


def read_held(connection: Connection, ids: Sequence[int]) -> dict[int, Held]:
    """Read what holds for pairs; those that are gone are missing."""
    raw: Any = connection.connection.driver_connection
    marks = ", ".join("?" * len(ids))
    rows = raw.execute(f"SELECT {_HELD} {_PAIRS} WHERE p.id IN ({marks})", tuple(ids))
    return {row[0]: _held(row) for row in rows}


def read_of_step(
    connection: Connection, step: int, limit: int
) -> tuple[list[Held], list[Held]]:
    """Read what held for the pairs of a step before it, and what it made of them."""
    raw: Any = connection.connection.driver_connection
    sql = f"SELECT {_HELD} {_OF_STEP} ORDER BY p.id LIMIT :limit"
    before = [_held(row) for row in raw.execute(sql, _named(undoes=step, limit=limit))]
    sql = (
        f"SELECT {_HELD} FROM judgement j JOIN pair p ON p.id = j.pair_id "
        "WHERE j.step = :step ORDER BY p.id LIMIT :limit"
    )
    after = [_held(row) for row in raw.execute(sql, _named(step=step, limit=limit))]
    return before, after


def append_judgements(
    connection: Connection, step: int, rows: Iterable[Held], *, when: float = 0.0
) -> None:
    """Append what holds from now on, or from a time in seconds since 1970."""
    raw: Any = connection.connection.driver_connection
    marks = ", ".join("?" * (_COLUMNS.count(",") + 1))
    now = when or time.time()
    raw.executemany(
        f"INSERT INTO judgement ({_COLUMNS}) VALUES ({marks})",
        [
            (
                *row[:7],
                json.dumps(row.tags, ensure_ascii=False),
                *row[8:],
                *(step, None, now),
            )
            for row in rows
        ],
    )


def append_range(
    connection: Connection, step: int, where: ScoreRange, verdict: str, who: str
) -> int:
    """Judge all pairs of a range in one statement; returns how many it were."""
    conditions = ["p.id BETWEEN :first AND :last"]
    if where.lowest is not None:
        conditions.append("p.score >= :lowest")
    if where.highest is not None:
        conditions.append("p.score <= :highest")
    conditions += _CONDITIONS[where.which]
    raw: Any = connection.connection.driver_connection
    kept = _HELD.split(", coalesce(j.verdict")[0]
    sql = (
        f"INSERT INTO judgement ({_COLUMNS}) SELECT {kept}, :verdict, j.source_text, "
        f"j.target_text, coalesce(j.note, ''), coalesce(j.tags, '[]'), :who, '', "
        f":step, NULL, :now {_PAIRS} WHERE {' AND '.join(conditions)} ORDER BY p.id"
    )
    values = _named(
        **where._asdict(), step=step, verdict=verdict, who=who, now=time.time()
    )
    return int(raw.execute(sql, values).rowcount)


def append_before(connection: Connection, step: int, undoes: int, who: str) -> int:
    """Append what held before a step for each pair of it; returns how many."""
    raw: Any = connection.connection.driver_connection
    held = _HELD.replace("coalesce(j.who, '')", ":who")
    sql = (
        f"INSERT INTO judgement ({_COLUMNS}) SELECT {held}, :step, :undoes, :now "
        f"{_OF_STEP} ORDER BY p.id"
    )
    values = _named(step=step, undoes=undoes, who=who, now=time.time())
    return int(raw.execute(sql, values).rowcount)


def _held(row: Sequence[Any]) -> Held:
    values = list(row)
    values[7] = tuple(json.loads(row[7]))
    return Held(*values)


def _named(**values: object) -> dict[str, object]:
    return values
