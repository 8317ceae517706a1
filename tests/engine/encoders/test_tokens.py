"""Flat arrays of tokens and padded batches of them, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.encoders.tokens import batches_by_length, collate, make_tokens


def integers(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


PIECES = make_tokens(integers(5, 6, 7, 8), integers(2, 0, 1, 1))
WORDS = make_tokens(
    integers(5, 6, 7), integers(2, 0, 1), integers(1, 2, 3, 4), integers(1, 0, 3)
)


def test_lengths_are_those_it_was_made_of() -> None:
    assert PIECES.n_sentences == 4
    assert PIECES.lengths.tolist() == [2, 0, 1, 1]
    assert WORDS.sub_lengths.tolist() == [1, 0, 3]


def test_sentences_are_taken_in_the_order_asked_for() -> None:
    taken = PIECES.take([3, 0, 0, 1])
    assert taken.ids.tolist() == [8, 5, 6, 5, 6]
    assert taken.lengths.tolist() == [1, 2, 2, 0]


def test_ngrams_follow_their_tokens() -> None:
    taken = WORDS.take([2, 0])
    assert taken.ids.tolist() == [7, 5, 6]
    assert taken.sub_ids.tolist() == [2, 3, 4, 1]
    assert taken.sub_lengths.tolist() == [3, 1, 0]


def test_batch_is_padded_at_the_end() -> None:
    batch = collate(PIECES, [2, 0])
    assert batch.ids.tolist() == [[7, 0], [5, 6]]
    assert batch.is_token.tolist() == [[True, False], [True, True]]
    assert batch.lengths.tolist() == [1, 2]
    assert len(batch.sub_starts) == 0


def test_empty_sentence_becomes_one_unknown_token() -> None:
    batch = collate(PIECES, [1, 0])
    assert batch.ids.tolist() == [[0, 0], [5, 6]]
    assert batch.is_token.tolist() == [[True, False], [True, True]]


def test_ngrams_of_a_batch_stay_with_their_tokens_beside_an_empty_sentence() -> None:
    batch = collate(WORDS, [0, 1, 2, 1])
    # tokens: 5 with n-gram 1, 6 with none, the empty one, 7 with 2 3 4, the empty one
    assert batch.sub_ids.tolist() == [1, 2, 3, 4]
    assert batch.sub_starts.tolist() == [0, 1, 1, 1, 4]
    assert int(batch.is_token.sum()) == len(batch.sub_starts)


def test_no_sentences_are_no_batch() -> None:
    assert batches_by_length(integers(), 100, 10) == []


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=60),
    st.integers(1, 200),
    st.integers(1, 20),
)
def test_batches_hold_every_sentence_once_within_their_bounds(
    lengths: list[int], max_tokens: int, max_sentences: int
) -> None:
    batches = batches_by_length(integers(*lengths), max_tokens, max_sentences)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    sizes = [lengths[i] for i in np.concatenate(batches)]
    assert sizes == sorted(lengths, reverse=True)
    for batch in batches:
        n_padded = len(batch) * max(1, max(lengths[i] for i in batch))
        assert len(batch) <= max_sentences
        assert n_padded <= max_tokens or len(batch) == 1


def test_equal_lengths_stay_in_order() -> None:
    (batch,) = batches_by_length(integers(2, 3, 2, 3), 100, 10)
    assert batch.tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("n", [0, 3])
def test_taken_arrays_are_of_the_types_promised(n: int) -> None:
    taken = WORDS.take(range(n))
    assert taken.ids.dtype == taken.sub_ids.dtype == np.int32
    assert taken.ends.dtype == taken.sub_ends.dtype == np.int64
