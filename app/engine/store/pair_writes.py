"""Writes of minings: made hidden, filled part by part, shown when complete.

A mining is `writing` until its last pair is there, then `ready`. One that is given up
is `removing` until the last of its pairs is gone.
"""

import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, delete, insert, or_, select, update

from app.engine.report import Report
from app.engine.store.pair_rows import first_pair_id
from app.engine.store.schema import mining, pair, run

STAGE, REMOVING_STAGE = "write pairs", "remove what was given up"
REMOVING_S = 0.5  # between two looks at Cancel
SHARD = 20_000  # pairs of one transaction
PURGED_PAIRS = 100_000
_SQL = (
    "INSERT INTO pair (id, source_id, n_source, target_id, n_target, score, cosine, "
    "source_mean, target_mean, runner_up_id, runner_up_score, reverse_id, "
    "reverse_score) VALUES (?, ?, 1, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class NewMining(NamedTuple):
    """What is known of a set of pairs before they are written (see table `mining`)."""

    name: str
    kind: str
    source_corpus_id: int
    target_corpus_id: int
    source_language: str
    target_language: str
    encoder: str
    fingerprint: str
    margin: str
    k: int
    retrieval: str
    threshold: float | None
    filters: Sequence[str]


class NewPairs(NamedTuple):
    """Pairs to write, those that are taken first, the best score first.

    Attributes:
        source_ids, target_ids: int64 (p,), sentences.
        scores, cosines, source_means, target_means: float32 (p,).
        runner_up_ids: int64 (p,), the source's best other target; -1: none.
        runner_up_scores: float32 (p,).
        reverse_ids: int64 (p,), the target's best other source; -1: none.
        reverse_scores: float32 (p,).
    """

    source_ids: NDArray[np.int64]
    target_ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    cosines: NDArray[np.float32]
    source_means: NDArray[np.float32]
    target_means: NDArray[np.float32]
    runner_up_ids: NDArray[np.int64]
    runner_up_scores: NDArray[np.float32]
    reverse_ids: NDArray[np.int64]
    reverse_scores: NDArray[np.float32]


class MiningCounts(NamedTuple):
    """What is known of a set of pairs once they are written.

    Attributes:
        n_pairs: the first ones, which were taken.
        n_candidates: those behind them.
        report: JSON.
    """

    n_pairs: int
    n_candidates: int
    report: str


def write_mining(
    store: Engine,
    new: NewMining,
    pairs: NewPairs,
    counts: MiningCounts,
    report: Report,
) -> int:
    """Write a set of pairs, and show it when it is complete; returns its id.

    What the same run wrote before it was stopped goes first.
    """
    mark_abandoned(store, also_run=report.run)
    while not purge_removing(store, seconds=REMOVING_S):
        report.step(REMOVING_STAGE, 0, 0)
    mining_id = create_mining(store, new, report.run)
    write_pairs(store, mining_id, pairs, report)
    finish_mining(store, mining_id, counts)
    report.changed("mining", mining_id)
    return mining_id


def create_mining(store: Engine, new: NewMining, run_id: int | None) -> int:
    """Make a hidden set of pairs; returns its id."""
    values = {
        **new._asdict(),
        "filters": json.dumps(list(new.filters)),
        "state": "writing",
        "run_id": run_id,
        "created_at": time.time(),
    }
    with store.begin() as connection:
        return int(connection.execute(insert(mining).values(**values)).lastrowid)


def write_pairs(store: Engine, mining_id: int, pairs: NewPairs, report: Report) -> None:
    """Write all pairs of a hidden set, in short transactions."""
    first, n = first_pair_id(mining_id), len(pairs.scores)
    for start in range(0, n, SHARD):
        report.step(STAGE, start, n)
        end = min(start + SHARD, n)
        ids = range(first + start, first + end)
        with store.begin() as connection:
            raw: Any = connection.connection.driver_connection
            raw.executemany(_SQL, zip(ids, *_columns(pairs, start, end), strict=True))
    report.step(STAGE, n, n)


def finish_mining(store: Engine, mining_id: int, counts: MiningCounts) -> None:
    """Write the counts of a set of pairs, and show it."""
    values = {"state": "ready", **counts._asdict()}
    statement = update(mining).where(mining.c.id == mining_id).values(values)
    with store.begin() as connection:
        connection.execute(statement)


def mark_abandoned(store: Engine, *, also_run: int | None = None) -> list[int]:
    """Give up sets of pairs that no run goes on with; returns their ids.

    Args:
        store: the project's database.
        also_run: a run that begins its own anew.
    """
    going = select(run.c.id).where(
        run.c.state.in_(("queued", "running", "interrupted"))
    )
    is_left = or_(
        mining.c.run_id.is_(None),
        mining.c.run_id.not_in(going),
        mining.c.run_id == also_run,
    )
    where = (mining.c.state == "writing") & is_left
    with store.begin() as connection:
        ids = list(connection.scalars(select(mining.c.id).where(where)))
        connection.execute(update(mining).where(where).values(state="removing"))
    return ids


def purge_removing(store: Engine, *, seconds: float = float("inf")) -> bool:
    """Take away the pairs of sets that were given up, for so many seconds at most.

    Returns:
        Whether nothing is left of them.
    """
    end = time.monotonic() + seconds
    query = select(mining.c.id).where(mining.c.state == "removing")
    with store.connect() as connection:
        ids = list(connection.scalars(query))
    for mining_id in ids:
        while _purge_some(store, mining_id):
            if time.monotonic() > end:
                return False
    return True


def _purge_some(store: Engine, mining_id: int) -> bool:
    """Take some pairs away, the last ones first; False when all is gone."""
    low, high = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    newest = select(pair.c.id).where(pair.c.id >= low, pair.c.id < high)
    newest = newest.order_by(pair.c.id.desc()).limit(1)
    with store.begin() as connection:
        last = connection.scalar(newest)
        if last is None:
            connection.execute(delete(mining).where(mining.c.id == mining_id))
            return False
        from_id = max(low, last - PURGED_PAIRS)
        connection.execute(delete(pair).where(pair.c.id.between(from_id, last)))
    return True


def _columns(pairs: NewPairs, start: int, end: int) -> list[list[Any]]:
    """Give plain values by column: NULL for runners-up that are not there."""
    columns: list[list[Any]] = [column[start:end].tolist() for column in pairs]
    for ids, scores in ((6, 7), (8, 9)):
        has_one = [id_ >= 0 for id_ in columns[ids]]
        for place in (ids, scores):
            values = zip(columns[place], has_one, strict=True)
            columns[place] = [value if is_one else None for value, is_one in values]
    return columns
