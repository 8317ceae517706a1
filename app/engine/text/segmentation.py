"""Split paragraphs into sentences."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from app.languages import language_name, primary_language

# sentencex has no rules for these languages; spaces mark the ends of clauses.
SPLIT_AT_SPACES = frozenset(["th", "lo", "km"])
_SPACES = re.compile(r"\s+")
_WRAPPED = range(40, 121)  # length of the longest lines of hard-wrapped texts
_FULL = 0.75  # minimum share of the longest line: the next word did not fit
_MIN_LINES, _MIN_UNBROKEN = 4, 20  # lines before others; without empty lines
_ENDS = (".", "!", "?", "…", "。", "！", "？", "؟", "।")
_CLOSING = "\"'”’»“)] "


class Piece(NamedTuple):
    """A sentence and its first line number."""

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
    """Return a note for a language that is not split by sentences; else empty."""
    if primary_language(language) not in SPLIT_AT_SPACES:
        return ""
    name = language_name(language)
    return f"{name} was split at spaces and line ends, which are not always sentences."


def is_hard_wrapped(lines: Sequence[str]) -> bool:
    """Return whether a text has hard line breaks: full lines not at a sentence end.

    The last line of a paragraph does not count. Without empty lines, more lines are
    needed.
    """
    stripped = [line.strip() for line in lines]
    inner = [line for line, following in pairwise(stripped) if line and following]
    if len(inner) < (_MIN_LINES if stripped.count("") > 1 else _MIN_UNBROKEN):
        return False
    width = sorted(map(len, inner))[len(inner) * 95 // 100]
    n_full = sum(len(line) >= _FULL * width for line in inner)
    n_ends = sum(line.rstrip(_CLOSING).endswith(_ENDS) for line in inner)
    return width in _WRAPPED and 5 * n_full >= 4 * len(inner) >= 12 * n_ends


def split_paragraph(lines: list[str], first: int, language: str) -> Iterator[Piece]:
    """Split the lines of a paragraph into sentences with their first lines."""
    joiner = _joiner(language)
    starts, length = [], 0
    for line in lines:
        starts.append(length)
        length += len(line) + len(joiner)
    text = joiner.join(lines)
    index = 0
    for sentence in split_sentences(text, language):
        stripped = sentence.strip()
        if stripped:
            index = text.index(stripped, index)
            yield Piece(stripped, first + bisect_right(starts, index) - 1)
            index += len(stripped)


def join_lines(lines: Sequence[str], language: str) -> str:
    """Join the lines of a paragraph, with spaces if the script uses spaces."""
    return _joiner(language).join(lines)


def _joiner(language: str) -> str:
    return "" if primary_language(language) in ("zh", "ja", "yue", "lzh") else " "
