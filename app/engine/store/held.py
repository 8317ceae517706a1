"""What holds for pairs, and what held before a step: the newest row of each."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

HELD_COLUMNS = (
    "p.id, coalesce(j.source_id, p.source_id), coalesce(j.target_id, p.target_id), "
    "coalesce(j.verdict, ''), j.source_text, j.target_text, coalesce(j.note, ''), "
    "coalesce(j.tags, '[]'), coalesce(j.who, ''), coalesce(j.origin, ''), "
    "coalesce(j.verdict_id, j.id)"
)
_NEWEST = "(SELECT max(id) FROM judgement WHERE pair_id = p.id)"
PAIRS_SQL = f"FROM pair p LEFT JOIN judgement j ON j.id = {_NEWEST}"
STEP_SQL = (
    "FROM (SELECT pair_id, min(id) AS id FROM judgement WHERE step = :undoes "
    "GROUP BY pair_id) s JOIN pair p ON p.id = s.pair_id LEFT JOIN judgement j "
    "ON j.id = (SELECT max(id) FROM judgement WHERE pair_id = p.id AND id < s.id)"
)


class Held(NamedTuple):
    """What holds for a pair; a pair that was never judged has an empty verdict.

    Attributes:
        source_id, target_id: the first sentences; a runner-up may be swapped in.
        source_text, target_text: as edited; None: as imported.
        who: who said so; empty: nobody.
        origin: the package that it came with; empty: it was said here.
        given_id: the judgement that gave the verdict; None: it was never judged.
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
    given_id: int | None = None


def read_held(connection: Connection, ids: Sequence[int]) -> dict[int, Held]:
    """Read what holds for pairs; those that are gone are missing."""
    raw: Any = connection.connection.driver_connection
    marks = ", ".join("?" * len(ids))
    rows = raw.execute(
        f"SELECT {HELD_COLUMNS} {PAIRS_SQL} WHERE p.id IN ({marks})", tuple(ids)
    )
    return {row[0]: _held(row) for row in rows}


def read_of_step(
    connection: Connection, step: int, limit: int
) -> tuple[list[Held], list[Held]]:
    """Read what held for the pairs of a step before it, and what it made of them."""
    raw: Any = connection.connection.driver_connection
    sql = f"SELECT {HELD_COLUMNS} {STEP_SQL} ORDER BY p.id LIMIT :limit"
    before = [_held(row) for row in raw.execute(sql, {"undoes": step, "limit": limit})]
    sql = (
        f"SELECT {HELD_COLUMNS} FROM judgement j JOIN pair p ON p.id = j.pair_id "
        "WHERE j.step = :step ORDER BY p.id LIMIT :limit"
    )
    after = [_held(row) for row in raw.execute(sql, {"step": step, "limit": limit})]
    return before, after


def _held(row: Sequence[Any]) -> Held:
    values = list(row)
    values[7] = tuple(json.loads(row[7]))
    return Held(*values)
