"""Averaged word vectors against the encoder that averages them, and by hand."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.encoders.configs import WordBagConfig
from app.engine.encoders.registry import load_encoder
from app.engine.encoders.word_bag import save_word_bag
from app.engine.probing.bags_of_vectors import bags_of_vectors
from app.engine.probing.bags_of_words import number_words
from app.engine.runtime.report import Report

GENERATOR = np.random.default_rng(5)
WORDS = [f"w{i}" for i in range(9)]
TEXTS = [
    " ".join(GENERATOR.choice([*WORDS, "unknown"], GENERATOR.integers(1, 8)))
    for _ in range(60)
]
N_TRAIN = 40
VECTORS = GENERATOR.normal(size=(len(WORDS), 6)).astype(np.float16).astype(np.float32)
WEIGHTINGS = (
    ("word_vectors", "mean", False),
    ("idf_vectors", "idf", False),
    ("sif_vectors", "sif", False),
    ("sif_less_component", "sif", True),
)


def table_of(names: tuple[str, ...]) -> np.ndarray:
    """Return the vectors of words in an order; words outside `WORDS` have zeros."""
    table = np.zeros((len(names), VECTORS.shape[1]), np.float32)
    for index, name in enumerate(names):
        if name in WORDS:
            table[index] = VECTORS[WORDS.index(name)]
    return table


@pytest.mark.parametrize(("name", "weighting", "removes"), WEIGHTINGS)
def test_a_baseline_equals_the_encoder_of_that_weighting(
    tmp_path: Path, name: str, weighting: str, removes: bool
) -> None:
    words = number_words(TEXTS, Report())
    found = dict(bags_of_vectors(words, table_of(words.names), N_TRAIN))[name]
    config = WordBagConfig(
        name="bag",
        dim=6,
        weighting=weighting,  # type: ignore[arg-type] # a parameter of the test
        removes_component=removes,
    )
    train = TEXTS[:N_TRAIN]
    save_word_bag(tmp_path / "bag", config, WORDS, VECTORS, train, Report())
    wanted = load_encoder(str(tmp_path / "bag")).encode(TEXTS)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_weights_are_those_of_the_training_texts() -> None:
    texts = ["a a b", "a", "b"]  # two training texts, then a test text
    table = np.eye(2, dtype=np.float32)
    found = dict(bags_of_vectors(number_words(texts, Report()), table, 2))
    np.testing.assert_allclose(found["word_vectors"][0], [2 / 3, 1 / 3], rtol=1e-6)
    # log10(2 / 2) and log10(2 / 1) are below 1, so both words weigh 1
    np.testing.assert_allclose(found["idf_vectors"][0], [1 / 2, 1 / 2], rtol=1e-6)
    share_a, share_b = 3 / 4, 1 / 4  # of the four training words
    wanted = [
        2 / 3 * 0.001 / (0.001 + share_a),
        1 / 3 * 0.001 / (0.001 + share_b),
    ]
    np.testing.assert_allclose(found["sif_vectors"][0], wanted, rtol=1e-5)


def test_texts_without_vectors_are_zero() -> None:
    words = number_words(["a", "", "none"], Report())
    table = np.array([[1, 2], [0, 0]], np.float32)
    for vectors in dict(bags_of_vectors(words, table, 1)).values():
        assert not vectors[1:].any()
