"""Labels by hand: appended, undone, done again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, create_project
from app.engine.store.classifiers import add_classifier, list_classifiers
from app.engine.store.corpora import first_sentence_id
from app.engine.store.labels import (
    count_classes,
    list_labelled,
    read_corpus_labels,
    read_labels,
)
from app.errors import UserError
from app.protocol.edits import Change
from app.protocol.edits.general import Redo, Undo
from app.protocol.edits.labels import (
    LabelSentences,
    RenameClassifier,
    RestoreLabels,
    SetClassifierState,
)
from tests.engine.search.made import add_corpus

FIRST = first_sentence_id(1)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "letters.isogloss") as project:
        add_corpus(project, "harbour", "en", ["a ship", "a boat", "a cow"])
        yield project


def make(project: Project, change: Change) -> tuple[str, list[tuple[str, int]]]:
    changed: list[tuple[str, int]] = []
    answer = apply_edit(project, change, lambda *one: changed.append(one))
    return answer.text, changed


def labels(project: Project) -> dict[int, str]:
    return read_corpus_labels(project.store, 1)


def test_labels_are_given_and_taken_back_in_order(project: Project) -> None:
    both = LabelSentences(sentences=(FIRST, FIRST + 1), class_name="sea")
    text, changed = make(project, both)
    assert text == "2 sentences now have the label sea."
    assert changed == [("labels", 1)]
    one = LabelSentences(sentences=(FIRST,), class_name="air")
    assert make(project, one) == (
        "The sentence now has the label air.",
        [("label", FIRST)],
    )
    assert labels(project) == {0: "air", 1: "sea"}
    make(project, Undo())
    assert labels(project) == {0: "sea", 1: "sea"}
    make(project, Undo())
    assert labels(project) == {}
    assert read_labels(project.store, [FIRST]) == {}
    make(project, Redo())
    make(project, Redo())
    assert labels(project) == {0: "air", 1: "sea"}
    assert count_classes(project.store, [1]) == [("air", 1), ("sea", 1)]


def test_corpora_with_labels_are_listed(project: Project) -> None:
    add_corpus(project, "port", "de", ["ein Schiff", "ein Boot"])
    port = first_sentence_id(2)
    make(project, LabelSentences(sentences=(FIRST + 2, port), class_name="sea"))
    assert list_labelled(project.store) == {1, 2}
    make(project, LabelSentences(sentences=(port,), class_name=""))
    assert list_labelled(project.store) == {1}


def test_an_empty_class_takes_a_label_away(project: Project) -> None:
    make(project, LabelSentences(sentences=(FIRST,), class_name="sea"))
    empty = LabelSentences(sentences=(FIRST,), class_name=" ")
    assert make(project, empty)[0] == "The sentence now has no label."
    assert labels(project) == {}
    make(project, Undo())
    assert labels(project) == {0: "sea"}


def test_what_is_so_already_is_no_step(project: Project) -> None:
    change = LabelSentences(sentences=(FIRST,), class_name="sea")
    make(project, change)
    assert make(project, change)[0] == "There was nothing to change."
    make(project, Undo())
    assert labels(project) == {}


def test_a_sentence_that_is_gone_is_told(project: Project) -> None:
    with pytest.raises(UserError, match="no longer exists"):
        make(project, LabelSentences(sentences=(FIRST + 9,), class_name="sea"))


def test_classifiers_are_renamed_and_deleted_with_undo(project: Project) -> None:
    values = {"head": "logistic", "classes": '["a"]', "encoder": "e", "n_train": 1}
    for name in ("one", "two"):
        own = {"name": name, "folder": name, "fingerprint": "f", "language": "en"}
        add_classifier(project.store, {**values, **own})
    make(project, RenameClassifier(classifier=1, name="first"))
    with pytest.raises(UserError, match="classifier named 'two' already exists"):
        make(project, RenameClassifier(classifier=1, name="two"))
    make(project, SetClassifierState(classifiers=(1,), state="deleted"))
    assert [row.name for row in list_classifiers(project.store)] == ["two"]
    make(project, Undo())
    make(project, Undo())
    assert [row.name for row in list_classifiers(project.store)] == ["two", "one"]


def test_labels_to_restore_are_as_many_as_their_sentences() -> None:
    with pytest.raises(ValueError, match="not as many class names as sentences"):
        RestoreLabels(sentences=(1, 2), class_names=("sport",))
