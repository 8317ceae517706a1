"""Arrays of a project: immutable .npy files, written once, opened by memory map."""

import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import DTypeLike, NDArray

from app.errors import DamagedDataError, ResourceError, UnsafeProjectError

PARTIAL_SUFFIX = ".part"
MIN_FREE_BYTES = 50_000_000  # bytes that stay free on the disk


STEM = re.compile(r"[A-Za-z0-9_-]{1,200}")
# A link in a project folder may lead anywhere: it is neither read nor written through.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def check_stem(stem: str) -> str:
    """Return the stem of a file as the database names it, if it is a plain name.

    Raises:
        UnsafeProjectError: it could be a path that leads out of the project.
    """
    if not isinstance(stem, str) or not STEM.fullmatch(stem):
        raise UnsafeProjectError(
            f"The project's database contains the file name {stem!r}, which no "
            "Isogloss project has."
        )
    return stem


def map_array(
    file: Path,
    dtype: DTypeLike | None = None,
    shape: tuple[int | None, ...] | None = None,
) -> NDArray[Any]:
    """Open an array by memory map; copy-on-write, since torch warns on read-only.

    Args:
        file: a file in the project that is not a link.
        dtype: that the array must have; None: any numbers.
        shape: that the array must have; None in it: any length.

    Raises:
        ResourceError: the file is missing or damaged, or another array.
    """
    try:
        os.close(os.open(file, os.O_RDONLY | _NO_LINK))
        array: NDArray[Any] = np.load(file, mmap_mode="c", allow_pickle=False)
    except FileNotFoundError as error:
        raise ResourceError(
            f"The array {file} is missing or damaged. Encode its corpus again."
        ) from error
    except (OSError, ValueError, EOFError, SyntaxError) as error:
        raise DamagedDataError(
            f"The array {file} is missing or damaged. Encode its corpus again."
        ) from error
    has_dtype = array.dtype.kind in "biuf" if dtype is None else array.dtype == dtype
    if not has_dtype or not _fits(array.shape, shape):
        raise DamagedDataError(
            f"The array {file} contains {array.dtype} {array.shape} instead of what "
            "its record declares. Compute it again."
        )
    return array


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...] | None) -> bool:
    if wanted is None:
        return True
    pairs = zip(shape, wanted, strict=False)
    return len(shape) == len(wanted) and all(w in (None, n) for n, w in pairs)


def write_array(file: Path, array: NDArray[Any]) -> None:
    """Write a small array under a temporary name, flush, rename."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = partial_path(file)
    with open(part, "wb", opener=open_without_links) as stream:
        np.save(stream, array, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)


def open_without_links(file: str, flags: int) -> int:
    """Open a file for `open(…, opener=…)`, but not through a link."""
    return os.open(file, flags | _NO_LINK, 0o666)


def check_disk_space(folder: Path, n_rows: int, dim: int) -> None:
    """Refuse before the work what the disk cannot hold.

    Raises:
        ResourceError: the vectors of n_rows sentences do not fit.
    """
    needed = n_rows * (6 * dim + 4)  # float32 and float16 (n, d), float32 (n,)
    free = shutil.disk_usage(folder).free
    if needed + MIN_FREE_BYTES > free:
        raise ResourceError(
            f"The vectors of {n_rows:,} sentences take {needed / 1e6:,.0f}\u00a0MB, "
            f"but the disk of {folder} has {free / 1e6:,.0f}\u00a0MB free. Free some "
            "space."
        )


def partial_path(file: Path) -> Path:
    """Name an array while it is being written."""
    return file.with_name(file.name + PARTIAL_SUFFIX)


class ArrayWriter:
    """Writes an array's rows in order, under its temporary name until it is complete.

    Uses plain writes, not a memory map, so that written data leaves memory.
    """

    def __init__(
        self, file: Path, shape: tuple[int, ...], dtype: DTypeLike, *, n_done: int = 0
    ):
        """Begin an array, or continue the array of a killed run.

        Args:
            file: its final name; it must not be in use.
            shape: of the whole array.
            n_done: number of rows that exist already and remain.

        Raises:
            FileNotFoundError: `n_done` is not 0, and the file is missing or another.
        """
        self._file, self._dtype = file, np.dtype(dtype)
        header = {
            "descr": npy_format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": shape,
        }
        part = partial_path(file)
        if n_done and file.exists() and not part.exists():
            file.replace(part)  # killed between the renaming and the record of it
        file.parent.mkdir(parents=True, exist_ok=True)
        mode, new = ("r+b", 0) if n_done else ("w+b", os.O_CREAT | os.O_TRUNC)
        flags = os.O_RDWR | new | getattr(os, "O_BINARY", 0)
        self._stream = os.fdopen(open_without_links(str(part), flags), mode)
        npy_format.write_array_header_1_0(self._stream, header)
        row_bytes = self._dtype.itemsize * int(np.prod(shape[1:]))
        self._stream.seek(n_done * row_bytes, os.SEEK_CUR)
        if n_done and self._stream.tell() > part.stat().st_size:
            self._stream.close()
            raise FileNotFoundError(2, "the array is shorter than recorded", str(part))

    def append(self, rows: NDArray[Any]) -> None:
        """Write the next rows."""
        self._stream.write(np.ascontiguousarray(rows, self._dtype).data)

    def flush(self) -> None:
        """Flush the written data to the disk."""
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def finish(self) -> None:
        """Rename the complete array to its final name."""
        self.flush()
        self._stream.close()
        partial_path(self._file).replace(self._file)

    def close(self) -> None:
        """Leave the array under its temporary name, to be gone on with."""
        self._stream.close()


def remove_arrays(files: Iterable[Path]) -> None:
    """Remove arrays, complete or not; on Windows mapped ones go at the next opening."""
    for file in files:
        for path in (file, partial_path(file)):
            with suppress(OSError):
                path.unlink(missing_ok=True)


class ArrayGroupWriter:
    """Writes arrays of as many rows together, row by row."""

    def __init__(
        self,
        files: Iterable[Path],
        kinds: Iterable[tuple[tuple[int, ...], str]],
        n_done: int,
    ):
        """Begin the arrays, or continue after `n_done` rows.

        Args:
            files: final name of each array.
            kinds: shape and dtype of each.
            n_done: number of rows that exist already and remain.

        Raises:
            FileNotFoundError: not all that was recorded is there.
        """
        self._writers: list[ArrayWriter] = []
        try:
            for file, (shape, dtype) in zip(files, kinds, strict=True):
                self._writers.append(ArrayWriter(file, shape, dtype, n_done=n_done))
        except OSError:
            self.close()
            raise

    def append(self, *blocks: NDArray[Any]) -> None:
        """Write the next rows of each array."""
        for writer, rows in zip(self._writers, blocks, strict=True):
            writer.append(rows)

    def flush(self) -> None:
        """Flush the written data to the disk."""
        for writer in self._writers:
            writer.flush()

    def finish(self) -> None:
        """Rename the complete arrays to their final names."""
        for writer in self._writers:
            writer.finish()

    def close(self) -> None:
        """Leave the arrays under their temporary names."""
        for writer in self._writers:
            writer.close()
