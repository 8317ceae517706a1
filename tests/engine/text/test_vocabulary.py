"""Cutting texts into pieces, and vocabularies that cannot be loaded."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.text.subword_vocabulary import (
    MAX_CHARACTERS,
    MODEL_FILE,
    UNKNOWN_ID,
    Vocabulary,
    fit_vocabulary,
    load_vocabulary,
)
from app.errors import UserError


def test_pieces_of_all_texts_stand_one_after_the_other(vocabulary: Vocabulary) -> None:
    piece_ids, lengths = vocabulary.tokenise(["bado kilu", "", "meno"])
    first, _ = vocabulary.tokenise(["bado kilu"])
    last, _ = vocabulary.tokenise(["meno"])
    assert piece_ids.tolist() == [*first, *last]
    assert lengths.tolist() == [len(first), 0, len(last)]
    assert piece_ids.dtype == lengths.dtype == np.int32


def test_threads_do_not_change_the_pieces(vocabulary: Vocabulary) -> None:
    texts = [f"bado {'kilu ' * (i % 7)}" for i in range(100)]
    one, _ = vocabulary.tokenise(texts)
    two, _ = vocabulary.tokenise(texts, n_threads=2)
    assert one.tolist() == two.tolist()


def test_unpaired_surrogate_is_read_as_the_replacement(vocabulary: Vocabulary) -> None:
    with_surrogate, _ = vocabulary.tokenise(["ba\ud83ddo", "kilu"])
    replaced, _ = vocabulary.tokenise(["ba\ufffddo", "kilu"])
    assert with_surrogate.tolist() == replaced.tolist()


def test_text_is_cut_after_its_longest_length(vocabulary: Vocabulary) -> None:
    longest = "ba " * MAX_CHARACTERS
    piece_ids, _ = vocabulary.tokenise([longest, "kilu"])
    expected, _ = vocabulary.tokenise([longest[:MAX_CHARACTERS], "kilu"])
    assert piece_ids.tolist() == expected.tolist()


def test_unknown_piece_has_its_id(vocabulary: Vocabulary) -> None:
    piece_ids, _ = vocabulary.tokenise(["𓀀"])
    assert piece_ids[-1] == UNKNOWN_ID
    assert vocabulary.count_pieces(["𓀀 𓀀", "𓀀"]).unknown_share == 1


@pytest.mark.parametrize("content", [None, b"", b"no model"])
def test_missing_or_damaged_model_is_a_users_error(
    tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / MODEL_FILE).write_bytes(content)
    with pytest.raises(UserError, match=r"vocabulary\.model"):
        load_vocabulary(tmp_path)


def test_too_little_text_is_a_users_error(tmp_path: Path) -> None:
    sample = tmp_path / "sample.txt"
    sample.write_text("\n", encoding="utf-8")
    with pytest.raises(UserError, match="No vocabulary"):
        fit_vocabulary(
            str(sample), str(tmp_path / "m"), n_pieces=300, n_threads=1, seed=1
        )


def test_model_holds_no_path(tmp_path: Path, vocabulary: Vocabulary) -> None:
    assert b"sample.txt" not in vocabulary.model_bytes
