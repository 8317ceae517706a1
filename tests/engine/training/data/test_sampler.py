"""Batches: bounds, like lengths, every row in turn, and going on from a state."""

import numpy as np
import pytest

from app.engine.training.data.sampler import POOL_BATCHES, BatchSampler
from app.engine.training.data.tokens import RowRange
from app.params import build_params
from app.params.training.encoder import TrainEncoder

LENGTHS = np.random.default_rng(0).integers(1, 50, 500).astype(np.int32)


def drawer(n: int = 500, *, smallest: int = 1, **settings: object) -> BatchSampler:
    values = {"name": "a", "batch_size": 8, "languages_per_batch": 1} | settings
    params = build_params(TrainEncoder, values)
    groups = [RowRange("eng-a", 0, n // 2), RowRange("eng-b", n // 2, n - n // 2)]
    return BatchSampler(groups, LENGTHS[:n], params, smallest=smallest)


def test_batches_are_bounded_in_rows_and_padded_tokens() -> None:
    drawn = drawer(batch_tokens=120)
    for _ in range(100):
        rows = drawn.draw()
        assert 1 <= len(rows) <= 8
        assert len(rows) == 1 or len(rows) * LENGTHS[rows].max() <= 120


def test_rows_of_a_batch_are_alike_in_length() -> None:
    drawn = drawer()
    batches = [LENGTHS[drawn.draw()] for _ in range(40)]
    padded = sum(len(lengths) * lengths.max() for lengths in batches)
    assert padded < 1.25 * sum(lengths.sum() for lengths in batches)


def test_an_epoch_takes_each_row_once() -> None:
    drawn = drawer(POOL_BATCHES * 8, languages_per_batch=2)
    rows = np.concatenate([drawn.draw() for _ in range(POOL_BATCHES)])
    assert sorted(rows) == list(range(POOL_BATCHES * 8))


def test_batches_below_the_smallest_are_dropped() -> None:
    drawn = drawer(batch_tokens=60, smallest=2)
    assert all(len(drawn.draw()) >= 2 for _ in range(100))


def test_rows_that_are_all_too_long_still_make_a_batch() -> None:
    drawn = drawer(4, batch_tokens=1, smallest=2)
    assert [len(drawn.draw()) for _ in range(3)] == [2, 2, 2]


@pytest.mark.parametrize("n_before", [0, 1, 5, POOL_BATCHES, 3 * POOL_BATCHES + 2])
def test_a_restored_drawer_goes_on_alike(n_before: int) -> None:
    first, restored = drawer(batch_tokens=150), drawer(batch_tokens=150)
    for _ in range(n_before):
        first.draw()
    restored.restore(first.state())
    for _ in range(2 * POOL_BATCHES):
        assert first.draw().tolist() == restored.draw().tolist()


def test_a_state_goes_on_with_half_the_batch() -> None:
    first, restored = drawer(), drawer(batch_size=4)
    for _ in range(POOL_BATCHES):
        first.draw()
    restored.restore(first.state())
    assert len(restored.draw()) == 4
