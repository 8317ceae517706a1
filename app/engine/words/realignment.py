"""Match sentences, and the hits in them, to a corrected version of the text.

Texts that occur once in both are anchors, as in patience diff (Cohen 2010); the search
repeats between two anchors, and the remaining sentences are aligned so that the sum of
similarities is maximal and no two pairs cross (Needleman and Wunsch 1970, without a
penalty for gaps).
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from app.arrays import IntArray

MIN_SIMILAR = 0.6  # share of equal letters from which a sentence counts as corrected
EQUAL = 2.0  # value of an equal text: more than two corrected texts
NEARER = 0.01  # value of the expected place: decides between equal texts
MAX_CELLS = 250_000  # comparisons in a gap; for more, only near the expected place
WINDOW = 100  # sentences to each side of that place
LOST = -1
# texts of some rows, in the given order
TextsOf = Callable[[Sequence[int]], Sequence[str]]


class Gap(NamedTuple):
    """The rows between two anchors in the old and new version; ends are exclusive."""

    old_begin: int
    old_end: int
    new_begin: int
    new_end: int


class TextVersions(NamedTuple):
    """Two versions of a text.

    Attributes:
        old: int64 (n,), hashes of the sentences.
        new: int64 (m,), hashes of the sentences in the corrected text.
        old_texts: returns texts of the old version.
        new_texts: returns texts of the new version.
    """

    old: IntArray
    new: IntArray
    old_texts: TextsOf
    new_texts: TextsOf


def realign_sentences(sides: TextVersions, wanted: IntArray) -> IntArray:
    """Find sentences of a text in its corrected version.

    Args:
        sides: both versions of the text.
        wanted: int64 (w,), distinct rows of the old version, ascending.

    Returns:
        int64 (w,), rows of the new version; -1 for lost sentences.
    """
    found = np.full(len(sides.old), LOST, np.int64)
    whole = Gap(0, len(sides.old), 0, len(sides.new))
    gaps = list(_split(sides, whole, found, wanted))
    _match_similar(sides, gaps, found, wanted)
    _match_elsewhere(sides, found, wanted)
    return found[wanted]


def _split(
    sides: TextVersions, gap: Gap, found: IntArray, wanted: IntArray
) -> Iterator[Gap]:
    """Match texts that occur once in both, recursively; yield the gaps between."""
    stack = [gap]
    while stack:
        gap = stack.pop()
        if not _holds(gap, wanted) or gap.new_begin >= gap.new_end:
            continue
        old_rows, new_rows = _anchors(sides, gap)
        found[old_rows] = new_rows
        chain = longest_rising(new_rows)
        if not len(chain):
            yield gap
            continue
        old_marks = [gap.old_begin - 1, *old_rows[chain].tolist(), gap.old_end]
        new_marks = [gap.new_begin - 1, *new_rows[chain].tolist(), gap.new_end]
        for index in range(len(old_marks) - 1):
            if old_marks[index] + 1 < old_marks[index + 1]:
                stack.append(
                    Gap(
                        old_marks[index] + 1,
                        old_marks[index + 1],
                        new_marks[index] + 1,
                        new_marks[index + 1],
                    )
                )


def _holds(gap: Gap, wanted: IntArray) -> bool:
    low, high = np.searchsorted(wanted, (gap.old_begin, gap.old_end))
    return bool(low < high)


def _anchors(sides: TextVersions, gap: Gap) -> tuple[IntArray, IntArray]:
    """Return the rows whose texts occur once on each side of a gap, in old order."""
    old = sides.old[gap.old_begin : gap.old_end]
    new = sides.new[gap.new_begin : gap.new_end]
    old_once, new_once = _once(old), _once(new)
    _, of_old, of_new = np.intersect1d(
        old[old_once], new[new_once], assume_unique=True, return_indices=True
    )
    old_rows, new_rows = old_once[of_old], new_once[of_new]
    order = np.argsort(old_rows)
    return old_rows[order] + gap.old_begin, new_rows[order] + gap.new_begin


def _once(values: IntArray) -> IntArray:
    """Return the indices of values that occur once: int64."""
    _, firsts, counts = np.unique(values, return_index=True, return_counts=True)
    once: IntArray = firsts[counts == 1]
    return once


def longest_rising(values: IntArray) -> IntArray:
    """Return the indices of a longest increasing subsequence (Fredman 1975)."""
    tails: list[int] = []
    ends: list[int] = []  # the index of each tail
    before = np.full(len(values), -1, np.int64)
    for index, value in enumerate(values.tolist()):
        at = bisect_left(tails, value)
        before[index] = ends[at - 1] if at else -1
        tails[at : at + 1] = [value]
        ends[at : at + 1] = [index]
    chosen = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chosen.append(index)
        index = int(before[index])
    return np.array(chosen[::-1], np.int64)


def _match_similar(
    sides: TextVersions, gaps: Sequence[Gap], found: IntArray, wanted: IntArray
) -> None:
    """Align the remaining sentences between anchors."""
    small = [part for gap in gaps for part in _small_gaps(gap, wanted)]
    old = _read(sides.old_texts, [(gap.old_begin, gap.old_end) for gap in small])
    new = _read(sides.new_texts, [(gap.new_begin, gap.new_end) for gap in small])
    taken = set(found[found >= 0].tolist())
    for gap in small:
        old_rows = [r for r in range(gap.old_begin, gap.old_end) if found[r] < 0]
        new_rows = [r for r in range(gap.new_begin, gap.new_end) if r not in taken]
        if not old_rows or not new_rows:
            continue
        worth = _worth([old[row] for row in old_rows], [new[row] for row in new_rows])
        is_equal = sides.old[old_rows][:, None] == sides.new[new_rows]  # (o, 1), (n,)
        worth = np.where(is_equal, EQUAL, worth)
        worth -= (worth > 0) * NEARER * _distances(gap, old_rows, new_rows)
        for i, j in _best_path(worth):
            found[old_rows[i]] = new_rows[j]
            taken.add(new_rows[j])


def _small_gaps(gap: Gap, wanted: IntArray) -> Iterator[Gap]:
    """Return a gap, or if it is too large, its part near each wanted row."""
    n_old, n_new = gap.old_end - gap.old_begin, gap.new_end - gap.new_begin
    if n_old * n_new <= MAX_CELLS:
        yield gap
        return
    low, high = np.searchsorted(wanted, (gap.old_begin, gap.old_end))
    for row in wanted[low:high].tolist():
        share = (row - gap.old_begin) / n_old
        expected = gap.new_begin + round(share * n_new)
        yield Gap(
            row,
            row + 1,
            max(gap.new_begin, expected - WINDOW),
            min(gap.new_end, expected + WINDOW + 1),
        )


def _read(texts_of: TextsOf, stretches: Sequence[tuple[int, int]]) -> dict[int, str]:
    rows = sorted({row for begin, end in stretches for row in range(begin, end)})
    return dict(zip(rows, texts_of(rows), strict=True))


def _worth(old: Sequence[str], new: Sequence[str]) -> NDArray[np.float64]:
    """Compare texts: (o, n), similarity 0…1 of the letters, 0 below `MIN_SIMILAR`."""
    from rapidfuzz import fuzz, process

    ratios = process.cdist(
        old, new, scorer=fuzz.ratio, score_cutoff=100 * MIN_SIMILAR, workers=1
    )
    return np.asarray(ratios, np.float64) / 100


def _distances(
    gap: Gap, old_rows: Sequence[int], new_rows: Sequence[int]
) -> NDArray[np.float64]:
    """Return the distance of each pair from its expected place: (o, n), 0…1."""
    n_old, n_new = gap.old_end - gap.old_begin, gap.new_end - gap.new_begin
    expected = (np.array(old_rows) - gap.old_begin + 0.5) / n_old
    places = (np.array(new_rows) - gap.new_begin + 0.5) / n_new
    return np.abs(expected[:, None] - places)  # (o, 1), (n,) -> (o, n)


def _best_path(worth: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """Choose non-crossing pairs (i, j) with the highest sum; 0: no pair."""
    n_old, n_new = worth.shape
    best = np.zeros((n_old + 1, n_new + 1))
    for i in range(n_old):
        taken = np.where(worth[i] > 0, best[i, :-1] + worth[i], 0)
        best[i + 1, 1:] = np.maximum.accumulate(np.maximum(best[i, 1:], taken))
    i, j = n_old, n_new
    while i and j:
        if best[i, j] == best[i, j - 1]:  # the earliest of equal pairs
            j -= 1
        elif best[i, j] == best[i - 1, j]:
            i -= 1
        else:
            i, j = i - 1, j - 1
            yield i, j


def _match_elsewhere(sides: TextVersions, found: IntArray, wanted: IntArray) -> None:
    """Match texts moved past their neighbours to the nearest free equal text."""
    is_free = np.ones(len(sides.new), bool)
    is_free[found[found >= 0]] = False
    free = np.flatnonzero(is_free)
    order = free[np.argsort(sides.new[free], kind="stable")]
    hashes = sides.new[order]
    scale = len(sides.new) / max(1, len(sides.old))
    for row in wanted[found[wanted] < 0].tolist():
        low = np.searchsorted(hashes, sides.old[row], "left")
        high = np.searchsorted(hashes, sides.old[row], "right")
        places = [index for index in order[low:high].tolist() if is_free[index]]
        if places:
            nearest = min(places, key=lambda place: abs(place - row * scale))
            found[row], is_free[nearest] = nearest, False


MIN_HIT = 60.0  # percent of equal letters from which a hit counts as corrected


def realign_span(old: str, new: str, span: tuple[int, int]) -> tuple[int, int] | None:
    """Return the position of a hit in a corrected sentence; None if it is lost.

    The letters of the hit are traced through the fewest edits between the two texts
    (Levenshtein 1966). If the edits separate them, the nearest occurrence of the same
    words is used.

    Args:
        old: the text before.
        new: the text now.
        span: start and end of the hit in the old text, in code points.
    """
    begin, end = _carried(old, new, span)
    hit = old[span[0] : span[1]]
    if new[begin:end] == hit:
        return begin, end
    equal = _nearest_equal(old, new, span, begin)
    if equal is not None:
        return equal
    moved = new[begin:end]
    begin += len(moved) - len(moved.lstrip())
    end -= len(moved) - len(moved.rstrip())
    alike = fuzz.ratio(hit.casefold(), new[begin:end].casefold())
    return (begin, end) if begin < end and alike >= MIN_HIT else None


def _carried(old: str, new: str, span: tuple[int, int]) -> tuple[int, int]:
    """Trace a span through the edits from one text to the other."""
    begin, end = len(new), 0
    for edit in Levenshtein.opcodes(old, new):
        low, high = max(span[0], edit.src_start), min(span[1], edit.src_end)
        if low < high:
            shift = edit.dest_start - edit.src_start
            is_equal = edit.tag == "equal"
            begin = min(begin, low + shift if is_equal else edit.dest_start)
            end = max(end, high + shift if is_equal else edit.dest_end)
    return begin, max(begin, end)


def _nearest_equal(
    old: str, new: str, span: tuple[int, int], expected: int
) -> tuple[int, int] | None:
    """Find the nearest occurrence of the same letters; whole words if the hit was."""
    hit = old[span[0] : span[1]]
    starts = []
    start = new.find(hit)
    while start >= 0:
        here = (start, start + len(hit))
        if _borders(new, here) == _borders(old, span):
            starts.append(start)
        start = new.find(hit, start + 1)
    if not starts:
        return None
    nearest = min(starts, key=lambda place: (abs(place - expected), place))
    return nearest, nearest + len(hit)


def _borders(text: str, span: tuple[int, int]) -> tuple[bool, bool]:
    """Return whether letters are next to the start and end of a range."""
    before, behind = text[: span[0]][-1:], text[span[1] : span[1] + 1]
    return before.isalnum(), behind.isalnum()
