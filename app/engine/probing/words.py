"""The words of a probing set's texts, as numbers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.engine.classify.heads.head import IntArray
from app.engine.report import Report
from app.engine.text.words import split_words

STEP = 1_000  # texts between two looks at a cancel


class TextWords(NamedTuple):
    """Texts as words, one text after the other.

    Attributes:
        ids: int64 (w,), 0…v-1; a word's number is the smaller the sooner it came.
        counts: int64 (n,), words of each text.
        n_words: v, distinct words.
    """

    ids: IntArray
    counts: IntArray
    n_words: int

    @property
    def rows(self) -> IntArray:
        """Give the text of each word, int64 (w,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def distinct(self) -> "tuple[TextWords, IntArray]":
        """Leave out what a text repeats; int64 (w,), how often a text has each word."""
        cells, times = np.unique(
            self.rows * self.n_words + self.ids, return_counts=True
        )
        counts = np.bincount(cells // self.n_words, minlength=len(self.counts))
        return TextWords(cells % self.n_words, counts, self.n_words), times

    def part(self, first: int, last: int) -> "TextWords":
        """Give the texts [first, last)."""
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        ids = self.ids[ends[first] : ends[last]]
        return TextWords(ids, self.counts[first:last], self.n_words)


def number_words(texts: Sequence[str], report: Report) -> TextWords:
    """Cut texts into words (see `split_words`) and number these."""
    columns: dict[str, int] = {}
    ids: list[int] = []
    counts = np.zeros(len(texts), np.int64)
    for row, text in enumerate(texts):
        if row % STEP == 0:
            report.step("Cutting words", row, len(texts))
        words = split_words(text)
        counts[row] = len(words)
        ids += [columns.setdefault(word, len(columns)) for word in words]
    return TextWords(np.array(ids, np.int64), counts, max(1, len(columns)))
