"""UMAP: blobs stay separate, and neighbours are cached."""

from pathlib import Path

import numpy as np
import pytest

from app.arrays import FloatArray
from app.engine.mining.exact_search import Neighbours
from app.engine.projection import umap as module
from app.engine.projection.neighbour_preservation import measure_map
from app.engine.projection.pca import find_components, project_vectors
from app.engine.projection.umap import (
    UmapSettings,
    delete_working_files,
    make_umap,
    neighbour_graph,
    remove_self_neighbours,
)
from app.engine.runtime.report import Report
from tests.engine.projection.made import as_points, make_blobs

SETTINGS = UmapSettings(10, 0.1, 100, 1)


def make(vectors: FloatArray, folder: Path, settings: UmapSettings) -> FloatArray:
    points = as_points(vectors)
    flat = project_vectors(
        points.side, find_components(points.side, 2, Report()), Report()
    )
    return make_umap(points, flat, settings, folder, Report())


def test_blobs_stay_apart(tmp_path: Path) -> None:
    vectors = make_blobs(60, n_blobs=3)
    found = make(vectors, tmp_path, SETTINGS)
    blobs = np.arange(len(found)) % 3
    centres = np.stack([found[blobs == blob].mean(axis=0) for blob in range(3)])
    nearest = np.linalg.norm(found[:, None] - centres[None], axis=2).argmin(axis=1)
    assert np.array_equal(nearest, blobs)
    quality = measure_map(as_points(vectors).side, found, seed=1, report=Report())
    assert quality is not None
    assert quality.kept > 0.3  # by chance 15 / 179
    assert quality.trustworthiness > 0.85


def test_neighbours_are_the_exact_ones_without_the_point(tmp_path: Path) -> None:
    vectors = make_blobs(20)
    near = neighbour_graph(as_points(vectors), 5, tmp_path, Report())
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    assert np.array_equal(near.rows, np.argsort(-cosines, axis=1)[:, :5])


def test_neighbours_are_found_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = make_blobs(20)
    one = make(vectors, tmp_path, SETTINGS)
    monkeypatch.delattr(module, "find_own_neighbours")
    assert np.array_equal(make(vectors, tmp_path, SETTINGS), one)


def test_fewer_points_than_neighbours_have_all_the_others(tmp_path: Path) -> None:
    found = make(make_blobs(2), tmp_path, SETTINGS)
    assert found.shape == (4, 2)
    assert np.isfinite(found).all()


def test_equal_vectors_have_a_map_without_meaning(tmp_path: Path) -> None:
    found = make(np.tile(make_blobs(1)[:1], (40, 1)), tmp_path, SETTINGS)
    assert np.isfinite(found).all()


def test_a_point_among_many_equals_loses_its_last_neighbour() -> None:
    rows = np.array([[0, 1], [0, 1], [0, 1]])
    scores = np.array([[1.0, 0.9]] * 3, np.float32)
    near = remove_self_neighbours(Neighbours(scores, rows))
    assert near.rows.tolist() == [[1], [0], [0]]
    assert near.scores.tolist() == [pytest.approx([0.9])] + [[1.0]] * 2


def test_old_sets_of_points_go(tmp_path: Path) -> None:
    for name in "abcdef":
        (tmp_path / name / "layout-x").mkdir(parents=True)
    delete_working_files(tmp_path / "f")
    assert len(list(tmp_path.iterdir())) == module.MAX_KEPT
    assert not list((tmp_path / "f").iterdir())
