"""One panel: some source rows compared with every target, by one thread."""

import threading
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.engine.mining.contest import (
    Contest,
    Events,
    Slack,
    uncrowded,
)
from app.engine.mining.precision import RoundedSide
from app.engine.mining.rescoring import ExactSide, exact_cosines, nearest_of
from app.engine.mining.scan import BlockScan, BlockShape
from app.engine.store.arrays import FloatArray
from app.errors import Cancelled


class PanelFound(NamedTuple):
    """What one panel gave.

    Attributes:
        start: its first source row.
        scores: float32 (b, k), cosines of its rows with their nearest targets; (0, k)
            of a side that is compared with itself.
        rows: int64 (b, k), these; -1 where a row was given up.
        events: what can still matter to the targets.
        crowded: int64, targets with too many of them.
    """

    start: int
    scores: FloatArray
    rows: NDArray[np.int64]
    events: list[Events]
    crowded: Tensor


class PanelWork:
    """What all threads share while they compare panels; they only read the columns.

    A side that is compared with itself has one contest for rows and columns: of a
    panel only the columns from its first row on are compared, and what matters to its
    rows is an event like any other.

    Attributes:
        columns: the contest of the targets. Its thresholds rise while panels are
            compared: an old one lets more through, never less.
        n_blocks: blocks that were compared.
        is_stopped: set to make every thread leave at its next block.
    """

    def __init__(
        self,
        exact: tuple[ExactSide, ExactSide],
        rounded: tuple[RoundedSide, RoundedSide],
        row_slack: Slack,
        columns: Contest,
        shape: BlockShape,
        *,
        is_self: bool = False,
    ):
        """Make nothing yet: each thread takes its own room for a block."""
        self.columns = columns
        self.n_blocks = 0
        self.is_stopped = threading.Event()
        self._exact, self._rounded, self._slack = exact, rounded, row_slack
        self._shape, self._is_self = shape, is_self
        self._lock = threading.Lock()
        self._rooms = threading.local()

    def n_blocks_of(self, start: int) -> int:
        """Count the blocks of the panel at a row."""
        n_columns = len(self._columns) - (start if self._is_self else 0)
        return -(-n_columns // (self._shape.strip * self._shape.n_strips))

    def compare(self, start: int, k: int, *, is_early: bool) -> PanelFound:
        """Compare the panel at a row.

        Args:
            start: its first row.
            k: neighbours of each row.
            is_early: the columns may have no thresholds yet, and get them here.

        Raises:
            Cancelled: the pass was stopped.
        """
        with torch.inference_mode():
            own = self._slack.own[start : start + self._shape.panel]
            rows = Contest(k, self._slack._replace(own=own))
            events: list[Events] = []
            crowded: list[Tensor] = []
            width = self._shape.strip * self._shape.n_strips
            if self._is_self:  # what other panels found of these rows
                known = self.columns.thresholds[start : start + len(own)]
                rows.thresholds = torch.maximum(rows.thresholds, known)
            first_column = start if self._is_self else 0
            for first in range(first_column, len(self._columns), width):
                if self.is_stopped.is_set():
                    raise Cancelled
                self._block(start, first, rows, events, crowded, is_early=is_early)
                with self._lock:
                    self.n_blocks += 1
            return self._finish(start, rows, events, crowded)

    @property
    def _columns(self) -> Tensor:
        return self._rounded[1].matrix

    def _block(
        self,
        start: int,
        first: int,
        rows: Contest,
        events: list[Events],
        crowded: list[Tensor],
        *,
        is_early: bool,
    ) -> None:
        """Compare a panel with the targets of one block."""
        scan, columns = self._room(), self.columns
        n_used = self._multiply(scan, start, first)
        width = n_used * self._shape.strip
        n_rows = len(rows.thresholds)
        n_columns = min(width, len(columns.thresholds) - first)
        if first == (start if self._is_self else 0):
            rows.begin(scan.row_floor(rows.k, n_used)[:n_rows])
        if is_early:
            columns.begin(scan.column_floor(columns.k, n_used)[:n_columns], first)
        found = scan.row_events(_padded(rows.thresholds, self._shape.panel), n_used)
        rows.add(found._replace(others=found.others + first))
        rows.settle()
        thresholds = columns.thresholds[first : first + n_columns]
        if self._is_self and first == start:  # the panel's rows find each other
            thresholds = thresholds.clone()
            thresholds[:n_rows] = torch.inf
        found = scan.column_events(_padded(thresholds, width), n_used)
        found, too_many = uncrowded(found, width, columns.cap)
        owners, others = found.owners + first, found.others + start
        events.append(Events(owners, others, found.scores))
        crowded.append(too_many + first)

    def _multiply(self, scan: BlockScan, start: int, first: int) -> int:
        """Work out the block at a row and a column; returns its number of strips."""
        panel, strip, n_strips = self._shape
        sources = self._rounded[0].matrix[start : start + panel]
        targets = self._columns[first : first + strip * n_strips]
        starts = range(0, len(targets), strip)
        for index, column in enumerate(starts):
            scan.multiply(index, sources, targets[column : column + strip])
        return len(starts)

    def _finish(
        self, start: int, rows: Contest, events: list[Events], crowded: list[Tensor]
    ) -> PanelFound:
        """Score the candidates of the rows in float32, and keep the nearest."""
        near = rows.candidates()
        if self._is_self:
            events.append(near._replace(owners=near.owners + start))
            crowded.append(rows.is_given_up.nonzero()[:, 0] + start)
            none = np.empty((0, rows.k))
            found = none.astype(np.float32), none.astype(np.int64)
            return PanelFound(start, *found, events, torch.cat(crowded))
        cosines = exact_cosines(*self._exact, near.owners + start, near.others)
        scores, others = nearest_of(near, cosines, len(rows.thresholds), rows.k)
        return PanelFound(start, scores, others, events, torch.cat(crowded))

    def _room(self) -> BlockScan:
        """Give this thread's room for a block."""
        if not hasattr(self._rooms, "scan"):
            matrix = self._columns
            self._rooms.scan = BlockScan(self._shape, matrix.dtype, str(matrix.device))
        scan: BlockScan = self._rooms.scan
        return scan


def _padded(thresholds: Tensor, n: int) -> Tensor:
    """Fill up with +inf: nothing is found for rows that are not there."""
    return torch.nn.functional.pad(
        thresholds, (0, n - len(thresholds)), value=torch.inf
    )
