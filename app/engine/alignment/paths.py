"""Find the cheapest path through two documents, from coarse to fine.

A node (i, j) lies between sentences: after i of the source and j of the target. The
loop goes over the rows i and computes all nodes of a row at once. A chain of skips
along a row is a running minimum, since each costs the same. Only the last few rows of
costs and one byte per node are stored, so memory grows only with the windows.

Thompson and Koehn 2019, section 3.2: the documents are halved again and again by
joining adjacent sentences. The coarsest are aligned in full, and each finer path is
searched in a window around the coarser one (after Salvador and Chan 2007, "FastDTW").
Time and memory grow with the sum of the lengths, not with their product.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import DoubleArray, IdArray
from app.engine.alignment.costs import Costs, Move, compute_costs, list_moves
from app.engine.alignment.spans import Spans, halve
from app.engine.runtime.report import Report

STEP_ROWS = 64
_SKIP_SOURCE, _SKIP_TARGET = Move(1, 0), Move(0, 1)


class Windows(NamedTuple):
    """The nodes to search.

    Attributes:
        lows: int64 (n + 1,), the first node of each row, ascending from 0.
        highs: int64 (n + 1,), the last node of each row, ascending to m.
    """

    lows: IdArray
    highs: IdArray


class Path(NamedTuple):
    """The cheapest path.

    Attributes:
        moves: int64 (p, 2), number of source and target sentences of each step.
        cost: of the whole path; 0 where it was not searched for.
    """

    moves: IdArray
    cost: float

    def nodes(self) -> IdArray:
        """Return the nodes on the path: int64 (p + 1, 2)."""
        return np.concatenate([np.zeros((1, 2), np.int64), self.moves.cumsum(axis=0)])


def full_windows(n: int, m: int) -> Windows:
    """Return windows with every node of n source and m target sentences."""
    return Windows(np.zeros(n + 1, np.int64), np.full(n + 1, m, np.int64))


def find_path(
    costs: Costs, moves: list[Move], windows: Windows, report: Report, stage: str
) -> Path:
    """Find the cheapest path within the windows.

    Args:
        costs: of links and skips.
        windows: the allowed nodes.
        stage: name of this step in the report.
    """
    n, m = costs.source.n, costs.target.n
    search = _Search(costs, moves, m)
    for i in range(n + 1):
        if i % STEP_ROWS == 0:
            report.step(stage, i, n + 1)
        search.add_row(i, int(windows.lows[i]), int(windows.highs[i]))
    report.step(stage, n + 1, n + 1)
    return Path(search.trace(windows), search.cost)


class _Search:
    """The rows of costs and steps so far."""

    def __init__(self, costs: Costs, moves: list[Move], m: int):
        self._costs = costs
        self._moves = [*moves, _SKIP_SOURCE, _SKIP_TARGET]
        self._links = moves
        self._reach = max(move.n_source for move in moves)
        # pad with as many infinite costs as a move reaches back
        self._pad = max(move.n_target for move in moves)
        shape = (self._reach + 1, self._pad + m + 1)
        self._rows = np.full(shape, np.inf)
        self._spans: list[tuple[int, int]] = [(0, 0)] * (self._reach + 1)
        self._steps: list[NDArray[np.int8]] = []
        self._ramp = costs.skip * np.arange(m + 1)
        self.cost = 0.0

    def add_row(self, i: int, low: int, high: int) -> None:
        """Compute the nodes (i, low … high)."""
        choices = np.full((len(self._moves) - 1, high - low + 1), np.inf)
        if i == 0:
            choices[-1, 0] = 0
        else:
            self._add_link_costs(i, low, high, choices)
            choices[-1] = self._before(i, 1, low, high, 0) + self._costs.skip
        steps = choices.argmin(axis=0).astype(np.int8)  # (moves, w) -> (w,)
        best = np.take_along_axis(choices, steps[None].astype(np.int64), axis=0)[0]
        level = best - self._ramp[low : high + 1]
        lowest = np.minimum.accumulate(level)
        is_skip = lowest < level
        steps[is_skip] = len(self._moves) - 1
        best[is_skip] = (lowest + self._ramp[low : high + 1])[is_skip]
        self._steps.append(steps)
        self._store_row(i, low, high, best)
        self.cost = float(best[-1])

    def trace(self, windows: Windows) -> IdArray:
        """Trace the path back from the end: int64 (p, 2), the moves in text order."""
        i, j = len(self._steps) - 1, self._rows.shape[1] - self._pad - 1
        found: list[Move] = []
        while i or j:
            move = self._moves[self._steps[i][j - windows.lows[i]]]
            found.append(move)
            i, j = i - move.n_source, j - move.n_target
        return np.array(found[::-1], np.int64).reshape(-1, 2)

    def _add_link_costs(
        self, i: int, low: int, high: int, choices: DoubleArray
    ) -> None:
        first = max(low, 1)  # node 0 has no target sentence before it
        if first > high:
            return
        weights = self._costs.of_row(i - 1, first - 1, high)
        for index, (n_source, n_target) in enumerate(self._links):
            if n_source <= i:
                before = self._before(i, n_source, first, high, n_target)
                weight = weights[n_target - 1, :, n_source - 1]
                choices[index, first - low :] = before + weight

    def _before(
        self, i: int, n_source: int, low: int, high: int, n_target: int
    ) -> DoubleArray:
        """Return the costs of the nodes (i - n_source, low - n_target … )."""
        row = self._rows[(i - n_source) % len(self._rows)]
        start = self._pad + low - n_target
        before: DoubleArray = row[start : start + high - low + 1]
        return before

    def _store_row(self, i: int, low: int, high: int, best: DoubleArray) -> None:
        """Store a row in place of the oldest."""
        index = i % len(self._rows)
        old_low, old_high = self._spans[index]
        row = self._rows[index]
        row[self._pad + old_low : self._pad + old_high + 1] = np.inf
        row[self._pad + low : self._pad + high + 1] = best
        self._spans[index] = (low, high)


MAX_FULL_SEARCH = 256  # sentences of the longer document that are aligned in full
STAGE = "Aligning"


class AlignmentSettings(NamedTuple):
    """Settings of the path search.

    Attributes:
        joined: number of sentences in the longest spans of the finest path.
        quantile: of the costs of nearest sentences; the cost of a skip (0…1).
        window: sentences before and after the coarser path.
        small: number of sentences up to which documents are aligned in full.
        seed: of the sample that determines the cost of a skip.
    """

    joined: int = 4
    quantile: float = 0.55
    window: int = 10
    small: int = MAX_FULL_SEARCH
    seed: int = 1


def align(
    source: Spans, target: Spans, search: AlignmentSettings, report: Report
) -> tuple[Path, Costs]:
    """Align two documents.

    Args:
        source: n sentences, n ≥ 1, spans of up to `search.joined`.
        target: m sentences, m ≥ 1.
        search: settings.

    Returns:
        The path, and the costs used to find it.
    """
    levels = [(source, target)]
    while max(side.n for side in levels[-1]) > search.small:
        levels.append((halve(levels[-1][0]), halve(levels[-1][1])))
    random = np.random.default_rng(search.seed)
    windows = full_windows(levels[-1][0].n, levels[-1][1].n)
    for depth in range(len(levels) - 1, -1, -1):
        costs = compute_costs(*levels[depth], search.quantile, random)
        moves = list_moves(search.joined if depth == 0 else 1)
        path = find_path(costs, moves, windows, report, STAGE)
        if depth > 0:
            finer = levels[depth - 1]
            windows = windows_around(path, finer[0].n, finer[1].n, search.window)
    return path, costs


def windows_around(path: Path, n: int, m: int, width: int) -> Windows:
    """Return windows around a path of half the length.

    Args:
        path: through ⌈n / 2⌉ and ⌈m / 2⌉ sentences.
        n: sentences of the finer source.
        m: sentences of the finer target.
        width: nodes before and after it.
    """
    nodes = path.nodes()
    n_rows = int(nodes[-1, 0]) + 1
    lows, highs = np.full(n_rows, m, np.int64), np.zeros(n_rows, np.int64)
    np.minimum.at(lows, nodes[:, 0], 2 * nodes[:, 1])
    np.maximum.at(highs, nodes[:, 0], 2 * nodes[:, 1])
    rows = np.arange(n + 1)  # of the finer one: each lies at, or between, coarser ones
    low = lows[rows // 2] - width
    high = highs[(rows + 1) // 2] + width
    low, high = np.clip(low, 0, m), np.clip(high, 0, m)
    low[0], high[-1] = 0, m
    return Windows(low, high)
