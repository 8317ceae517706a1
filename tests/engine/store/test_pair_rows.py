"""Sets of pairs are written hidden, read by page, and taken away when given up."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, insert, select

from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.pairs import sets
from app.engine.store.pairs.sets import (
    NewPairs,
    NewPairSet,
    PairSetCounts,
    create_pair_set,
    finish_pair_set,
    first_pair_id,
    list_pair_sets,
    mark_abandoned_pair_sets,
    pair_ids,
    pair_set_of,
    purge_removed_pair_sets,
    read_all_current_judgements,
    read_current_judgements,
    read_pair_integers,
    read_pair_set,
    read_pairs,
    read_scores,
    write_pairs,
)

NEW = NewPairSet(
    *("letters", "mined", 1, 2, "", "", "words", "f" * 8, "ratio"),
    *(4, "max", None, ["length min=2"]),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(sets, "SHARD", 2)
    monkeypatch.setattr(sets, "PURGE_PAIRS", 2)
    with create_project(tmp_path / "p.isogloss") as project:
        yield project


def new_pairs(n: int) -> NewPairs:
    ids, scores = np.arange(n), np.linspace(2, 1, n, dtype=np.float32)
    nothing = np.where(ids % 2, ids, -1)
    rest = {"runner_up_ids": nothing, "reverse_ids": nothing}
    rest |= {"runner_up_scores": scores, "reverse_scores": scores}
    means: dict[str, Any] = {"source_means": scores / 3, "target_means": scores / 4}
    parts: dict[str, Any] = {"scores": scores, "cosines": scores / 2, **means, **rest}
    return NewPairs(ids + 10, ids + 20, **parts)


def write(project: Project, n: int = 5, *, n_taken: int = 3) -> int:
    mining = create_pair_set(project.store, NEW, None)
    write_pairs(project.store, mining, new_pairs(n), Report())
    counts = PairSetCounts(n_taken, n - n_taken, '{"n": 5}')
    finish_pair_set(project.store, mining, counts)
    return mining


def test_pairs_come_back_by_id_as_they_were_written(project: Project) -> None:
    mining = write(project)
    first = first_pair_id(mining)
    pair, missing, other = read_pairs(project.store, [first + 1, first + 9, first])
    assert missing is None
    assert pair is not None
    assert other is not None
    assert (pair.source_id, pair.target_id, pair.n_source) == (11, 21, 1)
    assert (pair.score, pair.cosine) == (1.75, 0.875)
    assert (pair.runner_up_id, pair.runner_up_score) == (1, 1.75)
    assert (other.runner_up_id, other.runner_up_score) == (None, None)
    assert (other.reverse_id, other.reverse_score) == (None, None)
    assert pair_set_of(pair.id) == mining


def test_a_mining_says_how_it_was_made_and_how_many_pairs_it_took(
    project: Project,
) -> None:
    write(project)
    (row,) = list_pair_sets(project.store)
    assert (row.name, row.filters, row.report) == ("letters", NEW.filters, {"n": 5})
    assert len(pair_ids(row)) == 3
    assert len(pair_ids(row, with_candidates=True)) == 5
    ids = read_pair_integers(project.store, row.id, "id")
    assert pair_ids(row, with_candidates=True).tolist() == ids.tolist()
    np.testing.assert_allclose(
        read_scores(project.store, row.id), [2, 1.75, 1.5, 1.25, 1]
    )


def test_what_is_not_complete_is_not_shown_and_goes_when_nobody_goes_on(
    project: Project,
) -> None:
    whole = write(project)
    half = create_pair_set(project.store, NEW, None)
    write_pairs(project.store, half, new_pairs(5), Report())
    assert [row.id for row in list_pair_sets(project.store)] == [whole]
    assert mark_abandoned_pair_sets(project.store) == [half]
    assert not purge_removed_pair_sets(project.store, seconds=0)
    assert purge_removed_pair_sets(project.store)
    assert read_pair_set(project.store, half) is None
    with project.store.connect() as connection:
        query = select(func.count()).select_from(schema.pair)
        assert connection.scalar(query) == 5


def judge(project: Project, pair_id: int, verdict: str, step: int) -> None:
    values = {
        "step": step,
        "pair_id": pair_id,
        "source_id": 1,
        "target_id": 2,
        "verdict": verdict,
        "tags": '["name"]',
        "who": "me",
        "created_at": 0.0,
    }
    with project.store.begin() as connection:
        connection.execute(insert(schema.judgement).values(**values))


def test_the_newest_judgement_of_a_pair_holds(project: Project) -> None:
    mining = write(project)
    first = first_pair_id(mining)
    for step, (pair, verdict) in enumerate(
        [(0, "accept"), (1, "reject"), (0, "flag"), (2**32, "skip")]
    ):
        judge(project, first + pair, verdict, step)
    held = read_current_judgements(project.store, [first, first + 1, first + 2])
    assert {id_ - first: row.verdict for id_, row in held.items()} == {
        0: "flag",
        1: "reject",
    }
    assert held[first].tags == ["name"]
    judged = read_all_current_judgements(project.store, mining)
    assert [row.verdict for row in judged] == ["flag", "reject"]
