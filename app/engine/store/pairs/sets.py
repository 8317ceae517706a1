"""Read and write pair sets and their pairs.

A mining is `writing` until its last pair is written, then `ready`. A removed mining is
`removing` until its last pair is deleted.
"""

import json
import time
from collections.abc import Collection, Iterable, Sequence
from itertools import count
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.store.rows import read_rows_by_id, select_fields
from app.engine.store.runs import GOING_RUNS, purge_removed
from app.engine.store.schema import CORPUS_STRIDE, judgement, mining, pair
from app.params.mining import MarginName
from app.protocol.edits.pairs import Verdict

PairColumn = Literal["score", "cosine", "source_mean", "target_mean"]
PairIntegerColumn = Literal["id", "source_id", "n_source", "target_id", "n_target"]


class PairSetRow(NamedTuple):
    """A pair set."""

    id: int
    name: str
    kind: str
    state: str
    source_corpus_id: int
    target_corpus_id: int
    source_language: str
    target_language: str
    encoder: str
    fingerprint: str
    margin: MarginName | Literal[""]
    k: int
    retrieval: str
    threshold: float | None
    filters: list[str]
    n_pairs: int
    n_candidates: int
    report: dict[str, Any]
    run_id: int | None
    created_at: float

    @property
    def has_histogram(self) -> bool:
        """Return whether the distribution of the scores is known."""
        return any(self.report.get(name) for name in ("scores", "histogram"))


class PairRow(NamedTuple):
    """A pair: its sentences and the parts of its score (see the table's comments)."""

    id: int
    source_id: int
    n_source: int
    target_id: int
    n_target: int
    score: float
    cosine: float
    source_mean: float
    target_mean: float
    runner_up_id: int | None
    runner_up_score: float | None
    reverse_id: int | None
    reverse_score: float | None


class JudgementRow(NamedTuple):
    """The judgement that applies to a pair."""

    id: int
    step: int
    undoes: int | None
    pair_id: int
    source_id: int
    target_id: int
    verdict: Verdict
    source_text: str | None
    target_text: str | None
    note: str
    tags: list[str]
    who: str
    origin: str
    created_at: float
    verdict_id: int | None = None

    @property
    def given_id(self) -> int:
        """Return the id of the judgement that set the verdict, this or an older one."""
        return self.id if self.verdict_id is None else self.verdict_id


def aligned_corpora(rows: Iterable[PairSetRow]) -> set[frozenset[int]]:
    """Return the ids of the two corpora of each alignment."""
    return {
        frozenset((row.source_corpus_id, row.target_corpus_id))
        for row in rows
        if row.kind == "aligned"
    }


def first_pair_id(mining_id: int) -> int:
    """Return the id of a mining's best pair, the lowest of its ids."""
    return mining_id * CORPUS_STRIDE


def pair_set_of(pair_id: int) -> int:
    """Return the id of the mining that a pair belongs to."""
    return pair_id // CORPUS_STRIDE


def find_free_set_name(store: Engine, texts: str, kind: str) -> str:
    """Return an unused pair set name, such as "one – other (aligned, 2)"."""
    taken = {row.name for row in list_pair_sets(store)}
    names = (f"{texts} ({kind}{f', {n}' if n > 1 else ''})" for n in count(1))
    return next(name for name in names if name not in taken)


def list_pair_sets(
    store: Engine, *, states: Sequence[str] = ("ready",)
) -> list[PairSetRow]:
    """List pair sets, newest first."""
    query = select_fields(mining, PairSetRow).where(mining.c.state.in_(states))
    with store.connect() as connection:
        rows = connection.execute(query.order_by(mining.c.id.desc()))
        return [_pair_set_row(row) for row in rows]


def read_pair_set(store: Engine, mining_id: int) -> PairSetRow | None:
    """Read a pair set in any state; None if it doesn't exist."""
    query = select_fields(mining, PairSetRow).where(mining.c.id == mining_id)
    with store.connect() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else _pair_set_row(row)


def pair_ids(row: PairSetRow, *, with_candidates: bool = False) -> NDArray[np.int64]:
    """Return the ids of a mining's pairs, best score first: int64 (p,).

    Args:
        with_candidates: append the candidates that were not selected.
    """
    n = row.n_pairs + (row.n_candidates if with_candidates else 0)
    return np.arange(n, dtype=np.int64) + first_pair_id(row.id)


def read_pairs(store: Engine, ids: Sequence[int]) -> list[PairRow | None]:
    """Read pairs by id, in the given order; None for a deleted pair."""
    return read_rows_by_id(store, pair, PairRow, ids)


def find_pairs(
    store: Engine, mining_id: int, source_ids: Sequence[int], target_ids: Sequence[int]
) -> list[int]:
    """Return the ids of a set's pairs between some sentences, as mined."""
    query = select(pair.c.id).where(
        pair.c.id >= first_pair_id(mining_id),
        pair.c.id < first_pair_id(mining_id + 1),
        pair.c.source_id.in_(source_ids),
        pair.c.target_id.in_(target_ids),
    )
    with store.connect() as connection:
        return list(connection.scalars(query))


def read_current_judgements(
    store: Engine, ids: Sequence[int]
) -> dict[int, JudgementRow]:
    """Read the current judgements of up to 10,000 pairs, if they were ever judged."""
    wanted = judgement.c.pair_id.in_([int(id_) for id_ in ids])
    return {row.pair_id: row for row in _newest_judgements(store, wanted)}


def read_all_current_judgements(store: Engine, mining_id: int) -> list[JudgementRow]:
    """Read the current judgement of each judged pair of a mining, by pair."""
    low, high = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    column = judgement.c.pair_id
    return _newest_judgements(store, (column >= low) & (column < high))


def read_scores(
    store: Engine, mining_id: int, column: PairColumn = "score"
) -> NDArray[np.float64]:
    """Read one part of the scores of all pairs of a mining, in the order of id."""
    return _read_column(store, mining_id, column, np.float64)


def read_pair_integers(
    store: Engine, mining_id: int, column: PairIntegerColumn
) -> NDArray[np.int64]:
    """Read one column of integers of all pairs of a mining, in the order of id."""
    return _read_column(store, mining_id, column, np.int64)


def read_links(
    store: Engine, source_corpus_id: int, target_corpus_id: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read the positions of linked sentences: int64 (p,) each."""
    sides = [
        (first_sentence_id(one), first_sentence_id(one + 1))
        for one in (source_corpus_id, target_corpus_id)
    ]
    sql = (
        "SELECT source_id, target_id FROM link WHERE source_id >= ? AND source_id < ? "
        "AND target_id >= ? AND target_id < ?"
    )
    both = np.dtype([("source", np.int64), ("target", np.int64)])
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        ends = (*sides[0], *sides[1]), (*sides[1], *sides[0])
        found = [np.fromiter(raw.execute(sql, one), both) for one in ends]
    # (p, 2): links in the other direction are reversed
    pairs = [found[0].view(np.int64).reshape(-1, 2)]
    pairs.append(found[1].view(np.int64).reshape(-1, 2)[:, ::-1])
    ids = np.unique(np.concatenate(pairs), axis=0)
    return ids[:, 0] - sides[0][0], ids[:, 1] - sides[1][0]


def count_links(store: Engine, corpus_id: int) -> dict[int, int]:
    """Count the links of a corpus with each other corpus."""
    bounds = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
    counts: dict[int, int] = {}
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        for own, other in (("source_id", "target_id"), ("target_id", "source_id")):
            sql = (
                f"SELECT {other} / {CORPUS_STRIDE}, count(*) FROM link "
                f"WHERE {own} >= ? AND {own} < ? GROUP BY 1"
            )
            for id_, n in raw.execute(sql, bounds):
                counts[id_] = counts.get(id_, 0) + n
    return counts


def read_links_from(store: Engine, corpus_ids: Collection[int]) -> NDArray[np.int64]:
    """Read the links whose source is in some corpora: ids, int64 (p, 2)."""
    sql = "SELECT source_id, target_id FROM link WHERE source_id >= ? AND source_id < ?"
    both = np.dtype([("source", np.int64), ("target", np.int64)])
    found = [np.empty(0, both)]
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        for id_ in sorted(corpus_ids):
            bounds = first_sentence_id(id_), first_sentence_id(id_ + 1)
            found.append(np.fromiter(raw.execute(sql, bounds), both))
    return np.concatenate(found).view(np.int64).reshape(-1, 2)


def _read_column(store: Engine, mining_id: int, column: str, kind: Any) -> NDArray[Any]:
    """Bypass SQLAlchemy's row objects, which take five times as long."""
    sql = f"SELECT {column} FROM pair WHERE id >= ? AND id < ? ORDER BY id"
    bounds = (first_pair_id(mining_id), first_pair_id(mining_id + 1))
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        cursor = raw.execute(sql, bounds)
        return np.fromiter((value for (value,) in cursor), kind)


def _newest_judgements(
    store: Engine, wanted: ColumnElement[bool]
) -> list[JudgementRow]:
    newest = select(func.max(judgement.c.id)).where(wanted)
    newest = newest.group_by(judgement.c.pair_id)
    query = select_fields(judgement, JudgementRow).where(judgement.c.id.in_(newest))
    with store.connect() as connection:
        rows = connection.execute(query.order_by(judgement.c.pair_id))
        return [judgement_row(row) for row in rows]


def _pair_set_row(row: Row[Any]) -> PairSetRow:
    values = row._asdict()
    decoded = {name: json.loads(values[name]) for name in ("filters", "report")}
    return PairSetRow(**{**values, **decoded})


def judgement_row(row: Row[Any]) -> JudgementRow:
    """Decode a row of the columns of a judgement."""
    values = row._asdict()
    return JudgementRow(**{**values, "tags": json.loads(values["tags"])})


_SCORE_SQL = "SELECT score FROM pair WHERE id = ?"
MAX_JUDGED_COUNTED = 10_000  # judgements; counting more would be noticeably slow


def count_above_threshold(store: Engine, row: PairSetRow, threshold: float) -> int:
    """Count the selected pairs whose score reaches a threshold.

    The ids of a mined or scored set are in the order of the scores, so a binary search
    reads about twenty rows.
    """
    low, high = 0, row.n_pairs  # the first pair below the threshold is within
    first = first_pair_id(row.id)
    with store.connect() as connection:
        while low < high:
            middle = (low + high) // 2
            found = connection.exec_driver_sql(_SCORE_SQL, (first + middle,)).first()
            if found is not None and found[0] >= threshold:
                low = middle + 1
            else:
                high = middle
    return low


def count_judged_pairs(store: Engine) -> dict[int, int] | None:
    """Count the accepted and rejected pairs of every set; None if too many."""
    with store.connect() as connection:
        newest_id = connection.scalar(select(func.max(judgement.c.id))) or 0
        if newest_id > MAX_JUDGED_COUNTED:  # an upper bound: ids are not reused
            return None
        newest = select(func.max(judgement.c.id)).group_by(judgement.c.pair_id)
        mining = judgement.c.pair_id.op("/")(CORPUS_STRIDE)
        counted = select(mining, func.count()).where(
            judgement.c.id.in_(newest),
            judgement.c.verdict.in_(("accept", "reject")),
        )
        found = connection.execute(counted.group_by(mining)).all()
    return {int(mining_id): int(n) for mining_id, n in found}


def count_verdicts(store: Engine, mining_id: int) -> dict[str, int] | None:
    """Count the pairs of a set by current verdict; None if there are too many.

    Pairs whose verdict was undone, or that only have a note, are not counted.
    """
    column = judgement.c.pair_id
    is_here = (column >= first_pair_id(mining_id)) & (
        column < first_pair_id(mining_id + 1)
    )
    some = select(column).where(is_here).limit(MAX_JUDGED_COUNTED + 1).subquery()
    newest = select(func.max(judgement.c.id)).where(is_here).group_by(column)
    counted = select(judgement.c.verdict, func.count()).where(
        judgement.c.id.in_(newest), judgement.c.verdict != ""
    )
    with store.connect() as connection:
        n_rows = connection.scalar(select(func.count()).select_from(some)) or 0
        if n_rows > MAX_JUDGED_COUNTED:
            return None
        found = connection.execute(counted.group_by(judgement.c.verdict)).all()
    return {str(verdict): int(n) for verdict, n in found}


STAGE, REMOVING_STAGE = "Writing pairs", "Removing incomplete pairs"
PAIR_PURGE_S = 0.5  # between two checks for Cancel
SHARD = 20_000  # pairs in one transaction
PURGE_PAIRS = 100_000
_INSERT_SQL = (
    "INSERT INTO pair (id, source_id, n_source, target_id, n_target, score, cosine, "
    "source_mean, target_mean, runner_up_id, runner_up_score, reverse_id, "
    "reverse_score) VALUES (?, ?, 1, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class NewPairSet(NamedTuple):
    """Data of a pair set before its pairs are written (see table `mining`)."""

    name: str
    kind: str
    source_corpus_id: int
    target_corpus_id: int
    source_language: str = ""
    target_language: str = ""
    encoder: str = ""
    fingerprint: str = ""
    margin: str = ""
    k: int = 0
    retrieval: str = ""
    threshold: float | None = None
    filters: Sequence[str] = ()


class NewPairs(NamedTuple):
    """Pairs to write: selected pairs before candidates, best score first.

    Attributes:
        source_ids, target_ids: int64 (p,), ids of the sentences.
        scores, cosines, source_means, target_means: float32 (p,).
        runner_up_ids: int64 (p,), best other target of the source; -1: none.
        runner_up_scores: float32 (p,).
        reverse_ids: int64 (p,), best other source of the target; -1: none.
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


class PairSetCounts(NamedTuple):
    """Data of a pair set after its pairs are written.

    Attributes:
        n_pairs: number of selected pairs, which come first.
        n_candidates: number of candidates, which come after them.
        report: JSON.
    """

    n_pairs: int
    n_candidates: int
    report: str


def write_pair_set(
    store: Engine,
    new: NewPairSet,
    pairs: NewPairs,
    counts: PairSetCounts,
    report: Report,
) -> int:
    """Write a pair set, mark it as ready when complete, and return its id.

    Pairs that the same run wrote before it was stopped are deleted first.
    """
    mark_abandoned_pair_sets(store, also_run=report.run)
    while not purge_removed_pair_sets(store, seconds=PAIR_PURGE_S):
        report.step(REMOVING_STAGE, 0, 0)
    mining_id = create_pair_set(store, new, report.run)
    write_pairs(store, mining_id, pairs, report)
    finish_pair_set(store, mining_id, counts)
    report.changed("mining", mining_id)
    return mining_id


def create_pair_set(store: Engine, new: NewPairSet, run_id: int | None) -> int:
    """Create a pair set in the state `writing`, and return its id."""
    with store.begin() as connection:
        return insert_pair_set(connection, new, run_id, state="writing")


def insert_pair_set(
    connection: Connection, new: NewPairSet, run_id: int | None, **values: Any
) -> int:
    """Insert the record of a pair set, and return its id.

    Args:
        new: data known before the pairs are written.
        run_id: id of the run that creates the set.
        values: values of other columns.
    """
    row = {
        **new._asdict(),
        "filters": json.dumps(list(new.filters)),
        "run_id": run_id,
        "created_at": time.time(),
    }
    statement = insert(mining).values(**row, **values)
    return int(connection.execute(statement).lastrowid)


def write_pairs(store: Engine, mining_id: int, pairs: NewPairs, report: Report) -> None:
    """Write all pairs of a set that is not ready yet, in short transactions."""
    first, n = first_pair_id(mining_id), len(pairs.scores)
    for start in range(0, n, SHARD):
        report.step(STAGE, start, n)
        end = min(start + SHARD, n)
        ids = range(first + start, first + end)
        with store.begin() as connection:
            raw: Any = connection.connection.driver_connection
            raw.executemany(
                _INSERT_SQL, zip(ids, *_plain_columns(pairs, start, end), strict=True)
            )
    report.step(STAGE, n, n)


def finish_pair_set(store: Engine, mining_id: int, counts: PairSetCounts) -> None:
    """Write the counts of a pair set, and mark it as ready."""
    values = {"state": "ready", **counts._asdict()}
    statement = update(mining).where(mining.c.id == mining_id).values(values)
    with store.begin() as connection:
        connection.execute(statement)


def mark_abandoned_pair_sets(
    store: Engine, *, also_run: int | None = None
) -> list[int]:
    """Mark the pair sets that no run can resume as removed, and return their ids."""
    is_left = or_(
        mining.c.run_id.is_(None),
        mining.c.run_id.not_in(GOING_RUNS),
        mining.c.run_id == also_run,
    )
    where = (mining.c.state == "writing") & is_left
    with store.begin() as connection:
        ids = list(connection.scalars(select(mining.c.id).where(where)))
        connection.execute(update(mining).where(where).values(state="removing"))
    return ids


def purge_removed_pair_sets(store: Engine, *, seconds: float = float("inf")) -> bool:
    """Delete pairs of removed sets, for at most the given number of seconds.

    Returns:
        Whether all their rows are deleted.
    """
    return purge_removed(store, mining, _purge_pairs, seconds)


def _purge_pairs(store: Engine, mining_id: int) -> bool:
    """Delete some pairs, the last ones first; False when none is left."""
    low, high = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    newest = select(pair.c.id).where(pair.c.id >= low, pair.c.id < high)
    newest = newest.order_by(pair.c.id.desc()).limit(1)
    with store.begin() as connection:
        last = connection.scalar(newest)
        if last is None:
            connection.execute(delete(mining).where(mining.c.id == mining_id))
            return False
        from_id = max(low, last - PURGE_PAIRS)
        connection.execute(delete(pair).where(pair.c.id.between(from_id, last)))
    return True


def _plain_columns(pairs: NewPairs, start: int, end: int) -> list[list[Any]]:
    """Return plain values by column, with NULL for missing runners-up."""
    columns: list[list[Any]] = [column[start:end].tolist() for column in pairs]
    for ids, scores in ((6, 7), (8, 9)):
        has_one = [id_ >= 0 for id_ in columns[ids]]
        for index in (ids, scores):
            values = zip(columns[index], has_one, strict=True)
            columns[index] = [value if is_one else None for value, is_one in values]
    return columns
