"""A project: a folder with a database, arrays and encoders, and one writer."""

import os
import shutil
import sqlite3
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray
from sqlalchemy import Engine, case, func, select, update

from app.engine.project.folder_check import check_files
from app.engine.project.known_projects import is_known, remember
from app.engine.project.lock import ProjectLock
from app.engine.project.schema_check import check_schema
from app.engine.project.verification import (
    cancel_foreign_runs,
    check_stems,
    verify_project,
    verify_rows,
)
from app.engine.store import schema
from app.engine.store.connections import DATABASE, connect_reading, connect_writing
from app.engine.store.corpus_writes import purge_removed_corpora
from app.engine.store.embeddings import arrays_stem
from app.engine.store.hidden_sentences import delete_unused_files
from app.engine.store.schema_migration import (
    copy_database,
    migrate,
    refuse_newer,
    refuse_older,
)
from app.engine.store.subcorpora import used_subcorpus_stems
from app.errors import ResourceError, UserError
from app.paths import make_private_folder, require_utf8

FOLDERS = ("arrays", "indexes", "encoders", "exports", "backups")
NETWORK_FILE_SYSTEMS = {"nfs", "nfs4", "cifs", "smbfs", "smb2", "smb3", "afpfs", "9p"}
N_BACKUPS = 7
PURGE_S = 2.0  # seconds; the rest is deleted at the next opening or import
OPEN_STATES = ("queued", "running")  # of runs that a crash leaves behind


class Project:
    """An open project.

    Attributes:
        folder: the project's folder.
        store: SQLAlchemy engine on its database; writing unless `is_read_only`.
        hidden: cache of hidden sentences, by corpus: see `store/members.py`.
        is_read_only: the project can't be written: a read-only medium, or no lock.
        notices: sentences to show once (read-only medium, network drive, migrated).
        newer_encoder: bundled encoder that is newer than the project's vectors, to
            offer once; empty: none.
    """

    def __init__(
        self, folder: Path, store: Engine, lock: ProjectLock | None, notices: list[str]
    ):
        self.folder = folder
        self.store = store
        self.notices = notices
        self.newer_encoder = ""
        self.hidden: dict[int, tuple[object, NDArray[np.int64]]] = {}
        self._lock = lock

    @property
    def is_read_only(self) -> bool:
        """Return whether nothing can be written."""
        return self._lock is None

    def close(self) -> None:
        """Close the database and release the lock."""
        self.store.dispose()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> "Project":
        """Use it for a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it at the block's end."""
        self.close()


def create_project(folder: Path, *, holder: str = "a command") -> Project:
    """Make a new, empty project and open it for writing.

    Raises:
        UserError: the path exists already, or the folder can't be made.
    """
    require_utf8(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} already exists and is not empty. Choose a new name.")
    try:
        make_private_folder(folder)
        (folder / DATABASE).touch(mode=0o600)
    except OSError as error:
        raise UserError(
            f"The project {folder} can't be created ({error.strerror}). Choose "
            "another folder."
        ) from error
    remember(folder)  # new projects need no verification
    return open_project(folder, holder=holder)


def open_project(folder: Path, *, holder: str = "a command") -> Project:
    """Open a project for writing; a read-only medium opens for reading.

    Runs still marked running become interrupted; files without a row are deleted.

    Raises:
        UserError: no project, one made by a newer Isogloss, or one in use.
        UnsafeProjectError: something in it is not part of a project.
    """
    last_write = _last_write(folder)
    is_writable = check_project(folder)
    if not is_writable:
        project = open_read_only(folder)
        project.notices.append(
            f"{folder.name} is on a read-only medium, so it is open for reading only."
        )
        return project
    is_new = not is_known(folder)
    if is_new:
        verify_project(folder)
    lock = ProjectLock(folder, holder)
    notices: list[str] = []
    try:
        network = _network_file_system(folder)
        if network:
            notices.append(
                f"{folder.name} is on a network drive ({network}): it works more "
                "slowly, and only one machine can open it at a time."
            )
        store = connect_writing(folder, wal=not network)
        for name in FOLDERS:
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        if migrate(folder, store):
            notices.append(
                f"{folder.name} was converted to format {schema.SCHEMA_VERSION}."
            )
        project = Project(folder, store, lock, notices)
        if is_new:
            verify_rows(folder, store)  # again, of a format that was migrated
            n_cancelled = cancel_foreign_runs(store)
            if n_cancelled:
                notices.append(_cancelled_notice(n_cancelled))
            remember(folder)
        _clean_up(project, last_write)
    except BaseException:
        lock.release()
        raise
    return project


def open_read_only(folder: Path) -> Project:
    """Open a project for reading while another process writes (search and exports).

    Raises:
        UserError: no project there, or one made by a newer or an older Isogloss.
    """
    immutable = not check_project(folder)
    refuse_older(folder, immutable=immutable)
    if not is_known(folder):
        verify_project(folder, immutable=immutable)
        remember(folder)
    return Project(folder, connect_reading(folder, immutable=immutable), None, [])


def check_project(folder: Path) -> bool:
    """Check that a folder contains a project that this version can read.

    Returns:
        Whether it can be written as well.

    Raises:
        UserError: not a project, or a newer Isogloss made it, or it is damaged.
    """
    require_utf8(folder)
    if folder.is_file() and zipfile.is_zipfile(folder):
        raise UserError(
            f"{folder} is an archive (a saved copy). Unpack it, and open the folder "
            "in it that ends in .isogloss."
        )
    if not folder.is_dir() or not (folder / DATABASE).is_file():
        raise UserError(
            f"{folder} is not an Isogloss project, because it has no file {DATABASE}. "
            "Choose a folder that ends in .isogloss, or make a new project."
        )
    check_files(folder)
    is_writable = os.access(folder / DATABASE, os.W_OK) and _can_write(folder)
    try:
        refuse_newer(folder, immutable=not is_writable)
        check_schema(folder, immutable=not is_writable)
        check_stems(folder, immutable=not is_writable)
    # SQLite's message may quote bytes of the file that are not UTF-8
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorcode", None)
        is_failing = code != sqlite3.SQLITE_ERROR  # the disk is full or failing
        if isinstance(error, sqlite3.OperationalError) and is_failing:
            raise
        raise UserError(
            f"The database of {folder} is damaged ({error}). Replace {DATABASE} with "
            "the newest file in its folder “backups”."
        ) from error
    return is_writable


def _cancelled_notice(n: int) -> str:
    runs = "1 unfinished run was" if n == 1 else f"{n} unfinished runs were"
    return (
        f"{runs} cancelled, because they use files outside the project that someone "
        "else chose."
    )


def back_up(folder: Path) -> None:
    """Back up the database once a day, keeping seven; safe while others write.

    Raises:
        ResourceError: the disk is full or can't be written.
    """
    backups = folder / "backups"
    today = backups / time.strftime("project-%Y-%m-%d.sqlite")
    if today.exists():
        return
    try:
        copy_database(folder, today)
    except (OSError, sqlite3.Error) as error:
        raise ResourceError(f"Today's backup {today} was not made: {error}.") from error
    for old in sorted(backups.glob("project-*.sqlite"))[:-N_BACKUPS]:
        old.unlink()


def _can_write(folder: Path) -> bool:
    """Try to write: `os.access` fails for root on read-only mounts, and on Windows."""
    probe = folder / f".write-test.{os.getpid()}"
    try:
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


def _network_file_system(folder: Path) -> str:
    """Return the name of a folder's network file system; empty for a local disk."""
    resolved = folder.resolve()
    if str(resolved).startswith("\\\\"):
        return "a shared folder"
    mounts = [
        part
        for part in psutil.disk_partitions(all=True)
        if resolved.is_relative_to(part.mountpoint)
    ]
    nearest = max(mounts, key=lambda part: len(part.mountpoint), default=None)
    name = nearest.fstype if nearest else ""
    return name if name.lower() in NETWORK_FILE_SYSTEMS else ""


def _last_write(folder: Path) -> float:
    """Return when the database was last written."""
    times = [0.0]
    for file in (folder / DATABASE, folder / f"{DATABASE}-wal"):
        with suppress(OSError):
            times.append(file.stat().st_mtime)
    return max(times)


def _clean_up(project: Project, last_write: float) -> None:
    """Mark runs that a crash left running, and delete files without a row.

    Such a run ended with the last write to the database (`last_write`) at the latest.
    """
    with project.store.begin() as connection:
        connection.execute(
            update(schema.run)
            .where(schema.run.c.state.in_(OPEN_STATES))
            .values(
                state="interrupted",
                ended_at=case(
                    (
                        schema.run.c.state == "running",
                        func.max(schema.run.c.started_at, last_write),
                    ),
                    else_=schema.run.c.started_at,
                ),
            )
        )
        stems = set(connection.scalars(select(schema.embedding.c.array)))
        stems |= set(map(arrays_stem, stems))
        stems |= set(connection.scalars(select(schema.prediction.c.array)))
        stems |= set(connection.scalars(select(schema.projection.c.array)))
        stems |= set(connection.scalars(select(schema.word_index.c.array)))
        stems |= set(used_subcorpus_stems(connection))
        delete_unused_files(project.folder, connection)
    for file in (project.folder / "arrays").glob("*.npy*"):
        if file.name.split(".", 1)[0] not in stems:
            file.unlink()
    shutil.rmtree(project.folder / "arrays" / "views", ignore_errors=True)
    # Continue a removal that a full disk or a kill interrupted.
    purge_removed_corpora(project.store, seconds=PURGE_S)
