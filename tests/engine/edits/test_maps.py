"""Every change of a map can be undone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, create_project
from app.engine.store.projections import add_projection, read_projections
from app.errors import UserError
from app.protocol import events
from app.protocol.base import encode_line
from app.protocol.edits import Change
from app.protocol.edits.general import Undo
from app.protocol.edits.maps import RenameProjection, SetProjectionState


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        for name in ("one", "two"):
            values = dict.fromkeys(("encoder", "fingerprint", "corpora", "array"), "")
            add_projection(project.store, {"name": name, "method": "pca", **values})
        yield project


def edit(project: Project, change: Change) -> tuple[str, list[tuple[str, int]]]:
    changed: list[tuple[str, int]] = []
    answer = apply_edit(project, change, lambda *row: changed.append(row))
    for kind, id_ in changed:
        encode_line(events.Changed(kind, id_))  # the engine can send it
    return answer.text, changed


def names(project: Project) -> list[str]:
    return [row.name for row in read_projections(project.store)]


def test_a_map_is_renamed(project: Project) -> None:
    told = edit(project, RenameProjection(projection=1, name=" first\n"))
    assert told == ("Renamed one to first.", [("projection", 1)])
    assert names(project) == ["two", "first"]
    edit(project, Undo())
    assert names(project) == ["two", "one"]


def test_a_map_that_is_not_there_cannot_be_renamed(project: Project) -> None:
    with pytest.raises(UserError, match="no longer in the project"):
        edit(project, RenameProjection(projection=9, name="x"))
    with pytest.raises(UserError, match="name of the map is empty"):
        edit(project, RenameProjection(projection=1, name=" "))


def test_maps_are_deleted_and_brought_back(project: Project) -> None:
    change = SetProjectionState(projections=(2, 1), state="deleted")
    told = edit(project, change)
    assert told == (
        "Deleted the maps “one”, “two”.",
        [("projection", 1), ("projection", 2)],
    )
    assert names(project) == []
    assert edit(project, change) == ("There was nothing to change.", [])
    edit(project, Undo())
    assert names(project) == ["two", "one"]
