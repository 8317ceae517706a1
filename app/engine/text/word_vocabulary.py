"""Word segmentation, word vocabularies and n-grams, and piece counts of texts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable
from zlib import crc32

import numpy as np
from numpy import int32
from numpy.typing import NDArray

from app.engine.numeric import IdArray
from app.errors import UserError


class PieceCounts(NamedTuple):
    """Piece counts of n texts, without markers of spaces, start and end.

    Attributes:
        n_pieces: int32 (n,), number of pieces.
        n_unknown: int32 (n,), number of unknown pieces.
    """

    n_pieces: NDArray[int32]
    n_unknown: NDArray[int32]

    @property
    def unknown_share(self) -> float:
        """Return the share of all pieces that are unknown (0…1)."""
        return int(self.n_unknown.sum()) / max(1, int(self.n_pieces.sum()))


@runtime_checkable
class PieceCounter(Protocol):
    """Protocol of encoders and vocabularies, which split texts into pieces."""

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces of each text."""


WORDS_FILE = "words.txt"
NGRAM_SIZES = (3, 4)  # Chidambaram et al. 2019, section 3.1
WORD_BEGIN, WORD_END = "\x02", "\x03"  # not in any text
MAX_CHARACTERS = 100_000  # of one text
MAX_WORD = 64  # characters of one word whose n-grams are hashed

_SURROGATE = re.compile("[\ud800-\udfff]")
# Scripts that write no spaces: kana, Chinese characters, Thai, Lao, Myanmar, Khmer.
UNSPACED_LETTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uaa60-\uaa7f\uf900-\ufaff\U00020000-\U0003ffff"
)


class WordVocabulary:
    """Words with one row each, most frequent first.

    Attributes:
        n_words: ids are 0…n_words-1.
    """

    def __init__(self, words: Sequence[str]):
        self.n_words = len(words)
        self._ids = {word: i for i, word in enumerate(words)}

    def split(self, text: str, max_words: int | None = None) -> list[str]:
        """Split a text into words (see `split_words`)."""
        return split_words(text, max_words)

    def rows(self, words: Sequence[str], n_hashed: int) -> IdArray:
        """Return each word's row, int32 (w,).

        A word outside the vocabulary has row n_words + (its hash mod n_hashed); without
        hashed rows it has row 0.
        """
        n_words = self.n_words
        rows = np.zeros(len(words), np.int32)
        for i, word in enumerate(words):
            known = self._ids.get(word)
            if known is not None:
                rows[i] = known
            elif n_hashed:
                rows[i] = n_words + crc32(word.encode()) % n_hashed
        return rows

    def ngrams(
        self, words: Sequence[str], n_rows: int
    ) -> tuple[IdArray, NDArray[np.int64]]:
        """Hash the character n-grams of words (see `word_ngrams`).

        Returns:
            sub_ids: int32 (s,), 0…n_rows-1; sub_lengths: int64 (w,).
        """
        lists = [word_ngrams(word) for word in words]
        hashes = [crc32(ngram.encode()) % n_rows for one in lists for ngram in one]
        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        return np.array(hashes, np.int32), lengths

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the words of each text, and the words outside the vocabulary."""
        lists = [split_words(text) for text in texts]
        unknown = [sum(word not in self._ids for word in words) for words in lists]
        return PieceCounts(
            np.array([len(words) for words in lists], np.int32),
            np.array(unknown, np.int32),
        )


def split_words(text: str, max_words: int | None = None) -> list[str]:
    """Split a text into words: NFKC, case-folded.

    A word is a run of letters, digits and marks. Scripts without spaces are split into
    characters with their marks, and any other character is a word, since later layers
    see their order.
    """
    clean = _SURROGATE.sub("\ufffd", text[:MAX_CHARACTERS])
    clean = unicodedata.normalize("NFKC", clean).casefold()
    if max_words is None:
        whole: list[str] = _pattern().findall(clean)  # twice as fast as finditer
        return whole
    found = (match.group() for match in _pattern().finditer(clean))
    return list(islice(found, max_words))


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and end of words (in characters), without punctuation."""
    found = _pattern().finditer(text[:MAX_CHARACTERS])
    return [match.span() for match in found if match.group()[0].isalnum()]


def word_ngrams(word: str) -> list[str]:
    """Return a word's n-grams, n = 3 and 4, with markers of its start and end.

    The paper does not mention markers; they distinguish prefixes from suffixes.
    """
    marked = f"{WORD_BEGIN}{word[:MAX_WORD]}{WORD_END}"
    return [marked[i : i + n] for n in NGRAM_SIZES for i in range(len(marked) - n + 1)]


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Count the words of texts."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(split_words(text))
    return counts


def most_frequent(counts: Counter[str], n_words: int) -> list[str]:
    """Choose the words of a vocabulary by frequency, and then alphabetically."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in ranked[:n_words]]


def write_words(words: Sequence[str]) -> bytes:
    """Return the words as stored, one per line."""
    return "".join(f"{word}\n" for word in words).encode()


def load_word_vocabulary(folder: Path) -> WordVocabulary:
    """Load the word vocabulary of a folder.

    Raises:
        UserError: the vocabulary is missing or damaged.
    """
    path = folder / WORDS_FILE
    try:
        text = path.read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UserError(f"{folder}: there is no {WORDS_FILE} in the folder.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: the words are damaged.") from error
    words = text.split("\n")[:-1]
    if not words or not text.endswith("\n") or len(set(words)) != len(words):
        raise UserError(f"{path}: the words are damaged. Get a new copy.")
    return WordVocabulary(words)


@cache
def _pattern() -> re.Pattern[str]:
    """Match one word."""
    marks = "".join(
        re.escape(chr(code))
        for code in range(0x300, 0x20000)
        if unicodedata.category(chr(code))[0] == "M"
    )
    marks += "\u200c\u200d"  # joiners, used in Persian and Indic spelling
    return re.compile(
        f"[{UNSPACED_LETTERS}][{marks}]*|(?:(?![{UNSPACED_LETTERS}])[\\w{marks}])+|[^\\w\\s][{marks}]*"
    )
