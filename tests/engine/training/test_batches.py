"""Drawing of pairs and the bags of a batch, by hand and by slow references."""

import numpy as np

from app.engine.numeric import hash_runs
from app.engine.training.batches import (
    PairSampler,
    make_bags,
    mask_equal_sides,
    sort_places,
)
from app.engine.training.tokens import Language


def sampler(*sizes: int, batch_size: int, per_batch: int = 1) -> PairSampler:
    firsts = np.cumsum([0, *sizes])[:-1]
    languages = [
        Language(f"eng-{i}", int(first), size)
        for i, (first, size) in enumerate(zip(firsts, sizes, strict=True))
    ]
    return PairSampler(
        languages,
        batch_size=batch_size,
        languages_per_batch=per_batch,
        exponent=0.5,
        seed=4,
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
