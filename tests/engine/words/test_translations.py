"""What translates a word: counts as a slow loop has them, indirect ones told apart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.engine.words.association import signed_log_likelihood
from app.engine.words.equivalents.bitext import PairWords, TokenRanges, gather_words
from app.engine.words.equivalents.ranking import are_own, find_translations

Sentences = list[list[int]]
sentences = st.lists(st.integers(0, 4), max_size=5)
bitexts = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=8)


def gathered(texts: Sentences, n_words: int = 5) -> PairWords:
    ends = np.cumsum([len(text) for text in texts])
    begins = ends - [len(text) for text in texts]
    words = np.array([word for text in texts for word in text], np.int32)
    part = TokenRanges(np.arange(len(texts)), begins, ends, words)
    return gather_words([part], len(texts), n_words)


@given(bitexts, st.integers(0, 4))
def test_counts_are_those_of_a_slow_loop(
    bitext: list[tuple[list[int], list[int]]], word: int
) -> None:
    sources, targets = [s for s, _ in bitext], [t for _, t in bitext]
    source, target = gathered(sources), gathered(targets)
    pairs = source.pairs_of(word)
    assert pairs.tolist() == [i for i, text in enumerate(sources) if word in text]
    found = find_translations(source, target, pairs, np.array([word]))

    def strength(one: int, other: int) -> float:
        has_one = [one in text for text in sources]
        has_other = [other in text for text in targets]
        both = sum(a and b for a, b in zip(has_one, has_other, strict=True))
        counts = both, sum(has_one), sum(has_other), len(bitext)
        return float(signed_log_likelihood(*counts))

    for index, other in enumerate(found.words.tolist()):
        both = [i for i in pairs.tolist() if other in targets[i]]
        mine = strength(word, other)
        own = [
            all(strength(rival, other) <= mine + 1e-9 for rival in sources[i])
            for i in both
        ]
        assert found.n_both[index] == len(both)
        assert found.n_own[index] == sum(own)
        assert found.n_targets[index] == sum(other in text for text in targets)
    assert set(found.words.tolist()) == {w for i in pairs for w in targets[i]}


def test_the_translation_of_a_neighbour_word_is_not_the_word_s_own() -> None:
    # 0 stands beside 1 in three pairs of four; 10 translates 0, and 11 translates 1
    sources = [[0, 1], [0, 1], [0, 1], [0], [1], [1], [2], [2]]
    targets = [[0, 1], [0, 1], [0, 1], [0], [1], [1], [2], [2]]
    source, target = gathered(sources), gathered(targets)
    pairs, word = source.pairs_of(0), np.array([0])
    both, is_own = are_own(source, target, (pairs, word), 1)
    assert both.tolist() == [0, 1, 2]
    assert not is_own.any()
    found = find_translations(source, target, pairs, word)
    assert found.words.tolist() == [0, 1]
    assert found.n_own.tolist() == [4, 0]
    assert found.scores[1] == 0
    assert found.log_likelihoods[1] != 0


def test_a_word_of_a_phrase_is_no_rival_of_the_phrase() -> None:
    sources = [[0, 1], [0, 1], [0], [2], [3]]
    targets = [[0], [0], [0], [2], [3]]
    source, target = gathered(sources), gathered(targets)
    pairs = np.array([0, 1])  # of the phrase 0 1
    _, is_own = are_own(source, target, (pairs, np.array([0, 1])), 0)
    assert is_own.all()
    _, is_own = are_own(source, target, (pairs, np.array([1])), 0)
    assert not is_own.any()  # 0 alone is associated with it more


def test_words_that_the_source_does_not_say_are_left_out() -> None:
    words = gathered([[0, -1, 0], [-1]])
    assert words.words.tolist() == [0]
    assert words.lengths.tolist() == [3, 1]
