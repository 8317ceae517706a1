"""The words of all sides and the n-grams of each distinct word: flat arrays on disk."""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.ngrams import (
    Romaniser,
    distinct_words,
    hash_words,
    make_romaniser,
    ngram_rows,
    take_words,
)
from app.engine.encoders.pooling import IdArray, gather_runs

WORDS_FILE, WORD_ENDS_FILE = "words.int32", "word-ends.int64"
NGRAMS_FILE, NGRAM_ENDS_FILE = "ngrams.int32", "ngram-ends.int64"
MAX_WORDS = 128  # of one side; the rest is not trained on


class SideWords:
    """Sides as ids of distinct words, and those as rows of n-grams."""

    def __init__(self, folder: Path):
        self._words = np.memmap(folder / WORDS_FILE, np.int32, mode="r")
        self._word_ends = np.fromfile(folder / WORD_ENDS_FILE, np.int64)
        self._ngrams = np.memmap(folder / NGRAMS_FILE, np.int32, mode="r")
        self._ngram_ends = np.fromfile(folder / NGRAM_ENDS_FILE, np.int64)

    def gather(self, sides: NDArray[np.int64]) -> tuple[IdArray, NDArray[np.int64]]:
        """Give the words of some sides: ids int32 (w,) and lengths int64 (n,)."""
        return gather_runs(self._words, self._word_ends, sides)

    def ngrams(self, word_ids: NDArray[np.int64]) -> tuple[IdArray, NDArray[np.int64]]:
        """Give the n-grams of some words: rows int32 (g,) and counts int64 (w,)."""
        return gather_runs(self._ngrams, self._ngram_ends, word_ids)


class SideWordWriter:
    """Writes the words of texts, block after block."""

    def __init__(self, folder: Path, n_ngrams: int):
        self._n_ngrams = n_ngrams
        self._romaniser: Romaniser = make_romaniser()
        self._ids: dict[int, int] = {}  # hash of a word -> its id
        self._n_words = self._n_ngram_rows = 0
        names = (WORDS_FILE, WORD_ENDS_FILE, NGRAMS_FILE, NGRAM_ENDS_FILE)
        self._files = {name: (folder / name).open("wb") for name in names}

    def write(self, texts: Sequence[str]) -> None:
        """Write the words of some texts, each one a side."""
        words = self._romaniser.split(texts)
        distinct, twins = distinct_words(words)
        hashes = hash_words(distinct).tolist()
        new = [i for i, value in enumerate(hashes) if value not in self._ids]
        n_known = len(self._ids)
        self._ids.update((hashes[i], n_known + n) for n, i in enumerate(new))
        ids = np.array([self._ids[value] for value in hashes], np.int32)[twins]
        ends = np.cumsum(words.lengths, dtype=np.int64)
        starts = ends - words.lengths
        is_kept = np.arange(len(ids)) - np.repeat(starts, words.lengths) < MAX_WORDS
        ids[is_kept].tofile(self._files[WORDS_FILE])
        lengths = np.minimum(words.lengths, MAX_WORDS)
        (np.cumsum(lengths, dtype=np.int64) + self._n_words).tofile(
            self._files[WORD_ENDS_FILE]
        )
        self._n_words += int(lengths.sum())
        rows, counts = ngram_rows(
            take_words(distinct, np.array(new, np.int64)), self._n_ngrams
        )
        rows.tofile(self._files[NGRAMS_FILE])
        (np.cumsum(counts) + self._n_ngram_rows).tofile(self._files[NGRAM_ENDS_FILE])
        self._n_ngram_rows += len(rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in self._files.values():
            file.close()


def open_side_words(folder: Path) -> SideWords | None:
    """Open the words that an earlier run has cut; None if there are none."""
    return SideWords(folder) if (folder / WORDS_FILE).exists() else None
