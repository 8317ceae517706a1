"""What evaluations measured, read by run."""

from typing import NamedTuple

import msgspec
from sqlalchemy import Engine, func, select

from app.engine.store.schema import measurement, run
from app.measurements import Measurement


class MeasuredRun(NamedTuple):
    """A run that measured something; `encoders` in the order of their names."""

    id: int
    task: str
    params: str
    ended_at: float
    encoders: tuple[str, ...]


def list_measured(store: Engine, *, limit: int = 200) -> list[MeasuredRun]:
    """List the runs that measured something and finished, the newest first."""
    encoder = func.json_extract(measurement.c.row, "$.encoder")
    named = select(measurement.c.run_id, encoder).distinct().order_by(encoder)
    columns = (run.c.id, run.c.task, run.c.params, run.c.ended_at)
    query = select(*columns).where(run.c.state == "finished").order_by(run.c.id.desc())
    encoders: dict[int, list[str]] = {}
    with store.connect() as connection:
        for id_, name in connection.execute(named):
            encoders.setdefault(id_, []).append(name)
        found = connection.execute(query.where(run.c.id.in_(encoders)).limit(limit))
        return [
            MeasuredRun(id_, task, params, ended_at or 0.0, tuple(encoders[id_]))
            for id_, task, params, ended_at in found
        ]


def read_measurements(store: Engine, run: int) -> list[Measurement]:
    """Read what a run measured, in its order."""
    query = select(measurement.c.row).where(measurement.c.run_id == run)
    with store.connect() as connection:
        found = connection.scalars(query.order_by(measurement.c.place))
        return [msgspec.json.decode(text, type=Measurement) for text in found]


def read_latest_measurements(store: Engine) -> list[Measurement]:
    """Read what all runs measured, the newest run first."""
    query = select(measurement.c.row).order_by(
        measurement.c.run_id.desc(), measurement.c.place
    )
    with store.connect() as connection:
        found = connection.scalars(query)
        return [msgspec.json.decode(text, type=Measurement) for text in found]
