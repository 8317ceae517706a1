"""The files that a run read: their hashes, kept beside its record."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from sqlalchemy import Engine, delete, insert, select

from app.engine.hashing import hash_file
from app.engine.report import Report
from app.engine.store.schema import run_file
from app.engine.text.readers.found_files import list_folder
from app.errors import ResourceError
from app.params import ImportCorpus, TaskParams

MAX_NAMED = 1_000  # files of a folder that are kept one by one
NO_FILES = ("out", "name", "title", "text")  # fields that name no file to read


def record_files(
    store: Engine, run: int, params: TaskParams, report: Report
) -> dict[str, str]:
    """Keep the SHA-256 of each file that params name; gives them by its name.

    Of a folder that is imported these are the files in it, without the hidden ones. One
    that can't be read is left to the task, which tells so in its own words.
    """
    hashes: dict[str, str] = {}
    for file in files_of(params):
        with suppress(OSError):
            hashes[str(file)] = hash_file(file, report)
    for folder in params.files if isinstance(params, ImportCorpus) else ():
        if folder.is_dir():
            hashes |= _hash_folder(folder, report)
    rows = [{"run_id": run, "file": f, "sha256": h} for f, h in hashes.items()]
    with store.begin() as connection:
        connection.execute(delete(run_file).where(run_file.c.run_id == run))
        if rows:
            connection.execute(insert(run_file), rows)
    return hashes


def _hash_folder(folder: Path, report: Report) -> dict[str, str]:
    """Hash the files of a folder: the first 1,000 by themselves, the others as a list.

    The hash of the others is that of their lines "SHA-256, size in bytes, name", parted
    by tabs, in the order in which they are imported: it tells whether one has changed,
    and a folder of 100,000 files does not fill the record.
    """
    hashes: dict[str, str] = {}
    others, n_others = hashlib.sha256(), 0
    with suppress(ResourceError):  # told by the import, as names that are not UTF-8
        for file in list_folder(folder):
            with suppress(OSError, UnicodeEncodeError):
                name, found = str(file), hash_file(file, report)
                line = f"{found}\t{file.stat().st_size}\t{name}\n".encode()
                if len(hashes) < MAX_NAMED:
                    hashes[name] = found
                    continue
                others.update(line)
                n_others += 1
    if n_others:
        hashes[f"{folder} ({n_others:,} more files)"] = others.hexdigest()
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
