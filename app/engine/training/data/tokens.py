"""All pairs tokenised once into flat arrays on disk: pieces, words and n-grams."""

import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import compress, islice
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.static.table_rows import (
    Romaniser,
    distinct_words,
    hash_words,
    make_romaniser,
    ngram_rows,
    select_words,
)
from app.engine.numeric import IdArray, gather_runs
from app.engine.runtime.report import Report
from app.engine.text.line_files import describe_texts, file_stem, read_pairs
from app.engine.text.subword_vocabulary import UNKNOWN_ID, Vocabulary
from app.errors import UserError

WORDS_FILE, WORD_ENDS_FILE = "words.int32", "word-ends.int64"
NGRAMS_FILE, NGRAM_ENDS_FILE = "ngrams.int32", "ngram-ends.int64"
MAX_WORDS = 128  # words per side; further words are not trained on


class SideWords:
    """Sides as ids of distinct words, and words as rows of n-grams."""

    def __init__(self, folder: Path):
        self._words = np.memmap(folder / WORDS_FILE, np.int32, mode="r")
        self._word_ends = np.fromfile(folder / WORD_ENDS_FILE, np.int64)
        self._ngrams = np.memmap(folder / NGRAMS_FILE, np.int32, mode="r")
        self._ngram_ends = np.fromfile(folder / NGRAM_ENDS_FILE, np.int64)

    def gather(self, sides: NDArray[np.int64]) -> tuple[IdArray, NDArray[np.int64]]:
        """Return the words of some sides: ids int32 (w,) and lengths int64 (n,)."""
        return gather_runs(self._words, self._word_ends, sides)

    def ngrams(self, word_ids: NDArray[np.int64]) -> tuple[IdArray, NDArray[np.int64]]:
        """Return the n-grams of some words: rows int32 (g,) and counts int64 (w,)."""
        return gather_runs(self._ngrams, self._ngram_ends, word_ids)


class SideWordWriter:
    """Writes the words of texts block by block."""

    def __init__(self, folder: Path, n_ngrams: int):
        self._n_ngrams = n_ngrams
        self._romaniser: Romaniser = make_romaniser()
        self._ids: dict[int, int] = {}  # hash of a word -> id
        self._n_words = self._n_ngram_rows = 0
        names = (WORDS_FILE, WORD_ENDS_FILE, NGRAMS_FILE, NGRAM_ENDS_FILE)
        self._files = {name: (folder / name).open("wb") for name in names}

    def write(self, texts: Sequence[str]) -> None:
        """Write the words of some texts, one text per side."""
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
            select_words(distinct, np.array(new, np.int64)), self._n_ngrams
        )
        rows.tofile(self._files[NGRAMS_FILE])
        (np.cumsum(counts) + self._n_ngram_rows).tofile(self._files[NGRAM_ENDS_FILE])
        self._n_ngram_rows += len(rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()


def open_side_words(folder: Path) -> SideWords | None:
    """Open the words that an earlier run tokenised; None if there are none."""
    return SideWords(folder) if (folder / WORDS_FILE).exists() else None


PIECES_FILE = "pieces.int32"
ENDS_FILE = "ends.int64"
INDEX_FILE = "tokens.json"
BLOCK_PAIRS = 20_000
MAX_PIECES = 256  # pieces per sentence; further pieces are not trained on
STAGE = "Tokenising pairs"


class RowRange(msgspec.Struct, frozen=True):
    """The pairs of one file: rows [first, first + n_pairs) of all pairs."""

    name: str
    first: int
    n_pairs: int


class TokenPairs:
    """Pairs as piece ids: side 2p is the English side of pair p, 2p + 1 the other.

    Attributes:
        languages: a range for each file with pairs.
        n_pairs: number of pairs.
        words: words of each side; None if not requested.
    """

    def __init__(self, folder: Path):
        index = (folder / INDEX_FILE).read_bytes()
        self.languages = msgspec.json.decode(index, type=list[RowRange])
        self.n_pairs = sum(language.n_pairs for language in self.languages)
        self._pieces = np.memmap(folder / PIECES_FILE, np.int32, mode="r")
        self._ends = np.fromfile(folder / ENDS_FILE, np.int64)  # (2 * n_pairs,)
        self.words = open_side_words(folder)

    def gather(self, sides: NDArray[np.int64]) -> tuple[IdArray, IdArray]:
        """Return the pieces of some sides.

        Args:
            sides: int64 (n,).

        Returns:
            piece_ids: int32 (t,), concatenated sides; lengths: int32 (n,).
        """
        piece_ids, lengths = gather_runs(self._pieces, self._ends, sides)
        return piece_ids, lengths.astype(np.int32)


def tokenise_pairs(
    files: Sequence[Path],
    vocabulary: Vocabulary,
    folder: Path,
    report: Report,
    *,
    n_ngrams: int = 0,
) -> TokenPairs:
    """Tokenise the pairs of all files, or open the tokens of an earlier run.

    Pairs with a side without a known piece are left out. With `n_ngrams` rows for
    hashed n-grams, the sides are also split into words.

    Raises:
        UserError: no pairs remain.
    """
    if (folder / INDEX_FILE).exists():
        return TokenPairs(folder)
    languages: list[RowRange] = []
    n_pairs, n_pieces = 0, 0
    with (
        (folder / PIECES_FILE).open("wb") as pieces,
        (folder / ENDS_FILE).open("wb") as all_ends,
        SideWordWriter(folder, n_ngrams) if n_ngrams else nullcontext() as words,
    ):
        for done, file in enumerate(files):
            first = n_pairs
            for block in _blocks(read_pairs(file)):
                report.step(STAGE, done, len(files), describe_texts(file_stem(file)))
                piece_ids, lengths, texts = _cut_block(block, vocabulary)
                if words is not None:
                    words.write(texts)
                piece_ids.tofile(pieces)
                (np.cumsum(lengths, dtype=np.int64) + n_pieces).tofile(all_ends)
                n_pieces += len(piece_ids)
                n_pairs += len(lengths) // 2
            if n_pairs > first:
                languages.append(RowRange(file_stem(file), first, n_pairs - first))
    if n_pairs < 2:
        raise UserError("Fewer than two pairs have known pieces. Add training data.")
    part = folder / f"{INDEX_FILE}.part"
    part.write_bytes(msgspec.json.encode(languages))
    part.replace(folder / INDEX_FILE)
    return TokenPairs(folder)


def _blocks(
    pairs: Iterator[tuple[str, str]],
) -> Iterator[list[tuple[str, str]]]:
    """Split an iterator into lists."""
    while block := list(islice(pairs, BLOCK_PAIRS)):
        yield block


def _cut_block(
    block: list[tuple[str, str]], vocabulary: Vocabulary
) -> tuple[IdArray, IdArray, list[str]]:
    """Tokenise pairs; drop pairs with an empty side and truncate long sides."""
    texts = [text for pair in block for text in pair]
    piece_ids, lengths = vocabulary.tokenise(texts, n_threads=os.cpu_count() or 1)
    side_ids = np.repeat(np.arange(len(texts)), lengths)
    positions = np.arange(len(piece_ids)) - np.repeat(
        np.cumsum(lengths) - lengths, lengths
    )
    is_known = (piece_ids != UNKNOWN_ID) & (piece_ids != vocabulary.space_id)
    n_known = np.bincount(side_ids[is_known], minlength=len(texts))
    is_kept = np.repeat((n_known.reshape(-1, 2) > 0).all(axis=1), 2)  # (n, 2) -> (2n,)
    piece_ids = piece_ids[is_kept[side_ids] & (positions < MAX_PIECES)]
    kept_texts = list(compress(texts, is_kept))
    return piece_ids, np.minimum(lengths, MAX_PIECES)[is_kept], kept_texts
