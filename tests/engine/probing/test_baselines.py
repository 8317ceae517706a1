"""Majority, length and random vectors, by hand."""

import numpy as np
import pytest

from app.engine.probing.bags_of_words import TextWords, number_words
from app.engine.probing.baselines import (
    bayes_accuracy,
    length_accuracy,
    majority_accuracy,
    random_vectors,
    text_lengths,
)
from app.engine.runtime.report import Report
from tests.engine.probing.made import make_set

TRAIN = [(0, "a b"), (0, "c d"), (1, "e f"), (1, "a b c d"), (2, "a b c d e f g")]


def test_majority_is_that_of_the_training_rows() -> None:
    made = make_set([(0, "a"), (1, "b"), (1, "c")], [(0, "a")], [(0, "a"), (1, "b")])
    assert majority_accuracy(made) == 0.5


def test_length_says_the_class_of_the_nearest_length() -> None:
    test = [
        (0, "x y"),  # 2 words: class 0
        (1, "x y z"),  # 3: as near to 2 as to 4, the shorter one: class 0
        (1, "x y z x y"),  # 5: 4 is nearer than 7: class 1
        (2, " ".join("x" * 30)),  # 7 is the nearest: class 2
        (0, "x"),  # 2 is the nearest: class 0
    ]
    assert length_accuracy(make_set(TRAIN, TRAIN, test)) == pytest.approx(4 / 5)


def test_texts_without_spaces_are_measured_in_signs() -> None:
    made = make_set([(0, "我们是"), (1, "你好")], [(0, "我")], [(0, "我")])
    assert text_lengths(made.train).tolist() == [3, 2]
    assert text_lengths(make_set(TRAIN, TRAIN, TRAIN).train).tolist() == [2, 2, 2, 4, 7]


def test_words_give_naive_bayes_the_class() -> None:
    rows = [(n % 2, f"{'xy'[n % 2]} w{n % 3}") for n in range(20)]
    made = make_set(rows, rows, [(0, "x w1"), (1, "y w2"), (1, "x w0")])
    words = number_words(made.texts, Report())
    assert bayes_accuracy(made, words, Report()) == pytest.approx(2 / 3)


def draw(words: TextWords, seed: int) -> np.ndarray:
    return random_vectors(words, 70, seed=seed, report=Report())


def test_a_text_is_the_mean_of_its_words_vectors() -> None:
    words = number_words(["a b", "a", "b", "", "a a b"], Report())
    vectors = draw(words, 1)
    np.testing.assert_allclose(vectors[0], (vectors[1] + vectors[2]) / 2, rtol=1e-5)
    wanted = (2 * vectors[1] + vectors[2]) / 3
    np.testing.assert_allclose(vectors[4], wanted, rtol=1e-5)
    assert not vectors[3].any()
    assert (draw(words, 1) == vectors).all()
    assert (draw(words, 2)[0] != vectors[0]).all()
