"""Load the points, clusters and translation links of a map."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.arrays import IdArray
from app.engine.store.arrays import map_array
from app.engine.store.corpora import corpus_of
from app.engine.store.projections import ProjectionRow, projection_file
from app.engine.store.sentences import read_range_links
from app.errors import ResourceError
from app.views.map.drawing.grid import PointGrid
from app.views.map.drawing.picture import Frame


class MapCluster(NamedTuple):
    """Number, size and most typical sentences of a cluster."""

    number: int
    n: int
    sentences: tuple[int, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class MapPoints:
    """The points of a map.

    Attributes:
        row: the record of the map.
        ids: int64 (n,), ids of the sentences, ascending.
        clusters: int32 (n,), −1: no cluster.
        grid: the sorted points; its `order` indexes the arrays above.
        places: int64 (n,), index of each sentence in the grid.
        found: the clusters listed in the map's report.
    """

    row: ProjectionRow
    ids: IdArray
    clusters: NDArray[np.int32]
    grid: PointGrid
    places: IdArray
    found: tuple[MapCluster, ...] = ()

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.ids)

    def place_of(self, sentence_id: int) -> int | None:
        """Return the grid index of a sentence, or None if it is not on the map."""
        at = int(np.searchsorted(self.ids, sentence_id))
        if at < len(self.ids) and self.ids[at] == sentence_id:
            return int(self.places[at])
        return None

    def id_at(self, index: int) -> int:
        """Return the sentence at a grid index."""
        return int(self.ids[self.grid.order[index]])

    def mask_of(self, ids: IdArray) -> NDArray[np.bool_]:
        """Return a mask of the points with these ids: bool (n,).

        Args:
            ids: ascending; ids that are not on the map are ignored.
        """
        mask = np.zeros(len(self.ids), np.bool_)
        if len(self.ids):
            at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
            mask[at[self.ids[at] == ids]] = True
        return mask


def load_points(folder: Path, row: ProjectionRow) -> Iterator[MapPoints | None]:
    """Open a map in steps of a few milliseconds; the last item is the result.

    Raises:
        ResourceError: an array is missing, damaged or of another length.
    """
    ids, xy, clusters = (
        map_array(projection_file(folder, row, part))
        for part in ("ids", "xy", "clusters")
    )
    if not len(ids) == len(xy) == len(clusters) or xy.ndim != 2:
        raise ResourceError(
            f"The files of the map {row.name} don't match. Make the map again."
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
    indices = np.empty(len(ids), np.int64)
    indices[grid.order] = np.arange(len(ids))
    yield MapPoints(row, ids, clusters, grid, indices, _read_clusters(row))


def _read_clusters(row: ProjectionRow) -> tuple[MapCluster, ...]:
    try:
        report: Any = json.loads(row.report)
    except ValueError:  # written by another version
        return ()
    clusters: Sequence[dict[str, Any]] = report.get("clusters") or ()
    return tuple(
        MapCluster(
            number,
            int(one.get("n", 0)),
            tuple(one.get("sentences", ())),
            tuple(one.get("words", ())),
        )
        for number, one in enumerate(clusters)
    )


MAX_LINES = 2_000  # drawn at once; more are unreadable
CHUNK = 20_000  # sentences read per step
SEED = 1


def id_ranges(points: MapPoints) -> Iterator[tuple[int, int, int]]:
    """Return ranges of ids that cover the points: corpus, first id, end."""
    ids = points.ids
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        corpora = corpus_of(part)
        for corpus in np.unique(corpora).tolist():
            inside = part[corpora == corpus]
            yield corpus, int(inside[0]), int(inside[-1]) + 1


def load_pairs(store: Engine, points: MapPoints) -> Iterator[IdArray | None]:
    """Read the translation links of a map in steps of a few milliseconds.

    Yields:
        None, and at last int64 (m, 2): grid indices of both ends, in a random but
            reproducible order, so that the drawn lines don't change.
    """
    parts = [np.empty((0, 2), np.int64)]
    for _, low, high in id_ranges(points):
        # Links to a corpus that is not on the map are dropped.
        parts.append(_on_map(points, read_range_links(store, low, high)))
        yield None
    pairs = np.concatenate(parts)
    yield pairs[np.random.default_rng(SEED).permutation(len(pairs))]


def choose_lines(
    pairs: IdArray, grid: PointGrid, frame: Frame, mask: NDArray[np.bool_] | None
) -> tuple[IdArray, int]:
    """Choose the pairs to draw: at most `MAX_LINES` with both ends visible.

    Args:
        pairs: int64 (m, 2), grid indices.
        grid: the positions of the points.
        frame: the visible part.
        mask: bool (n,), in grid order: at least one end must be in it; None: all.

    Returns:
        The pairs to draw, and the number of visible pairs.
    """
    box = frame.box
    x, y = grid.x[pairs], grid.y[pairs]  # (m, 2)
    is_in = (x >= box.left) & (x <= box.right) & (y >= box.bottom) & (y <= box.top)
    chosen = is_in.all(axis=1)  # (m, 2) -> (m,)
    if mask is not None:
        chosen &= mask[pairs].any(axis=1)
    indices = np.flatnonzero(chosen)
    return pairs[indices[:MAX_LINES]], len(indices)


def _on_map(points: MapPoints, links: IdArray) -> IdArray:
    """Convert links to grid indices, without links that leave the map."""
    at = np.minimum(np.searchsorted(points.ids, links), len(points.ids) - 1)
    is_here = (points.ids[at] == links).all(axis=1)  # (m, 2) -> (m,)
    places: IdArray = points.places[at[is_here]]
    return places
