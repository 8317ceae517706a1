"""Maps as pictures: points and grids in the colours of their clusters."""

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from app.engine.reporting import map_picture
from app.engine.reporting.map_picture import draw_map
from app.engine.store.projections import ProjectionRow

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]


def make_map(folder: Path, xy: object, clusters: list[int], n: int) -> ProjectionRow:
    """Keep a map whose n clusters have a word each."""
    (folder / "arrays").mkdir()
    np.save(folder / "arrays" / "m.xy.npy", np.array(xy, np.float32).reshape(-1, 2))
    np.save(folder / "arrays" / "m.clusters.npy", np.array(clusters, np.int32))
    told = {"clusters": [{"words": [f"<word {k}>"]} for k in range(n)]}
    texts = ("a map", "ready", "pca", "one", "f", "[]")
    return ProjectionRow(1, *texts, len(clusters), "m", json.dumps(told), None, 0.0)


def test_points_have_the_colour_of_their_cluster_and_keep_the_scale(
    tmp_path: Path,
) -> None:
    made = draw_map(tmp_path, make_map(tmp_path, SQUARE, [0, 0, 1, -1], 2))
    dots = dict(re.findall(r'<path d="([^"]*)" class="dot (\w+)"', made.svg))
    # a square stays one, 492 high in the middle of 760, and y points upwards
    assert dots == {
        "M134.0 506.0h0M134.0 14.0h0": "c0",
        "M626.0 506.0h0": "c1",
        "M626.0 14.0h0": "o",
    }
    assert re.findall(r">(\d+)</text>", made.svg) == ["1", "2"]
    assert "<title>&lt;word 0&gt;</title>" in made.svg
    assert made.note == "The numbers are those of the clusters in the table."


def test_many_points_are_a_grid_that_is_deeper_where_there_are_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_picture, "MAX_DOTS", 3)
    xy = [[0, 0], *[[1, 1]] * 15, [1, 1]]
    made = draw_map(tmp_path, make_map(tmp_path, xy, [0, *[1] * 15, 0], 2))
    cells = re.findall(
        r'd="(M\d+ \d+)h4v4h-4z" class="(\w+)" fill-o\w+="(.*?)"', made.svg
    )
    # 16 points lie upon each other, most of cluster 1; log 2 is a quarter of log 17
    assert cells == [("M132 504", "c0", "0.25"), ("M624 12", "c1", "1.0")]
    assert made.note.startswith("Darker colours show more sentences.")


def test_clusters_that_are_near_each_other_differ_in_colour(tmp_path: Path) -> None:
    xy = [[index, 0] for index in range(12)]
    made = draw_map(tmp_path, make_map(tmp_path, xy, list(range(12)), 12))
    dots = {
        float(x): colour
        for path, colour in re.findall(r'd="([^"]*)" class="dot (\w+)"', made.svg)
        for x in re.findall(r"M([\d.]+) ", path)
    }
    in_order = [dots[x] for x in sorted(dots)]
    assert len(set(in_order)) == 6
    assert all(one != other for one, other in pairwise(in_order))


@pytest.mark.parametrize("xy", [[], [[2, 3]], [[2, 3], [2, 3]]])
def test_maps_of_hardly_anything_are_drawn(tmp_path: Path, xy: list[list[int]]) -> None:
    made = draw_map(tmp_path, make_map(tmp_path, xy, [-1] * len(xy), 0))
    assert made.svg.count("h0") == len(xy)
    assert "nan" not in made.svg
    assert made.note == ""
