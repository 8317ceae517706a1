"""The Edit menu names the change that is undone next."""

from pathlib import Path

import pytest

from app.engine.edits.journal import apply_edit
from app.engine.project.project import open_project
from app.protocol.edits import Change
from app.protocol.edits.corpora import HideSentences
from app.protocol.edits.general import (
    RenameCorpus,
    SetCorpusLanguage,
    SetCorpusState,
    SetNote,
    Undo,
)
from app.protocol.edits.labels import LabelSentences
from app.views.client.project_reader import ProjectReader
from app.views.shell.undo_text import name_newest_change
from tests.views.stage import build_project, sentence_id

FERRY = sentence_id(1, 1)


def name_after(folder: Path, *changes: Change) -> str:
    """Make changes, and return the name of the one that is undone next."""
    with open_project(folder) as project:
        for change in changes:
            apply_edit(project, change, lambda kind, id_: None)
    reader = ProjectReader(folder, is_read_only=False)
    try:
        return name_newest_change(reader)
    finally:
        reader.close()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (HideSentences(sentences=(FERRY,)), "hide 1 sentence"),
        (
            HideSentences(sentences=(FERRY, FERRY + 1), state="removed"),
            "remove 2 sentences",
        ),
        (LabelSentences(sentences=(FERRY,), class_name="sea"), "label 1 sentence"),
        (RenameCorpus(1, "Quay"), "rename to Quay"),
        (SetCorpusLanguage(1, "fr"), "change the language of a corpus"),
        (SetCorpusState((1, 2), "deleted"), "delete 2 corpora"),
        (SetNote(FERRY, "Idiom."), "write a note"),
    ],
)
def test_a_change_is_named(tmp_path: Path, change: Change, name: str) -> None:
    assert name_after(build_project(tmp_path / "p.isogloss"), change) == name


def test_an_undone_change_is_not_named(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    hiding = HideSentences(sentences=(FERRY,))
    assert name_after(folder, RenameCorpus(1, "Quay"), hiding, Undo()) == (
        "rename to Quay"
    )
    assert name_after(folder, Undo()) == ""
