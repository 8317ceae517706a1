"""Neighbour preservation of maps, by hand and against scikit-learn."""

import numpy as np
import pytest

from app.engine.mining.exact_search import ExactSide
from app.engine.projection import neighbour_preservation, points
from app.engine.projection.neighbour_preservation import measure_map
from app.engine.runtime.report import Report
from tests.engine.projection.made import make_blobs


def test_a_map_of_an_arc_keeps_all() -> None:
    angles = np.linspace(0, 1, 30) ** 1.5
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    xy = np.stack([angles, 0 * angles], axis=1).astype(np.float32)
    found = measure_map(ExactSide(vectors), xy, seed=1, report=Report())
    assert found is not None
    assert (found.k, found.n) == (14, 30)
    assert found.kept == pytest.approx(1)
    assert found.trustworthiness == pytest.approx(1)


def test_trustworthiness_is_that_of_scikit_learn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    manifold = pytest.importorskip("sklearn.manifold")
    for name, value in (("BLOCK", 11), ("QUERIES", 7)):
        monkeypatch.setattr(neighbour_preservation, name, value)
    monkeypatch.setattr(points, "BLOCK", 11)
    vectors = make_blobs(30, spread=0.4)
    xy = np.random.default_rng(5).normal(size=(60, 2)).astype(np.float32)
    xy[:, 0] += vectors[:, 0]
    found = measure_map(ExactSide(vectors), xy, seed=1, report=Report())
    assert found is not None
    wanted = manifold.trustworthiness(vectors, xy, n_neighbors=15, metric="cosine")
    assert found.trustworthiness == pytest.approx(wanted, abs=1e-6)
    cosines = vectors @ vectors.T
    squared = ((xy[:, None] - xy[None]) ** 2).sum(axis=2)
    np.fill_diagonal(cosines, -np.inf)
    np.fill_diagonal(squared, np.inf)
    near = np.argsort(-cosines, axis=1)[:, :15], np.argsort(squared, axis=1)[:, :15]
    kept = [len(np.intersect1d(*pair)) / 15 for pair in zip(*near, strict=True)]
    assert found.kept == pytest.approx(np.mean(kept))
    assert found.kept_interval[0] < found.kept < found.kept_interval[1]


def test_two_points_have_nothing_to_measure() -> None:
    side = ExactSide(make_blobs(1))
    assert (
        measure_map(side, np.zeros((2, 2), np.float32), seed=1, report=Report()) is None
    )
