"""Write word vectors as text: a first line, then a word and its numbers per line."""

from collections.abc import Iterator
from pathlib import Path

from app.engine.runtime.report import Report
from app.engine.text.writers.output import OutputFiles
from app.engine.wordvectors.table import WordVectors
from app.errors import UserError

STAGE = "Writing word vectors"
PAGE = 1_000  # words formatted together
SUFFIXES = (".vec", ".txt")


def check_vector_file(path: Path) -> None:
    """Check the name of an output file before the work.

    Raises:
        UserError: the suffix is unknown, or the folder doesn't exist.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(
            f"Unknown format of {path.name}. Use a name ending in .vec or .txt."
        )
    if not path.resolve().parent.is_dir():
        raise UserError(f"{path.parent} is not a folder. Choose an existing folder.")


def write_vector_file(path: Path, table: WordVectors, report: Report) -> None:
    """Write all words; an existing file is replaced when the new one is complete.

    Raises:
        UserError: the file can't be written there.
        Cancelled: nothing is written.
    """
    with OutputFiles(replace=True) as files:
        stream = files.open(path)
        stream.write(f"{len(table.words)} {table.dim}\n".encode())
        for start, lines in _pages(table):
            report.step(STAGE, start, len(table.words))
            stream.write(lines.encode())
        files.commit()
    report.step(STAGE, len(table.words), len(table.words))


def _pages(table: WordVectors) -> Iterator[tuple[int, str]]:
    form = " ".join(["%.6g"] * table.dim)
    for start in range(0, len(table.words), PAGE):
        words = table.words[start : start + PAGE]
        rows = table.vectors[start : start + PAGE].tolist()
        pairs = zip(words, rows, strict=True)
        yield start, "".join(f"{word} {form % tuple(row)}\n" for word, row in pairs)
