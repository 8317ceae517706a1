"""The static encoder: sums by hand, and texts of every kind."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from app.engine.encoders import folder
from app.engine.encoders.encoder import CHUNK_TEXTS, Encoder, split_texts
from app.engine.encoders.static.encoder import StaticEncoder, read_romaniser
from app.engine.encoders.static.table_rows import table_rows
from app.engine.text.subword_vocabulary import Vocabulary
from app.errors import UserError
from tests.engine.encoders.conftest import DIM, N_BIGRAMS

ODD_TEXTS = [
    "",
    " ",
    "b",
    "…?!—",
    "🙂🙂",
    "ba\ud800do",
    "\udfff",
    "\x00",
    "ba\nd\u2028o",
    "bado " * 10_000,
    "a\u0301" * 300,
    "﷽",
]


def test_vector_is_the_sum_of_its_rows(
    encoder: StaticEncoder, vocabulary: Vocabulary, table: np.ndarray
) -> None:
    texts = ["bado kilu", "", "meno"]
    piece_ids, lengths = vocabulary.tokenise(texts)
    rows, starts = table_rows(
        piece_ids,
        lengths,
        n_pieces=vocabulary.n_pieces,
        n_bigrams=N_BIGRAMS,
        space_id=vocabulary.space_id,
    )
    bags = np.split(rows, starts[1:])
    expected = np.stack([table[bag].sum(axis=0) for bag in bags])
    np.testing.assert_allclose(encoder.encode(texts), expected, atol=1e-5)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_text_gives_a_finite_row(encoder: StaticEncoder, text: str) -> None:
    vectors = encoder.encode([text])
    assert vectors.shape == (1, DIM)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()


def test_odd_texts_do_not_change_their_neighbours(encoder: StaticEncoder) -> None:
    together = encoder.encode(ODD_TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in ODD_TEXTS])
    np.testing.assert_allclose(together, alone, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("text", ["", "   ", "🙂🙂", "𓀀", "\udfff"])
def test_text_without_a_known_piece_gives_a_zero_row(
    encoder: StaticEncoder, text: str
) -> None:
    assert not encoder.encode([text]).any()


def test_no_texts_give_no_rows(encoder: StaticEncoder) -> None:
    assert encoder.encode([]).shape == (0, DIM)


def test_case_and_compatibility_forms_do_not_count(encoder: StaticEncoder) -> None:
    vectors = encoder.encode(["bado", "BADO", "ｂａｄｏ"])
    np.testing.assert_array_equal(vectors[0], vectors[1])
    np.testing.assert_array_equal(vectors[0], vectors[2])


def test_many_texts_are_cut_into_runs() -> None:
    texts = ["a"] * (CHUNK_TEXTS + 1) + ["b" * 3_000_000, "c"]
    assert list(split_texts(texts)) == [
        (0, CHUNK_TEXTS),
        (CHUNK_TEXTS, CHUNK_TEXTS + 2),
        (CHUNK_TEXTS + 2, CHUNK_TEXTS + 3),
    ]


def test_unknown_share_counts_pieces(encoder: StaticEncoder) -> None:
    assert encoder.count_pieces(["bado"]).unknown_share == 0
    assert encoder.count_pieces(["𓀀"]).unknown_share == 1
    assert encoder.count_pieces([""]).unknown_share == 0


def test_too_small_gpu_gets_smaller_runs(
    encoder: StaticEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["bado", "kilu", "meno", "su te", "ri"]
    expected = encoder.encode(texts)
    encode_chunk = encoder._encode_chunk

    def encode_two_at_most(texts: list[str]) -> np.ndarray:
        if len(texts) > 2:
            raise torch.OutOfMemoryError
        return encode_chunk(texts)

    monkeypatch.setattr(encoder, "_encode_chunk", encode_two_at_most)
    np.testing.assert_array_equal(encoder.encode(texts), expected)


def test_it_keeps_the_protocol(encoder: StaticEncoder) -> None:
    kept: Encoder = encoder
    assert kept.name == "tiny"


def test_negative_sizes_of_letters_are_refused(tmp_path: Path) -> None:
    arrays: dict[str, np.ndarray] = {
        "romaniser.codes": np.array([1, 2], np.uint32),
        "romaniser.sizes": np.array([-1, 3], np.int8),
        "romaniser.letters": np.array([97, 98], np.uint8),
    }
    save_file(arrays, tmp_path / folder.WEIGHTS_FILE)

    with pytest.raises(UserError, match="doesn't contain the expected character"):
        read_romaniser(tmp_path)
