"""The translations on a map: which points a link joins, and which lines are drawn."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.store.point_rows import read_range_links
from app.views.map_points import MapPoints
from app.views.widgets.map_grid import PointGrid
from app.views.widgets.map_picture import Frame

MOST_LINES = 2_000  # drawn at once; more are a tangle
CHUNK = 20_000  # sentences whose links are read at once
SEED = 1

Ends = NDArray[np.int64]


def load_pairs(store: Engine, points: MapPoints) -> Iterator[Ends | None]:
    """Read the links of a map in steps of some milliseconds.

    Yields:
        None, and at last int64 (m, 2): places in the grid of both ends, in an order by
        chance, which is always the same: what is drawn of them stays the same.
    """
    parts = [np.empty((0, 2), np.int64)]
    ids = points.ids
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        # A range may pass over corpora that are not on the map: their ends are dropped.
        for corpus in np.unique(part >> 32).tolist():
            inside = part[part >> 32 == corpus]
            low, high = int(inside[0]), int(inside[-1]) + 1
            parts.append(_on_map(points, read_range_links(store, low, high)))
        yield None
    pairs = np.concatenate(parts)
    yield pairs[np.random.default_rng(SEED).permutation(len(pairs))]


def choose_lines(
    pairs: Ends, grid: PointGrid, frame: Frame, is_wanted: NDArray[np.bool_] | None
) -> tuple[Ends, int]:
    """Choose the pairs to draw: those with both ends in sight, not too many.

    Args:
        pairs: int64 (m, 2), places in the grid.
        grid: where the points are.
        frame: what is in sight.
        is_wanted: bool (n,), in the order of the grid: one end is among these; None:
            all.

    Returns:
        The pairs to draw, and how many there are in sight.
    """
    box = frame.box
    x, y = grid.x[pairs], grid.y[pairs]  # (m, 2)
    is_in = (x >= box.left) & (x <= box.right) & (y >= box.bottom) & (y <= box.top)
    chosen = is_in.all(axis=1)  # (m, 2) -> (m,)
    if is_wanted is not None:
        chosen &= is_wanted[pairs].any(axis=1)
    places = np.flatnonzero(chosen)
    return pairs[places[:MOST_LINES]], len(places)


def _on_map(points: MapPoints, links: Ends) -> Ends:
    """Turn ids of sentences into places in the grid; links that leave it are not."""
    at = np.minimum(np.searchsorted(points.ids, links), len(points.ids) - 1)
    is_here = (points.ids[at] == links).all(axis=1)  # (m, 2) -> (m,)
    places: Ends = points.places[at[is_here]]
    return places
