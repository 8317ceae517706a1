"""Find the words of a hit again in a sentence that was corrected."""

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

MIN_HIT = 60.0  # percent of equal letters from which a hit is one corrected


def span_again(old: str, new: str, span: tuple[int, int]) -> tuple[int, int] | None:
    """Tell where a hit stands in a corrected sentence; None: its words are gone.

    The letters of the hit are followed through the fewest edits between the two texts
    (Levenshtein 1966). Where that tears them apart, the same words nearest to that
    place are taken.

    Args:
        old: the text before.
        new: the text now.
        span: begin and end of the hit in the old text, code points.
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
    """Follow a stretch through the edits from one text to the other."""
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
    """Find the same letters nearest to a place; whole words, if the hit was."""
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
    """Tell whether letters stand beside a stretch."""
    before, behind = text[: span[0]][-1:], text[span[1] : span[1] + 1]
    return before.isalnum(), behind.isalnum()


__all__ = ["span_again"]
