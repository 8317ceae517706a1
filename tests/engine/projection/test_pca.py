"""Principal components equal those of an SVD, and are reproducible."""

import numpy as np
import pytest

from app.arrays import FloatArray
from app.engine.mining.exact_search import ExactSide
from app.engine.projection import pca, points
from app.engine.projection.pca import find_components, project_vectors
from app.engine.runtime.report import Report


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> FloatArray:
    monkeypatch.setattr(pca, "BLOCK", 7)
    monkeypatch.setattr(points, "BLOCK", 7)
    draw = np.random.default_rng(3)
    wide = draw.normal(size=(40, 5)) * [3, 2, 1, 0.5, 0.1] + 20
    return np.ascontiguousarray(wide, np.float32)


def test_components_are_those_of_the_singular_values(vectors: FloatArray) -> None:
    found = find_components(ExactSide(vectors), 3, Report())
    exact = vectors.astype(np.float64)
    centred = exact - exact.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred)
    assert np.allclose(found.mean, exact.mean(axis=0), atol=1e-4)
    assert np.allclose(np.abs((found.axes * axes[:3]).sum(axis=1)), 1, atol=1e-5)
    assert np.allclose(found.shares, (sizes**2 / (sizes**2).sum())[:3], atol=1e-5)
    placed = project_vectors(ExactSide(vectors), found, Report())
    assert np.allclose(placed, centred @ found.axes.T, atol=1e-3)


def test_the_largest_value_of_an_axis_is_positive(vectors: FloatArray) -> None:
    for side in (ExactSide(vectors), ExactSide(np.ascontiguousarray(40 - vectors))):
        axes = find_components(side, 5, Report()).axes
        assert (axes[np.arange(5), np.abs(axes).argmax(axis=1)] > 0).all()


def test_only_the_rows_that_are_points_count(vectors: FloatArray) -> None:
    rows = np.array([1, 5, 9, 30], np.int64)
    some = find_components(ExactSide(vectors, rows), 2, Report())
    alone = find_components(ExactSide(vectors[rows]), 2, Report())
    assert np.allclose(some.axes, alone.axes, atol=1e-6)


def test_equal_vectors_have_no_component() -> None:
    side = ExactSide(np.ones((9, 4), np.float32))
    found = find_components(side, 2, Report())
    assert found.shares.tolist() == [0, 0]
    assert not project_vectors(side, found, Report()).any()
