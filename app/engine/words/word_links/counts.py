"""Count the sentence pairs in which two words occur together."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.arrays import IntArray
from app.engine.words.equivalents.bitext import PairWords

BLOCK = 8_000_000  # pairs of words counted at once: 64 MB


def count_together(
    source: PairWords, target: PairWords, words: IntArray, others: IntArray
) -> IntArray:
    """Count the pairs with each of some words and each of some others.

    Args:
        words: int64 (n,), ids on the first side.
        others: int64 (m,), ids on the other side.

    Returns:
        int64 (n, m).
    """
    has_word = np.zeros(len(source.lengths), np.bool_)
    places = [target.pairs_of(other) for other in others.tolist()]
    counts = np.zeros((len(words), len(others)), np.int64)
    for row, word in enumerate(words.tolist()):
        own = source.pairs_of(word)
        has_word[own] = True
        counts[row] = [np.count_nonzero(has_word[some]) for some in places]
        has_word[own] = False
    return counts


class CommonCounts(NamedTuple):
    """The pairs of words that occur together in two sentence pairs or more.

    Attributes:
        keys: int64 (k,), ascending: id on the first side * n_words + id on the other.
        counts: int64 (k,), sentence pairs with both.
        n_words: number of words of the other side.
    """

    keys: IntArray
    counts: IntArray
    n_words: int

    def find(self, words: IntArray, others: IntArray) -> IntArray:
        """Return the counts of words with others; 1 for rarer pairs: int64 (n, m)."""
        wanted = words[:, None] * self.n_words + others  # (n, 1), (m,) -> (n, m)
        if not len(self.keys):
            return np.ones(wanted.shape, np.int64)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        found: IntArray = np.where(self.keys[at] == wanted, self.counts[at], 1)
        return found


def count_common(
    source: PairWords,
    target: PairWords,
    step: Callable[[int, int], object] = lambda _done, _total: None,
) -> CommonCounts:
    """Count all pairs of words, word by word of the first side.

    Args:
        step: called with the number of words done and the total.
    """
    n_words = max(len(target.word_firsts) - 1, 1)
    n_source = len(source.word_firsts) - 1
    # number of word pairs from each occurrence of a word
    n_made = np.diff(target.firsts)[source.pairs]
    before = np.concatenate([[0], np.cumsum(n_made)])[source.word_firsts]
    keys, counts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    begin = 0
    while begin < n_source:
        end = int(np.searchsorted(before, before[begin] + BLOCK, "right")) - 1
        end = max(end, begin + 1)
        step(begin, n_source)
        low, high = source.word_firsts[begin], source.word_firsts[end]
        others, lengths = target.words_of(source.pairs[low:high])
        own = np.repeat(
            np.arange(begin, end), np.diff(source.word_firsts[begin : end + 1])
        )
        made = np.sort(np.repeat(own, lengths) * n_words + others)
        firsts = np.flatnonzero(np.append(True, made[1:] != made[:-1])[: len(made)])
        n_each = np.diff(np.append(firsts, len(made)))
        keys.append(made[firsts[n_each > 1]])
        counts.append(n_each[n_each > 1])
        begin = end
    step(n_source, n_source)
    return CommonCounts(np.concatenate(keys), np.concatenate(counts), n_words)
