"""Writes of bilingual dictionaries."""

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, insert

from app.engine.store.schema import dictionary, entry

PAGE = 10_000  # entries written at once


def add_dictionary(
    store: Engine, values: dict[str, Any], entries: Sequence[tuple[str, str]]
) -> int:
    """Write a dictionary with its entries as they are compared; gives its id."""
    row = {"state": "ready", "created_at": time.time(), "n_entries": len(entries)}
    with store.begin() as connection:
        result = connection.execute(insert(dictionary).values(**row, **values))
        id_ = int(result.lastrowid)
        for start in range(0, len(entries), PAGE):
            rows = [
                {"dictionary_id": id_, "place": place, "source": one, "target": other}
                for place, (one, other) in enumerate(
                    entries[start : start + PAGE], start
                )
            ]
            connection.execute(insert(entry), rows)
    return id_
