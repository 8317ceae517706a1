"""NN, ISF and CSLS equal slow references, and CSLS is immune to hubs."""

import numpy as np
import pytest

from app.arrays import DoubleArray, FloatArray
from app.engine.mining.scores import margin_scores
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.wordvectors.retrieval import (
    TEMPERATURE,
    K,
    best_rows,
    measure_neighbourhoods,
    mutual_pairs,
    rank_targets,
    target_penalties,
)
from app.params.word_vectors import RetrievalName


def _unit(random: np.random.Generator, n: int, dim: int) -> FloatArray:
    return normalise_rows(random.standard_normal((n, dim)).astype(np.float32))[0]


def _slow_scores(source: FloatArray, target: FloatArray, method: str) -> DoubleArray:
    """Score every pair word by word, as the formulas have it."""
    scores = np.empty((len(source), len(target)))
    for i, x in enumerate(source):
        for j, y in enumerate(target):
            cosine = float(x @ y)
            if method == "csls":
                to_x = sorted((float(x @ one) for one in target), reverse=True)[:K]
                to_y = sorted((float(y @ one) for one in source), reverse=True)[:K]
                scores[i, j] = 2 * cosine - sum(to_x) / K - sum(to_y) / K
            elif method == "isf":
                total = sum(np.exp(TEMPERATURE * float(one @ y)) for one in source)
                scores[i, j] = np.exp(TEMPERATURE * cosine) / total
            else:
                scores[i, j] = cosine
    return scores


@pytest.mark.parametrize("method", ["nn", "isf", "csls"])
def test_every_ranking_equals_a_slow_reference(method: RetrievalName) -> None:
    random = np.random.default_rng(5)
    source, target = _unit(random, 30, 8), _unit(random, 40, 8)
    near = measure_neighbourhoods(source, target, Report())
    found = rank_targets(source, target, target_penalties(near, method), 6, method)
    slow = _slow_scores(source, target, method)
    expected = np.argsort(-slow, axis=1)[:, :6]
    np.testing.assert_array_equal(found.rows, expected)
    best = np.take_along_axis(slow, expected, axis=1)
    scores = found.scores
    if method == "csls":
        scores = scores - near.source_means[:, None]
    if method == "isf":
        scores = np.exp(scores)
    np.testing.assert_allclose(scores, best, atol=2e-5)


def test_csls_is_twice_the_distance_margin_of_mining() -> None:
    random = np.random.default_rng(6)
    source, target = _unit(random, 50, 16), _unit(random, 60, 16)
    near = measure_neighbourhoods(source, target, Report())
    found = rank_targets(source, target, near.target_means, 3, "csls")
    csls = found.scores - near.source_means[:, None]
    cosines = np.einsum("qd,qkd->qk", source, target[found.rows])
    own = np.repeat(near.source_means[:, None], 3, axis=1)
    distance = margin_scores(cosines, own, near.target_means[found.rows], "distance")
    np.testing.assert_allclose(csls, 2 * distance, atol=1e-6)


def test_mutual_pairs_are_the_best_of_each_other() -> None:
    random = np.random.default_rng(7)
    source, target = _unit(random, 700, 6), _unit(random, 650, 6)
    near = measure_neighbourhoods(source, target, Report())
    scores = 2 * source @ target.T
    scores -= near.source_means[:, None] + near.target_means
    forward, backward = scores.argmax(axis=1), scores.argmax(axis=0)
    expected = [i for i in range(700) if backward[forward[i]] == i]
    means = near.source_means, near.target_means
    found = mutual_pairs(source, target, means, Report(), "")
    assert found.sources.tolist() == expected
    assert found.targets.tolist() == forward[expected].tolist()
    best = best_rows(source, target, near.target_means, Report())
    assert best.tolist() == forward.tolist()


def test_csls_beats_nearest_neighbours_where_there_are_hubs() -> None:
    random = np.random.default_rng(8)
    n, dim, n_hubs = 400, 20, 40
    source = _unit(random, n, dim)
    noise = 0.35 * random.standard_normal((n, dim)).astype(np.float32)
    target = normalise_rows(source + noise)[0]
    # a hub is near the middle of many words: their mean
    groups = random.integers(0, n, (n_hubs, 6))
    hubs = normalise_rows(source[groups].mean(axis=1))[0]
    everything = np.concatenate([target, hubs])
    near = measure_neighbourhoods(source, everything, Report())
    shares = {}
    for method in ("nn", "isf", "csls"):
        penalties = target_penalties(near, method)
        best = rank_targets(source, everything, penalties, 1, method).rows[:, 0]
        shares[method] = float((best == np.arange(n)).mean())
    assert shares["csls"] > shares["nn"]
    assert shares["isf"] > shares["nn"]
    assert near.hub_counts[n:].mean() > near.hub_counts[:n].mean()


def test_the_counts_of_hubs_add_up() -> None:
    random = np.random.default_rng(9)
    source, target = _unit(random, 25, 5), _unit(random, 8, 5)
    near = measure_neighbourhoods(source, target, Report())
    assert near.hub_counts.sum() == 25 * 8  # all eight are among the nearest ten
    np.testing.assert_allclose(
        near.source_means, (source @ target.T).mean(axis=1), atol=1e-6
    )
