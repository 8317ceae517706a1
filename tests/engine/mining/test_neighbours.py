"""Neighbours in both directions equal the float32 reference, for any blocks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.engine.mining import neighbours
from app.engine.mining.block_scan import BlockShape, choose_shape
from app.engine.mining.exact_search import ExactSide, Neighbours
from app.engine.mining.neighbours import PassSettings, find_neighbours
from app.engine.mining.rounding import Precision, choose_precision, round_side
from app.engine.runtime.report import Report
from app.errors import Cancelled, UserError
from tests.engine.mining.vectors import all_neighbours, two_sides, unit

SMALL = BlockShape(panel=32, strip=64, n_strips=2)
PRECISIONS: list[Precision] = ["float32", "bfloat16", "float16"]
Sides = tuple[Neighbours, Neighbours]


def settings_of(k: int = 4, **fields: Any) -> PassSettings:
    return PassSettings(k, **{"shape": SMALL, "precision": "float32", **fields})


def found_in(source: ExactSide, target: ExactSide, settings: PassSettings) -> Sides:
    return find_neighbours(source, target, settings, Report())


def check_equal(found: Sides, source: ExactSide, target: ExactSide, k: int) -> None:
    """Compare bit by bit with the slow way."""
    wanted = (all_neighbours(source, target, k), all_neighbours(target, source, k))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)
        np.testing.assert_array_equal(one.rows, other.rows)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(("n", "m"), [(300, 500), (31, 65), (129, 7)])
def test_every_precision_gives_the_neighbours_of_the_reference(
    precision: Precision, n: int, m: int
) -> None:
    source, target = map(ExactSide, two_sides(n, m))
    found = found_in(source, target, settings_of(precision=precision))
    check_equal(found, source, target, 4)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_blocks_of_a_real_pass_give_them_too(precision: Precision) -> None:
    source, target = map(ExactSide, two_sides(700, 2_500, dim=16))
    found = found_in(source, target, PassSettings(16, precision))
    check_equal(found, source, target, 16)


def test_any_number_of_threads_gives_them_too() -> None:
    source, target = map(ExactSide, two_sides(900, 300))
    n_before = torch.get_num_threads()
    found = found_in(source, target, settings_of(n_threads=3))
    check_equal(found, source, target, 4)
    assert torch.get_num_threads() == n_before


def test_only_the_rows_that_take_part_are_neighbours() -> None:
    source, target = two_sides(90, 80)
    some = ExactSide(target, np.arange(5, 75, 2))
    found = found_in(ExactSide(source), some, settings_of(precision="bfloat16"))
    check_equal(found, ExactSide(source), some, 4)


def test_one_sentence_has_the_other_one_as_its_neighbour() -> None:
    source = ExactSide(unit(np.ones((1, 8), np.float32)))
    of_source, of_target = found_in(source, source, settings_of())
    assert of_source.rows.tolist() == of_target.rows.tolist() == [[0]]
    np.testing.assert_allclose(of_source.scores, 1, atol=1e-6)


def test_k_larger_than_the_other_side_gives_all_of_it() -> None:
    source, target = map(ExactSide, two_sides(40, 3))
    found = found_in(source, target, settings_of(k=50))
    assert found[0].rows.shape == (40, 3)
    assert found[1].rows.shape == (3, 40)
    check_equal(found, source, target, 50)


def test_an_empty_side_gives_no_neighbours() -> None:
    source = ExactSide(two_sides(5, 5)[0])
    empty = ExactSide(source.vectors, np.empty(0, np.int64))
    of_source, of_empty = found_in(source, empty, settings_of())
    assert of_source.rows.shape == (5, 0)
    assert of_empty.rows.shape == (0, 0)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_equal_vectors_are_given_up_and_searched_again(precision: Precision) -> None:
    vector = unit(np.random.default_rng(1).standard_normal((1, 32)))
    source = ExactSide(np.repeat(vector, 400, axis=0))
    found = found_in(source, source, settings_of(precision=precision))
    check_equal(found, source, source, 4)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_crowds_of_equal_and_nearly_equal_vectors_are_searched_again(
    precision: Precision,
) -> None:
    random = np.random.default_rng(2)
    hubs = np.repeat(random.standard_normal((3, 32)), 200, axis=0)
    noise = 1e-6 * random.standard_normal(hubs.shape)
    noise[::3] = 0  # a third are equal
    target = ExactSide(unit(hubs + noise)[random.permutation(600)])
    source = ExactSide(unit(np.concatenate([hubs[::4], two_sides(90, 1)[0]])))
    found = found_in(source, target, settings_of(k=5, precision=precision))
    check_equal(found, source, target, 5)


def test_zeros_of_either_sign_are_one_vector() -> None:
    source = np.zeros((300, 8), np.float32)
    source[:, 0] = 1
    source[::2, 1] = -0.0
    side = ExactSide(source)
    check_equal(found_in(side, side, settings_of()), side, side, 4)


def test_opposite_vectors_have_negative_neighbours() -> None:
    source, _ = two_sides(300, 1, dim=8)
    source = unit(np.abs(source))
    target = ExactSide(-source)
    found = found_in(ExactSide(source), target, settings_of(precision="bfloat16"))
    assert found[0].scores.max() < 0
    check_equal(found, ExactSide(source), target, 4)


def test_a_vector_that_is_not_finite_is_refused_with_its_row() -> None:
    source, target = two_sides(50, 50)
    target[17, 3] = np.nan
    with pytest.raises(UserError, match="row 18 contains a value that is not a finite"):
        found_in(ExactSide(source), ExactSide(target), settings_of())


class _Stops(Report):
    """Cancels at its n-th step."""

    def __init__(self, n: int):
        super().__init__()
        self._left = n

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        self._left -= 1
        if not self._left:
            self.cancel()
        super().step(stage, done, total, note)


def test_a_pass_that_was_stopped_goes_on_to_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "SAVE_S", 0.0)
    source, target = map(ExactSide, two_sides(400, 300))
    settings = settings_of(precision="bfloat16", folder=tmp_path / "pass", key="a")
    with pytest.raises(Cancelled):
        find_neighbours(source, target, settings, _Stops(3))
    steps: list[int] = []

    class _Listens(Report):
        def step(self, stage: str, done: int, total: int, note: str = "") -> None:
            if stage == neighbours.STAGE:
                steps.append(done)

    found = find_neighbours(source, target, settings, _Listens())
    assert 0 < steps[0] < 400
    check_equal(found, source, target, 4)


def test_the_record_of_another_pass_is_not_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "SAVE_S", 0.0)
    source, target = map(ExactSide, two_sides(100, 100))
    first = settings_of(folder=tmp_path, key="a")
    with pytest.raises(Cancelled):
        find_neighbours(source, target, first, _Stops(3))
    other = ExactSide(two_sides(100, 100, seed=2)[0])
    found = found_in(other, target, settings_of(folder=tmp_path, key="b"))
    check_equal(found, other, target, 4)


def test_a_gpu_that_is_too_small_leaves_the_work_to_the_cpu(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def too_small(*arguments: Any) -> Any:
        if arguments[3] == "cuda:0":
            raise torch.OutOfMemoryError
        return round_side(*arguments)

    monkeypatch.setattr(neighbours, "round_side", too_small)
    source, target = map(ExactSide, two_sides(60, 50))
    found = found_in(source, target, settings_of(device="cuda:0"))
    check_equal(found, source, target, 4)
    assert "memory is too small" in caplog.text


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no NVIDIA GPU")
@pytest.mark.parametrize("n", [700, 9_000])  # one block, and several
def test_a_gpu_gives_them_too(n: int) -> None:
    source, target = map(ExactSide, two_sides(n, 2 * n, dim=64))
    found = found_in(source, target, PassSettings(8, device="cuda:0"))
    wanted = found_in(source, target, PassSettings(8, "float32"))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)
        np.testing.assert_array_equal(one.rows, other.rows)


def test_the_shape_of_blocks_for_a_gpu_gives_them_on_a_cpu_too() -> None:
    source, target = map(ExactSide, two_sides(500, 400))
    shape = choose_shape(500, 1, "cuda:0")
    found = found_in(source, target, PassSettings(4, "float16", shape=shape))
    check_equal(found, source, target, 4)


def test_the_precision_is_the_quickest_of_this_machine() -> None:
    assert choose_precision(32, "cpu") in ("float32", "bfloat16")
    assert choose_precision(32, "cuda:0") == "float16"
