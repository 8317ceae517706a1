"""Labels counted by class, and sentences chosen by their labels."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.classify_questions import LabelCountsQuery, LabelOrderQuery
from app.engine.classify.label_steps import apply_label_step
from app.engine.project import Project, create_project
from app.engine.queries import answer_query
from app.engine.search.desk import SearchDesk
from app.engine.store.rows import first_id
from app.label_changes import LabelSentences
from tests.engine.classify.barn import add_labelled, label
from tests.engine.search.made import add_corpus


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        rows = [("a", "one"), ("b", "two"), ("a", "three"), ("a", "four")]
        add_labelled(project, "topics", "en", rows)
        add_corpus(project, "Neues", "de", ["eins", "zwei"])
        label(project, 1, ["b", "", "", "b"])  # the newest label holds
        _take_away(project)
        yield project


def _take_away(project: Project) -> None:
    """Label a sentence of the German corpus, and take its label away."""
    for name in ("a", ""):
        change = LabelSentences(sentences=(first_id(2),), class_name=name)
        with project.store.begin() as connection:
            apply_label_step(connection, change, "")


def ids_of(project: Project, **asked: Any) -> list[int]:
    answer = answer_query(SearchDesk(project), LabelOrderQuery(**asked))
    found = np.load(project.folder / answer["file"]).tolist()
    assert answer["n"] == len(found)
    return [int(id_) for id_ in found]


def test_classes_are_counted_corpus_by_corpus(project: Project) -> None:
    answer = answer_query(SearchDesk(project), LabelCountsQuery())
    assert answer["corpora"] == [
        {"id": 1, "n_labelled": 4, "n_classes": 2, "classes": [["b", 3], ["a", 1]]}
    ]


def test_sentences_of_a_class_are_found(project: Project) -> None:
    first = first_id(1)
    assert ids_of(project, classes=("b",)) == [first, first + 1, first + 3]
    assert ids_of(project, classes=("a",)) == [first + 2]
    assert ids_of(project, corpora=(2,)) == []


def test_sentences_without_a_label_are_found(project: Project) -> None:
    assert ids_of(project, which="unlabelled") == [first_id(2), first_id(2) + 1]
