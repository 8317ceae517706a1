"""Reads of the review: steps as they were made, opinions, tags, the journal."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from app.engine.project.project import Project, create_project
from app.engine.store import schema
from app.engine.store.pairs.history import (
    count_changes_since,
    count_newest_of_set,
    list_tags,
    read_changes_since,
    read_judged_steps,
    read_opinions,
)
from app.engine.store.pairs.sets import first_pair_id
from app.protocol.edits.general import Undo
from app.protocol.edits.pairs import JudgePairs, JudgeRange, RenameMining
from tests.engine.review.made import add_corpora, add_pairs, edit


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpora(project)
        add_pairs(project)
        yield project


def test_steps_come_newest_first_with_what_held_before(project: Project) -> None:
    pair = first_pair_id(1)
    edit(project, JudgePairs(pairs=(pair,), verdict="accept"))
    edit(project, JudgePairs(pairs=(pair,), verdict="reject"))
    newest, oldest = read_judged_steps(project.store)
    assert (newest.row.verdict, oldest.row.verdict) == ("reject", "accept")
    assert newest.before is not None
    assert newest.before.verdict == "accept"
    assert oldest.before is None


def test_a_bulk_step_is_one_with_its_number(project: Project) -> None:
    edit(project, JudgeRange(mining=1, verdict="accept"))
    edit(project, Undo())
    undone, bulk = read_judged_steps(project.store)
    assert (bulk.n, bulk.row.verdict, bulk.row.undoes) == (6, "accept", None)
    assert (undone.n, undone.row.verdict) == (6, "")
    assert undone.row.undoes == bulk.row.step


def test_pages_of_steps_follow_each_other(project: Project) -> None:
    pair = first_pair_id(1)
    for index in range(5):
        edit(project, JudgePairs(pairs=(pair + index,), verdict="skip"))
    first = read_judged_steps(project.store, limit=3)
    rest = read_judged_steps(project.store, before=first[-1].row.step, limit=3)
    places = [step.row.pair_id - pair for step in (*first, *rest)]
    assert places == [4, 3, 2, 1, 0]


def test_only_steps_after_one_are_read_when_the_rest_is_known(
    project: Project,
) -> None:
    pair = first_pair_id(1)
    for index in range(3):
        edit(project, JudgePairs(pairs=(pair + index,), verdict="skip"))
    known = read_judged_steps(project.store)[1].row.step
    new = read_judged_steps(project.store, after=known)
    assert [step.row.pair_id for step in new] == [pair + 2]
    assert read_judged_steps(project.store, after=new[0].row.step) == []


def test_steps_of_one_pair_set_are_read_alone(project: Project) -> None:
    assert add_pairs(project) == 2
    for n in range(4):
        pair = first_pair_id(1 + n % 2) + n
        edit(project, JudgePairs(pairs=(pair,), verdict="skip"))
    both = (first_pair_id(1), first_pair_id(2), first_pair_id(2) + 1)
    edit(project, JudgePairs(pairs=both, verdict="flag"))
    steps = read_judged_steps(project.store, mining=2, limit=2)
    assert [(step.row.pair_id - first_pair_id(2), step.n) for step in steps] == [
        (0, 2),
        (3, 1),
    ]
    older = read_judged_steps(project.store, mining=2, before=steps[1].row.step)
    assert [step.row.pair_id - first_pair_id(2) for step in older] == [1]
    assert len(read_judged_steps(project.store)) == 5


def test_of_the_newest_changes_those_of_a_pair_set_are_counted(
    project: Project,
) -> None:
    assert add_pairs(project) == 2
    for n in range(5):
        pair = first_pair_id(1 + n % 2) + n
        edit(project, JudgePairs(pairs=(pair,), verdict="skip"))
    edit(project, RenameMining(mining=2, name="Letters"))
    assert count_newest_of_set(project.store, 1, 6) == 3
    assert count_newest_of_set(project.store, 2, 6) == 2
    assert count_newest_of_set(project.store, 1, 3) == 1
    edit(project, Undo(2))  # the name and the last judgement
    assert count_newest_of_set(project.store, 1, 3) == 1


def test_changes_after_a_step_are_those_that_an_undo_takes_back(
    project: Project,
) -> None:
    pair = first_pair_id(1)
    for index in range(3):
        edit(project, JudgePairs(pairs=(pair + index,), verdict="skip"))
    edit(project, RenameMining(mining=1, name="Letters"))
    third, second, first = (step.row.step for step in read_judged_steps(project.store))
    counts = [count_changes_since(project.store, step) for step in (first, third)]
    assert counts == [3, 1]
    edit(project, Undo(2))
    undoing = read_judged_steps(project.store)[0].row.step
    counts = [
        count_changes_since(project.store, step) for step in (first, second, third)
    ]
    assert counts == [1, 0, None]  # the third is taken back
    assert count_changes_since(project.store, undoing) is None


def test_the_newest_opinion_of_each_annotator_is_read(project: Project) -> None:
    pair = first_pair_id(1)
    values = {
        "pair_id": pair,
        "source_id": 1,
        "target_id": 2,
        "created_at": 0.0,
        "package_id": "a" * 32,
        "after_id": 0,
    }
    package = {
        "id": "a" * 32,
        "role": "given",
        "mining_id": 1,
        "pair_ids": b"",
        "digest": "",
        "created_at": 0.0,
    }
    said = [("Anna", "accept"), ("Ben", "reject"), ("Anna", "flag")]
    with project.store.begin() as connection:
        connection.execute(insert(schema.package), package)
        connection.execute(
            insert(schema.opinion),
            [{**values, "who": who, "verdict": verdict} for who, verdict in said],
        )
    found = read_opinions(project.store, [pair, pair + 1])
    assert [(one.who, one.verdict) for one in found[pair]] == [
        ("Ben", "reject"),
        ("Anna", "flag"),
    ]
    assert pair + 1 not in found


def test_tags_are_listed_once_in_the_order_of_the_alphabet(project: Project) -> None:
    pair = first_pair_id(1)
    edit(project, JudgePairs(pairs=(pair,), add_tags=("legal", "Free")))
    edit(project, JudgePairs(pairs=(pair + 1,), add_tags=("legal",)))
    assert list_tags(project.store, 1) == ["Free", "legal"]
    assert list_tags(project.store, 2) == []


def test_the_journal_gives_what_holds_since_a_time(project: Project) -> None:
    pair = first_pair_id(1)
    edit(project, JudgePairs(pairs=(pair,), verdict="accept"))
    since = time.time()
    edit(project, JudgePairs(pairs=(pair,), verdict="flag"))
    edit(project, JudgePairs(pairs=(pair + 1,), verdict="skip"))
    edit(project, Undo())
    (change,) = read_changes_since(project.store, since)
    assert (change["change"], change["verdict"]) == ("JudgePairs", "flag")
