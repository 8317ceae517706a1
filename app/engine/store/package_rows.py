"""Packages: which pairs were handed over, and what others said of them."""

import json
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, insert, select

from app.engine.store.schema import package

GIVEN, TAKEN = "given", "taken"
_VALUES = (
    "source_id, target_id, verdict, source_text, target_text, note, tags, who, "
    "package_id"
)


class PackageRow(NamedTuple):
    """A package.

    Attributes:
        id: the same in both projects.
        role: given to somebody, or taken from somebody.
        mining_id: whose pairs.
        pair_ids: int64 (p,), in the order of the package.
        digest: SHA-256 of what was handed over.
    """

    id: str
    role: str
    mining_id: int
    pair_ids: NDArray[np.int64]
    digest: str


class Opinion(NamedTuple):
    """What somebody said of a pair (see table `opinion`)."""

    pair_id: int
    source_id: int
    target_id: int
    verdict: str
    source_text: str | None
    target_text: str | None
    note: str
    tags: tuple[str, ...]
    who: str
    package_id: str
    created_at: float


def record_package(connection: Connection, row: PackageRow, run_id: int | None) -> None:
    """Write a package's record."""
    values = {
        **row._asdict(),
        "pair_ids": row.pair_ids.astype("<i8").tobytes(),
        "run_id": run_id,
        "created_at": time.time(),
    }
    connection.execute(insert(package).values(**values))


def find_package(connection: Connection, package_id: str) -> PackageRow | None:
    """Read a package's record; None: it is not of this project."""
    return _found(connection, package.c.id == package_id)


def find_taken(connection: Connection, mining_id: int) -> PackageRow | None:
    """Read the package that the pairs of a mining were taken from."""
    is_it = (package.c.mining_id == mining_id) & (package.c.role == TAKEN)
    return _found(connection, is_it)


def read_newest_opinions(
    connection: Connection, package_id: str, who: str
) -> dict[int, Opinion]:
    """Read what somebody said last, by pair, as it came with a package."""
    raw: Any = connection.connection.driver_connection
    rows = raw.execute(
        f"SELECT pair_id, {_VALUES}, created_at, max(id) FROM opinion "
        "WHERE package_id = ? AND who = ? GROUP BY pair_id",
        (package_id, who),
    )
    return {row[0]: _opinion(row[:-1]) for row in rows}


def append_opinions(
    connection: Connection, rows: Iterable[Opinion], after_id: int
) -> None:
    """Append opinions, made without knowing of judgements behind one."""
    raw: Any = connection.connection.driver_connection
    raw.executemany(
        f"INSERT INTO opinion (pair_id, {_VALUES}, created_at, after_id) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*_plain(row), after_id) for row in rows],
    )


def append_merged(connection: Connection, rows: Iterable[Opinion], step: int) -> None:
    """Let opinions hold for their pairs."""
    raw: Any = connection.connection.driver_connection
    raw.executemany(
        f"INSERT INTO judgement (pair_id, {_VALUES.replace('package_id', 'origin')}, "
        "created_at, step) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*_plain(row), step) for row in rows],
    )


def _found(connection: Connection, where: Any) -> PackageRow | None:
    columns = [package.c[name] for name in PackageRow._fields]
    query = select(*columns).where(where)
    row = connection.execute(query).first()
    if row is None:
        return None
    ids = np.frombuffer(row.pair_ids, "<i8").astype(np.int64)
    return PackageRow(**{**row._asdict(), "pair_ids": ids})


def _plain(row: Opinion) -> tuple[Any, ...]:
    values = list(row)
    values[7] = json.dumps(row.tags, ensure_ascii=False)
    return tuple(values)


def _opinion(row: tuple[Any, ...]) -> Opinion:
    values = list(row)
    values[7] = tuple(json.loads(row[7]))
    return Opinion(*values)
