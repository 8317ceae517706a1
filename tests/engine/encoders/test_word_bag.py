"""Bag-of-vectors encoders: weights and component by hand, the folder and damage."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.encoders.configs import WordBagConfig
from app.engine.encoders.folder import WEIGHTS_FILE
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.word_bag import (
    WordBagEncoder,
    count_statistics,
    first_component,
    idf_weights,
    save_word_bag,
    sif_weights,
)
from app.engine.runtime.report import Report
from app.engine.text.word_vocabulary import WordVocabulary
from app.errors import UserError

WORDS = ("the", "ship", "sea", "light")
TABLE = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 4], [3, 3, 0]], np.float32)
TEXTS = ["The ship, the sea", "the light", "the the ship", "nothing known"] * 5


def config(**values: object) -> WordBagConfig:
    return WordBagConfig(name="bag", dim=3, **values)  # type: ignore[arg-type]


def save(folder: Path, **values: object) -> WordBagEncoder:
    save_word_bag(folder, config(**values), WORDS, TABLE, TEXTS, Report())
    encoder = load_encoder(str(folder))
    assert isinstance(encoder, WordBagEncoder)
    return encoder


def test_the_mean_ignores_case_and_unknown_words(tmp_path: Path) -> None:
    encoder = save(tmp_path / "bag")
    found = encoder.encode(["The SHIP sails", "", "unknown", "sea sea ship"])
    expected = [[0.5, 1, 0], [0, 0, 0], [0, 0, 0], [0, 2 / 3, 8 / 3]]
    assert found == pytest.approx(np.array(expected), abs=1e-3)
    assert encoder.count_pieces(["the ship sails"]).unknown_share == pytest.approx(
        1 / 3
    )


def test_words_are_counted_by_tokens_and_texts() -> None:
    found = count_statistics(WordVocabulary(WORDS), TEXTS, Report())
    assert found.counts.tolist() == [25, 10, 5, 5]
    assert found.document_counts.tolist() == [15, 10, 5, 5]
    assert found.n_tokens == 60  # with five commas and ten unknown words
    assert found.n_texts == 20


def test_weights_equal_their_formulas() -> None:
    found = count_statistics(WordVocabulary((*WORDS, "never")), TEXTS, Report())
    sif = [0.001 / (0.001 + n / 60) for n in (25, 10, 5, 5, 0)]
    assert sif_weights(found) == pytest.approx(np.array(sif), rel=1e-5)
    # log10(20 / 15) and log10(20 / 5) are below 1; a word that never occurs: log10(20)
    assert idf_weights(found) == pytest.approx(
        np.array([1, 1, 1, 1, np.log10(20)]), rel=1e-5
    )


def test_idf_weighs_the_distinct_words(tmp_path: Path) -> None:
    texts = ["the ship"] * 1_000 + ["the sea"]
    folder = tmp_path / "bag"
    save_word_bag(folder, config(weighting="idf"), WORDS, TABLE, texts, Report())
    found = load_encoder(str(folder)).encode(["the the the sea"])
    # the occurs in all texts, the sea in one of 1,001
    weight = np.log10(1_001)
    expected = (TABLE[0] + weight * TABLE[2]) / (1 + weight)
    assert found[0] == pytest.approx(expected, rel=1e-3)


def test_sif_divides_by_the_number_of_words(tmp_path: Path) -> None:
    encoder = save(tmp_path / "bag", weighting="sif")
    weights = [0.001 / (0.001 + n / 60) for n in (25, 10)]
    expected = (2 * weights[0] * TABLE[0] + weights[1] * TABLE[1]) / 3
    assert encoder.encode(["the the ship"])[0] == pytest.approx(expected, rel=1e-3)


def test_the_component_is_the_first_singular_vector_and_removed(
    tmp_path: Path,
) -> None:
    plain = save(tmp_path / "plain", weighting="sif").encode(TEXTS)
    _, _, axes = np.linalg.svd(plain.astype(np.float64), full_matrices=False)
    found = first_component([plain[:7], plain[7:]], 3)
    assert abs(found @ axes[0]) == pytest.approx(1, abs=1e-5)
    encoder = save(tmp_path / "bag", weighting="sif", removes_component=True)
    removed = encoder.encode(TEXTS)
    expected = plain - np.outer(plain @ axes[0], axes[0])
    assert removed == pytest.approx(expected, abs=1e-4)
    assert not removed[3].any()  # no known word


def test_words_that_differ_in_case_are_one_and_phrases_are_left_out(
    tmp_path: Path,
) -> None:
    words = ("Sea", "sea", "New York", "ship")
    folder = tmp_path / "bag"
    save_word_bag(folder, config(), words, TABLE, (), Report())
    encoder = load_encoder(str(folder))
    assert encoder.encode(["SEA"])[0].tolist() == TABLE[0].tolist()
    assert not encoder.encode(["New York"]).any()


@pytest.mark.parametrize("weighting", ["idf", "sif"])
def test_weights_need_a_text_in_the_language(tmp_path: Path, weighting: str) -> None:
    chosen = config(weighting=weighting)
    for texts in ([], ["яэ иы"]):
        with pytest.raises(UserError, match="text"):
            save_word_bag(tmp_path / "bag", chosen, WORDS, TABLE, texts, Report())
    assert not (tmp_path / "bag").exists()


def test_a_damaged_folder_is_a_users_error(tmp_path: Path) -> None:
    save(tmp_path / "bag")
    (tmp_path / "bag" / "words.txt").write_text("the\nship\n", encoding="utf-8")
    with pytest.raises(UserError, match="2 words"):
        load_encoder(str(tmp_path / "bag"))
    (tmp_path / "bag" / WEIGHTS_FILE).write_bytes(b"damaged")
    with pytest.raises(UserError, match="damaged"):
        load_encoder(str(tmp_path / "bag"))
