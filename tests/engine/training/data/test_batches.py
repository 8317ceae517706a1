"""Drawing of pairs and the bags of a batch, by hand and by slow references."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.numeric import hash_runs
from app.engine.training.data.batches import (
    PairSampler,
    file_factors,
    make_bags,
    mask_equal_sides,
    parse_weight,
    sort_places,
)
from app.engine.training.data.tokens import RowRange
from app.errors import UserError


def sampler(
    *sizes: int,
    batch_size: int,
    per_batch: int = 1,
    exponent: float = 0.5,
    weights: tuple[str, ...] = (),
) -> PairSampler:
    firsts = np.cumsum([0, *sizes])[:-1]
    languages = [
        RowRange(f"eng-{i}", int(first), size)
        for i, (first, size) in enumerate(zip(firsts, sizes, strict=True))
    ]
    return PairSampler(
        languages,
        batch_size=batch_size,
        languages_per_batch=per_batch,
        exponent=exponent,
        seed=4,
        factors=file_factors(languages, weights),
    )


def test_an_epoch_takes_each_pair_once() -> None:
    drawn = sampler(12, batch_size=4)
    first_epoch = np.concatenate([drawn.draw(step) for step in range(3)])
    second_epoch = np.concatenate([drawn.draw(step) for step in range(3, 6)])
    assert sorted(first_epoch) == list(range(12))
    assert sorted(second_epoch) == list(range(12))
    assert list(first_epoch) != list(second_epoch)


def test_small_languages_give_all_and_others_fill_the_batch() -> None:
    drawn = sampler(3, 3, 3, batch_size=8)
    pair_ids = drawn.draw(0)
    assert len(pair_ids) == 8
    assert len(set(pair_ids)) == 8


def test_a_batch_is_never_larger_than_all_pairs() -> None:
    assert sorted(sampler(2, 3, batch_size=64).draw(0)) == [0, 1, 2, 3, 4]


def test_too_few_languages_give_more_than_their_share() -> None:
    pair_ids = sampler(100, batch_size=8, per_batch=4).draw(0)
    assert len(set(pair_ids)) == 8


def test_two_languages_share_a_batch() -> None:
    pair_ids = sampler(100, 100, batch_size=10, per_batch=2).draw(0)
    assert sum(pair_ids < 100) == 5


def test_languages_are_drawn_by_the_root_of_their_size() -> None:
    drawn = sampler(900, 100, batch_size=1)
    counts = np.bincount([int(drawn.draw(s)[0]) // 900 for s in range(2000)])
    assert abs(counts[0] / 2000 - 0.75) < 0.03  # 30 to 10; 3 standard deviations


def test_a_restored_sampler_draws_the_same_pairs() -> None:
    first, second = (sampler(50, 20, batch_size=8) for _ in range(2))
    for step in range(9):
        first.draw(step)
    second.n_drawn[:] = first.n_drawn
    assert list(first.draw(9)) == list(second.draw(9))


def test_bags_name_the_bags_of_each_row_but_the_silent_one() -> None:
    rows = np.array([5, 3, 0, 5, 3, 5], np.int32)
    bags = make_bags(rows, np.array([0, 3, 4]), n_silent=1)
    assert bags.places.tolist() == [5, 3, 0, 5, 3, 5]
    assert bags.rows.tolist() == [3, 5]
    assert bags.row_bags.tolist() == [0, 2, 0, 1, 2]
    assert bags.row_starts.tolist() == [0, 2]


def test_places_are_sorted_as_by_numpy_above_16_bits_too() -> None:
    values = np.random.default_rng(0).integers(0, 300_000, 5_000).astype(np.int32)
    assert sort_places(values).tolist() == np.argsort(values, kind="stable").tolist()


def test_pairs_with_an_equal_side_are_masked() -> None:
    # three pairs: English 7 8, 7 8, 9; foreign 1, 2, 2
    piece_ids = np.array([7, 8, 7, 8, 9, 1, 2, 2], np.int32)
    lengths = np.array([2, 2, 1, 1, 1, 1], np.int32)
    masked = mask_equal_sides(piece_ids, lengths)
    assert masked.tolist() == [
        [False, True, False],
        [True, False, True],
        [False, True, False],
    ]


def test_hash_of_a_side_knows_the_order_of_its_pieces() -> None:
    piece_ids = np.array([1, 2, 2, 1, 1, 2], np.int32)
    hashes = hash_runs(piece_ids, np.array([2, 2, 0, 2], np.int32))
    assert hashes[0] == hashes[3]
    assert hashes[0] != hashes[1]
    assert hashes[2] == 0


def share_of(size: int, sizes: list[int], exponent: float) -> float:
    """Return q_i = n_i^a / sum_j n_j^a (Conneau and Lample 2019, section 3.1)."""
    return float(size**exponent / sum(other**exponent for other in sizes))


@given(
    sizes=st.lists(st.integers(500, 100_000), min_size=2, max_size=5),
    exponent=st.floats(0, 1),
    per_batch=st.sampled_from([1, 2, 3, 16]),
    batch_size=st.sampled_from([48, 100]),
)
@settings(max_examples=25, deadline=None)
def test_few_languages_have_the_shares_of_the_formula_in_the_long_run(
    sizes: list[int], exponent: float, per_batch: int, batch_size: int
) -> None:
    drawn = sampler(
        *sizes, batch_size=batch_size, per_batch=per_batch, exponent=exponent
    )
    n_batches = 600
    for step in range(n_batches):
        drawn.draw(step)
    found = drawn.n_drawn / (n_batches * batch_size)
    # a language's slots of a batch are its expected ones, rounded up or down: their
    # standard deviation is at most 1/2; 5 of those of the mean
    bound = 5 * 0.5 / per_batch / n_batches**0.5
    for i, size in enumerate(sizes):
        assert abs(found[i] - share_of(size, sizes, exponent)) < bound


@pytest.mark.parametrize("per_batch", [2, 16])
def test_a_large_language_has_its_share_of_a_few(per_batch: int) -> None:
    sizes = [100_000, 10_000, 1_000]
    drawn = sampler(*sizes, batch_size=96, per_batch=per_batch, exponent=1.0)
    for step in range(3_000):
        drawn.draw(step)
    found = drawn.n_drawn / drawn.n_drawn.sum()
    np.testing.assert_allclose(found, [100 / 111, 10 / 111, 1 / 111], atol=0.006)


def test_a_batch_has_no_more_languages_than_slots() -> None:
    drawn = sampler(*[1_000] * 9, batch_size=60, per_batch=4)
    for step in range(50):
        assert len({int(i) // 1_000 for i in drawn.draw(step)}) == 4


def test_weights_of_files_multiply_their_shares() -> None:
    weights = ("eng-[12]:0.5", "eng-2:0.25")  # the last match applies
    drawn = sampler(400, 400, 400, batch_size=70, per_batch=7, weights=weights)
    for step in range(400):
        drawn.draw(step)
    found = drawn.n_drawn / drawn.n_drawn.sum()
    # 1 : 1/2 : 1/4
    np.testing.assert_allclose(found, [4 / 7, 2 / 7, 1 / 7], atol=0.006)


@pytest.mark.parametrize("text", ["eng-deu", ":2", "eng-deu:0", "eng-deu:x", "a:1e9"])
def test_a_weight_without_pattern_or_number_is_rejected(text: str) -> None:
    with pytest.raises(UserError, match="is not a weight of pair files"):
        parse_weight(text)
