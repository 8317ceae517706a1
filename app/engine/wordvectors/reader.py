"""Read word vectors from .vec, .txt and .bin files, word by word.

The text form has one word and its numbers per line, with or without a first line "words
dimensions". The binary form of word2vec has that first line, then for each word its
UTF-8 bytes, a space, and its numbers as float32 (Mikolov et al. 2013, word2vec.c).
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.arrays import FloatArray
from app.engine.runtime.report import Report
from app.engine.text.files import ByteSource
from app.engine.wordvectors.table import WordVectors
from app.errors import UserError

STAGE = "Reading word vectors"
CHUNK = 1 << 20  # bytes read at once
MAX_WORDS = 200_000  # as Lample et al. 2018, section 3.1
MAX_DIM = 4_096
MAX_WORD_BYTES = 2_000
MAX_LINE_BYTES = MAX_WORD_BYTES + 40 * MAX_DIM
FASTTEXT_MAGIC = struct.pack("<i", 793_712_314)  # of a fastText model


class VectorFileText(NamedTuple):
    """Word vectors of a file.

    Attributes:
        table: the words that were kept.
        notes: sentences for the user about what was left out.
    """

    table: WordVectors
    notes: tuple[str, ...]


def read_vector_file(
    path: Path,
    report: Report,
    *,
    language: str = "",
    max_words: int = MAX_WORDS,
) -> VectorFileText:
    """Read the first words of a file, which are the most frequent ones.

    Later copies of a word, empty words, words that are not UTF-8 and zero vectors are
    left out. The rest of a large file is not read.

    Args:
        path: text or binary; .gz, .xz and .zst are decompressed.
        language: code of the words' language.
        max_words: number of words to keep.

    Raises:
        UserError: the file contains no word vectors, or a line has another number of
            dimensions, or a number is not finite.
        ResourceError: the file is missing or can't be read.
        Cancelled: the run was asked to stop.
    """
    with ByteSource(path) as source:
        reader = _Reader(source)
        head = reader.peek(len(FASTTEXT_MAGIC))
        if head == FASTTEXT_MAGIC:
            raise UserError(
                f"{path} is a fastText model. Import its vectors instead: the file "
                "with the same name that ends in .vec."
            )
        counts = _read_header(path, reader)
        rows = _rows(path, reader, counts)
        return _collect(path, rows, counts, (source, report), language, max_words)


class _Counts(NamedTuple):
    """Numbers of words and dimensions in the first line; 0: there is no such line."""

    n_words: int = 0
    dim: int = 0


class _Row(NamedTuple):
    """A word with its vector, float32 (d,), and where it is in the file."""

    place: str
    word: bytes
    vector: FloatArray


class _Reader:
    """Reads bytes through a buffer."""

    def __init__(self, source: ByteSource):
        self._source = source
        self._data, self._start = b"", 0

    def peek(self, size: int) -> bytes:
        """Return the next bytes without reading past them; fewer at the end."""
        self._fill(size)
        return self._data[self._start : self._start + size]

    def take(self, size: int) -> bytes:
        """Read some bytes; fewer at the end."""
        data = self.peek(size)
        self._start += len(data)
        return data

    def take_until(self, mark: bytes, limit: int) -> bytes | None:
        """Read up to a mark, which is dropped; None if it is not within the limit.

        At the end of the file, what is left is returned.
        """
        n_searched = 0
        while True:
            end = self._data.find(mark, self._start + n_searched)
            if end >= 0:
                found = self._data[self._start : end]
                self._start = end + len(mark)
                return found
            n_searched = len(self._data) - self._start
            if n_searched > limit:
                return None
            if not self._fill(n_searched + CHUNK):
                found = self._data[self._start :]
                self._start = len(self._data)
                return found

    def _fill(self, size: int) -> bool:
        """Read until so many bytes wait; return whether there was more."""
        parts = [self._data[self._start :]]
        n = len(parts[0])
        if n >= size:
            return True
        n_before = n
        while n < size:
            data = self._source.read(CHUNK)
            if not data:
                break
            parts.append(data)
            n += len(data)
        self._data, self._start = b"".join(parts), 0
        return n > n_before


def _read_header(path: Path, reader: _Reader) -> _Counts:
    """Read the line with the number of words and dimensions if there is one."""
    line = reader.peek(64).partition(b"\n")[0]
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return _Counts()
    counts = _Counts(*map(int, fields))
    if not counts.n_words or not 1 <= counts.dim <= MAX_DIM:
        raise UserError(
            f"The first line of {path} declares {counts.n_words:,} words with "
            f"{counts.dim:,} dimensions. Word vectors have 1 to {MAX_DIM:,} dimensions."
        )
    reader.take_until(b"\n", CHUNK)
    return counts


def _rows(path: Path, reader: _Reader, counts: _Counts) -> Iterator[_Row]:
    sample = reader.peek(MAX_LINE_BYTES)
    if not sample:
        raise UserError(f"{path} contains no word vectors.")
    if counts.dim and not _is_text_row(sample.partition(b"\n")[0], counts.dim):
        is_binary = b"\0" in sample or not _is_utf8(sample)
        if is_binary:
            return _binary_rows(path, reader, counts)
    return _text_rows(path, reader, counts.dim)


def _is_utf8(sample: bytes) -> bool:
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _is_text_row(line: bytes, dim: int) -> bool:
    try:
        _numbers(line, dim)
    except ValueError:
        return False
    return True


def _numbers(line: bytes, dim: int) -> FloatArray:
    fields = line.rstrip().rsplit(b" ", dim)
    if not dim or len(fields) != dim + 1:
        raise ValueError(len(fields))
    return np.fromiter(map(float, fields[1:]), np.float32, dim)


def _text_rows(path: Path, reader: _Reader, dim: int) -> Iterator[_Row]:
    number = 1 if dim else 0  # of lines read
    while reader.peek(1):
        number += 1
        line = reader.take_until(b"\n", MAX_LINE_BYTES)
        place = f"{path}, line {number:,}"
        if line is None:
            raise UserError(
                f"{place}: the line is too long for a word vector. Choose a file in "
                "the text or binary format of word2vec."
            )
        line = line.replace(b"\t", b" ").rstrip()
        if not line.strip():
            continue
        if not dim:
            dim = _count_numbers(line)
        try:
            with np.errstate(over="ignore"):  # reported below
                vector = _numbers(line, dim)
        except ValueError:
            wanted = f"{dim:,} numbers" if dim else "its numbers"
            raise UserError(
                f"{place}: expected a word and {wanted}. Each line of a file of word "
                "vectors has the same number of dimensions."
            ) from None
        _check_finite(place, vector)
        yield _Row(place, line.rsplit(b" ", dim)[0], vector)


def _count_numbers(line: bytes) -> int:
    """Count the numbers at the end of the first line; it has no header."""
    n = 0
    for field in reversed(line.split(b" ")[1:]):
        try:
            float(field)
        except ValueError:
            break
        n += 1
    return min(n, MAX_DIM)


def _binary_rows(path: Path, reader: _Reader, counts: _Counts) -> Iterator[_Row]:
    size = 4 * counts.dim
    for number in range(1, counts.n_words + 1):
        place = f"{path}, word {number:,}"
        word = reader.take_until(b" ", MAX_WORD_BYTES + CHUNK)
        data = reader.take(size)
        if word is None or len(word) > MAX_WORD_BYTES or len(data) < size:
            raise UserError(
                f"{place}: the file is truncated or is not in the binary format of "
                f"word2vec with {counts.dim:,} dimensions. Copy it again."
            )
        vector = np.frombuffer(data, "<f4").astype(np.float32)
        _check_finite(place, vector)
        yield _Row(place, word.lstrip(b"\n"), vector)


def _check_finite(place: str, vector: FloatArray) -> None:
    if not np.isfinite(vector).all():
        raise UserError(
            f"{place}: a number is not finite (nan, inf or too large). Create the "
            "word vectors again."
        )


def _collect(
    path: Path,
    rows: Iterator[_Row],
    counts: _Counts,
    shown: tuple[ByteSource, Report],
    language: str,
    max_words: int,
) -> VectorFileText:
    """Keep the first words; count what is left out."""
    source, report = shown
    words: dict[str, None] = {}
    vectors: list[FloatArray] = []
    left_out = dict.fromkeys(("duplicate", "empty", "not UTF-8", "zero"), 0)
    is_cut = False
    for n, row in enumerate(rows):
        if len(words) == max_words:
            is_cut = True
            break
        if n % 1_000 == 0:
            report.step(STAGE, int(100 * source.fraction()), 100)
        word, problem = _word_of(row, words)
        if problem:
            left_out[problem] += 1
        else:
            words[word] = None
            vectors.append(row.vector)
    if not words:
        raise UserError(f"{path} contains no word vectors.")
    report.step(STAGE, 100, 100)
    table = WordVectors(tuple(words), np.stack(vectors), language)
    return VectorFileText(table, tuple(_notes(left_out, is_cut, counts, len(words))))


def _word_of(row: _Row, known: dict[str, None]) -> tuple[str, str]:
    """Return the word of a row, and why it is left out; empty: it is not."""
    try:
        word = " ".join(row.word.decode().split())
    except UnicodeDecodeError:
        return "", "not UTF-8"
    if not word:
        return "", "empty"
    if word in known:
        return word, "duplicate"
    return word, "" if row.vector.any() else "zero"


def _notes(
    left_out: dict[str, int], is_cut: bool, counts: _Counts, n: int
) -> Iterator[str]:
    names = {
        "duplicate": "that occur more than once",
        "empty": "that are empty",
        "not UTF-8": "that are not UTF-8",
        "zero": "with a zero vector",
    }
    for reason, n_rows in left_out.items():
        if n_rows:
            rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
            yield f"Left out {rows} of words {names[reason]}."
    if is_cut:
        total = f" of {counts.n_words:,}" if counts.n_words else ""
        yield f"Only the first {n:,}{total} words were read."
