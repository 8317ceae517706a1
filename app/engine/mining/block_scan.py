"""Scan blocks of the similarity matrix, one panel of rows per thread.

A block is `panel` rows times some strips of columns. Its scores stay in the cache while
they are scanned twice: the maximum of each group of a few rows (in one column) is
compared with the column's threshold, and the maximum of a few columns (in one row) with
the row's. Single scores are read only in groups that pass.
"""

import threading
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.arrays import FloatArray
from app.engine.mining.exact_search import ExactSide, exact_cosines, nearest_of
from app.engine.mining.rounding import RoundedSide
from app.engine.mining.top_k import ErrorBound, RoughHits, TopKCandidates, drop_crowded
from app.errors import Cancelled

GROUP = 8  # scores per group
MIN_PANEL, MAX_PANEL = 128, 1_024
PANELS_EACH = 4  # minimum number per thread


class BlockShape(NamedTuple):
    """Block sizes: rows per panel, columns per strip, strips per block."""

    panel: int
    strip: int = 2_048
    n_strips: int = 4


def choose_shape(n_rows: int, n_threads: int, device: str) -> BlockShape:
    """Choose block sizes that give each thread several panels and fit the cache.

    A GPU has no such cache and waits for the CPU between two blocks, so its blocks are
    large: 256 MB in float16.
    """
    if device != "cpu":
        return BlockShape(4_096, 8_192)
    wanted = n_rows // (PANELS_EACH * n_threads)
    panel = min(max(wanted // MIN_PANEL * MIN_PANEL, MIN_PANEL), MAX_PANEL)
    return BlockShape(panel)


class BlockScan:
    """The scores of one block and the maxima of their groups."""

    def __init__(self, shape: BlockShape, dtype: torch.dtype, device: str):
        """Allocate the memory for a block."""
        panel, strip, n_strips = shape
        self.shape = shape
        self._scores = torch.empty((n_strips, panel, strip), dtype=dtype, device=device)
        # Bfloat16 viewed as integers is compared four times as fast; the order is the
        # same for values that are not negative.
        self._is_bits = dtype == torch.bfloat16 and device == "cpu"
        kind = torch.int16 if self._is_bits else dtype
        self._ordered = self._scores.view(kind)
        self._of_rows = torch.empty(
            (n_strips, panel // GROUP, strip), dtype=kind, device=device
        )
        self._of_columns = torch.empty(
            (n_strips, panel, strip // GROUP), dtype=kind, device=device
        )

    def multiply(self, index: int, sources: Tensor, targets: Tensor) -> None:
        """Compute one strip: sources (≤ panel, d) times targets (≤ strip, d)."""
        panel, strip, _ = self.shape
        scores = self._scores[index]
        n_rows, n_columns = len(sources), len(targets)
        if (n_rows, n_columns) == (panel, strip):
            torch.mm(sources, targets.T, out=scores)  # (b, d) x (d, n) -> (b, n)
        else:
            scores.fill_(-torch.inf)
            scores[:n_rows, :n_columns] = sources @ targets.T
        ordered = self._ordered[index]
        torch.amax(
            ordered.view(panel // GROUP, GROUP, strip), 1, out=self._of_rows[index]
        )
        torch.amax(
            ordered.view(panel, GROUP, strip // GROUP), 1, out=self._of_columns[index]
        )

    def row_floor(self, k: int, n_strips: int) -> Tensor:
        """Return for each row a score that at least k of the block's columns reach.

        The k-th highest group maximum is such a score, since groups share no column.
        """
        highest = self._scores_of(self._of_columns[:n_strips])
        groups = highest.transpose(0, 1).flatten(1)  # (s, b, g) -> (b, s g)
        return _kth(groups, k)

    def column_floor(self, k: int, n_strips: int) -> Tensor:
        """Return for each column a score that at least k of the block's rows reach."""
        groups = self._scores_of(self._of_rows[:n_strips])
        by_column = groups.transpose(1, 2).flatten(0, 1)  # (s, g, c) -> (s c, g)
        return _kth(by_column, k)

    def row_events(self, thresholds: Tensor, n_strips: int) -> RoughHits:
        """Find scores that reach their row's threshold; owners are rows of the panel.

        Args:
            thresholds: float32 (panel,).
            n_strips: strips of the block that are in use.
        """
        panel, strip, _ = self.shape
        width = strip // GROUP
        wanted = self._comparable(thresholds)[None, :, None]
        places = _places(self._of_columns[:n_strips], wanted)
        index, row, column = _unravelled(places, (panel, width))
        first = (index * panel + row) * strip + column
        hit, member, scores = self._members(first, width, thresholds[row])
        others = index[hit] * strip + column[hit] + member * width
        return RoughHits(row[hit].int(), others.int(), scores)

    def column_events(self, thresholds: Tensor, n_strips: int) -> RoughHits:
        """Find scores that reach their column's threshold; owners are block columns.

        Args:
            thresholds: float32 (n_strips * strip,).
            n_strips: strips of the block that are in use.
        """
        panel, strip, _ = self.shape
        height = panel // GROUP
        wanted = self._comparable(thresholds).view(n_strips, 1, strip)
        places = _places(self._of_rows[:n_strips], wanted)
        index, group, column = _unravelled(places, (height, strip))
        first = (index * panel + group * GROUP) * strip + column
        owners = index * strip + column
        hit, member, scores = self._members(first, strip, thresholds[owners])
        others = group[hit] * GROUP + member
        return RoughHits(owners[hit].int(), others.int(), scores)

    def _members(
        self, first: Tensor, step: int, thresholds: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return scores of groups: index of the group, index of the member, score."""
        steps = torch.arange(GROUP, device=first.device) * step
        scores = self._scores.view(-1)[first[:, None] + steps].float()  # (e, g)
        # -inf for missing rows and columns
        reaches = (scores >= thresholds[:, None]) & (scores > -torch.inf)
        hit, member = reaches.nonzero(as_tuple=True)
        return hit, member, scores[hit, member]

    def _scores_of(self, highest: Tensor) -> Tensor:
        return (highest.view(torch.bfloat16) if self._is_bits else highest).float()

    def _comparable(self, thresholds: Tensor) -> Tensor:
        """Convert thresholds to the format of the group maxima, rounded up.

        A score in that format reaches the result exactly if it reaches the threshold.
        """
        if self._scores.dtype == torch.float32:
            return thresholds
        rounded = round_up(thresholds, self._scores.dtype)
        if not self._is_bits:
            return rounded
        # Bits of negative scores are in descending order, so such owners check every
        # group.
        lowest = torch.iinfo(torch.int16).min
        return torch.where(rounded <= 0, lowest, rounded.view(torch.int16))


def round_up(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the lowest number of a 16-bit `dtype` that is not below each value."""
    rounded = values.to(dtype)
    bits = rounded.view(torch.int16)
    above = torch.where(bits >= 0, bits + 1, bits - 1).view(dtype)  # away from -inf
    smallest = torch.tensor(1, dtype=torch.int16, device=values.device).view(dtype)
    above = torch.where(rounded == 0, smallest, above)
    return torch.where(rounded.float() < values, above, rounded)


def _kth(groups: Tensor, k: int) -> Tensor:
    """Return the k-th highest value of each row (n, g); -inf if there are fewer."""
    if groups.shape[1] < k:
        return torch.full((len(groups),), -torch.inf, device=groups.device)
    return groups.topk(k, dim=1).values[:, -1]


def _places(highest: Tensor, wanted: Tensor) -> Tensor:
    """Return the flat indices where `highest` reaches `wanted` (numpy is faster)."""
    if highest.device.type == "cpu":
        reaches = np.greater_equal(highest.numpy(), wanted.numpy())
        return torch.from_numpy(np.flatnonzero(reaches))
    return (highest >= wanted).view(-1).nonzero()[:, 0]


def _unravelled(
    indices: Tensor, shape: tuple[int, int]
) -> tuple[Tensor, Tensor, Tensor]:
    """Convert flat indices of (s, *shape) to indices per axis."""
    n_rows, n_columns = shape
    row, column = indices // n_columns, indices % n_columns
    return row // n_rows, row % n_rows, column


class PanelFound(NamedTuple):
    """The results of one panel.

    Attributes:
        start: first source row of the panel.
        scores: float32 (b, k), cosines of the rows with their nearest targets; (0, k)
            if a side is compared with itself.
        rows: int64 (b, k), the nearest targets; -1 for rows that were given up.
        events: candidates for the neighbours of the targets.
        crowded: int64, targets with too many candidates.
    """

    start: int
    scores: FloatArray
    rows: NDArray[np.int64]
    events: list[RoughHits]
    crowded: Tensor


class PanelWork:
    """State shared by all threads that compare panels; threads only read the columns.

    A side compared with itself has one contest for rows and columns: a panel is
    compared only with the columns from its first row on, and candidates for its rows
    are events like all others.

    Attributes:
        columns: contest of the targets. Its thresholds rise while panels are compared;
            an outdated threshold lets more scores pass, never fewer.
        n_blocks: number of compared blocks.
        is_stopped: set to stop every thread at its next block.
    """

    def __init__(
        self,
        exact: tuple[ExactSide, ExactSide],
        rounded: tuple[RoundedSide, RoundedSide],
        row_slack: ErrorBound,
        columns: TopKCandidates,
        shape: BlockShape,
        *,
        is_self: bool = False,
    ):
        """Initialise; each thread allocates its own block on first use."""
        self.columns = columns
        self.n_blocks = 0
        self.is_stopped = threading.Event()
        self._exact, self._rounded, self._slack = exact, rounded, row_slack
        self._shape, self._is_self = shape, is_self
        self._lock = threading.Lock()
        self._rooms = threading.local()

    def n_blocks_of(self, start: int) -> int:
        """Count the blocks of the panel that starts at a row."""
        n_columns = len(self._columns) - (start if self._is_self else 0)
        return -(-n_columns // (self._shape.strip * self._shape.n_strips))

    def compare(self, start: int, k: int, *, is_early: bool) -> PanelFound:
        """Compare the panel that starts at a row.

        Args:
            start: first row of the panel.
            k: neighbours of each row.
            is_early: the columns may have no thresholds yet; set them.

        Raises:
            Cancelled: the pass was stopped.
        """
        with torch.inference_mode():
            own = self._slack.own[start : start + self._shape.panel]
            rows = TopKCandidates(k, self._slack._replace(own=own))
            events: list[RoughHits] = []
            crowded: list[Tensor] = []
            width = self._shape.strip * self._shape.n_strips
            if self._is_self:  # results of other panels for these rows
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
        rows: TopKCandidates,
        events: list[RoughHits],
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
        if self._is_self and first == start:  # pairs of rows within the panel
            thresholds = thresholds.clone()
            thresholds[:n_rows] = torch.inf
        found = scan.column_events(_padded(thresholds, width), n_used)
        found, too_many = drop_crowded(found, width, columns.cap)
        owners, others = found.owners + first, found.others + start
        events.append(RoughHits(owners, others, found.scores))
        crowded.append(too_many + first)

    def _multiply(self, scan: BlockScan, start: int, first: int) -> int:
        """Compute the block at a row and a column, and return its number of strips."""
        panel, strip, n_strips = self._shape
        sources = self._rounded[0].matrix[start : start + panel]
        targets = self._columns[first : first + strip * n_strips]
        starts = range(0, len(targets), strip)
        for index, column in enumerate(starts):
            scan.multiply(index, sources, targets[column : column + strip])
        return len(starts)

    def _finish(
        self,
        start: int,
        rows: TopKCandidates,
        events: list[RoughHits],
        crowded: list[Tensor],
    ) -> PanelFound:
        """Score the candidates of rows in float32, and keep the nearest."""
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
        """Return this thread's block."""
        if not hasattr(self._rooms, "scan"):
            matrix = self._columns
            self._rooms.scan = BlockScan(self._shape, matrix.dtype, str(matrix.device))
        scan: BlockScan = self._rooms.scan
        return scan


def _padded(thresholds: Tensor, n: int) -> Tensor:
    """Pad with +inf, so that nothing is found for missing rows."""
    return torch.nn.functional.pad(
        thresholds, (0, n - len(thresholds)), value=torch.inf
    )
