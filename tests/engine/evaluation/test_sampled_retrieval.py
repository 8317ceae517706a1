"""Retrieval among random candidates: the formula of the paper, sentence by sentence."""

import numpy as np
import pytest

from app.engine.evaluation.sampled_retrieval import measure_sampled, rank_first
from app.engine.runtime.report import Report


def sides(n: int, n_pool: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(4)
    sources = generator.standard_normal((n, 6)).astype(np.float32)
    noise = generator.standard_normal((n + n_pool, 6)).astype(np.float32)
    lengths = generator.uniform(0.2, 3, (n + n_pool, 1)).astype(np.float32)
    targets = np.concatenate([sources, noise[n:]]) + 0.5 * noise
    return sources, targets * lengths


@pytest.mark.parametrize("n_pool", [0, 30])
def test_with_all_candidates_it_is_the_formula(n_pool: int) -> None:
    sources, targets = sides(40, n_pool)
    forward, backward = measure_sampled(
        sources, targets, 40, n_random=10_000, seed=1, report=Report()
    )
    for found, queries, pool in (
        (forward, sources, targets),
        (backward, targets, sources),
    ):
        ranks = []
        for i in range(40):
            own = float(np.dot(queries[i], pool[i]))
            before = [j for j in range(len(pool)) if j != i]
            n_before = sum(float(np.dot(queries[i], pool[j])) >= own for j in before)
            ranks.append(1 + n_before)
        assert found.n_pool == len(pool)
        assert found.n_found == {
            k: sum(rank <= k for rank in ranks) for k in (1, 3, 10)
        }
        assert found.n_wrong == 40 - found.n_found[1]
    assert forward.n_wrong_margin is None


def test_lengths_of_vectors_count_unlike_with_cosine() -> None:
    sources = np.array([[1, 0], [0, 1]], np.float32)
    long = np.array([[1, 0], [5, 1]], np.float32)  # nearer to 0 by dot product
    forward, _ = measure_sampled(sources, long, 2, n_random=9, seed=1, report=Report())
    assert (forward.n_wrong, forward.n_found[1]) == (1, 1)


def test_equal_candidates_are_before_the_translation() -> None:
    same = np.ones((12, 4), np.float32)
    forward, backward = measure_sampled(
        same, same, 12, n_random=9, seed=1, report=Report()
    )
    assert forward.n_found == backward.n_found == {1: 0, 3: 0, 10: 12}
    scores = np.array([[2.0, 1, 3, 2], [0, -1, -1, -1]], np.float64)
    assert rank_first(scores).tolist() == [3, 1]


def test_the_expected_precision_of_random_vectors_is_that_of_chance() -> None:
    generator = np.random.default_rng(7)
    n, m = 2_000, 9
    one, other = generator.standard_normal((2, n, 16)).astype(np.float32)
    forward, _ = measure_sampled(one, other, n, n_random=m, seed=3, report=Report())
    assert forward.n_pool == m + 1
    for k in (1, 3):
        chance = k / (m + 1)
        spread = (chance * (1 - chance) / n) ** 0.5
        assert abs(forward.n_found[k] / n - chance) < 4 * spread
    assert forward.n_found[10] == n


def test_the_same_seed_draws_the_same_candidates() -> None:
    sources, targets = sides(300)
    found = [
        measure_sampled(sources, targets, 300, n_random=20, seed=seed, report=Report())
        for seed in (1, 1, 2)
    ]
    rows = [[side.as_row("e", "a", "b") for side in one] for one in found]
    assert rows[0] == rows[1] != rows[2]
    wrong = [[side.is_wrong.tolist() for side in one] for one in found]
    assert wrong[0] == wrong[1] != wrong[2]
