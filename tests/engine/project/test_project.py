"""A project folder: one writer, old and new formats, read-only media, copies."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import insert, select
from sqlalchemy.exc import OperationalError

from app.engine.project.project import (
    back_up,
    create_project,
    open_project,
    open_read_only,
)
from app.engine.store import corpora, schema, schema_migration
from app.engine.store.runs import list_runs
from app.engine.store.schema import SCHEMA_VERSION
from app.engine.store.schema_migration import schema_of
from app.errors import UserError

ROW = {
    "name": "harbour letters",
    "language": "en",
    "language_given": "eng",
    "state": "ready",
    "created_at": 0.0,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed project with one empty corpus."""
    with create_project(tmp_path / "näin on.isogloss") as project:
        with project.store.begin() as connection:
            connection.execute(insert(schema.corpus).values(**ROW))
        return project.folder


def test_a_new_project_has_the_present_format(folder: Path) -> None:
    assert schema_of(folder) == SCHEMA_VERSION
    with open_project(folder) as project:
        assert project.notices == []
        assert [c.name for c in corpora.list_corpora(project.store)] == [
            "harbour letters"
        ]


def test_the_database_uses_a_write_ahead_log_and_foreign_keys(folder: Path) -> None:
    with open_project(folder) as project, project.store.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_making_a_project_over_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear all", encoding="utf-8")
    with pytest.raises(UserError, match="already exists and is not empty"):
        create_project(tmp_path)


def test_a_folder_that_is_no_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match="is not an Isogloss project, because it has no file"
    ):
        open_project(tmp_path)


def test_a_second_writer_is_refused_and_told_who_holds_the_lock(folder: Path) -> None:
    with (
        open_project(folder, holder="the test"),
        pytest.raises(UserError, match=f"the test \\(process {os.getpid()} on "),
    ):
        open_project(folder)


def test_a_killed_writer_releases_the_lock(folder: Path) -> None:
    code = (
        "import sys, pathlib; from app.engine.project.project import open_project; "
        "p = open_project(pathlib.Path(sys.argv[1])); print('open', flush=True); "
        "sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"open\n"
        with pytest.raises(UserError, match="in use by"):
            open_project(folder)
        child.kill()
    open_project(folder).close()


def test_reading_works_beside_a_writer_and_can_not_write(folder: Path) -> None:
    with (
        open_project(folder),
        open_read_only(folder) as reader,
        reader.store.connect() as connection,
    ):
        assert connection.scalar(select(schema.corpus.c.name)) == "harbour letters"
        with pytest.raises(OperationalError, match="readonly"):
            connection.execute(insert(schema.corpus).values(**ROW))


def test_a_project_of_a_newer_format_is_refused_with_both_numbers(
    folder: Path,
) -> None:
    with closing(sqlite3.connect(folder / "project.sqlite")) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 7}")
    pattern = f"format {SCHEMA_VERSION + 7}.*formats up to {SCHEMA_VERSION}"
    with pytest.raises(UserError, match=pattern):
        open_project(folder)


def test_a_damaged_database_is_refused_and_the_backups_are_named(folder: Path) -> None:
    (folder / "project.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(UserError, match=r"is damaged.*backups"):
        open_project(folder)


def test_runs_left_running_become_interrupted(folder: Path) -> None:
    values = {"task": "encode", "params": "{}", "started_at": 0.0}
    with open_project(folder) as project, project.store.begin() as connection:
        for state in ("running", "queued", "finished"):
            connection.execute(insert(schema.run).values(state=state, **values))
    with open_project(folder) as project:
        states = [run.state for run in list_runs(project.store)]
    assert states == ["finished", "interrupted", "interrupted"]


def test_a_run_that_a_crash_ended_ends_with_the_last_write(folder: Path) -> None:
    rows = [
        ("running", 1_000.0),
        ("queued", 1_100.0),
        ("running", 9_000.0),  # the clock was put back
    ]
    values = {"task": "encode", "params": "{}"}
    with open_project(folder) as project, project.store.begin() as connection:
        for state, start in rows:
            row = {"state": state, "started_at": start, **values}
            connection.execute(insert(schema.run).values(row))
    os.utime(folder / "project.sqlite", (5_000, 5_000))  # days ago
    with open_project(folder) as project:
        runs = {run.started_at: run.ended_at for run in list_runs(project.store)}
    assert runs == {1_000.0: 5_000.0, 1_100.0: 1_100.0, 9_000.0: 9_000.0}


def test_files_without_a_row_are_deleted_at_the_opening(folder: Path) -> None:
    stray = folder / "arrays" / "9-stray.unit.npy"
    stray.write_bytes(b"x")
    open_project(folder).close()
    assert not stray.exists()


def test_one_backup_a_day_is_kept(folder: Path) -> None:
    with open_project(folder) as project:
        back_up(folder)
        with project.store.begin() as connection:
            connection.execute(insert(schema.corpus).values(**ROW))
        back_up(folder)
    (backup,) = (folder / "backups").iterdir()
    with closing(sqlite3.connect(backup)) as connection:
        tables = connection.execute("SELECT count(*) FROM corpus").fetchone()
    assert tables == (1,)  # the second corpus came after today's backup


def test_the_newest_seven_backups_are_kept(folder: Path) -> None:
    for day in range(1, 10):
        (folder / "backups" / f"project-2026-01-0{day}.sqlite").touch()
    back_up(folder)
    names = sorted(file.name for file in (folder / "backups").iterdir())
    assert len(names) == 7
    assert names[0] == "project-2026-01-04.sqlite"


def test_a_read_only_medium_opens_for_reading_and_says_so(folder: Path) -> None:
    with _read_only(folder), open_project(folder) as project:
        assert project.is_read_only
        assert "read-only medium" in project.notices[0]
        assert len(corpora.list_corpora(project.store)) == 1


def test_an_older_format_is_copied_before_it_is_migrated(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (schema, schema_migration):
        monkeypatch.setattr(module, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with open_project(folder) as project:
        assert project.notices == [
            f"{folder.name} was converted to format {SCHEMA_VERSION + 1}."
        ]
    assert schema_of(folder) == SCHEMA_VERSION + 1
    copy = folder / f"project.format-{SCHEMA_VERSION}.sqlite"
    with closing(sqlite3.connect(copy)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (name,) = connection.execute("SELECT name FROM corpus").fetchone()
    assert (version, name) == (SCHEMA_VERSION, "harbour letters")


def test_a_network_drive_is_used_without_a_write_ahead_log(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = SimpleNamespace(mountpoint=str(folder.parent), fstype="nfs4")
    monkeypatch.setattr("psutil.disk_partitions", lambda **_: [drive])
    with open_project(folder) as project, project.store.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "delete"
        assert "on a network drive (nfs4)" in project.notices[0]


@contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    """Make a folder read-only: by its rights, or for root by a mount over itself."""
    if os.geteuid() != 0:
        folder.chmod(0o555)
        yield
        folder.chmod(0o755)
        return
    mount = ["mount", "--bind", str(folder), str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a folder read-only")
    try:
        remount = ["mount", "-o", "remount,bind,ro", str(folder)]
        subprocess.run(remount, check=True, capture_output=True)
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_project_that_was_not_made_whole_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "half.isogloss"
    folder.mkdir()
    (folder / "project.sqlite").touch()
    with pytest.raises(UserError, match=f"format 0.* to {schema.SCHEMA_VERSION}"):
        open_read_only(folder)
    open_project(folder).close()
    open_read_only(folder).close()


def test_a_disk_that_fails_is_not_called_damage(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("app.engine.project.project.refuse_newer", fail)
    with pytest.raises(sqlite3.OperationalError):
        open_project(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_a_folder_whose_name_is_not_utf8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not UTF-8"):
        create_project(tmp_path / "\udcff")
    assert list(tmp_path.iterdir()) == []


def test_a_migration_that_is_cut_off_leaves_nothing_half_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = command.upgrade

    def cut_off(config: Config, revision: str) -> None:
        whole(config, revision)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command, "upgrade", cut_off)
        with pytest.raises(KeyboardInterrupt):
            create_project(tmp_path / "p")
    assert schema_of(tmp_path / "p") == 0
    open_project(tmp_path / "p").close()
    assert schema_of(tmp_path / "p") == SCHEMA_VERSION
