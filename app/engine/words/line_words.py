"""The words beside hits: which token stands left and right of a line, and where."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.words.lexicon import sort_items
from app.engine.words.segmenters import ICU, NOTE, unspaced_cutter
from app.engine.words.tokens import cut_texts, fold

IntArray = NDArray[np.int64]
Items = Callable[[IntArray], list[str]]
# Of the words of a line, in the order of its file: L3, L2, L1, R1, R2, R3.
OFFSETS = (-3, -2, -1, 1, 2, 3)
NOTHING = -1


class TokenTable(NamedTuple):
    """The words of sentences: of a whole corpus, or of those that hold a hit.

    Attributes:
        starts: int64 (n+1,), the first token of each row.
        begins, ends: int32 (t,), code points of the text.
        ids: int32 (t,), of the case-folded words; their order is that of the words.
        items: gives the words of some ids.
        notes: sentences on how it was cut.
    """

    starts: NDArray[np.int64]
    begins: NDArray[np.int32]
    ends: NDArray[np.int32]
    ids: NDArray[np.int32]
    items: Items
    notes: tuple[str, ...] = ()


class WordColumn(NamedTuple):
    """One word of each line of a corpus.

    Attributes:
        ids: int64 (m,), in the order of the words; -1: the line has no such word.
        items: gives the words of some ids.
    """

    ids: IntArray
    items: Items


class Placed(NamedTuple):
    """Hits among the tokens of a table.

    Attributes:
        rows: int64 (m,), of the table.
        first, last: int64 (m,), the tokens that a hit begins and ends with; where it
            is no whole word, last + 1 is still the first token behind it.
    """

    rows: IntArray
    first: IntArray
    last: IntArray


def place_spans(
    table: TokenTable,
    rows: IntArray,
    begins: NDArray[np.int32],
    ends: NDArray[np.int32],
) -> Placed:
    """Place stretches of text among tokens.

    Args:
        table: whose rows are meant.
        rows: int64 (m,).
        begins: int32 (m,), where each stretch begins, in code points.
        ends: int32 (m,), where it ends.
    """
    low, high = table.starts[rows], table.starts[rows + 1]
    # the tokens before a stretch end where it begins, or earlier
    first = _count_below(table.ends, low, high, begins + 1)
    behind = _count_below(table.begins, low, high, ends)
    return Placed(rows, first, np.maximum(behind, first) - 1)


def beside(table: TokenTable, hits: Placed, offset: int) -> IntArray:
    """Name the token at a distance from each hit: int64 (m,), -1 where there is none.

    Args:
        table: of the hits.
        hits: m of them.
        offset: -1 is the word to the left of the hit, 1 the one to its right.
    """
    places = (hits.first if offset < 0 else hits.last) + offset
    is_there = (places >= table.starts[hits.rows]) & (
        places < table.starts[hits.rows + 1]
    )
    return np.where(is_there, places, NOTHING)


def words_at(table: TokenTable, places: IntArray) -> WordColumn:
    """Give the word of each token; `places`: int64 (m,), -1 where there is none."""
    ids = np.full(len(places), NOTHING, np.int64)
    is_there = places >= 0
    ids[is_there] = table.ids[places[is_there]]
    return WordColumn(ids, table.items)


def spans_beside(table: TokenTable, hits: Placed) -> NDArray[np.int32]:
    """Give begin and end of the six words beside each hit: int32 (m, 12), -1: none."""
    spans = np.full((len(hits.rows), 2 * len(OFFSETS)), NOTHING, np.int32)
    for column, offset in enumerate(OFFSETS):
        places = beside(table, hits, offset)
        is_there = places >= 0
        spans[is_there, 2 * column] = table.begins[places[is_there]]
        spans[is_there, 2 * column + 1] = table.ends[places[is_there]]
    return spans


def cut_table(texts: Sequence[str], eliding: NDArray[np.bool_]) -> TokenTable:
    """Make the table of some texts, one row each.

    Args:
        texts: n sentences.
        eliding: bool (n,), an apostrophe ends a word there; or one for all.
    """
    if not texts:
        empty = np.empty(0, np.int32)
        return TokenTable(np.zeros(1, np.int64), empty, empty, empty, lambda _: [])
    cuts = cut_texts(texts, eliding)
    rows = np.searchsorted(cuts.offsets, cuts.begins, "right") - 1
    counts = np.bincount(rows, minlength=len(texts))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    begins, ends = (
        (places - cuts.offsets[rows]).astype(np.int32)
        for places in (cuts.begins, cuts.ends)
    )
    ids, items = number_words(cuts.words())
    is_by_character = cuts.has_unspaced and unspaced_cutter() != ICU
    notes = (NOTE,) if is_by_character else ()
    return TokenTable(starts, begins, ends, ids.astype(np.int32), items, notes)


def number_words(words: Sequence[str]) -> WordColumn:
    """Number words by the order of their case-folded form."""
    folded = [fold(word) for word in words]
    names, ids = sort_items(list(dict.fromkeys(folded)))
    known = dict(zip(dict.fromkeys(folded), ids.tolist(), strict=True))
    numbers = np.fromiter(map(known.__getitem__, folded), np.int64, len(folded))
    return WordColumn(numbers, lambda ids: [names[id_] for id_ in ids.tolist()])


def _count_below(
    values: NDArray[np.int32],
    low: IntArray,
    high: IntArray,
    wanted: NDArray[np.int32],
) -> IntArray:
    """Find in each stretch low … high - 1 of rising values the first that is >= wanted.

    A binary search of all at once: as many steps as the longest stretch takes.
    """
    low, high = low.copy(), high.copy()
    while bool((is_open := low < high).any()):
        middle = (low + high) // 2
        is_less = is_open & (values[np.where(is_open, middle, 0)] < wanted)
        low = np.where(is_less, middle + 1, low)
        high = np.where(is_open & ~is_less, middle, high)
    return low


__all__ = [
    "NOTHING",
    "OFFSETS",
    "Items",
    "Placed",
    "TokenTable",
    "WordColumn",
    "beside",
    "cut_table",
    "number_words",
    "place_spans",
    "spans_beside",
    "words_at",
]
