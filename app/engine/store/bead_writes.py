"""Writes of aligned documents: one bead a row of table `pair`.

A bead is a link of n source and m target sentences in a row; with none on one side it
says that those of the other have no translation. Its id is that of the mining and the
sum of the positions of its first sentences, which grows along the documents.
"""

import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, insert

from app.engine.store.pair_rows import first_pair_id
from app.engine.store.pair_writes import MiningCounts, NewMining
from app.engine.store.rows import position_of
from app.engine.store.schema import mining

_SQL = (
    "INSERT INTO pair (id, source_id, n_source, target_id, n_target, score, cosine, "
    "source_mean, target_mean) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Bead(NamedTuple):
    """One bead (see table `pair`).

    Attributes:
        source_id, target_id: first sentences; where there is none, the one that comes
            next, which the corpus may not have.
        n_source, n_target: sentences in a row.
        score: cosine less the mean of both means; 0 where nothing was compared.
        cosine: of the joined sentences of both sides.
        source_mean, target_mean: cosine of each side with the whole other document.
    """

    source_id: int
    n_source: int
    target_id: int
    n_target: int
    score: float = 0.0
    cosine: float = 0.0
    source_mean: float = 0.0
    target_mean: float = 0.0

    @property
    def is_link(self) -> bool:
        """Tell whether both sides have sentences."""
        return self.n_source > 0 and self.n_target > 0


def bead_id(mining_id: int, bead: Bead) -> int:
    """Give the id of a bead: they grow along the documents."""
    place = position_of(bead.source_id) + position_of(bead.target_id)
    return first_pair_id(mining_id) + place


def insert_beads(
    connection: Connection, mining_id: int, beads: Sequence[Bead]
) -> list[int]:
    """Write beads; returns their ids."""
    ids = [bead_id(mining_id, bead) for bead in beads]
    raw: Any = connection.connection.driver_connection
    rows = [(id_, *bead) for id_, bead in zip(ids, beads, strict=True)]
    raw.executemany(_SQL, rows)
    return ids


def write_alignment(
    store: Engine,
    new: NewMining,
    beads: Sequence[Bead],
    counts: MiningCounts,
    run_id: int | None,
) -> int:
    """Write an alignment whole, in one transaction; returns its id."""
    values = {
        **new._asdict(),
        **counts._asdict(),
        "filters": json.dumps(list(new.filters)),
        "state": "ready",
        "run_id": run_id,
        "created_at": time.time(),
    }
    with store.begin() as connection:
        key = connection.execute(insert(mining).values(**values))
        mining_id = int(key.lastrowid)
        insert_beads(connection, mining_id, beads)
    return mining_id
