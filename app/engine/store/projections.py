"""Read and write the records of maps, and name their files."""

import time
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Engine, insert

from app.engine.store.arrays import check_stem
from app.engine.store.rows import read_rows, select_fields
from app.engine.store.schema import projection


class ProjectionRow(NamedTuple):
    """Record of a map: coordinates and cluster of each sentence.

    The arrays have one row per point: `STEM.xy.npy` float32 (n, 2); `STEM.ids.npy`
    int64 (n,), ascending sentence ids; `STEM.clusters.npy` int32 (n,), −1: no cluster.

    Attributes:
        report: JSON: {"settings", "clusters": [{"n", "sentences": [ids, the most
            typical first]}], "kept_neighbours": share of the nearest neighbours that
            are neighbours on the map too, "kept_interval", "k": how many neighbours,
            "n_measured": sentences that the share was measured on}.
    """

    id: int
    name: str
    state: str
    method: str
    encoder: str
    fingerprint: str
    corpora: str
    n_points: int
    array: str
    report: str
    run_id: int | None
    created_at: float


def read_projections(store: Engine) -> list[ProjectionRow]:
    """Read the maps that are ready, newest first."""
    query = select_fields(projection, ProjectionRow)
    query = query.where(projection.c.state == "ready")
    return read_rows(store, query.order_by(projection.c.id.desc()), ProjectionRow)


def projection_file(folder: Path, row: ProjectionRow, part: str) -> Path:
    """Return the file of one array of a map: xy, ids or clusters."""
    return folder / "arrays" / f"{check_stem(row.array)}.{part}.npy"


def add_projection(store: Engine, values: dict[str, Any]) -> int:
    """Record a map after its arrays are written, and return its id."""
    row = {"state": "ready", "created_at": time.time(), **values}
    with store.begin() as connection:
        return int(connection.execute(insert(projection).values(**row)).lastrowid)
