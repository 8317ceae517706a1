"""Reads of minings, their pairs and judgements: by page, by id, and whole columns."""

import json
from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Engine, Row, Table, func, select

from app.engine.store.rows import MAX_VARIABLES, first_id
from app.engine.store.schema import CORPUS_STRIDE, judgement, mining, pair
from app.pair_changes import Verdict
from app.params.mining import MarginName

Found = TypeVar("Found", bound=tuple[Any, ...])
PairColumn = Literal["score", "cosine", "source_mean", "target_mean"]
PairIntegerColumn = Literal["id", "source_id", "n_source", "target_id", "n_target"]


class MiningRow(NamedTuple):
    """One set of pairs."""

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


class PairRow(NamedTuple):
    """One pair: who, and the parts of its score (see the table's comments)."""

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
    """What holds for a pair since somebody said so."""

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
        """Give the id of the judgement that gave the verdict: this, or an older one."""
        return self.id if self.verdict_id is None else self.verdict_id


def first_pair_id(mining_id: int) -> int:
    """Give the id of a mining's best pair; ids below that of the next are its."""
    return mining_id * CORPUS_STRIDE


def mining_of(pair_id: int) -> int:
    """Give the id of the mining that a pair belongs to."""
    return pair_id // CORPUS_STRIDE


def list_minings(
    store: Engine, *, states: Sequence[str] = ("ready",)
) -> list[MiningRow]:
    """List sets of pairs, the newest first."""
    query = _all_of(mining, MiningRow).where(mining.c.state.in_(states))
    with store.connect() as connection:
        rows = connection.execute(query.order_by(mining.c.id.desc()))
        return [_mining_row(row) for row in rows]


def read_mining(store: Engine, mining_id: int) -> MiningRow | None:
    """Read a set of pairs in any state; None where there is none."""
    query = _all_of(mining, MiningRow).where(mining.c.id == mining_id)
    with store.connect() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else _mining_row(row)


def pair_ids(row: MiningRow, *, with_candidates: bool = False) -> NDArray[np.int64]:
    """Give the ids of a mining's pairs, the best score first: int64 (p,).

    Args:
        row: the mining.
        with_candidates: those that were not taken too, behind the others.
    """
    n = row.n_pairs + (row.n_candidates if with_candidates else 0)
    return np.arange(n, dtype=np.int64) + first_pair_id(row.id)


def read_pairs(store: Engine, ids: Sequence[int]) -> list[PairRow | None]:
    """Read pairs by id, in the order asked; None for one that is gone."""
    found: dict[int, PairRow] = {}
    with store.connect() as connection:
        for start in range(0, len(ids), MAX_VARIABLES):
            part = [int(id_) for id_ in ids[start : start + MAX_VARIABLES]]
            query = _all_of(pair, PairRow).where(pair.c.id.in_(part))
            for row in connection.execute(query):
                found[row.id] = PairRow(*row)
    return [found.get(int(id_)) for id_ in ids]


def read_judgements(store: Engine, ids: Sequence[int]) -> dict[int, JudgementRow]:
    """Read what holds for each of up to 10,000 pairs that was ever judged."""
    wanted = judgement.c.pair_id.in_([int(id_) for id_ in ids])
    return {row.pair_id: row for row in _newest(store, wanted)}


def read_all_judgements(store: Engine, mining_id: int) -> list[JudgementRow]:
    """Read what holds for each pair of a mining that was ever judged, by pair."""
    low, high = first_pair_id(mining_id), first_pair_id(mining_id + 1)
    column = judgement.c.pair_id
    return _newest(store, (column >= low) & (column < high))


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
    """Read the pairs of positions that links say are translations: int64 (p,) each."""
    sides = [
        (first_id(one), first_id(one + 1))
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
    # (p, 2): those that were linked from the other end are turned round
    pairs = [found[0].view(np.int64).reshape(-1, 2)]
    pairs.append(found[1].view(np.int64).reshape(-1, 2)[:, ::-1])
    ids = np.unique(np.concatenate(pairs), axis=0)
    return ids[:, 0] - sides[0][0], ids[:, 1] - sides[1][0]


def read_links_from(store: Engine, corpus_ids: Collection[int]) -> NDArray[np.int64]:
    """Read the links whose source is in some corpora: ids, int64 (p, 2)."""
    sql = "SELECT source_id, target_id FROM link WHERE source_id >= ? AND source_id < ?"
    both = np.dtype([("source", np.int64), ("target", np.int64)])
    found = [np.empty(0, both)]
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        for id_ in sorted(corpus_ids):
            bounds = first_id(id_), first_id(id_ + 1)
            found.append(np.fromiter(raw.execute(sql, bounds), both))
    return np.concatenate(found).view(np.int64).reshape(-1, 2)


def _read_column(store: Engine, mining_id: int, column: str, kind: Any) -> NDArray[Any]:
    """Read past SQLAlchemy's row objects, which cost five times."""
    sql = f"SELECT {column} FROM pair WHERE id >= ? AND id < ? ORDER BY id"
    bounds = (first_pair_id(mining_id), first_pair_id(mining_id + 1))
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        cursor = raw.execute(sql, bounds)
        return np.fromiter((value for (value,) in cursor), kind)


def _newest(store: Engine, wanted: ColumnElement[bool]) -> list[JudgementRow]:
    newest = select(func.max(judgement.c.id)).where(wanted)
    newest = newest.group_by(judgement.c.pair_id)
    query = _all_of(judgement, JudgementRow).where(judgement.c.id.in_(newest))
    with store.connect() as connection:
        rows = connection.execute(query.order_by(judgement.c.pair_id))
        return [_judgement_row(row) for row in rows]


def _all_of(table: Table, kind: Any) -> Any:
    return select(*[table.c[name] for name in kind._fields])


def _mining_row(row: Row[Any]) -> MiningRow:
    values = row._asdict()
    told = {name: json.loads(values[name]) for name in ("filters", "report")}
    return MiningRow(**{**values, **told})


def _judgement_row(row: Row[Any]) -> JudgementRow:
    values = row._asdict()
    return JudgementRow(**{**values, "tags": json.loads(values["tags"])})
