"""Copy the valid data of a project that can't be trusted into a new project.

Only rows of known tables are read, each with the columns and types that it must have,
from a copy of the database: nothing in the source is changed, and no link is followed.
"""

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Column, Table

from app.engine.project.folder_check import has_super_journal
from app.engine.project.project import Project, create_project
from app.engine.project.verification import STEM_TABLES, verify_rows, wrong_values
from app.engine.runtime.report import Report
from app.engine.store.connections import DATABASE, connect_raw
from app.engine.store.schema import metadata
from app.engine.store.words.keyword_index import keyword_text
from app.errors import UserError
from app.plurals import count_text

COPIED_FOLDERS = ("arrays", "classifiers", "encoders")
# Undo, query history and window state are not data, and an undo applies stored edits.
_NOT_COPIED = {"edit", "search", "view_state"}
N_ROWS_AT_ONCE = 2_000
MAX_VALUE_BYTES = 100_000_000  # of one value: a generated column can make a larger one
MAX_SECONDS_A_PAGE = 60.0
BLOCK_BYTES = 4 << 20


class CleanCopy(NamedTuple):
    """Descriptions of the copied and the omitted data."""

    n_rows: int
    n_files: int
    left_out: list[str]


def copy_project(source: Path, target: Path, report: Report) -> CleanCopy:
    """Copy a project; a failed copy leaves no files.

    Raises:
        UserError: the source is no project, can't be read, or `target` exists.
    """
    if target.exists() or target.resolve().is_relative_to(source.resolve()):
        raise UserError(f"{target} exists or is in the project. Choose a new folder.")
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    left_out: list[str] = []
    try:
        with create_project(part) as project:
            with tempfile.TemporaryDirectory(dir=part) as name:
                _copy_database_files(source, Path(name))
                n_rows = _copy_rows(Path(name), project, report, left_out)
            verify_rows(part, project.store)
            n_files = _copy_files(source, part, report, left_out)
        part.rename(target)
    except sqlite3.DatabaseError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise UserError(
            f"The database of {source} can't be read ({error}). Replace {DATABASE} "
            "with the newest file in its folder “backups”."
        ) from error
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return CleanCopy(n_rows, n_files, left_out)


def _copy_database_files(source: Path, folder: Path) -> None:
    """Copy the database with its log, so that the source is never written."""
    if not _copy_file(source / DATABASE, folder / DATABASE):
        raise UserError(f"{source} has no database {DATABASE}, or it is a link.")
    _copy_file(source / f"{DATABASE}-wal", folder / f"{DATABASE}-wal")
    journal = source / f"{DATABASE}-journal"
    if not has_super_journal(journal):
        _copy_file(journal, folder / journal.name)


def _copy_rows(
    source: Path, project: Project, report: Report, left_out: list[str]
) -> int:
    n_rows = 0
    with closing(_connect(source)) as old, project.store.begin() as new:
        raw = new.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        tables = [t for t in metadata.sorted_tables if t.name not in _NOT_COPIED]
        for done, table in enumerate(tables):
            report.step("Copying the database", done, len(tables), str(table.name))
            if not _is_plain_table(old, table):
                left_out.append(f"the table {table.name}")
                continue
            n_copied, n_bad = _copy_table(old, raw, table, report)
            n_rows += n_copied
            if n_bad:
                left_out.append(f"{count_text(n_bad, 'row')} of {table.name}")
        raw.execute(
            "UPDATE run SET state = 'cancelled' "
            "WHERE state IN ('queued', 'running', 'interrupted')"
        )
    return n_rows


def _connect(folder: Path) -> sqlite3.Connection:
    connection = connect_raw(folder)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def _is_plain_table(connection: sqlite3.Connection, table: Table) -> bool:
    """Return whether a table is stored and has all its columns, none computed."""
    found = connection.execute(
        "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table.name,)
    ).fetchone()
    if found is None or not str(found[0]).upper().startswith("CREATE TABLE"):
        return False
    facts = connection.execute(f'PRAGMA table_xinfo("{table.name}")').fetchall()
    stored = {name for _, name, _, _, _, _, is_hidden in facts if not is_hidden}
    return {column.name for column in table.columns} <= stored


def _copy_table(
    old: sqlite3.Connection, new: sqlite3.Connection, table: Table, report: Report
) -> tuple[int, int]:
    """Copy the valid rows of a table; return how many were copied and left out."""
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    marks = ", ".join("?" for _ in table.columns)
    insert = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'
    valid = " AND ".join(f"NOT {_wrong(c)}" for c in table.columns)
    (n_all,) = old.execute(f'SELECT count(*) FROM "{table.name}"').fetchone()
    n_copied = 0
    for rows in _pages(
        old, f'SELECT {names} FROM "{table.name}" WHERE {valid}', report
    ):
        n_copied += _insert(new, insert, rows)
        if table.name == "sentence":
            words = [(id_, keyword_text(text)) for id_, text, *_ in rows]
            new.executemany(
                "INSERT INTO sentence_words (rowid, text) VALUES (?, ?)", words
            )
    return n_copied, n_all - n_copied


def _wrong(column: "Column[Any]") -> str:
    """Return the SQL condition of a wrong value, also of a name that is a path."""
    wrong, table = f"({wrong_values(column)})", column.table.name
    if table in STEM_TABLES and column.name == "array":
        return f"({wrong} OR array = '' OR array GLOB '*[^A-Za-z0-9_-]*')"
    if table == "classifier" and column.name == "folder":
        return f"({wrong} OR folder GLOB '*[/\\:]*' OR folder GLOB '.*')"
    return wrong


def _pages(
    connection: sqlite3.Connection, query: str, report: Report
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield rows in pages; a page that takes too long ends the copy."""
    started = time.monotonic()

    def _is_late() -> bool:
        return report.is_cancelled or time.monotonic() - started > MAX_SECONDS_A_PAGE

    connection.set_progress_handler(_is_late, 100_000)
    cursor = connection.execute(query)
    while rows := cursor.fetchmany(N_ROWS_AT_ONCE):
        yield rows
        started = time.monotonic()
    connection.set_progress_handler(None, 0)


def _insert(
    connection: sqlite3.Connection, insert: str, rows: Sequence[tuple[Any, ...]]
) -> int:
    """Insert rows, one by one if any of them refers to a missing row."""
    connection.execute("SAVEPOINT page")
    try:
        connection.executemany(insert, rows)
    except sqlite3.IntegrityError:
        connection.execute("ROLLBACK TO page")
    else:
        return len(rows)
    n_inserted = 0
    for row in rows:
        try:
            connection.execute(insert, row)
        except sqlite3.IntegrityError:
            continue
        n_inserted += 1
    return n_inserted


def _copy_files(source: Path, target: Path, report: Report, left_out: list[str]) -> int:
    """Copy the files of arrays, encoders and classifiers that are not links."""
    n_files = 0
    waiting = [Path(name) for name in COPIED_FOLDERS]
    while waiting:
        folder = waiting.pop()
        if not _is(source / folder, stat.S_ISDIR):
            if os.path.lexists(source / folder):
                left_out.append(f"{folder}, which is a link")
            continue
        (target / folder).mkdir(mode=0o700, exist_ok=True)
        for file in sorted((source / folder).iterdir()):
            place = folder / file.name
            if file.name.startswith(".") or file.suffix == ".part":
                continue
            report.step("Copying files", n_files, 0, file.name)
            if _is(file, stat.S_ISDIR):
                waiting.append(place)
            elif _copy_file(file, target / place):
                n_files += 1
            else:
                left_out.append(f"{place}, which is a link")
    return n_files


def _copy_file(file: Path, target: Path) -> bool:
    """Copy a file that is not a link; return whether there was one."""
    if not _is(file, stat.S_ISREG):
        return False
    number = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(number, "rb") as stream, target.open("wb") as copy:
        shutil.copyfileobj(stream, copy, BLOCK_BYTES)
    return True


def _is(path: Path, is_kind: Any) -> bool:
    """Return whether a path is of a kind of its own, not a link to one."""
    try:
        return bool(is_kind(path.lstat().st_mode))
    except OSError:
        return False
