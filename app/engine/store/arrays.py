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
MIN_FREE_BYTES = 50_000_000  # bytes left free on the disk


STEM = re.compile(r"[A-Za-z0-9_-]{1,200}")
# A link in a project folder may point anywhere, so links are never followed.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def check_stem(stem: str) -> str:
    """Return a file stem read from the database if it is a plain name.

    Raises:
        UnsafeProjectError: the stem could be a path out of the project.
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
        dtype: required dtype; None: any numeric dtype.
        shape: required shape; a None in it matches any length.

    Raises:
        ResourceError: the file is missing, damaged, or of another dtype or shape.
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
    """Write a small array to a temporary name, flush it, and rename it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = partial_path(file)
    with open(part, "wb", opener=open_without_links) as stream:
        np.save(stream, array, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)


def open_without_links(file: str, flags: int) -> int:
    """Open a file for `open(…, opener=…)` without following links."""
    return os.open(file, flags | _NO_LINK, 0o666)


def check_disk_space(folder: Path, n_rows: int, dim: int) -> None:
    """Check that the disk has space for the vectors of n_rows sentences.

    Raises:
        ResourceError: the disk has too little space.
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
    """Return the temporary name of an array that is being written."""
    return file.with_name(file.name + PARTIAL_SUFFIX)


class ArrayWriter:
    """Writes an array row by row, under a temporary name until the array is complete.

    Uses plain writes, not a memory map, so that written data does not stay in memory.
    """

    def __init__(
        self, file: Path, shape: tuple[int, ...], dtype: DTypeLike, *, n_done: int = 0
    ):
        """Create an array, or continue the array of a killed run.

        Args:
            file: final name of the array; no such file may exist.
            shape: shape of the complete array.
            n_done: number of rows that exist already and remain.

        Raises:
            FileNotFoundError: `n_done` is not 0, and the file is missing or does not
                match.
        """
        self._file, self._dtype = file, np.dtype(dtype)
        header = {
            "descr": npy_format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": shape,
        }
        part = partial_path(file)
        if n_done and file.exists() and not part.exists():
            file.replace(part)  # killed after the renaming and before it was recorded
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
        """Close the file under its temporary name, so that it can be continued."""
        self._stream.close()


def remove_arrays(files: Iterable[Path]) -> None:
    """Remove arrays, complete or not; on Windows, mapped files at the next opening."""
    for file in files:
        for path in (file, partial_path(file)):
            with suppress(OSError):
                path.unlink(missing_ok=True)


class ArrayGroupWriter:
    """Writes several arrays with the same number of rows together, row by row."""

    def __init__(
        self,
        files: Iterable[Path],
        kinds: Iterable[tuple[tuple[int, ...], str]],
        n_done: int,
    ):
        """Create the arrays, or continue them after `n_done` rows.

        Args:
            files: final name of each array.
            kinds: shape and dtype of each.
            n_done: number of rows that exist already and remain.

        Raises:
            FileNotFoundError: recorded rows are missing.
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
        """Close the files and keep their temporary names."""
        for writer in self._writers:
            writer.close()
