"""Renaming the folder of a closed project."""

from pathlib import Path

import pytest
from sqlalchemy import select

from app.engine.project.known_projects import is_known
from app.engine.project.project import create_project, open_project
from app.engine.project.renaming import rename_project
from app.engine.project.runs import queue_run
from app.engine.store import schema
from app.errors import UserError
from app.params.projects import SaveCopy


@pytest.fixture
def folder(tmp_path: Path, data_dir: Path) -> Path:
    """A project with a run that was interrupted."""
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        queue_run(project, SaveCopy(out=Path("copy.zip")))
    return folder


def test_a_renamed_project_keeps_its_runs_and_needs_no_verification(
    folder: Path,
) -> None:
    target = folder.with_name("brève correspondance.isogloss")
    rename_project(folder, target)
    assert not folder.exists()
    assert is_known(target)
    with open_project(target) as project, project.store.connect() as connection:
        assert list(connection.scalars(select(schema.run.c.state))) == ["interrupted"]
        assert project.notices == []


def test_a_taken_name_is_refused(folder: Path) -> None:
    taken = folder.with_name("quay.isogloss")
    taken.mkdir()  # `rename` would replace an empty folder
    with pytest.raises(UserError, match="already exists"):
        rename_project(folder, taken)
    assert (folder / "project.sqlite").is_file()


def test_a_project_in_use_is_not_renamed(folder: Path) -> None:
    target = folder.with_name("quay.isogloss")
    with open_project(folder), pytest.raises(UserError, match="in use by a command"):
        rename_project(folder, target)
    assert not target.exists()


def test_a_renaming_that_the_system_refuses_leaves_the_project(folder: Path) -> None:
    target = folder.parent / "missing" / "quay.isogloss"
    with pytest.raises(UserError, match="can't be renamed"):
        rename_project(folder, target)
    open_project(folder).close()


def test_only_a_project_is_renamed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not an Isogloss project"):
        rename_project(tmp_path, tmp_path.with_name("other"))
