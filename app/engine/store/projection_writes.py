"""Writes of maps."""

import time
from typing import Any

from sqlalchemy import Engine, insert

from app.engine.store.schema import projection


def add_projection(store: Engine, values: dict[str, Any]) -> int:
    """Record a map whose arrays are written; gives its id."""
    row = {"state": "ready", "created_at": time.time(), **values}
    with store.begin() as connection:
        return int(connection.execute(insert(projection).values(**row)).lastrowid)
