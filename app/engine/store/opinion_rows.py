"""Reads of what annotators said without knowing of each other."""

from typing import Any

from sqlalchemy import Engine

from app.engine.store.pair_rows import first_pair_id

_OTHERS = (
    "SELECT o.pair_id, o.who, o.verdict FROM opinion o WHERE o.pair_id >= :low "
    "AND o.pair_id < :high AND o.verdict IN ('accept', 'reject') AND o.id = (SELECT "
    "max(id) FROM opinion WHERE pair_id = o.pair_id AND who = o.who)"
)
# What held when the first opinion on the pair was merged, if it was said here.
_OWN = (
    "SELECT o.pair_id, v.who, j.verdict FROM (SELECT pair_id, "
    "min(after_id) AS after_id FROM opinion WHERE pair_id >= :low "
    "AND pair_id < :high GROUP BY pair_id) o "
    "JOIN judgement j ON j.id = (SELECT max(id) FROM judgement "
    "WHERE pair_id = o.pair_id AND id <= o.after_id) "
    "JOIN judgement v ON v.id = coalesce(j.verdict_id, j.id) "
    "WHERE v.origin = '' AND j.verdict IN ('accept', 'reject')"
)


def read_independent(store: Engine, mining_id: int) -> list[tuple[int, str, str]]:
    """Read pair, who and verdict of the pairs of a mining that others judged too."""
    bounds = {"low": first_pair_id(mining_id), "high": first_pair_id(mining_id + 1)}
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows: list[tuple[int, str, str]] = raw.execute(_OTHERS, bounds).fetchall()
        rows += raw.execute(_OWN, bounds).fetchall()
    return rows
