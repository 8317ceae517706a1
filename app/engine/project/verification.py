"""Verify the content of a project that this account has not opened before."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Engine, Float, Integer, LargeBinary, Table, Text

from app.engine.store import journal, schema
from app.engine.store.arrays import check_stem
from app.engine.store.classifiers import list_classifiers, list_predictions
from app.engine.store.connections import connect_raw, connect_reading
from app.engine.store.corpora import list_corpora
from app.engine.store.embeddings import list_embeddings
from app.engine.store.hidden_sentences import count_hidden
from app.engine.store.pairs.sets import list_pair_sets
from app.engine.store.projections import read_projections
from app.engine.store.runs import list_runs
from app.engine.store.schema_migration import schema_of
from app.engine.store.subcorpora import list_subcorpora
from app.engine.store.words.dictionaries import list_dictionaries
from app.engine.store.words.hit_lists import list_hit_lists
from app.errors import UnsafeProjectError, UserError

STEM_TABLES = ("embedding", "prediction", "projection", "word_index", "subcorpus")
_JSON = {  # the type of the JSON text in a column
    "corpus": {"report": "object"},
    "mining": {"filters": "array", "report": "object"},
    "judgement": {"tags": "array"},
    "opinion": {"tags": "array"},
    "document": {"fields": "object"},
    "analysis": {"words": "array"},
    "subcorpus": {"corpora": "array", "steps": "array", "counts": "object"},
    "hit_list": {"query": "object"},
    "run": {"params": "object", "versions": "object"},
    "classifier": {"classes": "array", "report": "object"},
    "transfer": {"details": "object"},
    "measurement": {"row": "object"},
    "projection": {"corpora": "array", "report": "object"},
    "edit": {"change": "object", "inverse": "object"},
    "view_state": {"state": "object"},
}
_TYPES: tuple[tuple[type[Any], str], ...] = (
    (Integer, "'integer'"),
    (Float, "'real', 'integer'"),
    (Text, "'text'"),
    (LargeBinary, "'blob'"),
)
_LISTS: tuple[Callable[[Engine], object], ...] = (
    *(list_corpora, list_embeddings, list_subcorpora, list_pair_sets, list_runs),
    *(list_classifiers, list_predictions, read_projections, list_dictionaries),
    *(list_hit_lists, count_hidden, journal.read_undo_state, journal.list_searches),
    journal.list_view_states,
)


def check_stems(folder: Path, *, immutable: bool = False) -> None:
    """Check the names of files that a database contains; `check_schema` comes first.

    Raises:
        UnsafeProjectError: a name could lead out of the project.
    """
    with closing(connect_raw(folder, immutable=immutable)) as connection:
        present = _tables(connection)
        for table in STEM_TABLES:
            if table in present:
                for (stem,) in connection.execute(f"SELECT array FROM {table}"):
                    check_stem(stem)


def verify_project(folder: Path, *, immutable: bool = False) -> None:
    """Check pages, types and JSON of every row of a project that is not known.

    Raises:
        UnsafeProjectError: a value has the wrong type, or a row can't be read.
        UserError: the database is damaged.
    """
    _verify_database(folder, immutable=immutable)
    if schema_of(folder, immutable=immutable) < schema.SCHEMA_VERSION:
        return  # the rows are read after the migration
    store = connect_reading(folder, immutable=immutable)
    try:
        verify_rows(folder, store)
    finally:
        store.dispose()


def _verify_database(folder: Path, *, immutable: bool) -> None:
    """Check the database; takes about a second per million rows.

    Raises:
        UnsafeProjectError: a value has the wrong type.
        UserError: the database is damaged.
    """
    with closing(connect_raw(folder, immutable=immutable)) as connection:
        found = [row for (row,) in connection.execute("PRAGMA quick_check(3)")]
        if found != ["ok"]:
            raise UserError(
                f"The database of {folder} is damaged ({'; '.join(found)}). Replace "
                "it with the newest file in its folder “backups”."
            )
        present = _tables(connection)
        for table in schema.metadata.sorted_tables:
            if table.name in present:
                _verify_table(folder, connection, table)


def _tables(connection: sqlite3.Connection) -> set[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    return {name for (name,) in connection.execute(query)}


def wrong_values(column: "Column[Any]") -> str:
    """Return the SQL condition that is true for values of a wrong type."""
    types = next(names for type_, names in _TYPES if isinstance(column.type, type_))
    if column.nullable and not column.primary_key:
        types += ", 'null'"
    name = f'"{column.name}"'
    wrong = f"typeof({name}) NOT IN ({types})"
    kind = _JSON.get(column.table.name, {}).get(column.name)
    if kind:
        return (
            f"CASE WHEN {wrong} OR NOT json_valid({name}) THEN 1 "
            f"ELSE json_type({name}) <> '{kind}' END"
        )
    return wrong


def _verify_table(folder: Path, connection: sqlite3.Connection, table: Table) -> None:
    conditions = [wrong_values(column) for column in table.columns]
    flags = ", ".join(f"max({condition})" for condition in conditions)
    found = connection.execute(f'SELECT {flags} FROM "{table.name}"').fetchone()
    wrong = [c.name for c, flag in zip(table.columns, found, strict=True) if flag]
    if wrong:
        raise UnsafeProjectError(
            f"The database of {folder} has values of a wrong type in the table "
            f"{table.name} (column {', '.join(wrong)}). The project was not opened."
        )


def verify_rows(folder: Path, store: Engine) -> None:
    """Read all rows that views list, so that no view finds an unreadable value.

    Raises:
        UnsafeProjectError: a row can't be read.
    """
    for read in _LISTS:
        try:
            read(store)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise UnsafeProjectError(
                f"The database of {folder} has a row that can't be read "
                f"({read.__name__.replace('_', ' ')}: {error}). The project was not "
                "opened."
            ) from error


def cancel_foreign_runs(store: Engine) -> int:
    """Cancel unfinished runs that would write outside the project when resumed.

    Returns:
        The number of cancelled runs.
    """
    table = schema.run
    unfinished = ("queued", "running", "interrupted")
    query = table.select().where(table.c.state.in_(unfinished))
    with store.begin() as connection:
        ids = [
            row.id
            for row in connection.execute(query)
            if any(_outside(value) for value in json.loads(row.params).values())
        ]
        done = table.update().where(table.c.id.in_(ids))
        connection.execute(done.values(state="cancelled"))
    return len(ids)


def _outside(value: object) -> bool:
    """Return whether a param may be a path: runs of another account name its files."""
    if isinstance(value, list):
        return any(map(_outside, value))
    return isinstance(value, str) and ("/" in value or "\\" in value)
