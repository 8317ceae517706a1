"""Words in Latin letters, and the table rows of their hashed character n-grams.

Unlike pieces, letter n-grams do not depend on a vocabulary's segmentation, so rare
forms and small languages share them with other words (Wieting et al. 2016, "Charagram";
Bojanowski et al. 2017, section 3.2). Latin letters let scripts share n-grams (Том and
Tom).
"""

import unicodedata
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.numeric import IdArray, gather_runs, hash_runs

CodeArray = NDArray[np.uint32]  # code points

NGRAM_SIZES = (3, 4, 5)
WORD_BEGIN, WORD_END = ord("<"), ord(">")
LINE_END = ord("\n")
LAST_CODE = 0x40000  # above all letters
_ALONE = np.int8(1)  # each character is a word: Chinese characters and kana
_PART, _BETWEEN, _DROPPED = np.int8(0), np.int8(2), np.int8(3)
_APOSTROPHES = "'’ʼ"
_IDEOGRAPHIC = (
    (0x3040, 0x30FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


class Words(msgspec.Struct, frozen=True):
    """Words of n texts.

    Attributes:
        codes: uint32 (c,), concatenated code points of all words, each between begin
            and end marks.
        sizes: int32 (w,), number of code points of each word, including marks.
        lengths: int32 (n,), number of words of each text.
    """

    codes: CodeArray
    sizes: IdArray
    lengths: IdArray


class Romaniser:
    """Converts texts to words in Latin letters with a table stored in the encoder.

    A letter that is not in the table is not changed.

    Attributes:
        arrays: the table: `codes` uint32 (m,), ascending, `sizes` uint8 (m,) and
            `letters` uint8 (s,), the ASCII letters of each code point.
    """

    def __init__(self, arrays: dict[str, NDArray[np.generic]]):
        self.arrays = arrays
        codes = arrays["codes"].astype(np.int64)
        sizes = arrays["sizes"].astype(np.int32)
        top = max(LAST_CODE, int(codes.max(initial=0)) + 1) + 1
        self._kinds = np.full(top, _PART)
        self._is_classified = np.zeros(top, np.bool_)
        # a code point that is not in the table maps to itself
        self._letters = np.concatenate(
            [arrays["letters"].astype(np.uint32), np.arange(top, dtype=np.uint32)]
        )
        self._n_known = len(arrays["letters"])
        self._firsts = np.arange(top, dtype=np.int32) + self._n_known
        self._sizes = np.ones(top, np.int32)
        self._firsts[codes] = np.cumsum(sizes) - sizes
        self._sizes[codes] = sizes

    def split(self, texts: Sequence[str]) -> Words:
        """Split texts into words: NFKC, case-folded, in Latin letters.

        Args:
            texts: n texts.
        """
        codes = _codes_of(texts)
        codes = np.minimum(codes, len(self._kinds) - 1)
        self._classify(codes)
        kinds = self._kinds[codes]
        kept = kinds != _DROPPED
        codes, kinds = codes[kept], kinds[kept]
        is_letter = kinds <= _ALONE
        # a word begins after a non-letter, and at a letter that is a word alone
        begins = is_letter.copy()
        begins[1:] &= ~is_letter[:-1] | (kinds[1:] == _ALONE) | (kinds[:-1] == _ALONE)
        text_ids = np.cumsum(codes == LINE_END)[is_letter]
        word_ids = np.cumsum(begins)[is_letter] - 1
        letters, letter_words = self._spell(codes[is_letter], word_ids)
        sizes = np.bincount(letter_words, minlength=int(begins.sum()))
        word_texts = text_ids[np.flatnonzero(begins[is_letter])]
        heard = sizes > 0  # some marks map to no letter
        lengths = np.bincount(word_texts[heard], minlength=len(texts))
        marked, marked_sizes = _add_marks(letters, sizes[heard])
        return Words(marked, marked_sizes, lengths.astype(np.int32))

    def _spell(
        self, codes: CodeArray, word_ids: NDArray[np.int64]
    ) -> tuple[CodeArray, NDArray[np.int64]]:
        """Replace each code point by its letters, with their words."""
        sizes = self._sizes[codes]
        ends = np.cumsum(sizes)
        indices = np.arange(ends[-1] if len(ends) else 0)
        indices += np.repeat(self._firsts[codes] - (ends - sizes), sizes)
        return self._letters[indices], np.repeat(word_ids, sizes)

    def _classify(self, codes: CodeArray) -> None:
        """Classify code points that were not classified before."""
        for code in np.unique(codes[~self._is_classified[codes]]).tolist():
            self._kinds[code] = _kind_of(chr(code))
            self._is_classified[code] = True


def make_romaniser() -> Romaniser:
    """Make the table of all letters, marks and digits in Unicode with anyascii."""
    from anyascii import anyascii

    table = {}
    for character in map(chr, range(LAST_CODE)):
        if _kind_of(character) == _PART:
            letters = anyascii(character).lower()
            table[ord(character)] = "".join(filter(str.isalnum, letters))
    text = "".join(table.values())
    return Romaniser(
        {
            "codes": np.array(list(table), np.uint32),
            "sizes": np.array([len(letters) for letters in table.values()], np.uint8),
            "letters": np.frombuffer(text.encode("ascii"), np.uint8),
        }
    )


def normalise_text(text: str) -> str:
    """Return the normal form of a text for counting words: NFKC, case-folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def distinct_words(words: Words) -> tuple[Words, NDArray[np.int64]]:
    """Return the distinct words, and each word's index among them."""
    hashes = hash_words(words)
    _, firsts, word_ids = np.unique(hashes, return_index=True, return_inverse=True)
    return select_words(words, firsts), word_ids


def hash_words(words: Words) -> NDArray[np.uint64]:
    """Hash each word to 64 bits: equal words have equal hashes."""
    return hash_runs(words.codes.view(np.int32), words.sizes)


def select_words(words: Words, word_ids: NDArray[np.int64]) -> Words:
    """Return some of the words, as one text."""
    ends = np.cumsum(words.sizes, dtype=np.int64)
    codes, sizes = gather_runs(words.codes, ends, word_ids)
    n_words = np.array([len(word_ids)], np.int32)
    return Words(codes, sizes.astype(np.int32), n_words)


def ngram_rows(words: Words, n_ngrams: int) -> tuple[IdArray, NDArray[np.int64]]:
    """Hash the n-grams of each word to 0…n_ngrams-1 (see `NGRAM_SIZES`).

    A 32-bit multiply-and-mix hash (constants of FNV and MurmurHash3); stored encoders
    rely on it, so it never changes.

    Returns:
        rows: int32 (g,), concatenated n-grams of all words; counts: int64 (w,), n-grams
        of each word.
    """
    codes, n_codes = words.codes, len(words.codes)
    word_ids = np.repeat(np.arange(len(words.sizes), dtype=np.int32), words.sizes)
    ends = np.cumsum(words.sizes, dtype=np.int64)
    room = np.repeat(ends, words.sizes) - np.arange(n_codes)
    padded = np.concatenate([codes, np.zeros(max(NGRAM_SIZES), np.uint32)])
    hashes = np.zeros(n_codes, np.uint32)
    rows, owners = [], []
    for n in range(1, max(NGRAM_SIZES) + 1):
        hashes *= np.uint32(0x01000193)
        hashes ^= padded[n - 1 : n - 1 + n_codes] * np.uint32(0x9E3779B1)
        if n in NGRAM_SIZES:
            fits = room >= n
            rows.append(_mix(hashes[fits], n) % np.uint32(n_ngrams))
            owners.append(word_ids[fits])
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    flat = np.concatenate(rows).astype(np.int32)[order]
    return flat, np.bincount(owner, minlength=len(words.sizes))


def _mix(hashes: CodeArray, n: int) -> CodeArray:
    """Mix the bits of hashes, differently for each n-gram size."""
    mixed = hashes + np.uint32(n)
    mixed ^= mixed >> np.uint32(15)
    mixed *= np.uint32(0x85EBCA77)
    mixed ^= mixed >> np.uint32(13)
    mixed *= np.uint32(0xC2B2AE35)
    mixed ^= mixed >> np.uint32(16)
    return mixed


def _codes_of(texts: Sequence[str]) -> CodeArray:
    """Return the code points of normalised texts, a line end between two texts."""
    joined = "\n".join(texts)
    if joined.count("\n") != max(0, len(texts) - 1):
        joined = "\n".join(text.replace("\n", " ") for text in texts)
    normal = normalise_text(joined)
    return np.frombuffer(normal.encode("utf-32-le", "surrogatepass"), np.uint32)


def _add_marks(
    letters: CodeArray, sizes: NDArray[np.int64]
) -> tuple[CodeArray, IdArray]:
    """Add begin and end marks around each word."""
    marked_sizes = sizes + 2
    ends = np.cumsum(marked_sizes)
    marked = np.empty(int(marked_sizes.sum()), np.uint32)
    is_letter = np.ones(len(marked), np.bool_)
    is_letter[ends - marked_sizes] = False
    is_letter[ends - 1] = False
    marked[is_letter] = letters
    marked[ends - marked_sizes] = WORD_BEGIN
    marked[ends - 1] = WORD_END
    return marked, marked_sizes.astype(np.int32)


def _kind_of(character: str) -> np.int8:
    """Classify a character: part of a word, a word alone, separator, or dropped."""
    code, category = ord(character), unicodedata.category(character)
    if any(low <= code <= high for low, high in _IDEOGRAPHIC):
        return _ALONE
    if category[0] in "LMN":
        return _PART
    if category == "Cf" or character in _APOSTROPHES:
        return _DROPPED
    return _BETWEEN


SILENT_ROW = 0  # in every table; for unknown pieces and missing neighbours; always zero


def table_rows(
    piece_ids: IdArray,
    lengths: IdArray,
    *,
    n_pieces: int,
    n_bigrams: int,
    space_id: int,
) -> tuple[IdArray, NDArray[np.int64]]:
    """Return the table rows whose sum is each text's vector.

    Row i < n_pieces belongs to piece i, row n_pieces + h to the bigrams of
    neighbouring pieces with hash h. Unknown pieces, the bare mark of a space and
    bigrams with either are `SILENT_ROW`.

    Args:
        piece_ids: int32 (t,), concatenated pieces of n texts; 0 = unknown.
        lengths: int32 (n,), number of pieces of each text.
        n_pieces: pieces of the vocabulary.
        n_bigrams: rows for hashed bigrams; 0 = no bigrams.
        space_id: the piece that only marks a space; -1 = there is none.

    Returns:
        rows: int32 (t,) or, with bigrams, (2t,): each piece and the bigram that it
        begins; starts: int64 (n,), start of each text's rows.
    """
    known_ids = np.where(piece_ids == space_id, SILENT_ROW, piece_ids)
    ends = np.cumsum(lengths, dtype=np.int64)
    starts = ends - lengths
    if not n_bigrams:
        return known_ids, starts
    rows = np.zeros(2 * len(known_ids), np.int32)
    rows[0::2] = known_ids
    if len(known_ids) > 1:
        left, right = known_ids[:-1], known_ids[1:]
        bigram_rows = hash_bigrams(left, right, n_bigrams)
        bigram_rows += n_pieces
        bigram_rows *= (left != SILENT_ROW) & (right != SILENT_ROW)
        rows[1:-1:2] = bigram_rows
        rows[2 * ends[lengths > 0] - 1] = SILENT_ROW  # the next piece is another text's
    return rows, 2 * starts


def hash_bigrams(left: IdArray, right: IdArray, n_bigrams: int) -> IdArray:
    """Hash pairs of piece ids to 0…n_bigrams-1.

    Multiply and mix in 32 bits (constants of xxHash and MurmurHash3); stored encoders
    rely on it, so it never changes.
    """
    mixed = left.astype(np.uint32) * np.uint32(0x9E3779B1)
    mixed += right.astype(np.uint32) * np.uint32(0x85EBCA77)
    mixed ^= mixed >> np.uint32(15)
    mixed *= np.uint32(0xC2B2AE35)
    mixed ^= mixed >> np.uint32(16)
    return (mixed % np.uint32(n_bigrams)).astype(np.int32)
