"""Connect to a project's database for reading or writing, and detect commits."""

import sqlite3
import weakref
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import QueuePool

DATABASE = "project.sqlite"
BUSY_TIMEOUT_MS = 5_000


def connect_reading(folder: Path, *, immutable: bool = False) -> Engine:
    """Open a project's database read-only; SQLite itself enforces this.

    Args:
        immutable: the medium is read-only, so no lock and no WAL file can be created.
    """
    path = quote(str((folder / DATABASE).resolve()))
    uri = f"file:{path}?mode=ro" + ("&immutable=1" if immutable else "")
    return _engine(uri, writing=False, wal=False)


def connect_writing(folder: Path, *, wal: bool = True) -> Engine:
    """Open a project's database for writing; the caller must hold the project's lock.

    Args:
        wal: use a write-ahead log; not on network drives, which lack shared memory.
    """
    path = quote(str((folder / DATABASE).resolve()))
    return _engine(f"file:{path}?mode=rwc", writing=True, wal=wal)


def connect_raw(folder: Path, *, immutable: bool = False) -> sqlite3.Connection:
    """Open a project's database for reading, without SQLAlchemy."""
    path = quote(str((folder / DATABASE).resolve()))
    uri = f"file:{path}?mode=ro" + ("&immutable=1" if immutable else "")
    connection = sqlite3.connect(uri, uri=True)
    for pragma in _SAFE_PRAGMAS:
        connection.execute(pragma)
    return connection


# A project may come from someone else: its schema runs no functions with side effects,
# and damaged pages are detected before they are used
# (https://www.sqlite.org/security.html).
_SAFE_PRAGMAS = ("PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON")


def _engine(uri: str, *, writing: bool, wal: bool) -> Engine:
    engine = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(uri, uri=True, check_same_thread=False),
        poolclass=QueuePool,  # opening the file again takes longer than most queries
    )

    @event.listens_for(engine, "connect")
    def _on_connect(connection: sqlite3.Connection, _record: object) -> None:
        cursor = connection.cursor()
        for pragma in _SAFE_PRAGMAS:
            cursor.execute(pragma)
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA temp_store = MEMORY")
        if writing:
            cursor.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
            cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    return engine


class CommitWatch:
    """Detects that any connection has committed a change to a project."""

    def __init__(self, store: Engine):
        """Open a separate connection; it closes when this object is deleted."""
        connection = store.connect()
        self._raw = connection.connection.driver_connection
        weakref.finalize(self, connection.close)

    def state(self) -> int:
        """Return a number that changes with each commit of another connection.

        (https://www.sqlite.org/pragma.html#pragma_data_version)
        """
        assert self._raw is not None, "the connection is open as long as this is there"
        (number,) = self._raw.execute("PRAGMA data_version").fetchone()
        return int(number)
