"""Writes of hidden and removed sentences, a change at a time, as arrays."""

import json
import secrets
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from app.engine.store.arrays import map_array, write_array
from app.engine.store.schema import edit

FOLDER = "hidden"  # in arrays/: what changes touched, for their undo and redo
RECORD = '{"change":"RestoreHidden"'  # how the journal holds such a change
CODES = ("", "hidden", "removed")  # of the states in those files


def write_touched(folder: Path, touched: NDArray[np.int64]) -> str:
    """Write what a change touches; gives the stem of the file.

    Args:
        folder: of the project.
        touched: int64 (n, 5): sentence, state and step before, state and step after.
    """
    stem = f"hidden-{secrets.token_hex(6)}"
    write_array(_file(folder, stem), touched)
    return stem


def read_touched(folder: Path, stem: str) -> NDArray[np.int64]:
    """Read what a change touched: int64 (n, 5), as it was written."""
    return np.array(map_array(_file(folder, stem)))


def drop_forgotten(folder: Path, connection: Connection) -> None:
    """Remove the files of changes that the journal does not hold any more."""
    files = list((folder / "arrays" / FOLDER).glob("*.npy*"))
    if not files:
        return
    query = select(edit.c.change).where(edit.c.change.like(f"{RECORD}%"))
    kept = {json.loads(change)["array"] for change in connection.scalars(query)}
    for file in files:
        if file.name.split(".", 1)[0] not in kept:
            file.unlink()


def set_states(
    connection: Connection, rows: NDArray[np.int64], reasons: Mapping[int, str]
) -> None:
    """Hide, remove or show sentences.

    Args:
        connection: in a transaction.
        rows: int64 (n, 3): sentence, state (a place in `CODES`), step.
        reasons: of the steps.
    """
    raw = connection.connection.driver_connection
    assert raw is not None
    is_shown = rows[:, 1] == 0
    gone = ((id_,) for id_ in rows[is_shown, 0].tolist())
    raw.executemany("DELETE FROM hidden WHERE sentence_id = ?", gone)
    values = (
        (id_, CODES[state], reasons.get(step, ""), step)
        for id_, state, step in rows[~is_shown].tolist()
    )
    sql = "INSERT OR REPLACE INTO hidden (sentence_id, state, reason, step) "
    raw.executemany(f"{sql} VALUES (?, ?, ?, ?)", values)


def _file(folder: Path, stem: str) -> Path:
    return folder / "arrays" / FOLDER / f"{stem}.npy"
