"""Neighbours by lists beside those of the exact way."""

import numpy as np
import pytest

from app.engine.care import nearest
from app.engine.care.keep import told_recall
from app.engine.care.lists import lists_needed, make_lists, search_lists
from app.engine.care.nearest import (
    NOTHING,
    Wanted,
    joined_recall,
    near_each_other,
    near_in_itself,
    near_there,
)
from app.engine.mining.by_index import Recall
from app.engine.mining.rescoring import ExactSide
from app.engine.report import Report, SilentSink
from app.engine.search.knn import top_k
from app.errors import Cancelled
from tests.engine.care.made import near_pairs

N, PAIRS = 400, 30


def test_all_lists_give_what_the_exact_way_gives() -> None:
    vectors = near_pairs(N, PAIRS)
    lists = make_lists(ExactSide(vectors), seed=1, report=Report())
    queries = vectors[:50]
    wanted = 3, -1.0, len(lists.centres)
    found = search_lists(lists, ExactSide(queries), wanted, Report())
    scores, rows = top_k(queries, vectors, 3)
    assert np.array_equal(found.rows, rows)
    assert np.allclose(found.scores, scores, atol=1e-6)
    needed = lists_needed(lists, ExactSide(queries), (np.arange(50), rows[:, 1]))
    widest = 3, -1.0, int(needed.max())
    some = search_lists(lists, ExactSide(queries), widest, Report())
    assert (some.rows[:, :, None] == rows[:, 1][:, None, None]).any(axis=(1, 2)).all()


def test_twins_are_found_by_lists_and_what_is_missed_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nearest, "EXACT_PAIRS", 100)
    vectors = near_pairs(N, PAIRS)
    side = ExactSide(vectors)
    by_lists = near_in_itself(side, Wanted(2, 0.95), Report())
    exact = near_in_itself(side, Wanted(2, 0.95, exact=True), Report())
    best = exact.neighbours.scores[:, 0]
    twins = np.flatnonzero(best >= 0.95)
    assert len(twins) == 2 * PAIRS
    found = by_lists.neighbours.rows
    assert (found[twins, 0] == exact.neighbours.rows[twins, 0]).mean() > 0.9
    others = np.setdiff1d(np.arange(N), twins)
    assert (found[others] == NOTHING).all()
    assert exact.recall is None
    assert by_lists.recall is not None
    assert by_lists.recall.low < by_lists.recall.share <= by_lists.recall.high
    assert by_lists.recall.sentences > 10


def test_a_side_is_looked_for_in_another(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = near_pairs(N, PAIRS)
    sides = ExactSide(vectors[: N // 2]), ExactSide(vectors[N // 2 :])
    exact = near_each_other(*sides, Wanted(1, -1.0), Report())
    monkeypatch.setattr(nearest, "EXACT_PAIRS", 100)
    there = near_there(*sides, Wanted(1, 0.95), Report())
    own = np.arange(PAIRS)
    assert exact[0].neighbours.rows[:PAIRS, 0].tolist() == (199 - own).tolist()
    assert exact[1].neighbours.rows[199 - own, 0].tolist() == own.tolist()
    assert (there.neighbours.rows[:PAIRS, 0] == 199 - own).mean() > 0.9


@pytest.mark.parametrize("stage", ["make lists", "compare within lists"])
def test_a_cancel_is_met_at_the_next_list(
    stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "EXACT_PAIRS", 100)

    class Stopping(SilentSink):
        def progress(self, stage_: str, done: int, total: int, note: str) -> None:
            if stage_ == stage:
                report.cancel()

    report = Report(Stopping())
    with pytest.raises(Cancelled):
        near_in_itself(ExactSide(near_pairs(N, 3)), Wanted(2, 0.9), report)


def test_identical_vectors_are_each_others_neighbours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nearest, "EXACT_PAIRS", 100)
    vectors = np.zeros((60, 16), np.float32)
    vectors[:, 3] = 1
    found = near_in_itself(ExactSide(vectors), Wanted(4, 0.9), Report()).neighbours
    assert (found.rows >= 0).all()
    assert (found.rows != np.arange(60)[:, None]).all()


def test_what_is_not_measured_is_not_claimed() -> None:
    found, nothing = Recall(0.9, 0.8, 0.95, 10), Recall(float("nan"), 0, 1, 0)
    joined = joined_recall([None, found, nothing])
    assert joined is not None
    assert (joined.sentences, joined.share) == (10, 0.9)
    unknown = joined_recall([nothing])
    assert unknown is not None
    assert "is not known" in told_recall(unknown)
    assert joined_recall([None, None]) is None
