"""Read and write the beads of aligned documents.

A bead links n consecutive source and m consecutive target sentences; if one side is
empty, the sentences of the other side have no translation. The id of a bead combines
its mining's id and the sum of the positions of its first sentences, which grows along
the documents.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine

from app.arrays import IntArray
from app.engine.store.corpora import position_of
from app.engine.store.pairs.sets import (
    NewPairSet,
    PairSetCounts,
    first_pair_id,
    insert_pair_set,
    list_pair_sets,
)

VERDICTS = ("", "accept", "reject", "skip", "flag")
_SELECT_SQL = """
SELECT p.id, source_id, n_source, target_id, n_target, cosine, source_mean,
    target_mean, (
        SELECT verdict FROM judgement WHERE pair_id = p.id ORDER BY id DESC LIMIT 1
    )
FROM pair p WHERE p.id >= ? AND p.id < ? ORDER BY p.id LIMIT ?
"""


class BeadColumns(NamedTuple):
    """The columns of b beads, in the order of the documents.

    Attributes:
        ids: int64 (b,).
        source_ids, target_ids: int64 (b,), first sentence of each side.
        n_sources, n_targets: int64 (b,), number of sentences on each side.
        confidences: float32 (b,), from 0 (chance) to 1 (identical); NaN: not compared.
        verdicts: int8 (b,), indices into `VERDICTS`.
    """

    ids: IntArray
    source_ids: IntArray
    n_sources: IntArray
    target_ids: IntArray
    n_targets: IntArray
    confidences: NDArray[np.float32]
    verdicts: NDArray[np.int8]

    @property
    def n(self) -> int:
        """Count the beads."""
        return len(self.ids)


def read_beads(store: Engine, first: int, end: int, *, limit: int = -1) -> BeadColumns:
    """Read the beads with the ids first … end - 1.

    Args:
        first: lowest id.
        end: highest id + 1.
        limit: maximum number of beads; -1: all.
    """
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        return _columns(raw.execute(_SELECT_SQL, (first, end, limit)).fetchall())


def read_aligned_links(
    store: Engine, corpus_ids: Collection[int]
) -> Iterator[tuple[int, int]]:
    """Yield all pairs of sentences linked by alignments of some corpora.

    Rejected links are left out.
    """
    for row in list_pair_sets(store):
        ends = {row.source_corpus_id, row.target_corpus_id}
        if row.kind != "aligned" or not ends <= set(corpus_ids):
            continue
        beads = read_beads(store, first_pair_id(row.id), first_pair_id(row.id + 1))
        kept = beads.verdicts != VERDICTS.index("reject")
        columns = (beads.source_ids, beads.n_sources, beads.target_ids, beads.n_targets)
        for i, n, j, m in np.stack(columns, axis=1)[kept].tolist():
            yield from product(range(i, i + n), range(j, j + m))


def empty_beads() -> BeadColumns:
    """Return columns without beads."""
    return _columns([])


def slice_beads(beads: BeadColumns, start: int, end: int) -> BeadColumns:
    """Return the beads at the places start … end - 1."""
    columns: Any = (column[start:end] for column in beads)
    return BeadColumns(*columns)


def concatenate_beads(*parts: BeadColumns) -> BeadColumns:
    """Concatenate columns of beads."""
    columns: Any = (np.concatenate(column) for column in zip(*parts, strict=True))
    return BeadColumns(*columns)


def count_equal_ends(one: BeadColumns, other: BeadColumns) -> tuple[int, int]:
    """Count the equal beads at the start and at the end of two sets of columns."""
    n = min(one.n, other.n)
    heads = (slice_beads(beads, 0, n) for beads in (one, other))
    head = _count_true(_is_equal(*heads))
    n -= head
    tails = (slice_beads(beads, beads.n - n, beads.n) for beads in (one, other))
    return head, _count_true(_is_equal(*tails)[::-1])


def _is_equal(one: BeadColumns, other: BeadColumns) -> NDArray[np.bool_]:
    is_equal = np.ones(one.n, np.bool_)
    for own, its in zip(one, other, strict=True):
        is_equal &= (own == its) | ((own != own) & (its != its))  # NaN equals NaN
    return is_equal


def _count_true(values: NDArray[np.bool_]) -> int:
    """Count the true values before the first false one."""
    return int(np.argmin(np.append(values, False)))


def _columns(rows: list[Any]) -> BeadColumns:
    columns = list(zip(*rows, strict=True)) or [()] * 9
    ids, sources, n_sources, targets, n_targets = (
        np.array(column, np.int64) for column in columns[:5]
    )
    cosines, source_means, target_means = (
        np.array(column, np.float64) for column in columns[5:8]
    )
    is_compared = cosines != 0
    chance = np.minimum((source_means + target_means) / 2, 0.999)
    shares = np.clip(1 - (1 - cosines) / (1 - chance), 0, 1)
    confidences = np.where(is_compared, shares, np.nan).astype(np.float32)
    known = {verdict: index for index, verdict in enumerate(VERDICTS)}
    verdicts = np.array([known.get(v or "", 0) for v in columns[8]], np.int8)
    return BeadColumns(
        ids, sources, n_sources, targets, n_targets, confidences, verdicts
    )


_INSERT_SQL = (
    "INSERT INTO pair (id, source_id, n_source, target_id, n_target, score, cosine, "
    "source_mean, target_mean) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Bead(NamedTuple):
    """A bead (see table `pair`).

    Attributes:
        source_id, target_id: first sentence of each side; for an empty side, the next
            sentence, which may be past the end of the corpus.
        n_source, n_target: number of consecutive sentences.
        score: cosine minus the mean of both means; 0 if nothing was compared.
        cosine: cosine of the joined sentences of both sides.
        source_mean, target_mean: mean cosine of each side with the other document.
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
        """Return whether both sides have sentences."""
        return self.n_source > 0 and self.n_target > 0


def bead_id(mining_id: int, bead: Bead) -> int:
    """Return the id of a bead; ids grow along the documents."""
    index = position_of(bead.source_id) + position_of(bead.target_id)
    return first_pair_id(mining_id) + index


def insert_beads(
    connection: Connection, mining_id: int, beads: Sequence[Bead]
) -> list[int]:
    """Write beads, and return their ids."""
    ids = [bead_id(mining_id, bead) for bead in beads]
    raw: Any = connection.connection.driver_connection
    rows = [(id_, *bead) for id_, bead in zip(ids, beads, strict=True)]
    raw.executemany(_INSERT_SQL, rows)
    return ids


def write_alignment(
    store: Engine,
    new: NewPairSet,
    beads: Sequence[Bead],
    counts: PairSetCounts,
    run_id: int | None,
) -> int:
    """Write a complete alignment in one transaction, and return its id."""
    values = {"state": "ready", **counts._asdict()}
    with store.begin() as connection:
        mining_id = insert_pair_set(connection, new, run_id, **values)
        insert_beads(connection, mining_id, beads)
    return mining_id
