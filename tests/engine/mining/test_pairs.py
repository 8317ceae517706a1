"""Candidates and accepted pairs, by hand and by a plain loop."""

import numpy as np
import pytest

from app.engine.mining import pairs as module
from app.engine.mining.exact_search import Neighbours
from app.engine.mining.pairs import (
    Candidates,
    choose_pairs,
    find_runners_up,
    greedy_one_to_one,
    list_candidates,
)
from app.params.mining import RetrievalName

# cosines of sources (rows) and targets (columns)
COSINES = np.array([[0.9, 0.8, 0.1], [0.7, 0.6, 0.2]], np.float32)


def neighbours_in(cosines: np.ndarray, k: int) -> Neighbours:
    rows = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return Neighbours(np.take_along_axis(cosines, rows, axis=1), rows)


def candidates_of(cosines: np.ndarray, k: int) -> Candidates:
    sides = neighbours_in(cosines, k), neighbours_in(cosines.T, k)
    return list_candidates(*sides, "absolute")


def pairs_of(candidates: Candidates, taken: np.ndarray) -> list[tuple[int, int]]:
    columns = candidates.sources[taken].tolist(), candidates.targets[taken].tolist()
    return list(zip(*columns, strict=True))


def test_candidates_are_each_pair_of_neighbours_once_the_best_first() -> None:
    found = candidates_of(COSINES, 1)
    all_of_them = pairs_of(found, np.arange(len(found.scores)))
    # each source's nearest is target 0; the targets' are sources 0, 0 and 1
    assert all_of_them == [(0, 0), (0, 1), (1, 0), (1, 2)]
    assert found.is_forward.tolist() == [True, False, True, False]
    assert found.is_backward.tolist() == [True, True, False, True]


@pytest.mark.parametrize(
    ("retrieval", "expected"),
    [
        ("forward", [(0, 0), (1, 0)]),
        ("backward", [(0, 0), (0, 1), (1, 2)]),
        ("intersection", [(0, 0)]),
        ("max", [(0, 0), (1, 2)]),
    ],
)
def test_each_retrieval_takes_its_pairs(
    retrieval: RetrievalName, expected: list[tuple[int, int]]
) -> None:
    found = candidates_of(COSINES, 1)
    assert pairs_of(found, choose_pairs(found, retrieval)) == expected


def test_the_best_by_margin_is_taken_not_the_nearest() -> None:
    # target 0 is near to everything; by its margin target 1 is the better partner
    cosines = np.array([[0.8, 0.79, 0.1], [0.9, 0.2, 0.1]], np.float32)
    sides = neighbours_in(cosines, 2), neighbours_in(cosines.T, 2)
    found = list_candidates(*sides, "ratio")
    assert (0, 1) in pairs_of(found, choose_pairs(found, "forward"))


@pytest.mark.parametrize("max_rounds", [0, 1, 64])
def test_the_greedy_choice_is_that_of_a_plain_loop(
    max_rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ROUNDS", max_rounds)
    random = np.random.default_rng(3)
    sources, targets = random.integers(0, 40, (2, 300))
    taken = greedy_one_to_one(sources, targets).tolist()
    used: set[tuple[str, int]] = set()
    expected = []
    for i, ends in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
        names = {("source", ends[0]), ("target", ends[1])}
        if not names & used:
            expected.append(i)
            used |= names
    assert taken == expected


def test_runners_up_are_the_best_other_candidates() -> None:
    found = candidates_of(COSINES, 3)
    taken = choose_pairs(found, "max")
    assert pairs_of(found, taken) == [(0, 0), (1, 2)]
    rows = found.sources[taken], found.targets[taken]
    of_source, of_target = find_runners_up(found, *rows)
    assert of_source.rows.tolist() == [1, 0]  # of source 0, target 1
    np.testing.assert_allclose(of_source.scores, [0.8, 0.7])
    assert of_target.rows.tolist() == [1, 0]


def test_a_lone_pair_has_no_runner_up() -> None:
    found = candidates_of(np.array([[0.5]], np.float32), 4)
    of_source, of_target = find_runners_up(found, found.sources, found.targets)
    assert (of_source.rows.tolist(), of_target.rows.tolist()) == ([-1], [-1])
    assert np.isnan(of_source.scores).all()


def test_a_pair_that_is_no_candidate_has_the_best_one_as_runner_up() -> None:
    found = candidates_of(COSINES, 1)
    one, two = np.array([1]), np.array([1])
    of_source, of_target = find_runners_up(found, one, two)
    assert (of_source.rows.tolist(), of_target.rows.tolist()) == ([0], [0])


@pytest.mark.parametrize("retrieval", ["forward", "backward", "intersection", "max"])
def test_an_empty_side_has_no_pair(retrieval: RetrievalName) -> None:
    found = candidates_of(np.empty((3, 0), np.float32), 4)
    assert not len(choose_pairs(found, retrieval))
