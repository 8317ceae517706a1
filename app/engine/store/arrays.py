"""Arrays of a project: immutable .npy files, written once, opened by memory map.

An embedding with stem `s` has three files in `arrays/`:
    s.unit.npy   float32 (n, d)  rows of length 1; zero rows for texts without a piece
    s.scan.npy   float16 (n, d)  the same, for scanning
    s.norm.npy   float32 (n,)    length of each row before it was normalised
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
PART = ".part"


def map_array(file: Path) -> NDArray[Any]:
    """Open an array by memory map; copy-on-write, since torch warns on read-only."""
    array: NDArray[Any] = np.load(file, mmap_mode="c", allow_pickle=False)
    return array


def create_part(file: Path, shape: tuple[int, ...], dtype: type | str) -> NDArray[Any]:
    """Create an array under its temporary name (or open what a killed run left)."""
    part = file.with_name(file.name + PART)
    if part.exists():
        left = open_memmap(part, mode="r+")
        if left.shape == shape and left.dtype == np.dtype(dtype):
            return left
        del left
        part.unlink()
    return open_memmap(part, mode="w+", shape=shape, dtype=dtype)


def finish_part(file: Path) -> None:
    """Give a complete array its final name; the caller has flushed and closed it."""
    part = file.with_name(file.name + PART)
    descriptor = os.open(part, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    part.replace(file)


def write_array(file: Path, array: NDArray[Any]) -> None:
    """Write a small array under a temporary name, flush, rename."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(file.name + PART)
    with part.open("wb") as stream:
        np.save(stream, array, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)


def embedding_files(folder: Path, stem: str) -> tuple[Path, Path, Path]:
    """Name the unit, scan and norm files of an embedding."""
    base = folder / "arrays"
    return (
        base / f"{stem}.unit.npy",
        base / f"{stem}.scan.npy",
        base / f"{stem}.norm.npy",
    )
