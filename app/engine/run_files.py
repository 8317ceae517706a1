"""The files that a run read: their hashes, kept beside its record."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from sqlalchemy import Engine, delete, insert, select

from app.engine.hashing import hash_file
from app.engine.report import Report
from app.engine.store.schema import run_file
from app.params import TaskParams

NO_FILES = ("out", "name", "title", "text")  # fields that name no file to read


def record_files(
    store: Engine, run: int, params: TaskParams, report: Report
) -> dict[str, str]:
    """Keep the SHA-256 of each file that params name; gives them by its name.

    One that can't be read is left to the task, which tells so in its own words.
    """
    hashes: dict[str, str] = {}
    for file in files_of(params):
        with suppress(OSError):
            hashes[str(file)] = hash_file(file, report)
    rows = [{"run_id": run, "file": f, "sha256": h} for f, h in hashes.items()]
    with store.begin() as connection:
        connection.execute(delete(run_file).where(run_file.c.run_id == run))
        if rows:
            connection.execute(insert(run_file), rows)
    return hashes


def read_files(store: Engine, run: int) -> dict[str, str]:
    """Give the SHA-256 of each file that a run read, by its name."""
    query = select(run_file.c.file, run_file.c.sha256).where(run_file.c.run_id == run)
    with store.connect() as connection:
        return {row.file: row.sha256 for row in connection.execute(query)}


def files_of(params: TaskParams) -> Iterator[Path]:
    """Find the files that params name, also as NAME=FILE; what they write is none."""
    for name, value in msgspec.structs.asdict(params).items():
        if name in NO_FILES:
            continue
        for one in value if isinstance(value, tuple) else (value,):
            yield from _files_in(one)


def _files_in(value: object) -> Iterator[Path]:
    if isinstance(value, Path):
        texts = [str(value)]
    elif isinstance(value, str) and value:
        texts = [value, value.partition("=")[2]]
    else:
        return
    for text in texts:
        try:
            if text and Path(text).is_file():
                yield Path(text)
                return
        except (OSError, ValueError):  # a text that can't be a path
            continue
