"""Figures of the texts of an import: which are double, and how long they are."""

from bisect import bisect_right
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

MAX_ENTRIES = 200  # of lines that are named; the counts are complete
IntArray = NDArray[np.int64]


class Duplicate(msgspec.Struct, frozen=True):
    """A line whose text is that of an earlier one."""

    line: int
    first_line: int
    file: str = ""
    first_file: str = ""


class LengthBin(msgspec.Struct, frozen=True):
    """Number of sentences of low … high code points."""

    low: int
    high: int
    n: int


class Lengths(msgspec.Struct, frozen=True):
    """How long the sentences are, in code points."""

    shortest: int
    median: float
    mean: float
    percentile_95: float
    longest: int
    histogram: tuple[LengthBin, ...]


def find_duplicates(
    hashes: IntArray, lines: IntArray, files: Sequence[tuple[int, str]] = ()
) -> tuple[Duplicate, ...]:
    """Find the first texts that stand earlier already, with both lines.

    Args:
        hashes: int64 (n,), of the texts in the order they came.
        lines: int64 (n,), their lines.
        files: from which text on they are in which file.
    """
    if not len(hashes):
        return ()
    order = np.argsort(hashes, kind="stable")
    starts = np.r_[True, hashes[order][1:] != hashes[order][:-1]]
    firsts = order[np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))]
    repeated = np.flatnonzero(~starts)
    places = np.sort(order[repeated])[:MAX_ENTRIES]
    first_of = dict(
        zip(order[repeated].tolist(), firsts[repeated].tolist(), strict=True)
    )
    both = [(place, first_of[place]) for place in places.tolist()]
    return tuple(
        Duplicate(
            int(lines[place]),
            int(lines[first]),
            _file_at(place, files),
            _file_at(first, files),
        )
        for place, first in both
    )


def describe_lengths(lengths: IntArray) -> Lengths:
    """Describe lengths in code points; bins double in width (1, 2–3, 4–7, …)."""
    if not len(lengths):
        return Lengths(0, 0.0, 0.0, 0.0, 0, ())
    powers = np.floor(np.log2(np.maximum(lengths, 1))).astype(np.int64)
    counts = np.bincount(powers)
    bins = [
        LengthBin(2**power, 2 ** (power + 1) - 1, int(n))
        for power, n in enumerate(counts)
    ]
    return Lengths(
        int(lengths.min()),
        float(np.median(lengths)),
        round(float(lengths.mean()), 2),
        float(np.percentile(lengths, 95)),
        int(lengths.max()),
        tuple(bins),
    )


def _file_at(place: int, files: Sequence[tuple[int, str]]) -> str:
    index = bisect_right(files, place, key=lambda entry: entry[0])
    return files[index - 1][1] if index else ""


__all__ = [
    "MAX_ENTRIES",
    "Duplicate",
    "IntArray",
    "LengthBin",
    "Lengths",
    "describe_lengths",
    "find_duplicates",
]
