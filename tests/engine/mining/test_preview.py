"""A recipe is tested on a sample of the project's pairs."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import (
    NewPairs,
    NewPairSet,
    PairSetCounts,
    first_pair_id,
    write_pair_set,
)
from app.errors import UserError
from app.protocol.queries.pairs import RecipeQuery
from tests.engine.search.made import add_corpus

N = 50


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Pair i says i on both sides, but every tenth one i + 1."""
    with create_project(tmp_path / "p.isogloss") as project:
        one = add_corpus(project, "one", "de", [f"Tor {i}" for i in range(N)])
        two = add_corpus(
            project, "two", "en", [f"gate {i + (i % 10 == 0)}" for i in range(N)]
        )
        ids, scores = np.arange(N), np.linspace(2, 1, N, dtype=np.float32)
        pairs = NewPairs(
            ids + first_sentence_id(one),
            ids + first_sentence_id(two),
            *(scores, scores, scores, scores, ids, scores, ids, scores),
        )
        new = NewPairSet(
            *("gates", "mined", one, two, "", "", "words", "f", "ratio", 4, "max"),
            *(None, []),
        )
        write_pair_set(project.store, new, pairs, PairSetCounts(N, 0, "{}"), Report())
        return project


def test_the_preview_says_what_each_step_removes(project: Project) -> None:
    desk = SearchSession(project)
    query = RecipeQuery(mining=1, filters=("numbers", "length max=6"))
    answer = answer_query(desk, query)
    assert answer.pairs == N
    numbers, length = answer.steps
    assert (numbers.n_left, numbers.n_removed) == (45, 5)
    wrong = [first_pair_id(1) + i for i in range(0, N, 10)]
    assert numbers.examples == wrong
    assert (length.n_left, length.was_known) == (9, False)
    again = answer_query(desk, query).steps
    assert [step.was_known for step in again] == [True, True]


def test_a_sample_is_spread_over_the_scores(project: Project) -> None:
    query = RecipeQuery(mining=1, filters=("length max=1",), sample=5)
    answer = answer_query(SearchSession(project), query)
    places = [id_ - first_pair_id(1) for id_ in answer.steps[0].examples]
    assert places == [0, 12, 24, 36, 49]


@pytest.mark.parametrize(
    ("mining", "line", "message"),
    [(9, "numbers", "not in the project any more"), (1, "bad", "Unknown filter 'bad'")],
)
def test_what_cannot_be_tried_is_refused(
    project: Project, mining: int, line: str, message: str
) -> None:
    query = RecipeQuery(mining=mining, filters=(line,))
    with pytest.raises(UserError, match=message):
        answer_query(SearchSession(project), query)
