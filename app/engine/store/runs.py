"""Runs with their metrics, results, measurements and retrieval hits."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from sqlalchemy import Engine, Table, delete, func, insert, select, tuple_

from app.arrays import BoolArray
from app.engine.store.embeddings import incomplete_embeddings
from app.engine.store.rows import read_rows, select_fields
from app.engine.store.schema import (
    measurement,
    metric,
    retrieval_hits,
    run,
)
from app.errors import UserError
from app.results.jobs import read_unfinished
from app.results.measurements import Measurement

# States of runs that continue, or that a later run can resume.
GOING_RUNS = select(run.c.id).where(
    run.c.state.in_(("queued", "running", "interrupted"))
)


DELETED = "deleted "  # prefix of the state of a run that the user has deleted
IS_LISTED = ~run.c.state.startswith(DELETED)


def purge_removed(
    store: Engine,
    table: Table,
    purge_some: Callable[[Engine, int], bool],
    seconds: float,
) -> bool:
    """Delete the contents of removed rows, for at most the given number of seconds.

    Args:
        table: table with a column `state`.
        purge_some: deletes part of a row's content; returns False when none is left.
        seconds: maximum duration.

    Returns:
        Whether all removed rows are deleted.
    """
    end = time.monotonic() + seconds
    query = select(table.c.id).where(table.c.state == "removing")
    with store.connect() as connection:
        ids = list(connection.scalars(query))
    for id_ in ids:
        while purge_some(store, id_):
            if time.monotonic() > end:
                return False
    return True


class RunRow(NamedTuple):
    """A run of a task."""

    id: int
    task: str
    params: str
    state: str
    device: str
    result: str
    error: str
    started_at: float
    ended_at: float | None
    versions: str = "{}"

    @property
    def elapsed_s(self) -> float:
        """Running time in seconds, up to now for a current run, without interruptions.

        The time of a finished run counts from its last start.
        """
        earlier_s = read_unfinished(self.result).earlier_s
        if self.state == "queued":
            return earlier_s
        return earlier_s + max((self.ended_at or time.time()) - self.started_at, 0.0)


def can_discard(store: Engine, row: RunRow) -> bool:
    """Return whether a run has stopped and may have left something incomplete."""
    if row.state == "cancelled":
        has_checkpoint = read_unfinished(row.result).n_total > 0
        return has_checkpoint or bool(incomplete_embeddings(store, row.id))
    return row.state == "interrupted"


def list_runs(
    store: Engine, *, task: str = "", limit: int = 200, has_deleted: bool = False
) -> list[RunRow]:
    """List the runs of one task or of all tasks, newest first.

    Args:
        task: only runs of this task.
        limit: maximum number of runs.
        has_deleted: include runs that the user has deleted.
    """
    query = select_fields(run, RunRow).order_by(run.c.id.desc()).limit(limit)
    if not has_deleted:
        query = query.where(IS_LISTED)
    if task:
        query = query.where(run.c.task == task)
    return read_rows(store, query, RunRow)


def list_run_names(store: Engine, tasks: Sequence[str]) -> set[str]:
    """Return the names in the params of runs, including deleted runs.

    A deletion can be undone, so the name of a deleted run must not be reused.
    """
    name = func.json_extract(run.c.params, "$.name")
    query = select(name).where(run.c.task.in_(tasks), name != "").distinct()
    with store.connect() as connection:
        return set(connection.scalars(query))


def read_run(store: Engine, run_id: int) -> RunRow | None:
    """Read a run; None if it doesn't exist."""
    query = select_fields(run, RunRow).where(run.c.id == run_id)
    return next(iter(read_rows(store, query, RunRow)), None)


class ResultRow(NamedTuple):
    """The result (JSON) of a finished run, and the time (seconds since 1970)."""

    run_id: int
    ended_at: float
    result: str


def list_results(store: Engine, task: str, *, limit: int = 50) -> list[ResultRow]:
    """List the results of a task's finished runs, newest first."""
    query = (
        select(run.c.id, run.c.ended_at, run.c.result)
        .where(run.c.task == task, run.c.state == "finished")
        .order_by(run.c.id.desc())
        .limit(limit)
    )
    return read_rows(store, query, ResultRow)


class MetricRow(NamedTuple):
    """A point of one curve of a run."""

    step: int
    name: str
    value: float | None


def read_metric_page(
    store: Engine, run_id: int, after: MetricRow | None = None, *, n: int = 4_000
) -> list[MetricRow]:
    """Read the next n points of a run's curves, ordered by step and name."""
    query = select_fields(metric, MetricRow).where(metric.c.run_id == run_id)
    if after is not None:
        place = tuple_(metric.c.step, metric.c.name)
        query = query.where(place > tuple_(after.step, after.name))
    query = query.order_by(metric.c.step, metric.c.name).limit(n)
    return read_rows(store, query, MetricRow)


def read_lowest_metric(
    store: Engine, run_id: int, name: str, *, first_step: int = 0
) -> MetricRow | None:
    """Read the lowest point of a run's curve from a step on; None if there is none."""
    query = (
        select_fields(metric, MetricRow)
        .where(metric.c.run_id == run_id, metric.c.name == name)
        .where(metric.c.value.is_not(None), metric.c.step >= first_step)
        .order_by(metric.c.value, metric.c.step)
        .limit(1)
    )
    with store.connect() as connection:
        row = connection.execute(query).first()
    return None if row is None else MetricRow(*row)


class MeasuredRun(NamedTuple):
    """A run with n measurements; `encoders` in the order of their names."""

    id: int
    task: str
    params: str
    ended_at: float
    encoders: tuple[str, ...]
    n: int


def list_measured_runs(store: Engine, *, limit: int = 200) -> list[MeasuredRun]:
    """List the finished runs with measurements, newest first."""
    encoder = func.json_extract(measurement.c.row, "$.encoder")
    named = select(measurement.c.run_id, encoder, func.count())
    named = named.group_by(measurement.c.run_id, encoder).order_by(encoder)
    columns = (run.c.id, run.c.task, run.c.params, run.c.ended_at)
    query = select(*columns).where(run.c.state == "finished").order_by(run.c.id.desc())
    encoders: dict[int, list[str]] = {}
    counts: Counter[int] = Counter()
    with store.connect() as connection:
        for id_, name, n in connection.execute(named):
            encoders.setdefault(id_, []).append(name)
            counts[id_] += n
        found = connection.execute(query.where(run.c.id.in_(encoders)).limit(limit))
        return [
            MeasuredRun(
                id_, task, params, ended_at or 0.0, tuple(encoders[id_]), counts[id_]
            )
            for id_, task, params, ended_at in found
        ]


def read_measurements(store: Engine, run: int) -> list[Measurement]:
    """Read the measurements of a run in order."""
    query = select(measurement.c.row).where(measurement.c.run_id == run)
    with store.connect() as connection:
        found = connection.scalars(query.order_by(measurement.c.place))
        return [msgspec.json.decode(text, type=Measurement) for text in found]


def read_latest_measurements(store: Engine) -> list[Measurement]:
    """Read the measurements of all runs that are not deleted, newest run first."""
    query = select(measurement.c.row).join(run).where(IS_LISTED)
    query = query.order_by(measurement.c.run_id.desc(), measurement.c.place)
    with store.connect() as connection:
        found = connection.scalars(query)
        return [msgspec.json.decode(text, type=Measurement) for text in found]


def write_measurements(store: Engine, run: int, rows: Sequence[Measurement]) -> None:
    """Write the measurements of a run, replacing those written before it resumed."""
    values = [
        {"run_id": run, "place": index, "row": msgspec.json.encode(row).decode()}
        for index, row in enumerate(rows)
    ]
    with store.begin() as connection:
        connection.execute(delete(measurement).where(measurement.c.run_id == run))
        if values:
            connection.execute(insert(measurement), values)


class RetrievalHits(NamedTuple):
    """Hits of a retrieval evaluation in one direction.

    Attributes:
        source, target: names of the columns or files.
        data: SHA-256 of the compared texts; equal hashes mean the same rows.
        sample: equal for directions that compare the same pairs row by row.
        n: number of sources.
        hits: a bit for each source: whether its nearest target is its translation.
    """

    source: str
    target: str
    data: str
    sample: str
    n: int
    hits: bytes

    @classmethod
    def of(
        cls, names: tuple[str, str], data: str, is_right: BoolArray, sample: str = ""
    ) -> "RetrievalHits":
        """Pack the hits of a direction: bool (n,)."""
        hits = np.packbits(is_right).tobytes()
        return cls(*names, data, sample, len(is_right), hits)

    @property
    def is_right(self) -> BoolArray:
        """The hits as bool (n,)."""
        bits = np.unpackbits(np.frombuffer(self.hits, np.uint8), count=self.n)
        return bits.astype(np.bool_)


def write_retrieval_hits(
    store: Engine, run: int, rows: Sequence[RetrievalHits]
) -> None:
    """Write the hits of a run, replacing those written before it resumed."""
    values = [
        {"run_id": run, "place": index, **row._asdict()}
        for index, row in enumerate(rows)
    ]
    with store.begin() as connection:
        connection.execute(delete(retrieval_hits).where(retrieval_hits.c.run_id == run))
        if values:
            connection.execute(insert(retrieval_hits), values)


def read_retrieval_hits(store: Engine, run: int) -> list[RetrievalHits]:
    """Read the hits of a run in order; empty if an older version measured it.

    Raises:
        UserError: a row is damaged.
    """
    query = select_fields(retrieval_hits, RetrievalHits)
    query = query.where(retrieval_hits.c.run_id == run)
    found = read_rows(store, query.order_by(retrieval_hits.c.place), RetrievalHits)
    if any(len(row.hits) != (row.n + 7) // 8 for row in found):
        raise UserError(f"The hits of run {run} are damaged. Run it again.")
    return found
