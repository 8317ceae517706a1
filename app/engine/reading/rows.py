"""Arrange the sentences of linked corpora in rows, to show them side by side.

A corpus whose links are mostly in the order of the corpora before it is shown
completely: a row is the smallest group of consecutive sentences on each side that no
link leaves, and sentences without a link have rows of their own. A corpus in another
order has only its linked sentences, each in the row of its translation.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.arrays import BoolArray, IntArray
from app.engine.words.realignment import longest_rising

IN_ORDER_SHARE = 0.5  # of the linked sentences; with fewer, the order is another
MAX_CROSSED = 4  # links in order that one may cross, so that it widens a row

# int64 (p,) each: positions in the first and in the second corpus of a pair
Links = tuple[IntArray, IntArray]
LinksByPair = Mapping[tuple[int, int], Links]


class ReadingColumn(NamedTuple):
    """The sentences of one corpus in r rows.

    Attributes:
        offsets: int64 (r + 1,), place of the first sentence of each row, and the end.
        positions: int64 (m,), of the sentences in their corpus.
        is_in_order: the corpus is read whole; otherwise only its linked sentences.
        n_links: links with the columns that are placed before it.
        n_crossing: those that cross too many others to be in a row.
    """

    offsets: IntArray
    positions: IntArray
    is_in_order: bool = True
    n_links: int = 0
    n_crossing: int = 0


class _Placed(NamedTuple):
    """A corpus that has rows.

    Attributes:
        rows: int64 (n,), row of each sentence; -1 for none.
    """

    rows: IntArray
    is_in_order: bool = True
    n_links: int = 0
    n_crossing: int = 0


def arrange_rows(
    sizes: Sequence[int],
    links: LinksByPair,
    active: Mapping[int, BoolArray] | None = None,
    *,
    only_first: bool = False,
) -> list[ReadingColumn]:
    """Arrange corpora in common rows.

    Args:
        sizes: sentences of each corpus; the first is always read whole.
        links: of pairs of corpora (places in `sizes`, the lower first).
        active: bool (n,), sentences to show; corpora that are missing are shown whole.
        only_first: leave out rows without a sentence of the first corpus.

    Returns:
        A column for each corpus; one without any link has no sentences.
    """
    placed = {0: _Placed(np.arange(sizes[0]))}
    n_rows = sizes[0]
    while waiting := set(range(len(sizes))) - placed.keys():
        ends = {index: _row_links(index, placed, links) for index in waiting}
        index = max(waiting, key=lambda one: (len(ends[one][0]) > 0, -one))
        rows, positions = ends[index]
        is_in_order, is_kept = _compare_order(rows, positions)
        counts = len(rows), int((~is_kept).sum()) if is_in_order else 0
        if is_in_order:
            moved, own, n_rows = _merge(
                n_rows, sizes[index], rows[is_kept], positions[is_kept]
            )
            placed = {
                one: column._replace(rows=_mapped(moved, column.rows))
                for one, column in placed.items()
            }
        else:
            own = np.full(sizes[index], n_rows, np.int64)
            np.minimum.at(own, positions, rows)
            own[own == n_rows] = -1
        placed[index] = _Placed(own, is_in_order, *counts)
    columns = [placed[index] for index in range(len(sizes))]
    return _columns(columns, active or {}, only_first=only_first)


def _row_links(
    index: int, placed: Mapping[int, _Placed], links: LinksByPair
) -> tuple[IntArray, IntArray]:
    """Return the links of a corpus with rows: rows and positions, sorted by both."""
    rows, positions = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for other, column in placed.items():
        pair = links.get((min(index, other), max(index, other)))
        if pair is None:
            continue
        own, its = pair if index < other else pair[::-1]
        is_there = column.rows[its] >= 0
        rows.append(column.rows[its[is_there]])
        positions.append(own[is_there])
    both = np.concatenate(rows), np.concatenate(positions)
    order = np.lexsort(both[::-1])
    return both[0][order], both[1][order]


def _compare_order(rows: IntArray, positions: IntArray) -> tuple[bool, BoolArray]:
    """Compare the order of both ends of links.

    Args:
        rows: int64 (p,), of one end, rising.
        positions: int64 (p,), of the other end, rising in each row.

    Returns:
        Whether a longest chain in order has enough of the linked sentences; bool (p,),
        which links cross at most `MAX_CROSSED` of its links.
    """
    is_kept = np.ones(len(rows), np.bool_)
    if not len(rows) or not (np.diff(positions) < 0).any():
        return len(rows) > 0, is_kept
    chain = longest_rising(positions)
    n_linked = min(len(np.unique(rows)), len(np.unique(positions)))
    # links of the chain strictly before each link, and up to it, on either side
    row_chain, position_chain = rows[chain], positions[chain]
    n_before = np.searchsorted(row_chain, rows)
    n_to_row = np.searchsorted(row_chain, rows, "right")
    n_below = np.searchsorted(position_chain, positions)
    n_to_position = np.searchsorted(position_chain, positions, "right")
    n_crossed = np.maximum(n_before - n_to_position, n_below - n_to_row)
    is_kept = n_crossed <= MAX_CROSSED
    return len(chain) >= IN_ORDER_SHARE * n_linked, is_kept


def _merge(
    n_rows: int, size: int, rows: IntArray, positions: IntArray
) -> tuple[IntArray, IntArray, int]:
    """Add a corpus in order: join the rows that its links tie together.

    Args:
        n_rows: rows until now.
        size: sentences of the corpus.
        rows: int64 (p,), of one end of its links.
        positions: int64 (p,), of the other end.

    Returns:
        int64 (n_rows,), new row of each old one; int64 (size,), row of each sentence;
        the number of rows.
    """
    lowest, highest = np.full(n_rows, size, np.int64), np.full(n_rows, -1, np.int64)
    np.minimum.at(lowest, rows, positions)
    np.maximum.at(highest, rows, positions)
    # last sentence linked before each row, and first linked from it on
    before = np.maximum.accumulate(np.append(-1, highest))
    behind = np.minimum.accumulate(lowest[::-1])[::-1]
    firsts = np.flatnonzero(before[:-1] < behind)  # rows that begin a block
    ends = np.append(firsts[1:], n_rows)
    begins, stops = behind[firsts], before[ends] + 1  # of its sentences, if it has any
    is_linked = begins < stops
    begins, stops = begins[is_linked], stops[is_linked]
    # sentences inside a linked block, and the others, that have rows of their own
    edges = np.zeros(size + 1, np.int64)
    edges[begins] += 1
    edges[stops] -= 1
    is_inside = np.cumsum(edges[:-1]) > 0
    n_alone = np.concatenate([[0], np.cumsum(~is_inside)])
    starts = np.where(is_linked, behind[firsts], before[firsts] + 1)
    block_rows = np.arange(len(firsts)) + n_alone[starts]
    moved = np.repeat(block_rows, ends - firsts)
    own = np.empty(size, np.int64)
    indices = np.arange(size)
    next_block = np.append(np.flatnonzero(is_linked), len(firsts))
    alone = indices[~is_inside]
    own[alone] = next_block[np.searchsorted(begins, alone)] + n_alone[alone]
    inside = indices[is_inside]
    block = np.searchsorted(begins, inside, "right") - 1
    own[inside] = block_rows[is_linked][block]
    return moved, own, len(firsts) + int(n_alone[-1])


def _mapped(moved: IntArray, rows: IntArray) -> IntArray:
    found: IntArray = np.where(rows >= 0, moved[rows], -1)
    return found


def _columns(
    placed: Sequence[_Placed], active: Mapping[int, BoolArray], *, only_first: bool
) -> list[ReadingColumn]:
    """Remove sentences that are not shown, and rows without sentences."""
    shown = []
    for index, column in enumerate(placed):
        rows = column.rows
        if index in active:
            rows = np.where(active[index], rows, -1)
        shown.append(rows)
    used = np.unique(shown[0] if only_first else np.concatenate(shown))
    used = used[used >= 0]
    columns = []
    for rows, column in zip(shown, placed, strict=True):
        is_shown = np.isin(rows, used) if only_first else rows >= 0
        positions = np.flatnonzero(is_shown)
        numbers = np.searchsorted(used, rows[positions])
        order = np.argsort(numbers, kind="stable")
        counts = np.bincount(numbers, minlength=len(used))
        offsets = np.concatenate([[0], np.cumsum(counts)])
        columns.append(ReadingColumn(offsets, positions[order], *column[1:]))
    return columns
