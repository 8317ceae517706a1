"""Classes renamed and merged over a corpus's labels, with undo."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, create_project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.labels import read_corpus_labels
from app.errors import UserError
from app.protocol.edits import Change
from app.protocol.edits.general import Redo, Undo
from app.protocol.edits.labels import LabelSentences, RenameClass
from tests.engine.search.made import add_corpus

FIRST = first_sentence_id(1)
BEFORE = {0: "Sea", 1: "sea ", 2: "farm"}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "letters.isogloss") as project:
        add_corpus(project, "harbour", "en", ["a ship", "a boat", "a cow"])
        add_corpus(project, "Hafen", "de", ["ein Schiff"])
        with project.store.begin() as connection:
            connection.exec_driver_sql(
                "INSERT INTO label (sentence_id, class, who, created_at) "
                "VALUES (?, ?, '', 0)",
                [(FIRST + place, name) for place, name in BEFORE.items()],
            )
        make(
            project, LabelSentences(sentences=(first_sentence_id(2),), class_name="Sea")
        )
        yield project


def make(project: Project, change: Change) -> tuple[str, list[tuple[str, int]]]:
    changed: list[tuple[str, int]] = []
    answer = apply_edit(project, change, lambda *one: changed.append(one))
    return answer.text, changed


def labels(project: Project, corpus: int = 1) -> dict[int, str]:
    return read_corpus_labels(project.store, corpus)


def test_names_of_one_class_are_merged_by_one_change(project: Project) -> None:
    change = RenameClass(corpora=(1,), old_names=("Sea", "sea "), name="farm")
    assert make(project, change) == (
        "2 sentences now have the label farm instead of Sea, sea .",
        [("labels", 1)],
    )
    assert labels(project) == {0: "farm", 1: "farm", 2: "farm"}
    assert labels(project, 2) == {0: "Sea"}


def test_a_merge_is_undone_to_the_classes_of_before(project: Project) -> None:
    change = RenameClass(corpora=(1, 2), old_names=("Sea", "sea "), name="farm")
    assert make(project, change)[1] == [("labels", 1), ("labels", 2)]
    assert make(project, Undo()) == (
        "Undone. 3 sentences now have the former label instead of farm.",
        [("labels", 1), ("labels", 2)],
    )
    assert (labels(project), labels(project, 2)) == (BEFORE, {0: "Sea"})
    make(project, Redo())
    assert labels(project) == {0: "farm", 1: "farm", 2: "farm"}
    make(project, Undo())
    assert labels(project) == BEFORE


def test_labels_given_after_a_merge_are_undone_before_it(project: Project) -> None:
    make(project, RenameClass(corpora=(1,), old_names=("Sea",), name="farm"))
    make(project, LabelSentences(sentences=(FIRST,), class_name="air"))
    make(project, Undo())
    assert labels(project)[0] == "farm"
    make(project, Undo())
    assert labels(project) == BEFORE


def test_a_class_that_no_sentence_has_is_no_step(project: Project) -> None:
    change = RenameClass(corpora=(1,), old_names=("air",), name="farm")
    assert make(project, change) == ("There was nothing to change.", [])
    same = RenameClass(corpora=(1,), old_names=("farm",), name=" farm ")
    assert make(project, same) == ("There was nothing to change.", [])


def test_a_class_without_a_name_is_refused(project: Project) -> None:
    with pytest.raises(UserError, match="class needs a name"):
        make(project, RenameClass(corpora=(1,), old_names=("Sea",), name=" \t "))
