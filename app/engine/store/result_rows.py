"""Reads of results: what the runs of one task have found."""

from typing import NamedTuple

from sqlalchemy import Engine, select

from app.engine.store.schema import run


class ResultRow(NamedTuple):
    """The result (JSON) of a run that finished, and when (seconds since 1970)."""

    run_id: int
    ended_at: float
    result: str


def list_results(store: Engine, task: str, *, limit: int = 50) -> list[ResultRow]:
    """List the results of a task's finished runs, the newest first."""
    query = (
        select(run.c.id, run.c.ended_at, run.c.result)
        .where(run.c.task == task, run.c.state == "finished")
        .order_by(run.c.id.desc())
        .limit(limit)
    )
    with store.connect() as connection:
        return [ResultRow(*row) for row in connection.execute(query)]
