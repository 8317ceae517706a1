"""Differences between the two texts of a pair: numbers and names."""

import re
import unicodedata
from collections import Counter
from typing import NamedTuple

from anyascii import anyascii
from rapidfuzz import fuzz

from app.languages import language_script

Span = tuple[int, int]  # start and end, in characters

# Same as in the number filter; a time is one number: 9:30, 9.30.
_NUMBER = re.compile(r"\d+(?:[.,:'\u066b\u066c\u00a0\u202f]?\d+)*")
_NAME = re.compile(r"(?<=[^\W\d_])[\s,;:]+([^\W\d_]\w+)")
_WORD = re.compile(r"[^\W\d_]\w+")
ALIKE = 75  # similarity from which two names match, in per cent
CASED = frozenset(["Latn", "Cyrl", "Grek", "Armn"])
ALL_NOUNS = frozenset(["de", "lb", "gsw", "nds"])  # languages with capitalized nouns
# Only English capitalizes these words.
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = "january february march april may june july august september october"
CALENDAR = frozenset(f"{_DAYS} {_MONTHS} november december".split())
MAX_CHARACTERS = 2_000  # characters of a text that are compared


class PairDifferences(NamedTuple):
    """Numbers and names without a counterpart on the other side.

    Attributes:
        source_numbers, target_numbers: spans of numbers.
        source_names, target_names: spans of names.
    """

    source_numbers: list[Span]
    target_numbers: list[Span]
    source_names: list[Span]
    target_names: list[Span]

    @property
    def has_numbers(self) -> bool:
        """Return whether the numbers differ."""
        return bool(self.source_numbers or self.target_numbers)

    @property
    def has_names(self) -> bool:
        """Return whether a name has no counterpart."""
        return bool(self.source_names or self.target_names)


def find_differences(
    source: str, target: str, languages: tuple[str, str]
) -> PairDifferences:
    """Return the numbers and names that differ between two texts."""
    source, target = source[:MAX_CHARACTERS], target[:MAX_CHARACTERS]
    own, other = _numbers(source), _numbers(target)
    if _digits(source) == _digits(target):  # 3–1 and 1:3, 1,000 and 1.000
        own = other = []
    names: tuple[list[Span], list[Span]] = [], []
    if all(language_script(code) in CASED for code in languages):
        names = (
            _names_missing(source, languages[0], target),
            _names_missing(target, languages[1], source),
        )
    return PairDifferences(_without(own, other), _without(other, own), *names)


def _numbers(text: str) -> list[tuple[str, Span]]:
    """Return numbers as ASCII digits without separators, with their spans."""
    found = []
    for match in _NUMBER.finditer(text):
        digits = (one for one in match.group() if one.isdigit())
        plain = "".join(str(unicodedata.digit(one)) for one in digits)
        found.append((plain, match.span()))
    return found


def _digits(text: str) -> Counter[str]:
    """Count each sequence of digits in a text, regardless of separators."""
    runs = re.findall(r"\d+", text)
    return Counter("".join(str(unicodedata.digit(one)) for one in run) for run in runs)


def _without(own: list[tuple[str, Span]], other: list[tuple[str, Span]]) -> list[Span]:
    """Return the spans of numbers that occur less often on the other side."""
    left = Counter(number for number, _ in other)
    missing = []
    for number, place in own:
        if left[number]:
            left[number] -= 1
        else:
            missing.append(place)
    return missing


def _names_missing(text: str, language: str, other: str) -> list[Span]:
    if language.split("-")[0] in ALL_NOUNS:
        return []
    matches = [
        match
        for match in _NAME.finditer(text)
        if match.group(1)[0].isupper() and match.group(1).casefold() not in CALENDAR
    ]
    if not matches:
        return []
    words = [anyascii(word).casefold() for word in _WORD.findall(other)]
    return [
        match.span(1)
        for match in matches
        if not any(_is_alike(anyascii(match.group(1)).casefold(), w) for w in words)
    ]


def _is_alike(name: str, word: str) -> bool:
    return name[:4] == word[:4] or fuzz.ratio(name, word) >= ALIKE
