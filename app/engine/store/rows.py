"""Read rows of a table as named tuples with column names as fields."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Engine, Select, Table, select

R = TypeVar("R")
# SQLite's limit of variables in a statement is 32,766 since 3.32.
MAX_VARIABLES = 10_000


def select_fields(table: Table, row_type: Any) -> Select[Any]:
    """Select the columns of a table that are fields of a named tuple, in its order."""
    return select(*(table.c[name] for name in row_type._fields))


def read_rows(store: Engine, query: Select[Any], row_type: Callable[..., R]) -> list[R]:
    """Return the rows of a query, each made by `row_type` from its values."""
    with store.connect() as connection:
        return [row_type(*row) for row in connection.execute(query)]


def read_rows_by_id(
    store: Engine, table: Table, row_type: Callable[..., R], ids: Sequence[int]
) -> list[R | None]:
    """Read rows by id, in the given order; None for a deleted row."""
    found: dict[int, R] = {}
    with store.connect() as connection:
        for start in range(0, len(ids), MAX_VARIABLES):
            part = [int(id_) for id_ in ids[start : start + MAX_VARIABLES]]
            query = select_fields(table, row_type).where(table.c.id.in_(part))
            for row in connection.execute(query):
                found[row.id] = row_type(*row)
    return [found.get(int(id_)) for id_ in ids]


def read_name(store: Engine, table: Table, id_: int) -> str:
    """Return the name of a row; empty if there is no such row."""
    with store.connect() as connection:
        query = select(table.c.name).where(table.c.id == id_)
        return str(connection.scalar(query) or "")
