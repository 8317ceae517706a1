"""Load the points, clusters and translation links of a map."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.store.arrays import map_array
from app.engine.store.projections import ProjectionRow, projection_file
from app.engine.store.sentences import read_range_links
from app.errors import ResourceError
from app.views.map.drawing.grid import PointGrid
from app.views.map.drawing.picture import Frame

Ids = NDArray[np.int64]


class MapCluster(NamedTuple):
    """A cluster: its number in the array, its size, its most typical sentences."""

    number: int
    n: int
    sentences: tuple[int, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class MapPoints:
    """The points of a map.

    Attributes:
        row: of the map.
        ids: int64 (n,) sentences, rising.
        clusters: int32 (n,), −1: in none.
        grid: the points, sorted; its `order` leads to the arrays above.
        places: int64 (n,): where each sentence is in the grid.
        found: the clusters, as their row tells.
    """

    row: ProjectionRow
    ids: Ids
    clusters: NDArray[np.int32]
    grid: PointGrid
    places: Ids
    found: tuple[MapCluster, ...] = ()

    def __len__(self) -> int:
        """Count the points."""
        return len(self.ids)

    def place_of(self, sentence_id: int) -> int | None:
        """Return the place of a sentence in the grid; None: it is not on the map."""
        at = int(np.searchsorted(self.ids, sentence_id))
        if at < len(self.ids) and self.ids[at] == sentence_id:
            return int(self.places[at])
        return None

    def id_at(self, place: int) -> int:
        """Return the sentence at a place in the grid."""
        return int(self.ids[self.grid.order[place]])

    def mask_of(self, ids: Ids) -> NDArray[np.bool_]:
        """Mark sentences: bool (n,), in the order of `ids`.

        Args:
            ids: rising; those that are not on the map are passed over.
        """
        mask = np.zeros(len(self.ids), np.bool_)
        if len(self.ids):
            at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
            mask[at[self.ids[at] == ids]] = True
        return mask


def load_points(folder: Path, row: ProjectionRow) -> Iterator[MapPoints | None]:
    """Open a map in steps of some milliseconds; the last one gives it.

    Raises:
        ResourceError: an array is missing, damaged or of another length.
    """
    ids, xy, clusters = (
        map_array(projection_file(folder, row, part))
        for part in ("ids", "xy", "clusters")
    )
    if not len(ids) == len(xy) == len(clusters) or xy.ndim != 2:
        raise ResourceError(
            f"The arrays of the map {row.name} do not fit together: make it again."
        )
    yield None
    is_finite = np.isfinite(xy).all(axis=1)  # (n, 2) -> (n,)
    if not is_finite.all():
        ids, xy, clusters = ids[is_finite], xy[is_finite], clusters[is_finite]
    ids, clusters = np.array(ids, np.int64), np.array(clusters, np.int32)
    yield None
    grid = PointGrid()
    for _ in grid.build(np.asarray(xy, np.float32)):
        yield None
    places = np.empty(len(ids), np.int64)
    places[grid.order] = np.arange(len(ids))
    yield MapPoints(row, ids, clusters, grid, places, _read_clusters(row))


def _read_clusters(row: ProjectionRow) -> tuple[MapCluster, ...]:
    try:
        told: Any = json.loads(row.report)
    except ValueError:  # of another version
        return ()
    clusters: Sequence[dict[str, Any]] = told.get("clusters") or ()
    return tuple(
        MapCluster(
            number,
            int(one.get("n", 0)),
            tuple(one.get("sentences", ())),
            tuple(one.get("words", ())),
        )
        for number, one in enumerate(clusters)
    )


MAX_LINES = 2_000  # drawn at once; more are a tangle
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
    return pairs[places[:MAX_LINES]], len(places)


def _on_map(points: MapPoints, links: Ends) -> Ends:
    """Turn ids of sentences into places in the grid; links that leave it are not."""
    at = np.minimum(np.searchsorted(points.ids, links), len(points.ids) - 1)
    is_here = (points.ids[at] == links).all(axis=1)  # (m, 2) -> (m,)
    places: Ends = points.places[at[is_here]]
    return places
