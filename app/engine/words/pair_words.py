"""The words of pairs: each word of a pair once, found by pair and by word."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]


class Stretches(NamedTuple):
    """Words of some pairs, by the corpus that their sentences are of.

    Attributes:
        pairs: int64 (q,), places of the pairs.
        begins, ends: int64 (q,), first token of each, and behind its last.
        words: int (t,), id of each token of the corpus; below nought: of no word.
    """

    pairs: IntArray
    begins: IntArray
    ends: IntArray
    words: NDArray[np.integer]


class PairWords(NamedTuple):
    """One side of p pairs over v words; each word of a pair is there once.

    Attributes:
        firsts: int64 (p + 1,), first word of each pair.
        words: int64 (m,), ids, rising in each pair.
        pairs: int64 (m,), pairs by word, rising in each word.
        word_firsts: int64 (v + 1,), first pair of each word.
        lengths: int64 (p,), tokens of each pair, repeated ones too.
    """

    firsts: IntArray
    words: IntArray
    pairs: IntArray
    word_firsts: IntArray
    lengths: IntArray

    @property
    def n_pairs_of(self) -> IntArray:
        """Count the pairs of each word: int64 (v,)."""
        return np.diff(self.word_firsts)

    def pairs_of(self, word: int) -> IntArray:
        """Give the pairs of a word: int64 (m,), rising."""
        return self.pairs[self.word_firsts[word] : self.word_firsts[word + 1]]

    def words_of(self, pairs: IntArray) -> tuple[IntArray, IntArray]:
        """Give the words (t,) of pairs (m,), pair by pair, and how many each has."""
        lengths = self.firsts[pairs + 1] - self.firsts[pairs]
        return self.words[spread(self.firsts[pairs], lengths)], lengths


def gather_words(parts: Sequence[Stretches], n_pairs: int, n_words: int) -> PairWords:
    """Gather the words of a side of pairs.

    Args:
        parts: by corpus.
        n_pairs: pairs, those without a word too.
        n_words: one more than the highest id.
    """
    lengths = np.zeros(n_pairs, np.int64)
    keys = [np.empty(0, np.int64)]
    for part in parts:
        n_tokens = part.ends - part.begins
        lengths[part.pairs] += n_tokens
        words = part.words[spread(part.begins, n_tokens)].astype(np.int64)
        key = np.repeat(part.pairs, n_tokens) * n_words + words
        keys.append(key[words >= 0])
    both = _unique(np.concatenate(keys))
    pairs, words = np.divmod(both, max(n_words, 1))
    by_word = np.sort(words * max(n_pairs, 1) + pairs)
    return PairWords(
        _firsts(pairs, n_pairs),
        words,
        by_word % max(n_pairs, 1),
        _firsts(words, n_words),
        lengths,
    )


def spread(begins: IntArray, lengths: IntArray) -> IntArray:
    """Give the places of stretches, one behind the other: int64 (sum of lengths,)."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(begins - before, lengths) + np.arange(lengths.sum())


def _unique(keys: IntArray) -> IntArray:
    keys = np.sort(keys)
    is_new = np.ones(len(keys), np.bool_)
    is_new[1:] = keys[1:] != keys[:-1]
    return keys[is_new]


def _firsts(values: IntArray, n: int) -> IntArray:
    """Give where each value 0 … n - 1 begins, and the end: int64 (n + 1,)."""
    counts = np.bincount(values, minlength=n)
    return np.concatenate([[0], np.cumsum(counts)])
