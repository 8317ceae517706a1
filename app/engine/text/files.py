"""Open text files with decompression, and load the optional package pyarrow."""

import gzip
import importlib
import importlib.util
import lzma
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol

import zstandard

from app.engine.runtime.budget import count_bytes
from app.errors import ResourceError, UserError
from app.paths import require_utf8

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstandard.ZstdError)


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """Read up to `size` bytes; empty at the end."""


class ByteSource:
    """A file open for reading; .gz, .xz and .zst are decompressed.

    Attributes:
        path: the file.
        is_cut: reading ended at the limit, before the end of the file.
    """

    def __init__(self, path: Path, *, limit: int | None = None):
        """Open a file.

        Args:
            path: file to read.
            limit: maximum number of decompressed bytes to read, for previews.

        Raises:
            UserError: the name is not UTF-8, the path is not a file, or the file is
                empty.
            ResourceError: it does not exist or can't be read.
        """
        check_file(path)
        self.path = path
        self.is_cut = False
        self._left = limit
        self._fraction = 0.0
        try:
            self._raw: IO[bytes] = path.open("rb")
            self._stream = _decompress(self._raw)
        except OSError as error:
            raise _unreadable(path, error) from error
        self._facts = os.fstat(self._raw.fileno())

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; empty at the end.

        Raises:
            UserError: the compressed file is damaged or ends too early.
            ResourceError: the file disappeared or can no longer be read.
        """
        if self._left is not None:
            size = min(size, self._left)
        try:
            data = self._stream.read(size) if size else b""
            if self._left is not None:
                self._left -= len(data)
                self.is_cut = self._left == 0
        except _DAMAGED as error:
            raise UserError(
                f"{self.path} is damaged or incomplete: its compressed data end too "
                "early or can't be unpacked. Copy or download it again."
            ) from error
        except OSError as error:
            raise _unreadable(self.path, error) from error
        count_bytes(len(data))
        return data

    def fraction(self) -> float:
        """Return the share of the (compressed) file that has been read (0…1)."""
        if not self._raw.closed:
            self._fraction = min(1.0, self._raw.tell() / max(1, self._facts.st_size))
        return self._fraction

    @property
    def functions(
        self,
    ) -> tuple[Callable[[], float], Callable[[], None], Callable[[], None]]:
        """Return the functions fraction, check and close of a `Reading`."""
        return self.fraction, self.check_unchanged, self.close

    def check_unchanged(self) -> None:
        """Check that the file still exists and has not changed since it was opened.

        Raises:
            ResourceError: the file disappeared.
            UserError: the file was changed.
        """
        try:
            facts = self.path.stat()
        except OSError as error:
            raise _unreadable(self.path, error) from error
        before = (self._facts.st_size, self._facts.st_mtime_ns)
        if (facts.st_size, facts.st_mtime_ns) != before:
            raise UserError(
                f"{self.path} changed while it was read. Import it again when it "
                "is complete."
            )

    def close(self) -> None:
        """Close the file; `fraction` keeps its value."""
        self.fraction()
        self._raw.close()

    def __enter__(self) -> "ByteSource":
        """Return the open file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()


class _ZstdStream:
    """Decompresses consecutive Zstandard frames; a truncated frame raises EOFError.

    zstandard's own stream reader accepts a truncated file as complete.
    """

    # Little input at a time, since four bytes may decompress to a block of 128 KB.
    INPUT = 2048

    def __init__(self, raw: IO[bytes]):
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._is_fresh = True
        self._packed = b""
        self._ready = b""

    def read(self, size: int, /) -> bytes:
        """Read up to `size` bytes; empty at the end."""
        parts, n = [self._ready], len(self._ready)
        while n < size:
            self._packed = self._packed or self._raw.read(self.INPUT)
            if not self._packed:
                if not self._is_fresh:
                    raise EOFError
                break
            parts.append(self._frame.decompress(self._packed))
            n += len(parts[-1])
            self._is_fresh, self._packed = False, b""
            if self._frame.eof:
                self._packed = self._frame.unused_data
                self._frame = zstandard.ZstdDecompressor().decompressobj()
                self._is_fresh = True
        data = b"".join(parts)
        self._ready = data[size:]
        return data[:size]


def check_file(path: Path) -> None:
    """Check that a file has a valid name, exists and is not empty.

    Raises:
        UserError: the name is not UTF-8, or the file is a folder or empty.
        ResourceError: it does not exist or can't be read.
    """
    require_utf8(path)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise _unreadable(path, error) from error
    if path.is_dir():
        raise UserError(f"{path} is a folder. Choose the files in it.")
    if size == 0:
        raise UserError(f"{path} is empty (0 bytes).")


def _decompress(raw: IO[bytes]) -> _Readable:
    head = raw.read(8)
    raw.seek(0)
    kind = next((k for magic, k in _MAGIC.items() if head.startswith(magic)), "")
    if kind == "gz":
        return gzip.GzipFile(fileobj=raw, mode="rb")
    if kind == "xz":
        return lzma.LZMAFile(raw)
    if kind == "zst":
        return _ZstdStream(raw)
    return raw


def _unreadable(path: Path, error: OSError) -> ResourceError:
    if isinstance(error, FileNotFoundError):
        return ResourceError(
            f"The file {path} does not exist. Check the name and the drive."
        )
    return ResourceError(
        f"The file {path} can't be read ({error.strerror}). Check its permissions and "
        "the "
        "drive it is on."
    )


def load_pyarrow(module: str = "pyarrow") -> Any:
    """Import a module of pyarrow.

    Raises:
        UserError: the extra is not installed.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise UserError(
            "Parquet needs the package pyarrow, which is not installed (see Optional "
            "packages in the documentation). Or use JSON lines or CSV instead."
        )
    return importlib.import_module(module)
