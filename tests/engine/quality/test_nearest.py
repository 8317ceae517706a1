"""Approximate neighbours by lists, against exact neighbours."""

import numpy as np
import pytest

from app.engine.mining.approximate_search import Recall
from app.engine.mining.exact_search import ExactSide
from app.engine.quality import neighbours
from app.engine.quality.findings import describe_recall
from app.engine.quality.inverted_file import (
    build_inverted_file,
    count_lists_needed,
    search_inverted_file,
)
from app.engine.quality.neighbours import (
    NeighbourOptions,
    combine_recalls,
    find_neighbours_both_ways,
    find_neighbours_in_other,
    find_neighbours_within,
)
from app.engine.runtime.report import Report, SilentSink
from app.engine.search.knn import NO_NEIGHBOUR, top_k
from app.errors import Cancelled
from tests.engine.quality.made import near_pairs

N, PAIRS = 400, 30


def test_all_lists_give_what_the_exact_way_gives() -> None:
    vectors = near_pairs(N, PAIRS)
    lists = build_inverted_file(ExactSide(vectors), seed=1, report=Report())
    queries = vectors[:50]
    wanted = 3, -1.0, len(lists.centres)
    found = search_inverted_file(lists, ExactSide(queries), wanted, Report())
    scores, rows = top_k(queries, vectors, 3)
    assert np.array_equal(found.rows, rows)
    assert np.allclose(found.scores, scores, atol=1e-6)
    needed = count_lists_needed(lists, ExactSide(queries), (np.arange(50), rows[:, 1]))
    widest = 3, -1.0, int(needed.max())
    some = search_inverted_file(lists, ExactSide(queries), widest, Report())
    assert (some.rows[:, :, None] == rows[:, 1][:, None, None]).any(axis=(1, 2)).all()


def test_twins_are_found_by_lists_and_what_is_missed_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(neighbours, "EXACT_PAIRS", 100)
    vectors = near_pairs(N, PAIRS)
    side = ExactSide(vectors)
    by_lists = find_neighbours_within(side, NeighbourOptions(2, 0.95), Report())
    exact = find_neighbours_within(
        side, NeighbourOptions(2, 0.95, exact=True), Report()
    )
    best = exact.neighbours.scores[:, 0]
    twins = np.flatnonzero(best >= 0.95)
    assert len(twins) == 2 * PAIRS
    found = by_lists.neighbours.rows
    assert (found[twins, 0] == exact.neighbours.rows[twins, 0]).mean() > 0.9
    others = np.setdiff1d(np.arange(N), twins)
    assert (found[others] == NO_NEIGHBOUR).all()
    assert exact.recall is None
    assert by_lists.recall is not None
    assert by_lists.recall.low < by_lists.recall.share <= by_lists.recall.high
    assert by_lists.recall.sentences > 10


def test_a_side_is_looked_for_in_another(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = near_pairs(N, PAIRS)
    sides = ExactSide(vectors[: N // 2]), ExactSide(vectors[N // 2 :])
    exact = find_neighbours_both_ways(*sides, NeighbourOptions(1, -1.0), Report())
    monkeypatch.setattr(neighbours, "EXACT_PAIRS", 100)
    there = find_neighbours_in_other(*sides, NeighbourOptions(1, 0.95), Report())
    own = np.arange(PAIRS)
    assert exact[0].neighbours.rows[:PAIRS, 0].tolist() == (199 - own).tolist()
    assert exact[1].neighbours.rows[199 - own, 0].tolist() == own.tolist()
    assert (there.neighbours.rows[:PAIRS, 0] == 199 - own).mean() > 0.9


@pytest.mark.parametrize("stage", ["Making lists", "Comparing within lists"])
def test_a_cancel_is_met_at_the_next_list(
    stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "EXACT_PAIRS", 100)

    class Stopping(SilentSink):
        def progress(self, stage_: str, done: int, total: int, note: str) -> None:
            if stage_ == stage:
                report.cancel()

    report = Report(Stopping())
    with pytest.raises(Cancelled):
        find_neighbours_within(
            ExactSide(near_pairs(N, 3)), NeighbourOptions(2, 0.9), report
        )


def test_identical_vectors_are_each_others_neighbours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(neighbours, "EXACT_PAIRS", 100)
    vectors = np.zeros((60, 16), np.float32)
    vectors[:, 3] = 1
    found = find_neighbours_within(
        ExactSide(vectors), NeighbourOptions(4, 0.9), Report()
    ).neighbours
    assert (found.rows >= 0).all()
    assert (found.rows != np.arange(60)[:, None]).all()


def test_what_is_not_measured_is_not_claimed() -> None:
    found, nothing = Recall(0.9, 0.8, 0.95, 10), Recall(float("nan"), 0, 1, 0)
    joined = combine_recalls([None, found, nothing])
    assert joined is not None
    assert (joined.sentences, joined.share) == (10, 0.9)
    unknown = combine_recalls([nothing])
    assert unknown is not None
    assert "is unknown" in describe_recall(unknown)
    assert combine_recalls([None, None]) is None
