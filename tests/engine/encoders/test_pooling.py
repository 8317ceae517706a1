"""Rows of a text, hashes of bigrams, and unit rows, by hand."""

import numpy as np

from app.engine.encoders.static.table_rows import hash_bigrams, table_rows
from app.engine.numeric import normalise_rows


def rows_of(
    pieces: list[int], lengths: list[int], n_bigrams: int
) -> tuple[list[int], list[int]]:
    rows, starts = table_rows(
        np.array(pieces, np.int32),
        np.array(lengths, np.int32),
        n_pieces=10,
        n_bigrams=n_bigrams,
        space_id=9,
    )
    return rows.tolist(), starts.tolist()


def bigram_row(left: int, right: int) -> int:
    mask = 2**32 - 1
    mixed = (left * 0x9E3779B1 + right * 0x85EBCA77) & mask
    mixed ^= mixed >> 15
    mixed = mixed * 0xC2B2AE35 & mask
    mixed ^= mixed >> 16
    return 10 + mixed % 7


def test_unit_rows_have_length_one_and_zero_rows_stay_zero() -> None:
    vectors = np.array([[3, 4], [0, 0], [0, 1e-30]], np.float32)
    unit_vectors, norms = normalise_rows(vectors)
    np.testing.assert_allclose(unit_vectors[0], [0.6, 0.8], rtol=1e-6)
    assert not unit_vectors[1].any()
    assert np.isfinite(unit_vectors).all()
    np.testing.assert_allclose(norms[:2], [5, 0])


def test_without_bigrams_rows_are_pieces() -> None:
    assert rows_of([1, 9, 2], [2, 1], 0) == ([1, 0, 2], [0, 2])


def test_bigrams_stand_beside_their_first_piece_and_end_with_the_text() -> None:
    rows, starts = rows_of([1, 2, 3, 4, 5], [3, 0, 2], 7)
    assert starts == [0, 6, 6]
    assert rows == [
        *(1, bigram_row(1, 2), 2, bigram_row(2, 3), 3, 0),
        *(4, bigram_row(4, 5), 5, 0),
    ]


def test_unknown_pieces_and_spaces_are_silent_with_their_bigrams() -> None:
    rows, _ = rows_of([1, 0, 2, 9, 3], [5], 7)
    assert rows == [1, 0, 0, 0, 2, 0, 0, 0, 3, 0]


def test_no_text_and_empty_texts_have_no_rows() -> None:
    assert rows_of([], [], 7) == ([], [])
    assert rows_of([], [0, 0], 7) == ([], [0, 0])


def test_hash_of_bigrams_never_changes() -> None:
    left, right = np.array([1, 47_999], np.int32), np.array([2, 1], np.int32)
    hashes = hash_bigrams(left, right, 65_536)
    assert hashes.tolist() == [52_379, 33_369]
