"""A project in one archive: whole, consistent, and nothing left of one that ended."""

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import insert

from app.engine.project.project import Project, create_project, open_project
from app.engine.runtime.report import Report, SilentSink
from app.engine.store import corpora, schema
from app.engine.store.arrays import PARTIAL_SUFFIX, write_array
from app.engine.tasks.save_copy import save_copy
from app.errors import Cancelled, UserError
from app.params.projects import SaveCopy

ROW = {
    "name": "harbour letters",
    "language": "en",
    "language_given": "eng",
    "state": "ready",
    "created_at": 0.0,
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An open project with a corpus and an encoder's file."""
    made = create_project(tmp_path / "näin on.isogloss")
    with made.store.begin() as connection:
        connection.execute(insert(schema.corpus).values(**ROW))
    write_array(made.folder / "encoders" / "mine" / "w.npy", np.arange(9))
    (made.folder / "backups" / "project-2026-01-01.sqlite").touch()
    return made


def test_a_copy_opens_again(project: Project, tmp_path: Path) -> None:
    archive = tmp_path / "copy.zip"
    result = save_copy(project, SaveCopy(out=archive), Report())
    project.close()
    assert (result.path, result.size) == (archive, archive.stat().st_size)
    with pytest.raises(UserError, match=r"copy\.zip is an archive .* Unpack it"):
        open_project(archive)
    with zipfile.ZipFile(archive) as packed:
        assert packed.testzip() is None
        packed.extractall(tmp_path / "elsewhere")
    with open_project(tmp_path / "elsewhere" / "näin on.isogloss") as copy:
        assert [one.name for one in corpora.list_corpora(copy.store)] == [ROW["name"]]
        assert np.load(copy.folder / "encoders" / "mine" / "w.npy").sum() == 36
        assert not list((copy.folder / "backups").iterdir())


def test_a_cancelled_copy_leaves_nothing(project: Project, tmp_path: Path) -> None:
    class Canceller(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            if stage.startswith("Writing"):
                report.cancel()

    report = Report(Canceller())
    before = set(tmp_path.iterdir())
    with project, pytest.raises(Cancelled):
        save_copy(project, SaveCopy(out=tmp_path / "copy.zip"), report)
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("place", ["näin on.isogloss/copy.zip", ".", "no folder/c.zip"])
def test_a_place_that_can_not_be_is_refused(
    project: Project, tmp_path: Path, place: str
) -> None:
    with project, pytest.raises(UserError, match=r"can't be written|is not a folder"):
        save_copy(project, SaveCopy(out=tmp_path / place), Report())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_only_this_account_can_read_a_copy(project: Project, tmp_path: Path) -> None:
    archive = tmp_path / "copy.zip"
    seen = set()

    class Looks(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            for part in tmp_path.glob(f"{archive.name}*{PARTIAL_SUFFIX}"):
                seen.add((part.name.removesuffix(PARTIAL_SUFFIX), mode_of(part)))

    old = os.umask(0)
    try:
        save_copy(project, SaveCopy(out=archive), Report(Looks()))
    finally:
        os.umask(old)
        project.close()
    assert mode_of(archive) == 0o600
    assert seen == {("copy.zip.project.sqlite", 0o600), ("copy.zip", 0o600)}
    with zipfile.ZipFile(archive) as packed:
        packed_mode = packed.infolist()[0].external_attr >> 16
    assert packed_mode & 0o777 == 0o600


def mode_of(file: Path) -> int:
    return file.stat().st_mode & 0o777
