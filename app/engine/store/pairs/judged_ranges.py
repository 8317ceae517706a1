"""Judgements and opinions whose verdict was set for a range of scores."""

from bisect import bisect_right
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Engine, select

from app.engine.store.schema import judged_range

RangeKind = Literal["judgement", "opinion"]


class JudgedRanges(NamedTuple):
    """Ids of judgements or opinions set for ranges.

    Attributes:
        spans: first and last id of each range, ascending.
    """

    spans: list[tuple[int, int]]

    def has(self, id_: int) -> bool:
        """Return whether a judgement or an opinion was set for a range."""
        index = bisect_right(self.spans, (id_, 2**63))
        return index > 0 and id_ <= self.spans[index - 1][1]


def read_judged_ranges(store: Engine) -> JudgedRanges:
    """Read which judgements set a verdict for a range of scores."""
    table = judged_range
    query = select(table.c.first_id, table.c.last_id)
    query = query.where(table.c.kind == "judgement").order_by(table.c.first_id)
    with store.connect() as connection:
        return JudgedRanges(
            [(row.first_id, row.last_id) for row in connection.execute(query)]
        )


def add_judged_range(
    connection: Connection, kind: RangeKind, last_id: int, n: int
) -> None:
    """Record that the n rows up to a given row were set for a range; n may be 0."""
    if n:
        raw: Any = connection.connection.driver_connection
        raw.execute(
            "INSERT INTO judged_range (kind, first_id, last_id) VALUES (?, ?, ?)",
            (kind, last_id - n + 1, last_id),
        )


def as_range_sql(kind: RangeKind, given_id: str) -> str:
    """Return the SQL condition that a row id was set for a range."""
    return (
        f"EXISTS (SELECT 1 FROM judged_range WHERE kind = '{kind}' "
        f"AND {given_id} BETWEEN first_id AND last_id)"
    )
