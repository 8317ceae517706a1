"""Check that a database contains the tables of a project and nothing else.

A project folder may come from someone else. A trigger could delete rows, a view could
compute without end, and a generated column could do both. Every object of the schema
must therefore be one that this format has, with the same definition.
"""

import importlib
import re
import sqlite3
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from app.engine.store.connections import connect_raw
from app.engine.store.schema import FTS_SQL, metadata
from app.errors import UnsafeProjectError

# Additional tables: results of ANALYZE in SQLite, and the record of Alembic.
_STATISTICS = {f"sqlite_stat{n}" for n in range(1, 5)}
_ALEMBIC_SQL = """
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,
CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))
"""
_FORMATS = (
    "v0001_first",
    "v0002_pairs",
    "v0003_measurements",
    "v0004_words",
    "v0005_codes",
    "v0006_ranges",
    "v0007_hits",
    "v0008_text_changes",
)
_VERSIONS = "app.engine.store.migrations.versions"

SchemaObjects = dict[tuple[str, str, str], str]  # (type, name, table): definition


def check_schema(folder: Path, *, immutable: bool = False) -> None:
    """Check the schema of a project before any of its tables is read.

    Args:
        immutable: the medium is read-only.

    Raises:
        UnsafeProjectError: an object is missing, unknown, or defined in another way.
        sqlite3.DatabaseError: the file is not a database, or is damaged.
    """
    with closing(connect_raw(folder, immutable=immutable)) as connection:
        # a damaged name is an unknown object, not text that cannot be decoded
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        found = _read_objects(connection)
    wanted = _objects_of_format(min(version, len(_FORMATS)))
    for key, definition in found.items():
        kind, name, _ = key
        if name in _STATISTICS or wanted.get(key) == definition:
            continue
        raise UnsafeProjectError(
            f"The database of {folder} contains the {kind} {name!r}, which no Isogloss "
            "project contains in this form. The project was not opened."
        )
    for key in wanted.keys() - found.keys():
        raise UnsafeProjectError(
            f"The database of {folder} has no {key[0]} {key[1]!r}. The project was not "
            "opened."
        )


def _read_objects(connection: sqlite3.Connection) -> SchemaObjects:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {(kind, name, table): _normalise(sql) for kind, name, table, sql in rows}


@cache
def _objects_of_format(version: int) -> SchemaObjects:
    """Make an empty database of a format in memory and read its objects."""
    if version == 0:  # the creation was interrupted before the first commit
        return {}
    names = set(metadata.tables)
    if version < len(_FORMATS):
        modules = [importlib.import_module(f"{_VERSIONS}.{m}") for m in _FORMATS]
        names = {name for module in modules[:version] for name in module.TABLES}
    engine = create_engine("sqlite://", poolclass=StaticPool)
    with engine.begin() as connection:
        metadata.create_all(connection, [metadata.tables[name] for name in names])
        raw = connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        raw.execute(_ALEMBIC_SQL)
        raw.execute(FTS_SQL)
        objects = _read_objects(raw)
    engine.dispose()
    return objects


@lru_cache(maxsize=1_000)  # the definitions of every project are the same
def _normalise(sql: str | None) -> str:
    """Write a definition without quotes and with single spaces between words."""
    words = re.sub(r"[\"'`\[\]]", "", sql or "")
    words = re.sub(r"\s+", " ", words)
    return re.sub(r" ?([(),]) ?", r"\1", words).strip().lower()
