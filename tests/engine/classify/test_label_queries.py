"""Counts of labels by class, and selection of sentences by label."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.edits.labels import apply_label_edit
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id
from app.protocol.answers.classify import CorpusLabelCounts
from app.protocol.edits.labels import LabelSentences
from app.protocol.queries.classify import LabelCountsQuery, LabelOrderQuery
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
        change = LabelSentences(sentences=(first_sentence_id(2),), class_name=name)
        with project.store.begin() as connection:
            apply_label_edit(connection, change, "")


def ids_of(project: Project, **asked: Any) -> list[int]:
    answer = answer_query(SearchSession(project), LabelOrderQuery(**asked))
    found = np.load(project.folder / answer.file).tolist()
    assert answer.n == len(found)
    return [int(id_) for id_ in found]


def test_classes_are_counted_corpus_by_corpus(project: Project) -> None:
    answer = answer_query(SearchSession(project), LabelCountsQuery())
    assert answer.corpora == (
        CorpusLabelCounts(
            id=1, n_labelled=4, n_classes=2, classes=(("b", 3), ("a", 1))
        ),
    )


def test_sentences_of_a_class_are_found(project: Project) -> None:
    first = first_sentence_id(1)
    assert ids_of(project, classes=("b",)) == [first, first + 1, first + 3]
    assert ids_of(project, classes=("a",)) == [first + 2]
    assert ids_of(project, corpora=(2,)) == []


def test_sentences_without_a_label_are_found(project: Project) -> None:
    assert ids_of(project, which="unlabelled") == [
        first_sentence_id(2),
        first_sentence_id(2) + 1,
    ]
