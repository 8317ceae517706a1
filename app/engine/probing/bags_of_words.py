"""Bags of words of texts, and multinomial naive Bayes on TF-IDF.

TF-IDF is tf · (ln((1 + n) / (1 + df)) + 1), rows of length 1; the probability of a word
in a class is (its sum + α) / (all sums + α V) (Manning, Raghavan and Schütze 2008,
section 13.2, with TF-IDF in place of counts).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from app.arrays import FloatArray, IntArray
from app.engine.runtime.report import Report
from app.engine.text.word_vocabulary import split_words

STEP = 1_000  # texts between two checks for a cancellation


class TextWords(NamedTuple):
    """Concatenated words of texts.

    Attributes:
        ids: int64 (w,), 0…v-1, in order of first occurrence.
        counts: int64 (n,), number of words of each text.
        n_words: v, number of distinct words.
        names: case-folded words by id; empty: not stored.
    """

    ids: IntArray
    counts: IntArray
    n_words: int
    names: tuple[str, ...] = ()

    @property
    def rows(self) -> IntArray:
        """Return the text of each word, int64 (w,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def distinct(self) -> "tuple[TextWords, IntArray]":
        """Return distinct words per text, and their counts int64 (w,)."""
        cells, times = np.unique(
            self.rows * self.n_words + self.ids, return_counts=True
        )
        counts = np.bincount(cells // self.n_words, minlength=len(self.counts))
        return TextWords(cells % self.n_words, counts, self.n_words), times

    def part(self, first: int, last: int) -> "TextWords":
        """Return the texts [first, last)."""
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        ids = self.ids[ends[first] : ends[last]]
        return TextWords(ids, self.counts[first:last], self.n_words)


def number_words(texts: Sequence[str], report: Report) -> TextWords:
    """Split texts into words (see `split_words`), and number the words."""
    columns: dict[str, int] = {}
    ids: list[int] = []
    counts = np.zeros(len(texts), np.int64)
    for row, text in enumerate(texts):
        if row % STEP == 0:
            report.step("Cutting words", row, len(texts))
        words = split_words(text)
        counts[row] = len(words)
        ids += [columns.setdefault(word, len(columns)) for word in words]
    names = tuple(columns)
    return TextWords(np.array(ids, np.int64), counts, max(1, len(columns)), names)


def add_bigrams(words: TextWords) -> TextWords:
    """Add each pair of neighbouring words of a text to its words, as a word."""
    rows = words.rows
    is_pair = rows[:-1] == rows[1:]  # both are in one text
    keys = (words.ids[:-1] * words.n_words + words.ids[1:])[is_pair]
    known, bigrams = np.unique(keys, return_inverse=True)
    every_row = np.concatenate([rows, rows[:-1][is_pair]])
    ids = np.concatenate([words.ids, words.n_words + bigrams])
    order = np.argsort(every_row, kind="stable")
    counts = np.bincount(every_row, minlength=len(words.counts))
    return TextWords(ids[order], counts, words.n_words + len(known))


CLASSES = 128  # classes whose word probabilities are in memory at once


class WordBags(NamedTuple):
    """Texts as bags of the training rows' words.

    Attributes:
        words: without repetitions.
        weights: float32 (w,), TF-IDF; the squared weights of a text sum to 1.
    """

    words: TextWords
    weights: FloatArray

    def part(self, first: int, last: int) -> "WordBags":
        """Return the texts [first, last)."""
        start = int(self.words.counts[:first].sum())
        words = self.words.part(first, last)
        return WordBags(words, self.weights[start : start + len(words.ids)])


def weigh_words(words: TextWords, n_train: int) -> WordBags:
    """Weight words by TF-IDF; exclude words that the first, training rows lack."""
    once, times = words.distinct()
    n_rows = np.bincount(once.ids[once.rows < n_train], minlength=words.n_words)
    is_known = n_rows[once.ids] > 0
    rows, ids = once.rows[is_known], once.ids[is_known]
    rarity = np.log((1 + n_train) / (1 + n_rows[ids])) + 1
    weights = times[is_known] * rarity
    n_texts = len(words.counts)
    lengths = np.sqrt(np.bincount(rows, weights**2, n_texts))
    kept = TextWords(ids, np.bincount(rows, minlength=n_texts), words.n_words)
    return WordBags(kept, (weights / lengths[rows]).astype(np.float32))


class NaiveBayes:
    """Multinomial naive Bayes, as the sums that define its probabilities.

    Attributes:
        log_priors: float64 (c,).
    """

    def __init__(self, train: WordBags, classes: IntArray, n_classes: int):
        n = np.bincount(classes, minlength=n_classes)
        self.log_priors = np.log(n / n.sum())
        known, columns = np.unique(train.words.ids, return_inverse=True)
        self._column = np.full(train.words.n_words, -1)
        self._column[known] = np.arange(len(known))
        self._n_words, self._n_classes = max(1, len(known)), n_classes
        # (class, word) as one number
        self._cells = classes[train.words.rows] * self._n_words + columns
        self._weights = train.weights

    def predict(self, bags: WordBags, alpha: float, report: Report) -> IntArray:
        """Return the most likely class of each text, int64 (n,); the first of ties."""
        scores = np.empty((len(bags.words.counts), self._n_classes), np.float32)
        for first in range(0, self._n_classes, CLASSES):
            report.step("Training naive Bayes", first, self._n_classes)
            last = min(first + CLASSES, self._n_classes)
            scores[:, first:last] = self._score(bags, self._table(alpha, first, last))
        found: IntArray = (scores + self.log_priors).argmax(axis=1)
        return found

    def _table(self, alpha: float, first: int, last: int) -> NDArray[np.float64]:
        """Return log probabilities of words in the classes [first, last), (c, v)."""
        low, high = first * self._n_words, last * self._n_words
        is_here = (self._cells >= low) & (self._cells < high)
        cells, weights = self._cells[is_here] - low, self._weights[is_here]
        sums = np.bincount(cells, weights, high - low).reshape(-1, self._n_words)
        totals = sums.sum(axis=1, keepdims=True) + alpha * self._n_words
        table: NDArray[np.float64] = np.log((sums + alpha) / totals)
        return table

    def _score(self, bags: WordBags, table: NDArray[np.float64]) -> FloatArray:
        """Return the log likelihoods of texts, (n, c)."""
        counts = bags.words.counts
        scores: FloatArray = torch.nn.functional.embedding_bag(
            torch.from_numpy(self._column[bags.words.ids]),
            torch.from_numpy(np.ascontiguousarray(table.T, np.float32)),  # (v, c)
            torch.from_numpy(np.cumsum(counts) - counts),
            mode="sum",
            per_sample_weights=torch.from_numpy(bags.weights),
        ).numpy()
        return scores
