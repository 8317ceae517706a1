"""Reads of aligned documents: all beads of a range, as columns."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

IntArray = NDArray[np.int64]
VERDICTS = ("", "accept", "reject", "skip", "flag")
_SQL = """
SELECT p.id, source_id, n_source, target_id, n_target, cosine, source_mean,
    target_mean, (
        SELECT verdict FROM judgement WHERE pair_id = p.id ORDER BY id DESC LIMIT 1
    )
FROM pair p WHERE p.id >= ? AND p.id < ? ORDER BY p.id LIMIT ?
"""


class BeadColumns(NamedTuple):
    """Beads in the order of the documents; b of them.

    Attributes:
        ids: int64 (b,).
        source_ids, target_ids: int64 (b,), the first sentence of each side.
        n_sources, n_targets: int64 (b,), sentences of each side.
        confidences: float32 (b,), 0 as far as chance … 1 the same; NaN: not compared.
        verdicts: int8 (b,), places in `VERDICTS`.
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
    """Read the beads with ids first … end - 1.

    Args:
        store: the project's database.
        first: lowest id.
        end: behind the highest id.
        limit: at most so many; -1: all.
    """
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        return _columns(raw.execute(_SQL, (first, end, limit)).fetchall())


def no_beads() -> BeadColumns:
    """Give columns without a bead."""
    return _columns([])


def part_of_beads(beads: BeadColumns, start: int, end: int) -> BeadColumns:
    """Give the beads at the places start … end - 1."""
    columns: Any = (column[start:end] for column in beads)
    return BeadColumns(*columns)


def join_beads(*parts: BeadColumns) -> BeadColumns:
    """Put beads one behind the other."""
    columns: Any = (np.concatenate(column) for column in zip(*parts, strict=True))
    return BeadColumns(*columns)


def count_equal(one: BeadColumns, other: BeadColumns) -> tuple[int, int]:
    """Count the equal beads at the beginning of both, and those at the end."""
    n = min(one.n, other.n)
    heads = (part_of_beads(beads, 0, n) for beads in (one, other))
    head = _count_true(_is_equal(*heads))
    n -= head
    tails = (part_of_beads(beads, beads.n - n, beads.n) for beads in (one, other))
    return head, _count_true(_is_equal(*tails)[::-1])


def _is_equal(one: BeadColumns, other: BeadColumns) -> NDArray[np.bool_]:
    is_equal = np.ones(one.n, np.bool_)
    for own, its in zip(one, other, strict=True):
        is_equal &= (own == its) | ((own != own) & (its != its))  # NaN is itself
    return is_equal


def _count_true(values: NDArray[np.bool_]) -> int:
    """Count the values before the first that is not so."""
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
    known = {verdict: place for place, verdict in enumerate(VERDICTS)}
    verdicts = np.array([known.get(v or "", 0) for v in columns[8]], np.int8)
    return BeadColumns(
        ids, sources, n_sources, targets, n_targets, confidences, verdicts
    )
