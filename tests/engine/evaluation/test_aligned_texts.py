"""Rows from linked corpora."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from app.engine.evaluation.aligned_texts import read_aligned_texts, read_linked_corpora
from app.engine.evaluation.retrieval_texts import read_retrieval_texts
from app.engine.project.project import Project, create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.errors import UserError
from app.params.evaluation import AlignedTexts, EvaluateRetrieval
from tests.engine.search.made import add_corpus


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Three corpora; 0, 1 and 3 of the first are linked in both others."""
    with create_project(tmp_path / "p.isogloss") as project:
        for name in ("one", "two", "three"):
            add_corpus(project, name, "en", [f"{name} {n}" for n in range(4)])
        pairs = [
            *((1, 0, 2, 1), (2, 0, 1, 1), (1, 3, 2, 3), (1, 2, 2, 2)),
            *((1, 0, 3, 0), (1, 0, 3, 1), (1, 1, 3, 2), (1, 3, 3, 3), (1, 3, 3, 0)),
        ]
        links = [
            {
                "source_id": first_sentence_id(a) + i,
                "target_id": first_sentence_id(b) + j,
                "kind": "imported",
            }
            for a, i, b, j in pairs
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
        yield project


def test_rows_are_linked_in_all_corpora_and_stand_once(project: Project) -> None:
    aligned = read_linked_corpora(project, ["one", "two", "three"])
    assert aligned.texts == {
        "one": ["one 0", "one 1", "one 3"],
        "two": ["two 1", "two 0", "two 3"],
        "three": ["three 0", "three 2", "three 3"],
    }
    assert aligned.lines["two"] == [2, 1, 4]
    assert aligned.origin == "of 4 sentences of one, those linked in all 3 corpora"


def test_the_note_counts_the_rows_that_are_left(project: Project) -> None:
    add_corpus(project, "four", "en", ["a", "a", "b", "c"])
    ids = [{"source_id": first_sentence_id(1) + n} for n in range(4)]
    links = [
        one | {"target_id": first_sentence_id(4) + n, "kind": "imported"}
        for n, one in enumerate(ids)
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.link), links)
    params = EvaluateRetrieval(corpora=("one", "four"))
    (note,) = read_retrieval_texts(params, project).aligned.notes
    where = "of 4 sentences of one, those linked in both corpora"
    assert note == f"Measured on 4 {where}."
    params = EvaluateRetrieval(corpora=("one", "four"), drop_duplicates=True)
    aligned = read_retrieval_texts(params, project).aligned
    (note,) = aligned.notes
    assert [aligned.line("four", row) for row in range(3)] == [1, 3, 4]
    assert note == f"Measured on 3 {where}, without 1 row with duplicate sentences."


def test_three_corpora_are_compared_each_with_each(project: Project) -> None:
    aligned = read_aligned_texts(AlignedTexts(corpora=("one", "2", "three")), project)
    assert aligned.pairs == [("one", "two"), ("one", "three"), ("two", "three")]
    assert aligned.is_matrix
    assert not read_aligned_texts(
        AlignedTexts(corpora=("one", "two")), project
    ).is_matrix


@pytest.mark.parametrize(
    ("params", "why"),
    [
        (AlignedTexts(corpora=("one",)), "at least two corpora"),
        (AlignedTexts(corpora=("one", "four")), "no corpus 'four'"),
        (AlignedTexts(corpora=("two", "three")), "0 sentences of two are linked"),
        (AlignedTexts(corpora=("one", "two"), columns=("a",)), "need a table"),
        (AlignedTexts(corpora=("one", "two"), table=Path("t")), "or corpora"),
    ],
)
def test_what_cannot_be_compared_is_told(
    project: Project, params: AlignedTexts, why: str
) -> None:
    with pytest.raises(UserError, match=why):
        read_aligned_texts(params, project)


def test_corpora_without_a_project_are_refused() -> None:
    with pytest.raises(UserError, match="Name a project"):
        read_aligned_texts(AlignedTexts(corpora=("one", "two")))
