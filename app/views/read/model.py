"""The rows of the read view, memory-mapped from a file of the engine."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.arrays import BoolArray, DoubleArray, IntArray
from app.engine.store.arrays import map_array
from app.engine.store.corpora import CorpusRow, corpus_of, position_of
from app.engine.store.documents import DocumentRow
from app.protocol.answers.reading import ColumnAnswer, ReadingAnswer


class Place(NamedTuple):
    """The location of a sentence: row, column, and number in the cell."""

    row: int = 0
    column: int = 0
    number: int = 0


def describe_document(document: DocumentRow) -> str:
    """Return the name of a document and its fields: Brief 12 · Keller · 1848."""
    return " · ".join(filter(None, (document.name, *document.fields.values())))


class ReadingRows:
    """The sentences of corpora in aligned rows.

    Attributes:
        corpora: corpora of the columns.
        columns: the engine's description of each column.
        n_rows: number of rows.
    """

    def __init__(
        self,
        corpora: Sequence[CorpusRow] = (),
        answer: ReadingAnswer | None = None,
        folder: Path | None = None,
    ):
        """Map the rows of an answer; None: no rows.

        Args:
            corpora: corpora in the order of the columns.
        """
        self.corpora = list(corpora)
        self.columns: list[ColumnAnswer] = []
        self.n_rows = 0
        self._scores: DoubleArray | None = None
        self._linked: BoolArray | None = None
        self._offsets: list[IntArray] = []
        self._ids: list[IntArray] = []
        self._orders: dict[int, IntArray] = {}
        if answer is None or folder is None:
            return
        self.columns, self.n_rows = answer.columns, answer.n_rows
        self._linked = np.asarray(map_array(folder / answer.linked, np.bool_))
        if answer.scores:
            self._scores = map_array(folder / answer.scores)
        # slicing a memory map is slow, slicing a plain array is not
        flat, at = np.asarray(map_array(folder / answer.file)), 0
        for column in answer.columns:
            end = at + self.n_rows + 1
            self._offsets.append(flat[at:end])
            self._ids.append(flat[end : end + column.n])
            at = end + column.n

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.columns)

    def ids(self, row: int, column: int) -> list[int]:
        """Return the ids of the sentences of a cell."""
        begin, end = self._offsets[column][row : row + 2].tolist()
        found: list[int] = self._ids[column][begin:end].tolist()
        return found

    def scores(self, row: int, column: int) -> tuple[float, float] | None:
        """Return the lowest and the highest score of the pairs in a link.

        Args:
            column: column at the right end of the link.
        """
        if self._scores is None or not self.columns[column].pairs:
            return None
        low, high = self._scores[:, row].tolist()
        return None if math.isnan(low) else (low, high)

    def linked_columns(self, row: int, column: int) -> list[int]:
        """Return the columns further left that are linked with a cell."""
        if self._linked is None:
            return []
        found: list[int] = np.flatnonzero(self._linked[:column, column, row]).tolist()
        return found

    def sentence_at(self, place: Place) -> int | None:
        """Return the id of a sentence; None if the cell is empty."""
        if place.row >= self.n_rows or place.column >= self.n_columns:
            return None
        ids = self.ids(place.row, place.column)
        return ids[min(place.number, len(ids) - 1)] if ids else None

    def place_of(self, sentence: int) -> Place | None:
        """Return the location of a sentence; None if no row contains it."""
        corpora = [column.corpus for column in self.columns]
        if corpus_of(sentence) not in corpora:
            return None
        column = corpora.index(corpus_of(sentence))
        (at,) = self._places_of(column, np.array([sentence]))
        if at < 0:
            return None
        row = self._row_of(column, at)
        return Place(row, column, int(at - self._offsets[column][row]))

    def find_places(self, column: int, sentences: IntArray) -> list[Place]:
        """Return the locations of sentences of one column in row order."""
        indices = self._places_of(column, sentences)
        found = []
        for at in np.sort(indices[indices >= 0]).tolist():
            row = self._row_of(column, at)
            found.append(Place(row, column, int(at - self._offsets[column][row])))
        return found

    def rows_of_documents(self, starts: Sequence[int]) -> dict[int, int]:
        """Return the document that begins in each row, for the first column.

        Args:
            starts: positions of the first sentences of documents, in ascending order.

        Returns:
            Index of the document in `starts` by row; empty if the sentences have
            another order.
        """
        if not self.n_rows or not starts:
            return {}
        positions = position_of(self._ids[0])
        if (np.diff(positions) < 0).any():
            return {}
        at = np.searchsorted(positions, starts)  # first sentence or a later one
        found: dict[int, int] = {}
        for number, index in enumerate(at.tolist()):
            if index < len(positions):
                found[self._row_of(0, index)] = number  # last of empty ones
        return found

    def linked_rows(self, column: int) -> IntArray:
        """Return the rows with sentences in the first and another column: (n,)."""
        n_first, n_other = (np.diff(self._offsets[at]) for at in (0, column))
        return np.flatnonzero((n_first > 0) & (n_other > 0))

    def linked_column(self, column: int) -> int:
        """Return the column of the editable links with the first column."""
        return column or 1

    def first_position(self, row: int, column: int) -> int:
        """Return the position of the first sentence in a cell, or of the next one."""
        at = int(self._offsets[column][row])
        ids = self._ids[column]
        if at < len(ids):
            return int(position_of(ids[at]))
        return int(position_of(ids[-1])) + 1 if len(ids) else 0

    def find_break(self, row: int, step: int) -> int | None:
        """Find the next row that does not have one sentence per column.

        Args:
            row: row to start from.
            step: 1 for the next row, -1 for the previous.
        """
        if not self.n_rows:
            return None
        counts = np.stack([np.diff(offsets) for offsets in self._offsets])
        rows = np.flatnonzero((counts != 1).any(axis=0))
        rows = rows[rows > row][:1] if step > 0 else rows[rows < row][-1:]
        return int(rows[0]) if len(rows) else None

    def count_breaks(self) -> tuple[int, int]:
        """Count the rows with an empty cell, and the rows with several sentences."""
        if not self.n_rows:
            return 0, 0
        counts = np.stack([np.diff(offsets) for offsets in self._offsets])
        is_gap = (counts == 0).any(axis=0)
        return int(is_gap.sum()), int(((counts > 1).any(axis=0) & ~is_gap).sum())

    def _row_of(self, column: int, at: int) -> int:
        return int(np.searchsorted(self._offsets[column], at, "right")) - 1

    def _places_of(self, column: int, sentences: IntArray) -> IntArray:
        """Return the indices of sentences in the column's list, or -1: int64 (m,)."""
        ids = self._ids[column]
        if not len(ids):
            return np.full(len(sentences), -1, np.int64)
        if column not in self._orders:
            self._orders[column] = np.argsort(ids, kind="stable")
        order = self._orders[column]
        at = np.searchsorted(ids, sentences, sorter=order)
        indices = order[np.minimum(at, len(ids) - 1)]
        found: IntArray = np.where(ids[indices] == sentences, indices, -1)
        return found
