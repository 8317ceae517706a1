"""Word vectors from counts, against slow references."""

import math
from collections import defaultdict

import numpy as np
import pytest
from scipy.sparse import csr_array

from app.engine.runtime.report import Report
from app.engine.wordvectors import counting, word_file
from app.engine.wordvectors.counting import (
    CountVectorOptions,
    count_vectors,
    positive_information,
    reduce_counts,
)
from app.errors import Cancelled, UserError

GENERATOR = np.random.default_rng(7)
WORDS = [f"w{i}" for i in range(14)]
TEXTS = [
    " ".join(GENERATOR.choice(WORDS, GENERATOR.integers(1, 9))) for _ in range(150)
]
OPTIONS = CountVectorOptions(dim=13, window=3, min_count=1, seed=1)


def slow_counts(texts: list[str], window: int) -> dict[tuple[str, str], float]:
    """Weigh the pairs of words of a text by their distance: 1, 2/3, 1/3."""
    found: dict[tuple[str, str], float] = defaultdict(float)
    for text in texts:
        words = text.split()
        for i, one in enumerate(words):
            for j, other in enumerate(words):
                if 0 < abs(i - j) <= window:
                    found[one, other] += (window + 1 - abs(i - j)) / window
    return found


def slow_information(
    counts: dict[tuple[str, str], float], words: list[str]
) -> np.ndarray:
    table = np.zeros((len(words), len(words)))
    of_word: dict[str, float] = defaultdict(float)
    of_context: dict[str, float] = defaultdict(float)
    for (word, context), n in counts.items():
        of_word[word] += n
        of_context[context] += n
    total = sum(of_word.values())
    smoothed = {context: n**0.75 for context, n in of_context.items()}
    for (word, context), n in counts.items():
        share = smoothed[context] / sum(smoothed.values())
        odds = (n / total) / (of_word[word] / total * share)
        table[words.index(word), words.index(context)] = max(0, math.log(odds))
    return table


def test_vectors_factor_the_positive_information() -> None:
    found = count_vectors(TEXTS, "en", OPTIONS, Report()).table
    words = list(found.words)
    assert sorted(words) == sorted(WORDS)
    expected = slow_information(slow_counts(TEXTS, 3), words)
    left, sizes, _ = np.linalg.svd(expected)
    wanted = (left * np.sqrt(sizes))[:, :13]
    np.testing.assert_allclose(
        found.vectors @ found.vectors.T, wanted @ wanted.T, atol=1e-3
    )


def test_information_is_positive_and_smoothed() -> None:
    # the words a, b; contexts a, b: p(a, b) = 3 / 8, p(a) = 4 / 8
    counts = csr_array(np.array([[1.0, 3.0], [3.0, 1.0]]))
    found = positive_information(counts).toarray()
    # both contexts have the same frequency, so smoothing changes nothing
    expected = math.log((3 / 8) / (4 / 8 * 4 / 8))
    np.testing.assert_allclose(found, [[0, expected], [expected, 0]], rtol=1e-6)


def test_the_most_frequent_word_comes_first_and_the_seed_decides() -> None:
    texts = [*TEXTS, "w5 w5 w5", *["w5 w6"] * 200]
    one, two = (count_vectors(texts, "en", OPTIONS, Report()) for _ in range(2))
    assert one.table.words[0] == "w5"
    assert one.n_tokens == sum(len(text.split()) for text in texts)
    np.testing.assert_array_equal(one.table.vectors, two.table.vectors)


def test_words_of_the_same_company_are_near() -> None:
    lines = ["we eat rice now", "we cook rice now", "they sail ships there"] * 100
    options = CountVectorOptions(dim=4, window=3, min_count=1, seed=1)
    table = count_vectors(lines, "en", options, Report()).table
    vectors = dict(zip(table.words, table.vectors, strict=True))

    def cosine(one: str, other: str) -> float:
        x, y = vectors[one], vectors[other]
        return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))

    assert cosine("eat", "cook") > 0.9 > cosine("eat", "sail")


def test_a_text_is_counted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = count_vectors(TEXTS, "en", OPTIONS, Report()).table
    monkeypatch.setattr(word_file, "BLOCK", 7)
    parts = count_vectors(TEXTS, "en", OPTIONS, Report()).table
    assert parts.words == whole.words
    np.testing.assert_allclose(parts.vectors, whole.vectors, atol=1e-4)


def test_rare_words_are_described_by_frequent_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "MAX_CONTEXTS", 5)
    table = count_vectors(TEXTS, "en", OPTIONS, Report()).table
    assert len(table.words) == len(WORDS)
    assert table.vectors[:, :4].any(axis=1).all()
    assert not table.vectors[:, 4:].any()  # five contexts have four such dimensions


def test_words_without_company_have_no_vector() -> None:
    table = count_vectors(["a b", "a b", "b c", "lone"], "en", OPTIONS, Report()).table
    assert "lone" not in table.words
    with pytest.raises(UserError, match="occurs 1 times"):
        count_vectors(["one", "two"], "en", OPTIONS, Report())
    with pytest.raises(UserError, match="contains no words"):
        count_vectors(["...", ""], "en", OPTIONS, Report())


def test_the_decomposition_can_be_cancelled() -> None:
    report = Report()
    report.cancel()
    counts = csr_array(np.random.default_rng(1).random((40, 40)))
    with pytest.raises(Cancelled):
        reduce_counts(counts, 5, 1, report)
