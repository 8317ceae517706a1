"""Writes of what evaluations measured."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import Engine, delete, insert

from app.engine.store.schema import measurement
from app.measurements import Measurement


def write_measurements(store: Engine, run: int, rows: Sequence[Measurement]) -> None:
    """Keep what a run measured, in place of what it told before it was resumed."""
    values = [
        {"run_id": run, "place": place, "row": msgspec.json.encode(row).decode()}
        for place, row in enumerate(rows)
    ]
    with store.begin() as connection:
        connection.execute(delete(measurement).where(measurement.c.run_id == run))
        if values:
            connection.execute(insert(measurement), values)
