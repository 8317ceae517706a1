"""Orders of sentence ids: ranges, reversed, or a mapped array."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.engine.store.corpora import corpus_of

Ids = NDArray[np.int64]


class IdOrder(Protocol):
    """Ids of sentences in display order."""

    def __len__(self) -> int:
        """Count them."""

    def part(self, start: int, stop: int) -> Ids:
        """Return the ids of rows start … stop - 1."""

    def row_of(self, sentence_id: int) -> int:
        """Find the row of an id; -1 where it is not among them."""

    def spans_corpora(self) -> bool:
        """Return whether the sentences are of several corpora."""


class RangeOrder:
    """Ranges of ids one after the other: corpora in the order of their files."""

    def __init__(self, ranges: Sequence[tuple[int, int]] = ()):
        """Take pairs of (first id, number of ids)."""
        self._firsts = [first for first, n in ranges if n]
        self._ends = list(accumulate(n for _, n in ranges if n))

    def __len__(self) -> int:
        """Count the ids."""
        return self._ends[-1] if self._ends else 0

    def part(self, start: int, stop: int) -> Ids:
        """Return the ids of rows start … stop - 1."""
        rows = np.arange(start, min(stop, len(self)), dtype=np.int64)
        if not len(rows):
            return rows
        ends = np.array(self._ends, dtype=np.int64)
        which = np.searchsorted(ends, rows, side="right")
        begins = np.concatenate([[0], ends[:-1]])
        firsts = np.array(self._firsts, dtype=np.int64)
        ids: Ids = firsts[which] + rows - begins[which]
        return ids

    def row_of(self, sentence_id: int) -> int:
        """Find the row of an id; -1 where it is not among them."""
        begin = 0
        for first, end in zip(self._firsts, self._ends, strict=True):
            if first <= sentence_id < first + end - begin:
                return begin + sentence_id - first
            begin = end
        return -1

    def spans_corpora(self) -> bool:
        """Return whether the sentences are of several corpora."""
        return len({corpus_of(first) for first in self._firsts}) > 1


class ReversedOrder:
    """Another order, reversed."""

    def __init__(self, order: IdOrder):
        self._order = order

    def __len__(self) -> int:
        """Count the ids."""
        return len(self._order)

    def part(self, start: int, stop: int) -> Ids:
        """Return the ids of rows start … stop - 1."""
        n = len(self)
        return self._order.part(n - min(stop, n), n - start)[::-1]

    def row_of(self, sentence_id: int) -> int:
        """Find the row of an id; -1 where it is not among them."""
        row = self._order.row_of(sentence_id)
        return len(self) - 1 - row if row >= 0 else -1

    def spans_corpora(self) -> bool:
        """Return whether the sentences are of several corpora."""
        return self._order.spans_corpora()


class ArrayOrder:
    """Ids in a mapped array."""

    def __init__(self, ids: Ids):
        self._ids = ids

    def __len__(self) -> int:
        """Count the ids."""
        return len(self._ids)

    def part(self, start: int, stop: int) -> Ids:
        """Return the ids of rows start … stop - 1."""
        return np.asarray(self._ids[start:stop])

    def row_of(self, sentence_id: int) -> int:
        """Find the row of an id; -1 where it is not among them."""
        rows = np.flatnonzero(self._ids == sentence_id)  # (n,) -> (number of finds,)
        return int(rows[0]) if len(rows) else -1

    def spans_corpora(self) -> bool:
        """Return whether the sentences are of several corpora."""
        ids = self._ids
        return len(ids) > 0 and corpus_of(int(ids.min())) != corpus_of(int(ids.max()))
