"""A project on a disk that becomes full recovers when there is room again."""

import random
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.engine.project.project import create_project, open_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.errors import describe_error
from app.params.corpora import ImportCorpus


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of six megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "none", str(place)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_an_import_that_fills_the_disk_leaves_nothing_after_the_next_opening(
    disk: Path, tmp_path: Path
) -> None:
    words = random.Random(1)
    lines = [f"{words.getrandbits(400):x}" for _ in range(60_000)]
    text = tmp_path / "large.txt"
    text.write_text("\n".join(lines), encoding="utf-8")
    params = ImportCorpus(files=(text,), languages=("en",))
    with create_project(disk / "p.isogloss") as project:
        run = queue_run(project, params)
        with pytest.raises(Exception, match=r"full|disk") as failure:
            perform_run(project, params, Report(run=run))
        assert describe_error(failure.value).kind == "resource"
    database = disk / "p.isogloss" / "project.sqlite"
    remount = ["mount", "-o", "remount,size=60m", str(disk)]
    subprocess.run(remount, check=True, capture_output=True)
    with closing(sqlite3.connect(database)) as connection:
        # as a removal that the full disk has interrupted
        connection.execute("UPDATE corpus SET state = 'removing'")
        connection.commit()
        (n_left,) = connection.execute("SELECT count(*) FROM sentence").fetchone()
    with open_project(disk / "p.isogloss") as project:
        assert list_corpora(project.store) == []
        with project.store.connect() as connection:
            for table in ("sentence", "corpus"):
                query = f"SELECT count(*) FROM {table}"
                assert connection.exec_driver_sql(query).scalar() == 0, n_left
            check = connection.exec_driver_sql("PRAGMA integrity_check").scalar()
        assert check == "ok"
        run = queue_run(project, params)
        perform_run(project, params, Report(run=run))
        assert [c.n_sentences for c in list_corpora(project.store)] == [60_000]
