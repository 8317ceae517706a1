"""Bigrams and averaged word vectors as baselines, against slow references."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB

from app.engine.probing.bags_of_vectors import average_vectors
from app.engine.probing.bags_of_words import add_bigrams, number_words
from app.engine.probing.baselines import bayes_accuracy
from app.engine.probing.word_vectors import (
    WINDOW,
    learn_word_vectors,
    read_word_vectors,
)
from app.engine.runtime.report import Report
from app.errors import UserError
from tests.engine.probing.made import make_set

GENERATOR = np.random.default_rng(3)
WORDS = [f"w{i}" for i in range(12)]
TEXTS = [
    " ".join(GENERATOR.choice(WORDS, GENERATOR.integers(2, 9))) for _ in range(160)
]


def test_bigrams_are_words_of_the_bag() -> None:
    words = number_words(["b a b", "a b", "c", ""], Report())
    found = add_bigrams(words)
    assert found.counts.tolist() == [5, 3, 1, 0]
    first, second, third, _ = np.split(found.ids, np.cumsum(found.counts)[:-1])
    ba, ab = first[3], first[4]
    assert first[:3].tolist() == [0, 1, 0]
    assert second.tolist() == [1, 0, ab]
    assert third.tolist() == [2]
    assert len({0, 1, 2, ba, ab}) == 5
    assert found.n_words == 5


def test_naive_bayes_on_words_and_bigrams_is_that_of_another_library() -> None:
    classes = [int("w1 w" in text or text.startswith("w2")) for text in TEXTS]
    rows = list(zip(classes, TEXTS, strict=True))
    made = make_set(rows[:100], rows[100:120], rows[120:])
    words = add_bigrams(number_words(made.texts, Report()))
    ours = bayes_accuracy(made, words, Report())
    bags = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\S+")
    train = bags.fit_transform(TEXTS[:100])
    scores = []
    for alpha in (1.0, 0.1, 0.01):
        model = MultinomialNB(alpha=alpha).fit(train, classes[:100])
        dev, test = (
            model.score(bags.transform(TEXTS[a:b]), classes[a:b])
            for a, b in ((100, 120), (120, 160))
        )
        scores.append((dev, test))
    assert ours == pytest.approx(max(scores, key=lambda one: one[0])[1])


def slow_information(texts: list[str]) -> np.ndarray:
    """Return max(0, pointwise mutual information) of all words, cell by cell."""
    pairs: Counter[tuple[str, str]] = Counter()
    for text in texts:
        words = text.split()
        for i, one in enumerate(words):
            for j, other in enumerate(words):
                if i != j and abs(i - j) <= WINDOW:
                    pairs[one, other] += 1
    total = sum(pairs.values())
    single: Counter[str] = Counter()
    for (one, _), n in pairs.items():
        single[one] += n
    table = np.zeros((len(WORDS), len(WORDS)))
    for (one, other), n in pairs.items():
        odds = n * total / (single[one] * single[other])
        table[WORDS.index(one), WORDS.index(other)] = max(0.0, math.log(odds))
    return table


def test_learned_vectors_factor_the_mutual_information() -> None:
    words = number_words(TEXTS, Report())
    table = learn_word_vectors(words, len(TEXTS), Report())
    order = [words.names.index(word) for word in WORDS]
    left, sizes, _ = np.linalg.svd(slow_information(TEXTS))
    k = len(WORDS) - 1
    wanted = (left * np.sqrt(sizes))[:, :k]
    found = table[order][:, :k]
    np.testing.assert_allclose(found @ found.T, wanted @ wanted.T, atol=1e-4)
    assert not table[:, k:].any()
    again = learn_word_vectors(words, len(TEXTS), Report())
    assert (table == again).all()


def test_rare_words_and_words_of_test_rows_have_no_vector() -> None:
    texts = ["a b c", "a b c", "a c b rare", "new a", "new b"]
    words = number_words(texts, Report())
    table = learn_word_vectors(words, 3, Report())
    has_vector = {
        name: bool(table[index].any()) for index, name in enumerate(words.names)
    }
    assert has_vector["a"]
    assert not has_vector["rare"]
    assert not has_vector["new"]


def test_texts_of_one_word_have_no_vectors_to_learn() -> None:
    words = number_words(["a", "b", "a", "b", "c", "c"], Report())
    assert not learn_word_vectors(words, 6, Report()).any()


def test_a_text_is_the_mean_of_the_words_that_have_a_vector(tmp_path: Path) -> None:
    file = tmp_path / "some.vec"
    file.write_text("3 2\nCat 1 0\ndog 3 4\nunused 9 9\n", "utf-8")
    words = number_words(["the CAT and dog dog", "none here", "cat"], Report())
    table = read_word_vectors(file, words.names, Report())
    vectors = average_vectors(words, table)
    wanted = np.array([[7 / 3, 8 / 3], [0, 0], [1, 0]])
    np.testing.assert_allclose(vectors, wanted, rtol=1e-6)
    with pytest.raises(UserError, match=r"some\.vec has a vector for none of the 1"):
        read_word_vectors(file, ("tea",), Report())
