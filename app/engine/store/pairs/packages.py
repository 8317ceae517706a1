"""Record review packages, and the opinions that other annotators return."""

import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, insert

from app.engine.store.pairs.judged_ranges import add_judged_range, as_range_sql
from app.engine.store.pairs.sets import first_pair_id
from app.engine.store.rows import select_fields
from app.engine.store.schema import package
from app.errors import UserError

GIVEN, TAKEN = "given", "taken"
_VALUES = (
    "source_id, target_id, verdict, source_text, target_text, note, tags, who, "
    "package_id"
)


class PackageRow(NamedTuple):
    """A package.

    Attributes:
        id: the same in both projects.
        role: `given` to another annotator or `taken` from one.
        mining_id: id of the pair set.
        pair_ids: int64 (p,), in the order of the package.
        digest: SHA-256 of the package.
    """

    id: str
    role: str
    mining_id: int
    pair_ids: NDArray[np.int64]
    digest: str


class PackagedOpinion(NamedTuple):
    """A person's opinion of a pair (see table `opinion`)."""

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
    as_range: bool = False  # set for a range of scores; not read back from the store


def record_package(connection: Connection, row: PackageRow, run_id: int | None) -> None:
    """Write the record of a package."""
    values = {
        **row._asdict(),
        "pair_ids": row.pair_ids.astype("<i8").tobytes(),
        "run_id": run_id,
        "created_at": time.time(),
    }
    connection.execute(insert(package).values(**values))


def find_package(connection: Connection, package_id: str) -> PackageRow | None:
    """Read the record of a package; None if it is not in this project."""
    return _find_package_where(connection, package.c.id == package_id)


def find_source_package(connection: Connection, mining_id: int) -> PackageRow | None:
    """Read the package that a mining was created from."""
    is_it = (package.c.mining_id == mining_id) & (package.c.role == TAKEN)
    return _find_package_where(connection, is_it)


def read_newest_opinions(
    connection: Connection, package_id: str, who: str
) -> dict[int, PackagedOpinion]:
    """Read a person's last opinion of each pair, as imported with a package."""
    raw: Any = connection.connection.driver_connection
    rows = raw.execute(
        f"SELECT pair_id, {_VALUES}, created_at, max(id) FROM opinion "
        "WHERE package_id = ? AND who = ? AND after_id >= 0 GROUP BY pair_id",
        (package_id, who),
    )
    return {row[0]: _decode_opinion(row[:-1]) for row in rows}


def append_opinions(
    connection: Connection, rows: Sequence[PackagedOpinion], after_id: int
) -> tuple[int, int]:
    """Append opinions formed without knowledge of judgements after a given one.

    Opinions set for a range come last.

    Returns:
        The ids of the first and the last opinion.
    """
    raw: Any = connection.connection.driver_connection
    (newest,) = raw.execute("SELECT coalesce(max(id), 0) FROM opinion").fetchone()
    raw.executemany(
        f"INSERT INTO opinion (pair_id, {_VALUES}, created_at, after_id) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*_encode_opinion(row), after_id) for row in rows],
    )
    last, n_as_range = newest + len(rows), sum(row.as_range for row in rows)
    add_judged_range(connection, "opinion", last, n_as_range)
    return newest + 1, last


def set_opinions_merged(
    connection: Connection, first: int, last: int, *, is_merged: bool
) -> tuple[int, str]:
    """Withdraw opinions, or merge them again; a withdrawn one has a negative after_id.

    Returns:
        One of the pairs, and the annotator.
    """
    raw: Any = connection.connection.driver_connection
    sign = "<" if is_merged else ">="
    raw.execute(
        "UPDATE opinion SET after_id = -1 - after_id WHERE id BETWEEN ? AND ? "
        f"AND after_id {sign} 0",
        (first, last),
    )
    sql = "SELECT pair_id, who FROM opinion WHERE id BETWEEN ? AND ? LIMIT 1"
    found: tuple[int, str] | None = raw.execute(sql, (first, last)).fetchone()
    if found is None:
        raise UserError("The merged judgements are not in the project any more.")
    return found


def append_merged_judgements(
    connection: Connection, rows: Sequence[PackagedOpinion], step: int
) -> None:
    """Append opinions as judgements of their pairs; those set for a range come last."""
    raw: Any = connection.connection.driver_connection
    raw.executemany(
        f"INSERT INTO judgement (pair_id, {_VALUES.replace('package_id', 'origin')}, "
        "created_at, step) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*_encode_opinion(row), step) for row in rows],
    )
    (newest,) = raw.execute("SELECT max(id) FROM judgement").fetchone()
    n_as_range = sum(row.as_range for row in rows)
    add_judged_range(connection, "judgement", newest or 0, n_as_range)


def _find_package_where(connection: Connection, where: Any) -> PackageRow | None:
    row = connection.execute(select_fields(package, PackageRow).where(where)).first()
    if row is None:
        return None
    ids = np.frombuffer(row.pair_ids, "<i8").astype(np.int64)
    return PackageRow(**{**row._asdict(), "pair_ids": ids})


def _encode_opinion(row: PackagedOpinion) -> tuple[Any, ...]:
    values = list(row[:-1])
    values[7] = json.dumps(row.tags, ensure_ascii=False)
    return tuple(values)


def _decode_opinion(row: tuple[Any, ...]) -> PackagedOpinion:
    values = list(row)
    values[7] = tuple(json.loads(row[7]))
    return PackagedOpinion(*values)


AS_RANGE = "range"  # replaces a verdict that was set for a range of scores
_OTHERS_SQL = (
    f"SELECT o.pair_id, o.who, CASE WHEN {as_range_sql('opinion', 'o.id')} "
    f"THEN '{AS_RANGE}' ELSE o.verdict END FROM opinion o "
    "WHERE o.pair_id >= :low AND o.pair_id < :high "
    "AND o.after_id >= 0 AND o.id = (SELECT max(id) FROM opinion "
    "WHERE pair_id = o.pair_id AND who = o.who AND after_id >= 0)"
)
# The local judgement, if any, when the first opinion on the pair was merged.
_OWN_SQL = (
    f"SELECT o.pair_id, v.who, CASE WHEN {as_range_sql('judgement', 'v.id')} "
    f"THEN '{AS_RANGE}' ELSE j.verdict END FROM (SELECT pair_id, "
    "min(after_id) AS after_id FROM opinion WHERE pair_id >= :low "
    "AND pair_id < :high AND after_id >= 0 GROUP BY pair_id) o "
    "JOIN judgement j ON j.id = (SELECT max(id) FROM judgement "
    "WHERE pair_id = o.pair_id AND id <= o.after_id) "
    "JOIN judgement v ON v.id = coalesce(j.verdict_id, j.id) "
    "WHERE v.origin = '' AND j.verdict <> ''"
)


def read_independent_verdicts(
    store: Engine, mining_id: int
) -> list[tuple[int, str, str]]:
    """Read pair, annotator and verdict of a mining's pairs that others also judged.

    A verdict set for a range of scores is `AS_RANGE`, since nobody read the pair.
    """
    bounds = {"low": first_pair_id(mining_id), "high": first_pair_id(mining_id + 1)}
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows: list[tuple[int, str, str]] = raw.execute(_OTHERS_SQL, bounds).fetchall()
        rows += raw.execute(_OWN_SQL, bounds).fetchall()
    return rows
