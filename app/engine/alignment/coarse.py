"""From coarse to fine: a rough path shows where the next finer one is looked for.

Thompson and Koehn 2019, section 3.2: the documents are halved again and again by
joining neighbouring sentences; the coarsest are aligned in full, and each finer path is
looked for in a window around the coarser one (after Salvador and Chan 2007, "FastDTW").
Time and memory grow with the sum of the lengths, not with their product.
"""

from typing import NamedTuple

import numpy as np

from app.engine.alignment.costs import Costs, list_moves, weigh
from app.engine.alignment.paths import Path, Windows, find_path, full_windows
from app.engine.alignment.spans import Spans, halve
from app.engine.report import Report

SMALL = 256  # sentences of the longer document that are aligned in full
STAGE = "align"


class Search(NamedTuple):
    """How a path is looked for.

    Attributes:
        joined: sentences of the longest spans of the finest path.
        quantile: of the costs of nearest sentences, that of a skip (0…1).
        window: sentences left and right of the coarser path.
        small: sentences up to which documents are aligned in full.
        seed: of the sentences that set the cost of a skip.
    """

    joined: int = 4
    quantile: float = 0.5
    window: int = 10
    small: int = SMALL
    seed: int = 1


def align(
    source: Spans, target: Spans, search: Search, report: Report
) -> tuple[Path, Costs]:
    """Align two documents.

    Args:
        source: n sentences, n ≥ 1, spans of up to `search.joined`.
        target: m sentences, m ≥ 1.
        search: settings.
        report: told of every stage.

    Returns:
        The path, and the costs it was weighed by.
    """
    levels = [(source, target)]
    while max(side.n for side in levels[-1]) > search.small:
        levels.append((halve(levels[-1][0]), halve(levels[-1][1])))
    random = np.random.default_rng(search.seed)
    windows = full_windows(levels[-1][0].n, levels[-1][1].n)
    for depth in range(len(levels) - 1, -1, -1):
        costs = weigh(*levels[depth], search.quantile, random)
        moves = list_moves(search.joined if depth == 0 else 1)
        path = find_path(costs, moves, windows, report, STAGE)
        if depth > 0:
            finer = levels[depth - 1]
            windows = windows_around(path, finer[0].n, finer[1].n, search.window)
    return path, costs


def windows_around(path: Path, n: int, m: int, width: int) -> Windows:
    """Look around a path of half the length.

    Args:
        path: through ⌈n / 2⌉ and ⌈m / 2⌉ sentences.
        n: sentences of the finer source.
        m: sentences of the finer target.
        width: nodes left and right of it.
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
