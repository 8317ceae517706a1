"""How far a pass over the similarity matrix is, on disk: a killed run goes on there.

One file at a time, written under another name, flushed and renamed; the one before is
deleted after that, so that a kill at any moment leaves one that is whole.
"""

import os
import shutil
import zipfile
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from app.engine.mining.precision import Precision
from app.engine.store.arrays import part_of

PATTERN = "pass-*.npz"


class PassState(NamedTuple):
    """What a pass has found.

    Attributes:
        key: what it belongs to.
        precision: of the pass; the thresholds hold for no other.
        arrays: by name.
    """

    key: str
    precision: Precision
    arrays: dict[str, NDArray[Any]]


def save_state(folder: Path, state: PassState) -> None:
    """Write a record, and delete the one before."""
    folder.mkdir(parents=True, exist_ok=True)
    old = _records(folder)
    file = folder / f"pass-{_number(old) + 1:06d}.npz"
    part = part_of(file)
    labels = {"key": np.array(state.key), "precision": np.array(state.precision)}
    with part.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **labels, **state.arrays)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)
    for one in old:
        one.unlink()


def load_state(folder: Path | None, key: str) -> PassState | None:
    """Read the newest record of this key; None where there is none."""
    if folder is None or not folder.is_dir():
        return None
    for file in reversed(_records(folder)):
        try:
            with np.load(file, allow_pickle=False) as found:
                arrays = dict(found.items())
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            continue  # the disk lost it: begin anew
        precision = cast("Precision", str(arrays.pop("precision")))
        if str(arrays.pop("key")) == key:
            return PassState(key, precision, arrays)
    return None


def drop_state(folder: Path) -> None:
    """Delete all records: the run is done, or given up."""
    shutil.rmtree(folder, ignore_errors=True)


def _records(folder: Path) -> list[Path]:
    return sorted(folder.glob(PATTERN))


def _number(files: list[Path]) -> int:
    return int(files[-1].stem.partition("-")[2]) if files else 0
