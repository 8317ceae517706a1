"""Rows of frequencies, collocates and key words, as answers and tasks give them."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.statistics import wilson_interval
from app.engine.words.collocates import Near, Scores
from app.engine.words.keyness import Keys, SideCounts
from app.engine.words.lexicon import Lexicon
from app.engine.words.lists import FrequencyList, matching_rows
from app.params.words import SortCollocates

MILLION = 1_000_000
MAX_BYTES = 60_000  # of the rows of one answer; a message has 64 KB
MAX_ITEM = 200  # characters that an answer gives of an item
IntArray = NDArray[np.int64]
ListOrder = Literal["n", "item", "n_documents", "dispersion"]


class FrequencyRow(msgspec.Struct, frozen=True):
    """A word or n-gram.

    Attributes:
        rank: by frequency, from 1, in the whole list.
        n: occurrences.
        per_million: of all words.
        low, high: 95 % interval of it (Wilson 1927), as if words fell by chance.
        n_documents: that have it.
        dispersion: DP (Gries 2008), 0 even … 1 in few documents; None with one.
    """

    item: str
    rank: int
    n: int
    per_million: float
    low: float
    high: float
    n_documents: int
    dispersion: float | None


class CollocateRow(msgspec.Struct, frozen=True):
    """A word near a word.

    Attributes:
        n: occurrences near a hit; n_left, n_right: to either side of one.
        n_corpus: all occurrences.
        expected: n, as chance would have it.
        log_likelihood: G², below nought where it is rarer than expected.
    """

    item: str
    n: int
    n_left: int
    n_right: int
    n_corpus: int
    expected: float
    log_likelihood: float
    log_dice: float
    t_score: float


class KeyRow(msgspec.Struct, frozen=True):
    """A word or n-gram that marks a corpus.

    Attributes:
        log_likelihood: G², below nought where it is rarer than in the other.
        log_ratio: log2 of how many times as frequent; low, high: 95 % interval.
    """

    item: str
    n: int
    per_million: float
    n_against: int
    per_million_against: float
    log_likelihood: float
    log_ratio: float
    low: float
    high: float


def fitting(rows: Sequence[msgspec.Struct]) -> list[dict[str, Any]]:
    """Give as many rows as one answer holds, long items cut short."""
    told: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        plain = msgspec.to_builtins(row)
        if len(plain["item"]) > MAX_ITEM:
            plain["item"] = plain["item"][: MAX_ITEM - 1] + "…"
        size += len(msgspec.json.encode(plain)) + 1
        if size > MAX_BYTES:
            break
        told.append(plain)
    return told


class Wish(NamedTuple):
    """Which rows of a list, in which order."""

    find: str = ""
    min_count: int = 1
    order_by: ListOrder = "n"
    descending: bool = True


def chosen_rows(found: FrequencyList, wish: Wish) -> IntArray:
    """Give the rows of a list in the order wished: int64 (m,).

    Raises:
        UserError: what is looked for can't be read.
    """
    rows = matching_rows(found, wish.find)
    if wish.min_count > 1:
        counts, most = found.rows["n"], -wish.min_count
        n_kept = bisect_right(range(len(counts)), most, key=lambda i: -int(counts[i]))
        rows = rows[rows < n_kept]
    if wish.order_by == "n":
        return rows if wish.descending else rows[::-1]
    column = "place" if wish.order_by == "item" else wish.order_by
    values = np.asarray(found.rows[column])[rows]
    # equal ones and those without a value stay in the order of frequency, at the end
    return rows[np.argsort(-values if wish.descending else values, kind="stable")]


def frequency_rows(
    found: FrequencyList, rows: IntArray, n_tokens: int
) -> list[FrequencyRow]:
    """Give some rows of a list: int64 (m,), their places in it."""
    columns = found.rows[rows]
    numbers = zip(
        found.items(rows),
        rows.tolist(),
        columns["n"].tolist(),
        columns["n_documents"].tolist(),
        columns["dispersion"].tolist(),
        strict=True,
    )
    told = []
    for item, row, n, n_documents, spread in numbers:
        share = wilson_interval(n, n_tokens)
        value, low, high = (round(MILLION * part, 3) for part in share)
        dispersion = None if np.isnan(spread) else round(spread, 4)
        told.append(
            FrequencyRow(item, row + 1, n, value, low, high, n_documents, dispersion)
        )
    return told


def collocate_rows(
    near: Near,
    scores: Scores,
    lexicon: Lexicon,
    order: tuple[SortCollocates, int, int],
) -> list[CollocateRow]:
    """Give what stands near a word.

    Args:
        near: what was counted.
        scores: of it.
        lexicon: what the ids stand for.
        order: score that ranks it, rarest to show, rows at most.
    """
    order_by, min_count, top = order
    ids = np.flatnonzero(near.near >= min_count)
    ranked = {
        "log-likelihood": scores.log_likelihood,
        "log-dice": scores.log_dice,
        "t-score": scores.t_score,
        "frequency": near.near,
    }[order_by]
    ids = ids[np.argsort(-ranked[ids], kind="stable")][:top]
    counts = (near.near, near.left, near.right, near.in_corpus)
    values = [column[ids].tolist() for column in (*counts, *scores)]
    return [
        CollocateRow(item, *some[:4], *(round(value, 4) for value in some[4:]))
        for item, *some in zip(lexicon.items(ids), *values, strict=True)
    ]


def key_rows(
    counted: SideCounts,
    keys: Keys,
    sizes: tuple[int, int],
    chosen: tuple[Sequence[int], Sequence[str]],
) -> list[KeyRow]:
    """Give key words.

    Args:
        counted: all that was counted.
        keys: scores of it.
        sizes: tokens of either side.
        chosen: which of them, and what these are.
    """
    ids, items = chosen
    rows = []
    for place, item in zip(ids, items, strict=True):
        n, n_against = counted.counts[place].tolist()
        shares = (n / max(1, sizes[0]), n_against / max(1, sizes[1]))
        here, there = (round(MILLION * share, 3) for share in shares)
        values = (round(float(column[place]), 4) for column in keys)
        rows.append(KeyRow(item, n, here, n_against, there, *values))
    return rows


__all__ = [
    "CollocateRow",
    "FrequencyRow",
    "KeyRow",
    "Wish",
    "chosen_rows",
    "collocate_rows",
    "fitting",
    "frequency_rows",
    "key_rows",
]
