"""Migrate a project's database to the current schema, after a backup."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from app import VERSION
from app.engine.store.connections import connect_raw
from app.engine.store.schema import SCHEMA_VERSION
from app.errors import UnsafeProjectError, UserError
from app.paths import make_private_file


def schema_of(folder: Path, *, immutable: bool = False) -> int:
    """Read a project's schema version; 0 for a database without tables."""
    with closing(connect_raw(folder, immutable=immutable)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def refuse_newer(folder: Path, *, immutable: bool = False) -> None:
    """Check that a project was not written by a newer Isogloss.

    Raises:
        UserError: both numbers are named.
    """
    number = schema_of(folder, immutable=immutable)
    if number > SCHEMA_VERSION:
        raise UserError(
            f"{folder} has project format {number}, made by a newer Isogloss. This "
            f"version ({VERSION}) reads formats up to {SCHEMA_VERSION}. Update "
            "Isogloss."
        )


def refuse_older(folder: Path, *, immutable: bool = False) -> None:
    """Check that a project opened read-only has the current format.

    Raises:
        UserError: both numbers are named.
    """
    number = schema_of(folder, immutable=immutable)
    if number < SCHEMA_VERSION:
        raise UserError(
            f"{folder} has project format {number}, which must be converted to "
            f"{SCHEMA_VERSION} before it can be read. Open it in the window once, "
            "from a folder that can be written to."
        )


def migrate(folder: Path, engine: Engine) -> bool:
    """Run the missing migrations, and return whether an older project was changed."""
    before = schema_of(folder)
    if before == SCHEMA_VERSION:
        return False
    # imported late: few opened projects need it
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    if before:
        copy_database(folder, folder / f"project.format-{before}.sqlite")
    config = Config()
    config.set_main_option("path_separator", "os")
    config.set_main_option(
        "script_location", str(Path(__file__).with_name("migrations"))
    )
    with engine.begin() as connection:
        # otherwise sqlite3 commits each table separately, and a kill leaves half a
        # schema
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:  # unknown recorded revision
            raise _damaged(folder, before, error) from error
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorname", "") != "SQLITE_ERROR":
                raise  # for example, the disk is full: the project is not damaged
            raise _damaged(folder, before, error.orig) from error
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return before > 0


def _damaged(folder: Path, format_: int, reason: object) -> UnsafeProjectError:
    """Return the error for tables that don't match the recorded format."""
    return UnsafeProjectError(
        f"{folder} has project format {format_}, but its record of formats is "
        f"damaged ({reason})."
    )


def copy_database(folder: Path, target: Path) -> None:
    """Copy a project's database by SQLite's backup API (safe while it is written)."""
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    make_private_file(part)
    source = connect_raw(folder)
    copy = sqlite3.connect(part)
    try:
        source.backup(copy)
    finally:
        copy.close()
        source.close()
    part.replace(target)
