"""Reads of the curves of runs, in pages: a long training has a million points."""

from typing import NamedTuple

from sqlalchemy import Engine, select, tuple_

from app.engine.store.schema import metric


class MetricRow(NamedTuple):
    """One point of one curve of a run."""

    step: int
    name: str
    value: float | None


def read_metric_page(
    store: Engine, run_id: int, after: MetricRow | None = None, *, n: int = 4_000
) -> list[MetricRow]:
    """Read the next n points of a run's curves, by step and then by name."""
    columns = [metric.c[name] for name in MetricRow._fields]
    query = select(*columns).where(metric.c.run_id == run_id)
    if after is not None:
        place = tuple_(metric.c.step, metric.c.name)
        query = query.where(place > tuple_(after.step, after.name))
    query = query.order_by(metric.c.step, metric.c.name).limit(n)
    with store.connect() as connection:
        return [MetricRow(*row) for row in connection.execute(query)]


def read_lowest(store: Engine, run_id: int, name: str) -> MetricRow | None:
    """Read the lowest point of one curve of a run; None where it has none."""
    columns = [metric.c[field] for field in MetricRow._fields]
    query = (
        select(*columns)
        .where(metric.c.run_id == run_id, metric.c.name == name)
        .where(metric.c.value.is_not(None))
        .order_by(metric.c.value, metric.c.step)
        .limit(1)
    )
    with store.connect() as connection:
        row = connection.execute(query).first()
    return None if row is None else MetricRow(*row)
