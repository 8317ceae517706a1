"""Task: save a project as one archive, with a consistent copy of its database."""

import sqlite3
import zipfile
from contextlib import closing
from fnmatch import fnmatch
from pathlib import Path

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.arrays import PARTIAL_SUFFIX
from app.engine.store.connections import DATABASE
from app.errors import UserError
from app.params.projects import SaveCopy
from app.paths import make_private_file, private_opener
from app.results.task import TaskResult

BLOCK_BYTES = 4 << 20
EXCLUDED = (
    *(f"{DATABASE}*", "lock", f"*{PARTIAL_SUFFIX}*"),
    *("backups/*", "arrays/views/*", "project.format-*"),
    *("arrays/neighbours/*", "arrays/filters/*"),
)
INCOMPRESSIBLE = {".npy", ".safetensors"}  # arrays hardly compress


class SaveCopyResult(TaskResult, frozen=True):
    """The written archive.

    Attributes:
        size: in bytes.
    """

    path: Path
    size: int


def save_copy(project: Project, params: SaveCopy, report: Report) -> SaveCopyResult:
    """Write a project as one .zip archive; leave no file if interrupted.

    Raises:
        UserError: the archive would be inside the project itself, or is a folder.
    """
    archive = params.out
    if archive.is_dir() or archive.resolve().is_relative_to(project.folder.resolve()):
        raise UserError(
            f"The copy can't be written to {archive}. Choose a file outside the "
            "project."
        )
    if not archive.parent.is_dir():
        raise UserError(f"{archive.parent} is not a folder. Choose an existing folder.")
    database = archive.with_name(f"{archive.name}.{DATABASE}{PARTIAL_SUFFIX}")
    packed = archive.with_name(archive.name + PARTIAL_SUFFIX)
    try:
        report.step("Copying the database", 0, 0)
        _copy_database(project, database)
        files = {f"{project.folder.name}/{DATABASE}": database}
        files |= _files_of(project.folder)
        _pack(files, packed, report)
        packed.replace(archive)
    finally:
        database.unlink(missing_ok=True)
        packed.unlink(missing_ok=True)
    size = archive.stat().st_size
    message = f"The copy {archive} is written ({size / 1e6:,.1f}\u00a0MB)."
    return SaveCopyResult(archive, size, message=message)


def _copy_database(project: Project, target: Path) -> None:
    target.unlink(missing_ok=True)
    make_private_file(target)
    with (
        project.store.connect() as connection,
        closing(sqlite3.connect(target)) as copy,
    ):
        source = connection.connection.driver_connection
        assert isinstance(source, sqlite3.Connection)
        source.backup(copy)


def _files_of(folder: Path) -> dict[str, Path]:
    """Return archive name and path of every file that can't be recreated."""
    found = {}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and not any(fnmatch(name, mark) for mark in EXCLUDED):
            found[f"{folder.name}/{name}"] = file
    return found


def _pack(files: dict[str, Path], packed: Path, report: Report) -> None:
    """Write the files to an archive in blocks; Cancel waits for one block only."""
    total = sum(file.stat().st_size for file in files.values())
    done = 0
    packed.unlink(missing_ok=True)
    with (
        open(packed, "xb", opener=private_opener) as stream,
        zipfile.ZipFile(stream, "w") as archive,
    ):
        for name, file in files.items():
            entry = zipfile.ZipInfo.from_file(file, name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            if file.suffix in INCOMPRESSIBLE:
                entry.compress_type = zipfile.ZIP_STORED
            with (
                file.open("rb") as source,
                archive.open(entry, "w", force_zip64=True) as target,
            ):
                while block := source.read(BLOCK_BYTES):
                    report.step("Writing the copy", done, total, file.name)
                    target.write(block)
                    done += len(block)
    report.step("Writing the copy", total, total)
