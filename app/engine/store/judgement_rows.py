"""Reads of many judgements at once: what holds for all pairs of a mining."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.store.pair_rows import first_pair_id

IdArray = NDArray[np.int64]
VERDICTS = ("", "accept", "reject", "skip", "flag")
_CODES = {verdict: i for i, verdict in enumerate(VERDICTS)}
# What another said last (o) against what holds (j), if no verdict was given since.
AGAINST_SQL = (
    "o.after_id >= coalesce(j.verdict_id, j.id) AND o.verdict <> j.verdict "
    "AND o.verdict IN ('accept', 'reject') AND j.verdict IN ('accept', 'reject') "
    "AND o.id = (SELECT max(id) FROM opinion WHERE pair_id = o.pair_id AND who = o.who)"
)


class HeldVerdicts(NamedTuple):
    """What holds for the pairs that were ever judged, in the order of id.

    Attributes:
        pair_ids: int64 (j,).
        verdicts: int8 (j,), places in `VERDICTS`.
    """

    pair_ids: IdArray
    verdicts: NDArray[np.int8]

    def of(self, pair_ids: IdArray) -> NDArray[np.int8]:
        """Give the verdict of each pair (ids rise): int8 (p,); 0: none."""
        found = np.zeros(len(pair_ids), np.int8)
        places = np.searchsorted(pair_ids, self.pair_ids)
        is_in = places < len(pair_ids)
        is_in[is_in] = pair_ids[places[is_in]] == self.pair_ids[is_in]
        found[places[is_in]] = self.verdicts[is_in]
        return found


class Said(NamedTuple):
    """Judgements in the order they were made.

    Attributes:
        pair_ids: int64 (j,).
        verdicts: int8 (j,), places in `VERDICTS`.
        is_swapped: bool (j,), whether a runner-up stands in the pair.
        newest_id: id of the last of them.
    """

    pair_ids: IdArray
    verdicts: NDArray[np.int8]
    is_swapped: NDArray[np.bool_]
    newest_id: int


class ChangedSides(NamedTuple):
    """What holds for a pair that is not as it was found; text None: as imported."""

    pair_id: int
    source_id: int
    target_id: int
    source_text: str | None
    target_text: str | None


def read_held_verdicts(store: Engine, mining_id: int) -> HeldVerdicts:
    """Read what holds for each pair of a mining that was ever judged."""
    # SQLite gives the other columns of the row that has the maximum
    rows = _read(
        store,
        "SELECT pair_id, verdict, max(id) FROM judgement WHERE pair_id >= ? "
        "AND pair_id < ? GROUP BY pair_id ORDER BY pair_id",
        mining_id,
    )
    ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    verdicts = np.fromiter((_CODES[row[1]] for row in rows), np.int8, len(rows))
    return HeldVerdicts(ids, verdicts)


def read_said_since(store: Engine, mining_id: int, after_id: int) -> Said:
    """Read what was said of a mining's pairs behind a judgement, in the order of it."""
    # the plus keeps SQLite from the index of all that was ever said of these pairs
    rows = _read(
        store,
        "SELECT j.pair_id, j.verdict, j.source_id <> p.source_id "
        "OR j.target_id <> p.target_id, j.id FROM judgement j CROSS JOIN pair p "
        "ON p.id = j.pair_id WHERE +j.pair_id >= ? AND +j.pair_id < ? "
        "AND j.id > ? ORDER BY j.id",
        mining_id,
        after_id,
    )
    return Said(
        _ids(rows),
        np.fromiter((_CODES[row[1]] for row in rows), np.int8, len(rows)),
        np.fromiter((row[2] for row in rows), np.bool_, len(rows)),
        rows[-1][3] if rows else after_id,
    )


def read_tagged(store: Engine, mining_id: int, tag: str) -> IdArray:
    """Read which pairs have a tag: int64 (p,), rising."""
    rows = _read(
        store,
        "SELECT pair_id, max(id), tags FROM judgement WHERE pair_id >= ? "
        "AND pair_id < ? GROUP BY pair_id HAVING EXISTS "
        "(SELECT 1 FROM json_each(tags) WHERE value = ?) ORDER BY pair_id",
        mining_id,
        tag,
    )
    return _ids(rows)


def read_changed_sides(store: Engine, mining_id: int) -> list[ChangedSides]:
    """Read the pairs whose text was edited, or whose runner-up was swapped in."""
    rows = _read(
        store,
        "SELECT j.pair_id, j.source_id, j.target_id, j.source_text, j.target_text "
        "FROM judgement j JOIN pair p ON p.id = j.pair_id WHERE j.pair_id >= ? "
        "AND j.pair_id < ? AND (j.source_text IS NOT NULL OR j.target_text IS NOT NULL "
        "OR j.source_id <> p.source_id OR j.target_id <> p.target_id) AND j.id = "
        "(SELECT max(id) FROM judgement WHERE pair_id = j.pair_id) ORDER BY j.pair_id",
        mining_id,
    )
    return [ChangedSides(*row) for row in rows]


def read_conflicts(store: Engine, mining_id: int) -> IdArray:
    """Read the pairs that another judged otherwise, not settled yet: int64, rising."""
    rows = _read(
        store,
        "SELECT DISTINCT o.pair_id FROM opinion o JOIN judgement j "
        "ON j.id = (SELECT max(id) FROM judgement WHERE pair_id = o.pair_id) "
        f"WHERE o.pair_id >= ? AND o.pair_id < ? AND {AGAINST_SQL} ORDER BY o.pair_id",
        mining_id,
    )
    return _ids(rows)


def _read(store: Engine, sql: str, mining_id: int, *more: Any) -> list[tuple[Any, ...]]:
    bounds = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows: list[tuple[Any, ...]] = raw.execute(sql, (*bounds, *more)).fetchall()
        return rows


def _ids(rows: Sequence[tuple[Any, ...]]) -> IdArray:
    return np.fromiter((row[0] for row in rows), np.int64, len(rows))
