"""Split paragraphs into sentences."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from app.languages import language_name, primary_language

# sentencex knows no sentence end in these; spaces mark the ends of clauses.
SPLIT_AT_SPACES = frozenset(["th", "lo", "km"])
_SPACES = re.compile(r"\s+")
_WRAPPED = range(40, 101)  # median length of the lines of a text with hard line breaks


class Piece(NamedTuple):
    """A sentence and the number of the line that it begins in."""

    text: str
    line: int


def split_sentences(text: str, language: str) -> list[str]:
    """Split a paragraph into sentences; Thai, Lao and Khmer at spaces.

    Args:
        text: paragraph without line feeds.
        language: stored code.
    """
    primary = primary_language(language)
    if primary in SPLIT_AT_SPACES:
        return _SPACES.split(text)
    from sentencex import segment

    return [str(sentence) for sentence in segment(primary, text)]


def split_note(language: str) -> str:
    """Return how a language is split where it is not by sentences; else empty."""
    if primary_language(language) not in SPLIT_AT_SPACES:
        return ""
    name = language_name(language)
    return f"{name} was split at spaces and line ends, which are not always sentences."


def is_hard_wrapped(lines: Iterable[str]) -> bool:
    """Return whether a text has hard line breaks, and empty lines end paragraphs."""
    lengths = [len(line) for line in lines]
    filled = sorted(length for length in lengths if length)
    n_empty = len(lengths) - len(filled)
    if len(filled) < 4 or n_empty < 2:
        return False
    return (
        filled[len(filled) // 2] in _WRAPPED and filled[len(filled) * 95 // 100] < 120
    )


def split_paragraph(lines: list[str], first: int, language: str) -> Iterator[Piece]:
    """Split the lines of a paragraph into sentences with the lines they begin in."""
    joiner = "" if primary_language(language) in ("zh", "ja", "yue", "lzh") else " "
    starts, length = [], 0
    for line in lines:
        starts.append(length)
        length += len(line) + len(joiner)
    text = joiner.join(lines)
    place = 0
    for sentence in split_sentences(text, language):
        stripped = sentence.strip()
        if stripped:
            place = text.index(stripped, place)
            yield Piece(stripped, first + bisect_right(starts, place) - 1)
            place += len(stripped)
