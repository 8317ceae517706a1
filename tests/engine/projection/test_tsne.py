"""t-SNE of small sets, and the message if openTSNE is missing."""

import sys
from pathlib import Path

import numpy as np
import pytest

from app.arrays import FloatArray
from app.engine.projection.pca import find_components, project_vectors
from app.engine.projection.tsne import MAX_POINTS, check_tsne, make_tsne
from app.engine.projection.umap import UmapSettings
from app.engine.runtime.report import Report
from app.errors import ResourceError, UserError
from tests.engine.projection.made import as_points, make_blobs


def make(vectors: FloatArray, folder: Path) -> FloatArray:
    points = as_points(vectors)
    flat = project_vectors(
        points.side, find_components(points.side, 2, Report()), Report()
    )
    return make_tsne(points, flat, UmapSettings(5, 0.1, 50, 1), folder, Report())


def test_blobs_stay_apart_and_the_map_is_the_same(tmp_path: Path) -> None:
    pytest.importorskip("openTSNE")
    vectors = make_blobs(30)
    found = make(vectors, tmp_path)
    assert found.shape == (60, 2)
    assert found.dtype == np.float32
    gap = np.linalg.norm(found[::2].mean(axis=0) - found[1::2].mean(axis=0))
    width = np.linalg.norm(found[::2] - found[::2].mean(axis=0), axis=1).mean()
    assert gap > 2 * width
    assert np.array_equal(make(vectors, tmp_path), found)


def test_too_many_points_are_refused() -> None:
    with pytest.raises(UserError, match="and the selection has 10,001"):
        check_tsne(MAX_POINTS + 1)


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    with pytest.raises(ResourceError, match="package openTSNE, which is not installed"):
        check_tsne(10)
