"""What evaluations measured, read by run."""

import msgspec
from sqlalchemy import Engine, select

from app.engine.store.schema import measurement
from app.measurements import Measurement


def read_measurements(store: Engine, run: int) -> list[Measurement]:
    """Read what a run measured, in its order."""
    query = select(measurement.c.row).where(measurement.c.run_id == run)
    with store.connect() as connection:
        found = connection.scalars(query.order_by(measurement.c.place))
        return [msgspec.json.decode(text, type=Measurement) for text in found]


def runs_with_measurements(store: Engine) -> list[int]:
    """Give the ids of the runs that measured something, the newest first."""
    query = select(measurement.c.run_id).distinct()
    with store.connect() as connection:
        found = connection.scalars(query.order_by(measurement.c.run_id.desc()))
        return [int(run) for run in found]


def read_latest_measurements(store: Engine) -> list[Measurement]:
    """Read what all runs measured, the newest run first."""
    query = select(measurement.c.row).order_by(
        measurement.c.run_id.desc(), measurement.c.place
    )
    with store.connect() as connection:
        found = connection.scalars(query)
        return [msgspec.json.decode(text, type=Measurement) for text in found]
