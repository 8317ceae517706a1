"""Read lines and pairs from evaluation and training files, compressed or not."""

from collections.abc import Iterator
from pathlib import Path

from app.engine.text import lines
from app.engine.text.opening import ByteSource, strip_compression
from app.errors import UserError

ENCODING = "utf-8"


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file (.gz, .xz, .zst too), split at line feeds only.

    Raises:
        UserError: the file is empty, damaged or not UTF-8.
        ResourceError: the file is missing or cannot be read.
    """
    with ByteSource(path) as source:
        for block in lines.read_lines(source, ENCODING):
            if block.refused:
                raise UserError(
                    f"{path}, line {min(block.refused)}: this is not UTF-8."
                )
            yield from block.texts


def read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (english, foreign) of a TSV; further columns are left out.

    Raises:
        UserError: a line has no tab, or the file is empty, damaged or not UTF-8.
        ResourceError: the file is missing or cannot be read.
    """
    for number, line in enumerate(read_lines(path), 1):
        columns = line.split("\t")
        if len(columns) < 2:
            raise UserError(f"{path}, line {number}: there is no tab in the line.")
        yield columns[0], columns[1]


def file_stem(path: Path) -> str:
    """Name a file without folder and endings: `eng-deu.tsv.xz` -> `eng-deu`."""
    return strip_compression(path).stem
