"""The layout: its curve, its seed, and its state after a kill and a cancel."""

from pathlib import Path

import numpy as np
import pytest
import torch

from app.engine.projection import layout as module
from app.engine.projection.fuzzy_graph import FuzzyEdges
from app.engine.projection.layout import (
    LayoutSettings,
    first_positions,
    fit_curve,
    lay_out,
)
from app.engine.runtime.report import Report, SilentSink
from app.errors import Cancelled

SETTINGS = LayoutSettings(0.1, 20, 1)


def make_edges(n: int = 300) -> FuzzyEdges:
    draw = np.random.default_rng(2)
    pairs = np.sort(draw.integers(0, n, (5 * n, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    weights = draw.uniform(0.1, 1, len(pairs)).astype(np.float32)
    heads, tails = pairs.T.astype(np.int32)
    return FuzzyEdges(heads, tails, weights)


def begin(n: int = 300) -> torch.Tensor:
    draw = np.random.default_rng(3)
    return first_positions(draw.normal(size=(n, 2)).astype(np.float32), 1)


@pytest.mark.parametrize(
    ("min_dist", "wanted"),
    [(0.1, (1.577, 0.895)), (0.001, (1.929, 0.792)), (0.5, (0.583, 1.334))],
)
def test_the_curve_has_the_known_parameters(
    min_dist: float, wanted: tuple[float, float]
) -> None:
    # those that the authors' code finds with scipy's curve_fit
    assert fit_curve(min_dist) == pytest.approx(wanted, abs=1e-3)


def test_the_same_seed_gives_the_same_map() -> None:
    one, two = (lay_out(make_edges(), begin(), SETTINGS, Report()) for _ in range(2))
    other = lay_out(make_edges(), begin(), SETTINGS._replace(seed=2), Report())
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)
    assert np.isfinite(one).all()
    assert one.mean(axis=0).tolist() == pytest.approx([0, 0], abs=1e-5)


class StoppingSink(SilentSink):
    """Cancels after some steps."""

    def __init__(self, n_steps: int):
        self.report = Report(self)
        self._left = n_steps

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        self._left -= 1
        if not self._left:
            self.report.cancel()


def test_a_stopped_layout_goes_on_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Report, "INTERVAL_S", 0)
    monkeypatch.setattr(module, "SAVE_S", 0)
    whole = lay_out(make_edges(), begin(), SETTINGS, Report())
    kept = SETTINGS._replace(folder=tmp_path)
    with pytest.raises(Cancelled):
        lay_out(make_edges(), begin(), kept, StoppingSink(60).report)
    (record,) = tmp_path.iterdir()
    assert 0 < int(record.stem.partition("-")[2]) < SETTINGS.n_epochs
    assert np.array_equal(lay_out(make_edges(), begin(), kept, Report()), whole)


def test_threads_are_given_back_after_a_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Report, "INTERVAL_S", 0)
    before = torch.get_num_threads()
    with pytest.raises(Cancelled):
        lay_out(make_edges(), begin(), SETTINGS, StoppingSink(2).report)
    assert torch.get_num_threads() == before


def test_edges_draw_ends_together_and_negatives_the_rest_apart() -> None:
    # two chains of ten: neighbours of a chain end nearer than points of both
    ends = np.arange(19, dtype=np.int32)
    ends = ends[ends != 9]
    edges = FuzzyEdges(ends, ends + 1, np.ones(len(ends), np.float32))
    found = lay_out(edges, begin(20), SETTINGS._replace(n_epochs=300), Report())
    steps = np.linalg.norm(found[ends] - found[ends + 1], axis=1)
    apart = np.linalg.norm(found[:10, None] - found[None, 10:], axis=2)
    assert np.median(steps) < 0.5 * np.median(apart)
