"""A map that is open: its points, sorted for drawing, and what its row tells."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.store.arrays import map_array
from app.engine.store.projection_rows import ProjectionRow, projection_file
from app.errors import ResourceError
from app.views.widgets.map_grid import PointGrid

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
        """Give the place of a sentence in the grid; None: it is not on the map."""
        at = int(np.searchsorted(self.ids, sentence_id))
        if at < len(self.ids) and self.ids[at] == sentence_id:
            return int(self.places[at])
        return None

    def id_at(self, place: int) -> int:
        """Give the sentence at a place in the grid."""
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
