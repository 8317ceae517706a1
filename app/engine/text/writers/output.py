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
    stream: IO[bytes]  # what is written into; packs into `raw`, or is it


class OutputFiles:
    """Files under temporary names, which get their own at `commit`."""

    def __init__(self, *, replace: bool):
        """Begin.

        Args:
            replace: what is there may be replaced.
        """
        self._replace = replace
        self._outputs: list[_Output] = []

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, in the order they were opened."""
        return tuple(output.path for output in self._outputs)

    def open(self, path: Path) -> IO[bytes]:
        """Open a file; .gz, .xz and .zst are compressed on the way.

        Raises:
            UserError: it is there already, or its folder is not.
        """
        self._check(path)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        raw = part.open("wb")
        self._outputs.append(_Output(path, part, raw, _pack(raw, path.suffix)))
        return self._outputs[-1].stream

    def settle(self) -> None:
        """Bring to the disk what is written so far, so that the end need not wait."""
        for output in self._outputs:
            output.raw.flush()
            os.fsync(output.raw.fileno())

    def commit(self) -> None:
        """Write everything to the disk and give the files their names."""
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
        """Write them in a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take away what was not committed."""
        for output in self._outputs:
            for stream in (output.stream, output.raw):
                with suppress(OSError, ValueError):  # a full disk; closed already
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
        # without name and time: equal pairs give equal files
        packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
        return cast("IO[bytes]", packed)
    if suffix == ".xz":
        return lzma.LZMAFile(raw, "wb", preset=3)
    if suffix == ".zst":
        packer = zstandard.ZstdCompressor(level=6)
        return cast("IO[bytes]", packer.stream_writer(raw, closefd=False))
    return raw
