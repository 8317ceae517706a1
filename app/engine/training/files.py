"""Read lines and pairs from evaluation and training files, packed or not."""

import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import zstandard

from app.errors import UserError

CHUNK_BYTES = 1 << 18
PACKED = (".xz", ".gz", ".zst")


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, split at line feeds only.

    Raises:
        UserError: the file is missing, damaged or not UTF-8.
    """
    try:
        with _open_bytes(path) as stream:
            lines = _zstd_lines(stream) if path.suffix == ".zst" else stream
            for number, line in enumerate(lines, 1):
                try:
                    yield line.rstrip(b"\n").decode()
                except UnicodeDecodeError as error:
                    message = f"{path}, line {number}: this is not UTF-8."
                    raise UserError(message) from error
    except (FileNotFoundError, IsADirectoryError) as error:
        raise UserError(f"{path}: there is no such file.") from error
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path}: the file is damaged or cut off.") from error
    except zstandard.ZstdError as error:
        raise UserError(f"{path}: the file is damaged or cut off.") from error


def read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (english, foreign) of a TSV; further columns are left out.

    Raises:
        UserError: a line has no tab, or the file cannot be read.
    """
    for number, line in enumerate(read_lines(path), 1):
        columns = line.split("\t")
        if len(columns) < 2:
            raise UserError(f"{path}, line {number}: there is no tab in the line.")
        yield columns[0], columns[1]


def file_stem(path: Path) -> str:
    """Name a file without folder and endings: `eng-deu.tsv.xz` -> `eng-deu`."""
    name = path.name
    for suffix in PACKED:
        name = name.removesuffix(suffix)
    return Path(name).stem


def _open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading, unpacked by its ending (.zst: see `_zstd_lines`)."""
    if path.suffix == ".xz":
        return lzma.open(path, "rb")
    if path.suffix == ".gz":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return path.open("rb")


def _zstd_lines(packed: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a zstandard file; its own reader takes a cut for the end."""
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    rest = b""
    while chunk := packed.read(CHUNK_BYTES):
        while chunk:
            if unpacker.eof:
                unpacker = zstandard.ZstdDecompressor().decompressobj()
            *lines, rest = (rest + unpacker.decompress(chunk)).split(b"\n")
            yield from lines
            chunk = unpacker.unused_data
    if not unpacker.eof:
        raise EOFError
    if rest:
        yield rest
