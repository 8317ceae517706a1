"""One block of the similarity matrix: its product, and what in it can still matter.

A block is `panel` rows times some strips of columns. Its scores stay in the cache while
they are looked through twice: the highest of each group of a few rows (of one column)
is compared with the column's threshold, that of a few columns (of one row) with the
row's. Only in groups that pass are the scores themselves looked at.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from app.engine.mining.contest import Events

GROUP = 8  # scores of a group
MIN_PANEL, MAX_PANEL = 128, 1_024
PANELS_EACH = 4  # of each thread, at least


class BlockShape(NamedTuple):
    """How the matrix is cut: rows of a panel, columns of a strip, strips of a block."""

    panel: int
    strip: int = 2_048
    n_strips: int = 4


def choose_shape(n_rows: int, n_threads: int, device: str) -> BlockShape:
    """Cut so that every thread has several panels, and blocks stay in the cache.

    A GPU has no such cache, and waits for the CPU between two blocks: it gets large
    ones, of 256 MB in float16.
    """
    if device != "cpu":
        return BlockShape(4_096, 8_192)
    wanted = n_rows // (PANELS_EACH * n_threads)
    panel = min(max(wanted // MIN_PANEL * MIN_PANEL, MIN_PANEL), MAX_PANEL)
    return BlockShape(panel)


class BlockScan:
    """The scores of one block and the highest of their groups."""

    def __init__(self, shape: BlockShape, dtype: torch.dtype, device: str):
        """Make room for a block."""
        panel, strip, n_strips = shape
        self.shape = shape
        self._scores = torch.empty((n_strips, panel, strip), dtype=dtype, device=device)
        # Bfloat16 as the integer of its bits: compared four times as quickly, and in
        # the same order where it is not negative.
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
        """Work out one strip: sources (≤ panel, d) times targets (≤ strip, d)."""
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
        """Give a score that k or more of the block's columns reach, for each row.

        The k-th highest of the groups' highest is one: the groups share no column.
        """
        highest = self._scores_of(self._of_columns[:n_strips])
        groups = highest.transpose(0, 1).flatten(1)  # (s, b, g) -> (b, s g)
        return _kth(groups, k)

    def column_floor(self, k: int, n_strips: int) -> Tensor:
        """Give a score that k or more of the block's rows reach, for each column."""
        groups = self._scores_of(self._of_rows[:n_strips])
        by_column = groups.transpose(1, 2).flatten(0, 1)  # (s, g, c) -> (s c, g)
        return _kth(by_column, k)

    def row_events(self, thresholds: Tensor, n_strips: int) -> Events:
        """Find what reaches its row's threshold: owners are rows of the panel.

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
        return Events(row[hit].int(), others.int(), scores)

    def column_events(self, thresholds: Tensor, n_strips: int) -> Events:
        """Find what reaches its column's threshold: owners are columns of the block.

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
        return Events(owners[hit].int(), others.int(), scores)

    def _members(
        self, first: Tensor, step: int, thresholds: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Look at the scores of groups: place of the group, of the member, score."""
        steps = torch.arange(GROUP, device=first.device) * step
        scores = self._scores.view(-1)[first[:, None] + steps].float()  # (e, g)
        # -inf stands for rows and columns that are not there
        reaches = (scores >= thresholds[:, None]) & (scores > -torch.inf)
        hit, member = reaches.nonzero(as_tuple=True)
        return hit, member, scores[hit, member]

    def _scores_of(self, highest: Tensor) -> Tensor:
        return (highest.view(torch.bfloat16) if self._is_bits else highest).float()

    def _comparable(self, thresholds: Tensor) -> Tensor:
        """Give thresholds in the form of the groups' highest, rounded up.

        A score of that form reaches the one just where it reaches the other.
        """
        if self._scores.dtype == torch.float32:
            return thresholds
        rounded = round_up(thresholds, self._scores.dtype)
        if not self._is_bits:
            return rounded
        # Bits of negative scores are in falling order: such owners see every group.
        lowest = torch.iinfo(torch.int16).min
        return torch.where(rounded <= 0, lowest, rounded.view(torch.int16))


def round_up(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Give the lowest number of `dtype` (of 16 bits) that is not below each value."""
    rounded = values.to(dtype)
    bits = rounded.view(torch.int16)
    above = torch.where(bits >= 0, bits + 1, bits - 1).view(dtype)  # away from -inf
    smallest = torch.tensor(1, dtype=torch.int16, device=values.device).view(dtype)
    above = torch.where(rounded == 0, smallest, above)
    return torch.where(rounded.float() < values, above, rounded)


def _kth(groups: Tensor, k: int) -> Tensor:
    """Give the k-th highest of each row (n, g), -inf where there are fewer."""
    if groups.shape[1] < k:
        return torch.full((len(groups),), -torch.inf, device=groups.device)
    return groups.topk(k, dim=1).values[:, -1]


def _places(highest: Tensor, wanted: Tensor) -> Tensor:
    """Give the flat places where `highest` reaches `wanted` (numpy is quicker here)."""
    if highest.device.type == "cpu":
        reaches = np.greater_equal(highest.numpy(), wanted.numpy())
        return torch.from_numpy(np.flatnonzero(reaches))
    return (highest >= wanted).view(-1).nonzero()[:, 0]


def _unravelled(
    places: Tensor, shape: tuple[int, int]
) -> tuple[Tensor, Tensor, Tensor]:
    """Take flat places of (s, *shape) apart."""
    n_rows, n_columns = shape
    row, column = places // n_columns, places % n_columns
    return row // n_rows, row % n_rows, column
