"""Search texts with a regular expression under a time limit."""

import re
import time
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from app.engine.text.regex_size import check_expression_size
from app.errors import UserError

SENTENCE_S = 1.0  # for one sentence; typical expressions take a millionth of this
# For a complete scan, in seconds: a base, and per sentence 100 times the typical time.
SCAN_S, SCAN_SENTENCE_S = 30.0, 1e-4
MAX_SHOWN = 60  # characters of an expression in a message
# A call with a time limit costs 2 µs, one without 0.3 µs. Without groups that repeat,
# back references and recursion the steps over a text of L characters are of the order
# of L ** (repeats + 1): up to here a few milliseconds.
MAX_REPEATS, MAX_SHORT = 2, 200
_ATOM = re.compile(r"\\[^\dgkLmMR]|\[\^?\]?(?:\\.|[^\\\[\]])*\]", re.DOTALL)
_OPENING = re.compile(r"\((?:\?(?::|=|!|<=|<!))?(?!\?)")
_REPEAT = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\}|\{,\d+\})[?+]?")


@dataclass
class MatchSpans:
    """The matches of an expression.

    Attributes:
        positions: position of each hit's sentence, ascending.
        begins, ends: start and end of each hit (code points of the text).
        words: matched text of each hit, if requested.
        texts: sentences with hits by position, if requested.
        n_read: sentences that were searched.
        n_empty: number of empty matches.
        spent_s: seconds spent on an expression that may backtrack exponentially.
        is_cut: the deadline passed before the last sentence.
    """

    positions: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    n_read: int = 0
    n_empty: int = 0
    spent_s: float = 0.0
    is_cut: bool = False

    @property
    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Return positions int64 (m,), begins and ends int32 (m,)."""
        return (
            np.array(self.positions, np.int64),
            np.array(self.begins, np.int32),
            np.array(self.ends, np.int32),
        )


def compile_expression(text: str, *, case: bool) -> Any:
    """Compile a regular expression, composed (NFC) as the texts are.

    Args:
        text: expression in the syntax of the package `regex`, a superset of Python's
            `re`.
        case: match case; otherwise SS also matches ß.

    Raises:
        UserError: the expression is empty, too large or invalid (with the position).
    """
    if not text.strip():
        raise UserError("The query is empty. Enter a regular expression.")
    composed = unicodedata.normalize("NFC", text)
    check_expression_size(composed)
    flags = 0 if case else regex.IGNORECASE | regex.FULLCASE
    try:
        return regex.compile(composed, flags)
    except regex.error as error:
        place = "" if error.pos is None else f", at character {error.pos + 1}"
        raise UserError(
            f"{shorten(text)} is not a valid regular expression: {error.msg}{place}. "
            "Correct it, or search for words."
        ) from error
    except (MemoryError, OverflowError, RecursionError) as error:
        raise UserError(
            f"{shorten(text)} is too large for a regular expression. Simplify it."
        ) from error


class ScanLimits(NamedTuple):
    """Options of a scan.

    Attributes:
        name: name of the scanned texts, for messages.
        keeps_texts: also return the hits and the texts of their sentences.
        deadline: in seconds of `time.monotonic`; None: no deadline.
        only_first: return only the first hit of each text, even if it is empty.
    """

    name: str
    keeps_texts: bool = False
    deadline: float | None = None
    only_first: bool = False


def find_spans(
    expression: Any,
    texts: Iterable[tuple[int, str]],
    found: MatchSpans,
    limits: ScanLimits,
) -> None:
    """Find an expression in texts; empty hits count only if `limits.only_first`.

    Args:
        expression: result of `compile_expression`.
        texts: positions and texts.
        found: receives the hits.
        limits: options of the scan.

    Raises:
        UserError: one sentence takes longer than `SENTENCE_S`, or all sentences take
            longer than `SCAN_S` plus `SCAN_SENTENCE_S` per sentence.
    """
    find, now = expression.finditer, time.monotonic
    n_short = MAX_SHORT if is_safe_expression(expression.pattern) else -1
    for position, text in texts:
        try:
            is_short = len(text) <= n_short
            begun = 0.0 if is_short else now()
            for match in find(text) if is_short else find(text, timeout=SENTENCE_S):
                begin, end = match.span()
                if begin == end and not limits.only_first:
                    found.n_empty += 1
                    continue
                found.positions.append(position)
                found.begins.append(begin)
                found.ends.append(end)
                if limits.keeps_texts:
                    found.words.append(match.group())
                    found.texts[position] = text
                if limits.only_first:
                    break
        except (TimeoutError, MemoryError, RecursionError) as error:
            place = f"sentence {position + 1:,} of {limits.name}"
            raise _explosion(expression, place, len(text)) from error
        found.n_read += 1
        found.spent_s += 0.0 if is_short else now() - begun
        if found.spent_s > SCAN_S + SCAN_SENTENCE_S * found.n_read:
            raise _slow_scan(expression, found, limits)
        if limits.deadline is not None and now() > limits.deadline:
            found.is_cut = True
            return


def is_safe_expression(expression: str) -> bool:
    """Return whether an expression provably can't take long on a short text."""
    bare = _OPENING.sub("(", _ATOM.sub("x", expression))
    rest, n_repeats = _REPEAT.subn("*", bare)
    risky = ("(?" in bare, *(sign in rest for sign in ("\\", "{", "[", ")*", "**")))
    return n_repeats <= MAX_REPEATS and not any(risky)


def shorten(text: str) -> str:
    """Shorten an expression for a message."""
    return repr(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…")


def _slow_scan(expression: Any, found: MatchSpans, limits: ScanLimits) -> UserError:
    return UserError(
        f"{shorten(expression.pattern)} takes too long: {found.spent_s:.0f}\u00a0s for "
        f"the first {found.n_read:,} sentences of {limits.name}. Avoid optional parts "
        "that repeat, such as (a?){40}."
    )


def _explosion(expression: Any, place: str, n_characters: int) -> UserError:
    return UserError(
        f"{shorten(expression.pattern)} takes too long in {place} "
        f"({n_characters:,} characters, more than {SENTENCE_S:.0f}\u00a0s). Avoid "
        "nested repetitions such as (a+)+."
    )
