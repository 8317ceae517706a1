"""The queue: orders, filters, and what they count."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select, update

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.search.session import SearchSession
from app.engine.store.pairs.sets import first_pair_id
from app.engine.store.schema import pair
from app.errors import UserError
from app.protocol.answers.pairs import QueueAnswer
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs, JudgeRange
from app.protocol.queries.pairs import QueueQuery
from tests.engine.review.made import NEW, add_corpora, add_pairs, edit

FIRST = first_pair_id(1)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "port.isogloss") as project:
        add_corpora(project)
        add_pairs(project, n_candidates=2)
        yield project


def ask(project: Project, **fields: Any) -> QueueAnswer:
    return answer_query(SearchSession(project), QueueQuery(mining=1, **fields))


def queue(project: Project, **fields: Any) -> list[int]:
    answer = ask(project, **fields)
    ids = np.load(project.folder / answer.file) - FIRST
    assert answer.n == len(ids)
    return [int(id_) for id_ in ids]


def test_pairs_come_by_score_either_way(project: Project) -> None:
    assert queue(project) == [0, 1, 2, 3]
    assert queue(project, descending=False) == [3, 2, 1, 0]
    assert queue(project, with_candidates=True, lowest=1, highest=1.25) == [2, 3, 4]


def test_candidates_stand_behind_the_best_pair_of_their_source(
    project: Project,
) -> None:
    of_first = select(pair.c.source_id).where(pair.c.id == FIRST).scalar_subquery()
    beside = update(pair).where(pair.c.id == FIRST + 5).values(source_id=of_first)
    with project.store.begin() as connection:
        connection.execute(beside)
    ids = queue(project, order="source", with_candidates=True)
    assert ids == [0, 5, 1, 2, 3, 4]


def test_a_shuffled_order_hangs_on_the_seed_alone(project: Project) -> None:
    orders = [queue(project, order="shuffled", seed=seed) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == [0, 1, 2, 3]


def test_a_judgement_does_not_shuffle_the_other_pairs_again(project: Project) -> None:
    first, *rest = queue(project, order="shuffled")
    edit(project, JudgePairs(pairs=(FIRST + first,), verdict="accept"))
    assert queue(project, order="shuffled", which="unjudged") == rest


def test_filters_keep_what_they_say_and_the_counts_ignore_the_verdict(
    project: Project,
) -> None:
    edit(project, JudgePairs(pairs=(FIRST, FIRST + 2), verdict="accept"))
    edit(project, JudgePairs(pairs=(FIRST + 1,), verdict="flag", add_tags=("a b",)))
    counts = {"": 1, "accept": 2, "reject": 0, "skip": 0, "flag": 1}
    assert ask(project, which="flag").n_by_verdict == counts
    assert queue(project, which="unjudged") == [3]
    assert queue(project, which="judged") == [0, 1, 2]
    assert queue(project, which="accept") == [0, 2]
    assert queue(project, which="conflict") == []
    assert queue(project, tag="a b") == [1]
    assert queue(project, tag="a") == []


def test_texts_are_found_on_either_side_as_they_are_now(project: Project) -> None:
    assert queue(project, find="SCHIFF 1") == [1]
    assert queue(project, find="ship") == [0, 1, 2, 3]
    edit(project, JudgePairs(pairs=(FIRST + 3,), target_text="a Steamer"))
    assert queue(project, find="steamer") == [3]


def test_a_set_of_pairs_that_is_gone_is_refused(project: Project) -> None:
    with pytest.raises(UserError, match="pair set is not in the project"):
        answer_query(SearchSession(project), QueueQuery(mining=9))


def test_what_is_judged_between_two_questions_counts_in_the_second(
    project: Project,
) -> None:
    desk = SearchSession(project)

    def unjudged() -> int:
        return int(answer_query(desk, QueueQuery(mining=1, which="unjudged")).n)

    found = [unjudged()]
    for change in (
        JudgePairs(pairs=(FIRST, FIRST + 1), verdict="accept"),
        JudgePairs(pairs=(FIRST + 1,), verdict=""),
        JudgePairs(pairs=(FIRST + 1,), verdict="skip"),
        Undo(),
        Undo(),
        Undo(),
    ):
        edit(project, change)
        found.append(unjudged())
    assert found == [4, 2, 3, 2, 3, 2, 4]


def test_a_sentence_without_a_counterpart_is_no_pair_to_judge(project: Project) -> None:
    aligned = NEW._replace(kind="aligned")
    mining = add_pairs(project, new=aligned)
    first = first_pair_id(mining)
    with project.store.begin() as connection:
        for place, name in ((1, "n_source"), (4, "n_target")):
            where = pair.c.id == first + place
            connection.execute(update(pair).where(where).values({name: 0}))
    answer = answer_query(SearchSession(project), QueueQuery(mining=mining))
    ids = np.load(project.folder / answer.file) - first
    assert ids.tolist() == [0, 2, 3, 5]
    change = JudgeRange(mining=mining, verdict="accept")
    assert edit(project, change).text == "4 pairs are accepted."
