"""Confidences of links between words, against slow references and by hand."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.words.equivalents.bitext import PairWords, TokenRanges, gather_words
from app.engine.words.word_links.counts import count_common, count_together
from app.engine.words.word_links.scores import (
    choose_links,
    combine_evidence,
    link_confidences,
    other_pairs_dice,
    place_scores,
)

Sentences = list[list[int]]
N_WORDS = 5


def side_of(sentences: Sentences) -> PairWords:
    words = np.array([word for one in sentences for word in one], np.int64)
    lengths = np.array([len(one) for one in sentences], np.int64)
    ends = np.cumsum(lengths)
    part = TokenRanges(np.arange(len(sentences)), ends - lengths, ends, words)
    return gather_words([part], len(sentences), N_WORDS)


def count_slowly(first: Sentences, second: Sentences, word: int, other: int) -> int:
    pairs = zip(first, second, strict=True)
    return sum(word in one and other in its for one, its in pairs)


def confide_slowly(evidence: Sequence[Sequence[float]]) -> list[list[float]]:
    """Compute each confidence from its row and column alone."""
    found = []
    for row in evidence:
        own = []
        for j, value in enumerate(row):
            column = [other[j] for other in evidence]
            shares = [
                value**2 / (sum(x**2 for x in line) + 0.01) for line in (row, column)
            ]
            own.append(math.sqrt(shares[0] * shares[1]))
        found.append(own)
    return found


words = st.lists(st.integers(0, N_WORDS - 1), max_size=5)
texts = st.lists(st.tuples(words, words), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(texts)
def test_words_are_counted_as_by_reading_every_pair(
    pairs: list[tuple[list[int], list[int]]],
) -> None:
    first, second = [one for one, _ in pairs], [its for _, its in pairs]
    sides = side_of(first), side_of(second)
    every = np.arange(N_WORDS)
    listed = range(N_WORDS)
    expected = [[count_slowly(first, second, i, j) for j in listed] for i in listed]
    assert count_together(*sides, every, every).tolist() == expected
    common = count_common(*sides).find(every, every)
    assert common.tolist() == np.maximum(expected, 1).tolist()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.randoms())
def test_confidences_are_the_shares_of_both_words(n: int, m: int, rng: object) -> None:
    values = [[rng.random() for _ in range(m)] for _ in range(n)]  # type: ignore[attr-defined]
    assert np.allclose(link_confidences(np.array(values)), confide_slowly(values))


def test_words_that_occur_only_here_have_no_association() -> None:
    assert other_pairs_dice(np.array(0), np.array(0), np.array(0)) == 0
    assert other_pairs_dice(1, 1, 1) == 0
    # in 4 further pairs together, in 1 more the first alone: 8 / (5 + 4 + 2)
    assert other_pairs_dice(5, 6, 5) == pytest.approx(8 / 11)


def test_evidence_adds_up_and_falls_with_the_distance() -> None:
    places = place_scores(2, 1)  # middles at 1/4, 3/4 and 1/2
    assert places[:, 0] == pytest.approx([math.exp(-0.25)] * 2)
    association, cosine = np.array([[0.5]]), np.array([[0.6]])
    assert combine_evidence(association, cosine)[0, 0] == pytest.approx(0.68)
    assert combine_evidence(association, -cosine)[0, 0] == pytest.approx(0.5)


def test_only_confident_links_are_chosen() -> None:
    chosen = choose_links(np.array([[0.9, 0.1], [0.3, 0.8]]), 0.3)
    assert list(zip(*(one.tolist() for one in chosen), strict=True)) == [
        (0, 0, 0.9),
        (1, 0, 0.3),
        (1, 1, 0.8),
    ]
