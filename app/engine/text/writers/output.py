"""Write all files of an export or none."""

import gzip
import lzma
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple, cast

import zstandard

from app.errors import UserError
from app.paths import require_utf8


class _Output(NamedTuple):
    path: Path
    part: Path
    raw: IO[bytes]
    stream: IO[bytes]  # stream to write to; compresses into `raw`, or is `raw`


class OutputFiles:
    """Files with temporary names that are renamed by `commit`."""

    def __init__(self, *, replace: bool):
        """Initialise without files.

        Args:
            replace: whether existing files may be replaced.
        """
        self._replace = replace
        self._outputs: list[_Output] = []

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files in the order of opening."""
        return tuple(output.path for output in self._outputs)

    def open(self, path: Path) -> IO[bytes]:
        """Open a file; .gz, .xz and .zst are compressed.

        Raises:
            UserError: the file already exists, or its folder does not exist.
        """
        self._check(path)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        raw = part.open("wb")
        self._outputs.append(_Output(path, part, raw, _pack(raw, path.suffix)))
        return self._outputs[-1].stream

    def settle(self) -> None:
        """Flush the written data to disk, so that `commit` does not have to wait."""
        for output in self._outputs:
            output.raw.flush()
            os.fsync(output.raw.fileno())

    def commit(self) -> None:
        """Write everything to disk and rename the files."""
        for output in self._outputs:
            if output.stream is not output.raw:
                output.stream.close()
            output.raw.flush()
            os.fsync(output.raw.fileno())
            output.raw.close()
        for output in self._outputs:
            self._check(output.path)
        for output in self._outputs:
            output.part.replace(output.path)

    def __enter__(self) -> "OutputFiles":
        """Return the files."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove files that were not committed."""
        for output in self._outputs:
            for stream in (output.stream, output.raw):
                with suppress(OSError, ValueError):  # disk full; already closed
                    stream.close()
            output.part.unlink(missing_ok=True)

    def _check(self, path: Path) -> None:
        require_utf8(path)
        if path.is_dir():
            raise UserError(f"{path} is a folder. Choose a file name.")
        if path.exists() and not self._replace:
            raise UserError(
                f"{path} already exists. Choose another name, or allow it to be "
                "replaced."
            )
        if not path.parent.is_dir():
            raise UserError(
                f"{path.parent} is not a folder. Choose an existing folder."
            )


def _pack(raw: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        # without name and time, so that equal pairs produce equal files
        packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
        return cast("IO[bytes]", packed)
    if suffix == ".xz":
        return lzma.LZMAFile(raw, "wb", preset=3)
    if suffix == ".zst":
        packer = zstandard.ZstdCompressor(level=6)
        return cast("IO[bytes]", packer.stream_writer(raw, closefd=False))
    return raw
