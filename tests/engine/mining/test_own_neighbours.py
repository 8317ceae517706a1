"""Neighbours of a side in itself equal the float32 reference, for any blocks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.mining import neighbours
from app.engine.mining.block_scan import BlockShape
from app.engine.mining.exact_search import ExactSide
from app.engine.mining.neighbours import PassSettings, find_own_neighbours
from app.engine.mining.rounding import Precision
from app.engine.runtime.report import Report, SilentSink
from app.errors import Cancelled
from tests.engine.mining.vectors import all_neighbours, two_sides, unit

SMALL = BlockShape(panel=32, strip=64, n_strips=2)


def settings_of(k: int = 4, **fields: Any) -> PassSettings:
    return PassSettings(k, **{"shape": SMALL, "precision": "float32", **fields})


def check(side: ExactSide, settings: PassSettings) -> None:
    """Compare bit by bit with the slow way."""
    found = find_own_neighbours(side, settings, Report())
    wanted = all_neighbours(side, side, settings.k)
    np.testing.assert_array_equal(found.rows, wanted.rows)
    np.testing.assert_array_equal(found.scores, wanted.scores)


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("n", [1, 31, 129, 500])
def test_every_precision_gives_the_neighbours_of_the_reference(
    precision: Precision, n: int
) -> None:
    check(ExactSide(two_sides(n, 1)[0]), settings_of(precision=precision))


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_blocks_of_a_real_pass_give_them_too(precision: Precision) -> None:
    side = ExactSide(two_sides(1_300, 1, dim=16)[0])
    check(side, PassSettings(5, precision, n_threads=3))


def test_only_the_rows_that_take_part_are_neighbours() -> None:
    side = ExactSide(two_sides(200, 1)[0], np.arange(5, 195, 2))
    check(side, settings_of(precision="bfloat16"))


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_crowds_of_equal_and_nearly_equal_vectors_are_searched_again(
    precision: Precision,
) -> None:
    random = np.random.default_rng(2)
    hubs = np.repeat(random.standard_normal((3, 32)), 200, axis=0)
    noise = 1e-6 * random.standard_normal(hubs.shape)
    noise[::3] = 0  # a third are equal
    some = np.concatenate([hubs + noise, random.standard_normal((100, 32))])
    side = ExactSide(unit(some)[random.permutation(700)])
    check(side, settings_of(k=5, precision=precision))


def test_nobody_has_no_neighbours() -> None:
    side = ExactSide(two_sides(5, 1)[0], np.empty(0, np.int64))
    assert find_own_neighbours(side, settings_of(), Report()).rows.shape == (0, 0)


class StoppingSink(SilentSink):
    """Cancels a third of the way."""

    def __init__(self) -> None:
        self.report = Report(self)
        self.told: list[int] = []

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        self.told += [done] if stage == neighbours.STAGE else []
        if stage == neighbours.STAGE and 3 * done > total:
            self.report.cancel()


def test_a_cancelled_pass_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Report, "INTERVAL_S", 0)
    monkeypatch.setattr(neighbours, "SAVE_S", 0)
    side = ExactSide(two_sides(500, 1)[0])
    settings = settings_of(folder=tmp_path, key="one", n_threads=1)
    with pytest.raises(Cancelled):
        find_own_neighbours(side, settings, StoppingSink().report)
    assert list(tmp_path.glob("pass-*"))
    sink = StoppingSink()
    with pytest.raises(Cancelled):
        find_own_neighbours(side, settings, sink.report)
    assert sink.told[0] > 100  # of 500: what was recorded is not compared again
    check(side, settings)
