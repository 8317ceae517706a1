"""Split texts into words; scripts without spaces are segmented with ICU.

A word is a run of letters, digits and their marks. Inside a run an apostrophe, a
hyphen, a soft hyphen, a middle dot and the word-internal signs of Hebrew and Armenian
belong to it (don't, well-known, rock’n’roll, col·lecció), a colon between letters
(EU:n), a point or comma between digits (3.14), and a point between two single letters
(U.S., e.g., z.B.; the last point of an abbreviation does not belong to it). In
languages that elide (French, Italian, Catalan, …) the apostrophe ends a word: l’ eau.
Scripts without spaces are segmented by a dictionary (see segmenters.py).
"""

import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import IntArray
from app.languages import elides

ICU, CHARACTERS = "icu", "characters"
MODULE = "icu4py"  # the optional extra `words`
LOCALE = "en"  # the dictionary depends on the script, not the locale
NOTE = (
    "Text without spaces (Chinese, Japanese, Thai, Khmer, Lao, Burmese) is split into "
    "single characters. Words need the package icu4py, which is not installed (see "
    "Optional packages in the documentation). Index the corpora again after that."
)


@cache
def unspaced_segmenter() -> str:
    """Return the segmenter for text without spaces: "icu" or "characters"."""
    try:
        _breakers()
    except ImportError:
        return CHARACTERS
    return ICU


def segment_runs(text: str) -> NDArray[np.int64]:
    """Segment a text with ICU (Unicode Standard Annex 29, dictionaries).

    Args:
        text: any text; text between words also forms pieces.

    Returns:
        int64 (w,), end of each piece in code points.
    """
    breaker = _breakers().WordBreaker(text, LOCALE)
    # Use the pieces, since ICU's offsets count UTF-16 units
    return np.cumsum(np.fromiter(map(len, breaker), np.int64))


@cache
def _breakers() -> Any:
    return import_module(f"{MODULE}.breakers")


RULES = "4"  # version of these rules; a change makes saved indexes outdated
OTHER, LETTER, DIGIT, UNSPACED, MARK = range(5)
APOSTROPHE, INNER, POINT, COMMA, COLON, QUOTE = range(5, 11)  # signs within words

# Kana, Chinese characters, Thai, Lao, Myanmar, Khmer, Tai scripts.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x1950, 0x19DF),
    (0x1A20, 0x1AAF),
    (0x3005, 0x3007),
    (0x3031, 0x3035),
    (0x303B, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAADF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),
)
_ASSIGNED = 0x40000  # no letters above; marks from 0xE0100
_SELECTORS = (0xE0100, 0xE01EF)
_JOINERS = "\u200c\u200d"  # part of the spelling in Persian and Indic scripts
_APOSTROPHES = "'\u2019"
_INNER = "-\u2010\u2011\u00ad\u00b7\u0387\u05f3\u05f4\u055b\u055c\u055e"
_COMMAS = ",\u066b\u066c"
_HEBREW = (0x05D0, 0x05EA)  # letters, between which a quotation mark is a gershayim
# French words that are not split at their apostrophe
_WHOLE = (("ourd", "hui"), ("prud", "hom"))


class TokenSpans(NamedTuple):
    """The words of some texts.

    Attributes:
        page: the texts, each on its own line, after a line break.
        offsets: int64 (n,), start of each text in the page.
        begins, ends: int64 (t,), start and end of each word in the page.
        has_unspaced: whether the segmenter found some of the words.
    """

    page: str
    offsets: IntArray
    begins: IntArray
    ends: IntArray
    has_unspaced: bool

    def words(self) -> list[str]:
        """Return the words as written."""
        page = self.page
        spans = zip(self.begins.tolist(), self.ends.tolist(), strict=True)
        return [page[begin:end] for begin, end in spans]


def tokenize(text: str, language: str = "") -> list[tuple[int, int]]:
    """Return the start and end of the words of a text, in code points.

    Args:
        text: one sentence, or a query.
        language: language code, which decides whether an apostrophe ends a word.
    """
    cuts = tokenize_texts([text], np.array([elides(language)]))
    spans = zip((cuts.begins - 1).tolist(), (cuts.ends - 1).tolist(), strict=True)
    return list(spans)


def tokenize_texts(texts: Sequence[str], eliding: NDArray[np.bool_]) -> TokenSpans:
    """Split texts into words.

    Args:
        texts: n sentences.
        eliding: bool (n,), whether an apostrophe ends a word; (1,) for all texts.
    """
    page = "\n" + "\n".join(texts) + "\n"
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    offsets = np.cumsum(lengths + 1) - lengths
    codes = np.frombuffer(page.encode("utf-32-le", "surrogatepass"), "<u4")
    kinds = kind_table()[codes]
    is_mark = kinds == MARK
    if is_mark.any():  # a mark has the kind of its base character
        indices = np.arange(len(kinds))
        indices[is_mark] = 0
        kinds = kinds[np.maximum.accumulate(indices)]
    begins, ends = _spaced_spans(page, kinds, offsets, eliding)
    runs = _changes(kinds == UNSPACED)
    if len(runs):
        more = _unspaced_spans(page, runs.reshape(-1, 2), is_mark)
        begins = np.sort(np.concatenate([begins, more[0]]))
        ends = np.sort(np.concatenate([ends, more[1]]))
    return TokenSpans(page, offsets, begins, ends, len(runs) > 0)


def fold_word(form: str) -> str:
    """Return the word of a form: normalise capitals, apostrophes and hyphens.

    Unicode case folding (a dotted capital I becomes i, also in Turkish), except that ß
    is unchanged: Masse and Maße are two words, and großes is shown as written.
    """
    if form.isascii():
        return form.lower()
    if "ß" in form or "ẞ" in form:
        return "ß".join(map(fold_word, form.replace("ẞ", "ß").split("ß")))
    return form.casefold().translate(_FOLDED).replace("i\u0307", "i")


@cache
def kind_table() -> NDArray[np.uint8]:
    """Return the kind of each code point: uint8 (0x110000,)."""
    table = np.zeros(0x110000, np.uint8)
    category = unicodedata.category
    kinds = {"L": LETTER, "N": LETTER, "M": MARK}
    signs = [category(chr(code)) for code in range(_ASSIGNED)]
    table[:_ASSIGNED] = [
        DIGIT if sign == "Nd" else kinds.get(sign[0], OTHER) for sign in signs
    ]
    for low, high in _UNSPACED:
        part = table[low : high + 1]
        part[part == LETTER] = UNSPACED
    table[_SELECTORS[0] : _SELECTORS[1] + 1] = MARK
    for characters, kind in (
        (_JOINERS, MARK),
        (_APOSTROPHES, APOSTROPHE),
        (_INNER, INNER),
        (".", POINT),
        (_COMMAS, COMMA),
        (":", COLON),
        ('"', QUOTE),
    ):
        table[[ord(character) for character in characters]] = kind
    return table


_FOLDED = str.maketrans(
    {"\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-", "\u00ad": None}
)


def _spaced_spans(
    page: str,
    kinds: NDArray[np.uint8],
    offsets: IntArray,
    eliding: NDArray[np.bool_],
) -> tuple[IntArray, IntArray]:
    """Find the words of scripts with spaces: start and end, int64 (t,) each."""
    is_word = (kinds == LETTER) | (kinds == DIGIT)
    signs = np.flatnonzero(kinds >= APOSTROPHE)  # the ends are line breaks
    before, kind, after = kinds[signs - 1], kinds[signs], kinds[signs + 1]
    between = is_word[signs - 1] & is_word[signs + 1]
    numeric = (before == DIGIT) & (after == DIGIT)
    inner = np.where((kind == POINT) | (kind == COMMA), numeric, between)
    is_letter = (before == LETTER) & (after == LETTER)
    inner |= (kind == POINT) & is_letter & _are_single(is_word, signs)
    inner &= (kind != COLON) | is_letter
    for index in np.flatnonzero(inner & (kind == QUOTE)).tolist():
        inner[index] = all(_is_hebrew(page[signs[index] + side]) for side in (-1, 1))
    is_word[signs[inner]] = True
    spans = _changes(is_word)
    if eliding.any():
        apostrophes = signs[inner & (kind == APOSTROPHE)]
        if len(eliding) > 1:
            apostrophes = apostrophes[
                eliding[np.searchsorted(offsets, apostrophes, "right") - 1]
            ]
        ends_word = [not _is_whole(page, index) for index in apostrophes.tolist()]
        cuts = apostrophes[np.array(ends_word, bool)] + 1
        spans = np.sort(np.concatenate([spans, cuts, cuts]))
    return spans[::2], spans[1::2]


def _are_single(is_word: NDArray[np.bool_], signs: IntArray) -> NDArray[np.bool_]:
    """Return whether the letters on both sides of signs are single: bool (s,)."""
    last = len(is_word) - 1
    return ~(is_word[signs - 2] | is_word[np.minimum(signs + 2, last)])


def _is_hebrew(character: str) -> bool:
    return _HEBREW[0] <= ord(character) <= _HEBREW[1]


def _is_whole(page: str, index: int) -> bool:
    """Return whether an apostrophe is inside a word without elision (aujourd'hui)."""
    if page[index - 1] not in "dD" or page[index + 1] not in "hH":
        return False
    before, after = page[index - 4 : index].lower(), page[index + 1 : index + 4].lower()
    return (before, after) in _WHOLE


def _unspaced_spans(
    page: str, runs: IntArray, is_mark: NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """Segment runs of scripts without spaces.

    Args:
        runs: int64 (r, 2), start and end of each run.
        is_mark: bool (c,), whether each character of the page is a mark.
    """
    lengths = runs[:, 1] - runs[:, 0]
    if unspaced_segmenter() != ICU:
        # a base character with its marks
        inside = np.repeat(runs[:, 0] - (np.cumsum(lengths) - lengths), lengths)
        indices = inside + np.arange(len(inside))
        begins = indices[~is_mark[indices]]
        ends = np.append(begins[1:], 0)
        last = np.searchsorted(begins, runs[:, 1]) - 1
        ends[last] = runs[:, 1]
        return begins, ends
    together = "\n".join([page[begin:end] for begin, end in runs.tolist()])
    ends = segment_runs(together)
    begins = np.append(0, ends[:-1])
    firsts = np.cumsum(lengths + 1) - lengths - 1  # start of each run in `together`
    run = np.searchsorted(firsts, begins, "right") - 1
    shift = runs[run, 0] - firsts[run]
    is_word = begins + shift < runs[run, 1]  # others are line breaks
    return (begins + shift)[is_word], (ends + shift)[is_word]


def _changes(is_word: NDArray[np.bool_]) -> IntArray:
    """Return alternating starts and ends of runs: int64 (2 r,)."""
    return np.flatnonzero(is_word[1:] != is_word[:-1]) + 1


def entry_key(text: str) -> str:
    """Return a key that is equal for words that count as the same.

    Compatibility forms (NFKC), capitals, apostrophes and hyphens are normalised.
    """
    plain = unicodedata.normalize("NFKC", " ".join(text.split()))
    return unicodedata.normalize("NFKC", fold_word(plain))
