"""Split a concordance line at its hit, and locate the words around it.

The engine counts code points; this module returns UTF-16 units, as Qt counts them.
"""

import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtCore import QTextBoundaryFinder

POSITIONS = ("L3", "L2", "L1", "R1", "R2", "R3")  # in the order of the engine
MAX_CONTEXT = 400  # code points per side; a window never shows more
ELLIPSIS, JOINER = "…", "\u200d"
_GRAPHEME_WINDOW = 32  # code points around a cut, enough for a grapheme

Span = tuple[int, int]  # start and end


class Mark(NamedTuple):
    """A marked word: start and length in UTF-16 units, and its position."""

    start: int
    length: int
    position: str


class Part(NamedTuple):
    """A context, or the hit.

    Attributes:
        text: text without the spaces at the hit.
        marks: coloured words.
        has_gap: whether a space separates a context from the hit.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    has_gap: bool = False


class KwicParts(NamedTuple):
    """The parts of a line in text order."""

    before: Part
    hit: Part
    after: Part


def cut_line(text: str, hit: Span, words: Mapping[str, Span]) -> KwicParts:
    """Split a sentence at its hit.

    Args:
        hit: span in code points; combining marks at its ends are included.
        words: spans in code points of the words to mark, by position.
    """
    text = text.replace("\n", " ").replace("\t", " ")
    start = grapheme_start(text, min(max(hit[0], 0), len(text)))
    end = grapheme_end(text, min(max(hit[1], start), len(text)))
    left = grapheme_end(text, max(start - MAX_CONTEXT, 0))
    right = grapheme_start(text, min(end + MAX_CONTEXT, len(text)))
    inner = text[start:end].strip() or text[start:end]
    joins = _joins(text, start), _joins(text, end)
    return KwicParts(
        _before(text, (left, start), words, joins[0]),
        Part(JOINER * joins[0] + inner + JOINER * joins[1]),
        _after(text, (end, max(right, end)), words, joins[1]),
    )


def utf16_length(text: str) -> int:
    """Count the UTF-16 units of a text."""
    return len(text) + sum(1 for character in text if ord(character) > 0xFFFF)


def grapheme_start(text: str, index: int) -> int:
    """Return the start of the grapheme at an offset, in code points."""
    return _border(text, index, is_end=False)


def grapheme_end(text: str, index: int) -> int:
    """Return the end of the grapheme at an offset, in code points."""
    return _border(text, index, is_end=True)


def shift_marks(marks: tuple[Mark, ...], by: int, room: Span) -> tuple[Mark, ...]:
    """Shift marks, and remove marks outside the available space."""
    moved = [mark._replace(start=mark.start + by) for mark in marks]
    low, high = room
    return tuple(
        mark for mark in moved if mark.start >= low and mark.start + mark.length <= high
    )


def _before(text: str, span: Span, words: Mapping[str, Span], joins: bool) -> Part:
    low, high = span
    shown = text[low:high].rstrip()
    head = ELLIPSIS if low else ""
    marks = _marks(text, (low, low + len(shown)), words, utf16_length(head))
    has_gap = len(shown) < high - low
    return Part(head + shown + JOINER * joins, marks, has_gap)


def _after(text: str, span: Span, words: Mapping[str, Span], joins: bool) -> Part:
    low, high = span
    shown = text[low:high].lstrip()
    begin = high - len(shown)
    tail = ELLIPSIS if high < len(text) else ""
    marks = _marks(text, (begin, high), words, utf16_length(JOINER * joins))
    return Part(JOINER * joins + shown + tail, marks, begin > low)


def _marks(
    text: str, room: Span, words: Mapping[str, Span], offset: int
) -> tuple[Mark, ...]:
    """Return the marks of the words in a span, relative to its start."""
    low, high = room
    found = []
    for position, (start, end) in words.items():
        if low <= start < end <= high:
            begin = offset + utf16_length(text[low:start])
            found.append(Mark(begin, utf16_length(text[start:end]), position))
    return tuple(found)


def _border(text: str, index: int, *, is_end: bool) -> int:
    if not 0 < index < len(text) or (text[index - 1] + text[index]).isascii():
        return index
    low = max(index - _GRAPHEME_WINDOW, 0)
    near = text[low : index + _GRAPHEME_WINDOW]
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, near)
    units = utf16_length(near[: index - low])
    finder.setPosition(units)
    if finder.isAtBoundary():
        return index
    found = finder.toNextBoundary() if is_end else finder.toPreviousBoundary()
    raw = near.encode("utf-16-le")[: 2 * max(found, 0)]
    return low + len(raw.decode("utf-16-le", "ignore"))


def _joins(text: str, index: int) -> bool:
    """Return whether the letters on both sides of a cut are joined in writing."""
    if not 0 < index < len(text):
        return False
    return _is_joined(text[index - 1]) and _is_joined(text[index])


def _is_joined(character: str) -> bool:
    kind = unicodedata.bidirectional(character)
    return kind == "AL" and unicodedata.category(character) in ("Lo", "Lm")
