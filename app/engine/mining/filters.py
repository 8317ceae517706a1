"""Filters of pairs: pure functions from texts to masks of the pairs to keep.

Each filter examines every pair separately, so its mask does not depend on earlier
filters.
"""

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import regex
from anyascii import anyascii
from numpy.typing import NDArray
from rapidfuzz import fuzz

from app.engine.text.language_detection import describe_other_language
from app.engine.text.normalisation import near_key
from app.engine.text.regex_size import check_expression_size
from app.engine.text.scripts import script_share
from app.errors import UserError
from app.languages import language_script
from app.params.filters import (
    AddressesFilter,
    Filter,
    IdentityFilter,
    LanguageFilter,
    LengthFilter,
    NamesFilter,
    NumbersFilter,
    RatioFilter,
    RegexFilter,
    ScriptFilter,
)
from app.plurals import count_text

Mask = NDArray[np.bool_]

ALIKE = 75  # minimum similarity of two equal names, in per cent of the letters
_NUMBER = re.compile(r"\d+(?:[.,'\u066b\u066c\u00a0\u202f]?\d+)*")
_NAME = re.compile(r"(?<=[^\W\d_])[\s,;:]+([^\W\d_]\w+)")
_WORD = re.compile(r"[^\W\d_]\w+")
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"]+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+"
)
MAX_NAMED = 60  # characters of a text in a message
SEARCH_S = 0.5  # per text; Python's own `re` can't be cancelled
SEARCH_ALL_S, SEARCH_EACH_S = 30.0, 1e-4  # for all pairs: base, and seconds per pair


class BitextTexts(NamedTuple):
    """Texts of p pairs, and the languages of the two sides (codes; empty: unknown)."""

    sources: Sequence[str]
    targets: Sequence[str]
    source_language: str = ""
    target_language: str = ""


def apply_filter(texts: BitextTexts, chosen: Filter) -> Mask:
    """Return which pairs a filter keeps: bool (p,).

    Raises:
        UserError: the pattern of a regex filter can't be read.
    """
    keep = _FUNCTIONS[type(chosen)]
    pairs = zip(texts.sources, texts.targets, strict=True)
    is_kept = keep(texts, chosen)
    return np.fromiter((is_kept(*pair) for pair in pairs), np.bool_, len(texts.sources))


KeepFunction = Callable[[str, str], bool]


def keep_length(_texts: BitextTexts, chosen: LengthFilter) -> KeepFunction:
    """Keep texts with a number of characters in a range."""

    def is_kept(source: str, target: str) -> bool:
        lengths = len(source), len(target)
        return min(lengths) >= chosen.min and max(lengths) <= chosen.max

    return is_kept


def keep_ratio(_texts: BitextTexts, chosen: RatioFilter) -> KeepFunction:
    """Keep texts of about the same length, adjusted for their languages."""

    def is_kept(source: str, target: str) -> bool:
        expected, got = len(source) * chosen.usual, float(len(target))
        longer, shorter = max(expected, got), min(expected, got)
        return longer <= chosen.max * shorter

    return is_kept


def keep_different(_texts: BitextTexts, chosen: IdentityFilter) -> KeepFunction:
    """Keep texts that are not copies of each other."""

    def is_kept(source: str, target: str) -> bool:
        if near_key(source) == near_key(target):
            return False
        if chosen.similar == 1:
            return True
        limit = 100 * chosen.similar
        return fuzz.ratio(source.casefold(), target.casefold()) < limit

    return is_kept


def keep_script(texts: BitextTexts, chosen: ScriptFilter) -> KeepFunction:
    """Keep texts in the scripts of their languages."""
    scripts = [
        language_script(code) if code else ""
        for code in (texts.source_language, texts.target_language)
    ]

    def is_kept(source: str, target: str) -> bool:
        return all(
            script_share(text, script) >= chosen.min
            for text, script in zip((source, target), scripts, strict=True)
        )

    return is_kept


def keep_language(texts: BitextTexts, chosen: LanguageFilter) -> KeepFunction:
    """Keep texts that are not clearly in another language."""
    codes = texts.source_language, texts.target_language

    def is_kept(source: str, target: str) -> bool:
        return not any(
            code and describe_other_language(text, code, chosen.sure)
            for text, code in zip((source, target), codes, strict=True)
        )

    return is_kept


def keep_numbers(_texts: BitextTexts, chosen: NumbersFilter) -> KeepFunction:
    """Keep texts with the same numbers."""

    def is_kept(source: str, target: str) -> bool:
        own, other = find_numbers(source), find_numbers(target)
        missing = max((own - other).total(), (other - own).total())
        return missing <= chosen.max

    return is_kept


def find_numbers(text: str) -> Counter[str]:
    """Count a text's numbers, as ASCII digits without separators: 1.000,5 → 10005."""
    if not any(letter.isdigit() for letter in text):
        return Counter()
    found = (match.group() for match in _NUMBER.finditer(text))
    return Counter(
        "".join(str(unicodedata.digit(one)) for one in number if one.isdigit())
        for number in found
    )


def keep_names(_texts: BitextTexts, chosen: NamesFilter) -> KeepFunction:
    """Keep texts with the same names."""

    def is_kept(source: str, target: str) -> bool:
        of_source, of_target = find_names(source), find_names(target)
        names, text = (
            (of_source, target)
            if len(of_source) <= len(of_target)
            else (of_target, source)
        )
        if not names:
            return True
        words = [anyascii(word).casefold() for word in _WORD.findall(text)]
        n_found = sum(any(_is_alike(one, word) for word in words) for one in names)
        return n_found >= chosen.min * len(names)

    return is_kept


def find_names(text: str) -> list[str]:
    """List the words inside a text that start with a Latin capital letter."""
    words = (match.group(1) for match in _NAME.finditer(text))
    return [anyascii(word).casefold() for word in words if word[0].isupper()]


def keep_addresses(_texts: BitextTexts, _chosen: AddressesFilter) -> KeepFunction:
    """Keep texts with the same addresses."""

    def is_kept(source: str, target: str) -> bool:
        return _addresses(source) == _addresses(target)

    return is_kept


def keep_matching(_texts: BitextTexts, chosen: RegexFilter) -> KeepFunction:
    """Keep or exclude the pairs that match a pattern."""
    check_expression_size(chosen.pattern)
    try:
        pattern = regex.compile(chosen.pattern)
    except regex.error as error:
        raise UserError(
            f"The pattern {chosen.pattern!r} can't be read: {error}."
        ) from error

    n_tested, spent_s = 0, 0.0

    def is_kept(source: str, target: str) -> bool:
        nonlocal n_tested, spent_s
        looked_at = {"source": (source,), "target": (target,)}
        texts = looked_at.get(chosen.side, (source, target))
        begun = time.monotonic()
        is_found = any(_is_found(pattern, text) for text in texts)
        n_tested += 1
        spent_s += time.monotonic() - begun
        if spent_s > SEARCH_ALL_S + SEARCH_EACH_S * n_tested:
            raise UserError(
                f"The pattern {chosen.pattern!r} takes too long: {spent_s:.0f}\u00a0s "
                f"for {count_text(n_tested, 'pair')}. Avoid optional parts that repeat."
            )
        return is_found == (chosen.action == "keep")

    return is_kept


_FUNCTIONS: dict[type, Callable[[BitextTexts, Any], KeepFunction]] = {
    LengthFilter: keep_length,
    RatioFilter: keep_ratio,
    IdentityFilter: keep_different,
    ScriptFilter: keep_script,
    LanguageFilter: keep_language,
    NumbersFilter: keep_numbers,
    NamesFilter: keep_names,
    AddressesFilter: keep_addresses,
    RegexFilter: keep_matching,
}


def _is_found(pattern: Any, text: str) -> bool:
    try:
        return bool(pattern.search(text, timeout=SEARCH_S, concurrent=True))
    except TimeoutError as error:
        start = text if len(text) <= MAX_NAMED else text[:MAX_NAMED] + "…"
        raise UserError(
            f"The pattern {pattern.pattern!r} takes more than {SEARCH_S:g}\u00a0s on "
            f"one text ({start!r}). Write it without a repetition inside a repetition."
        ) from error


def _is_alike(name: str, other: str) -> bool:
    return fuzz.ratio(name, other) >= ALIKE or name[:4] == other[:4]


def _addresses(text: str) -> Counter[str]:
    return Counter(one.rstrip(".,;:!?)") for one in _ADDRESS.findall(text))
