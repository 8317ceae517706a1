"""UMAP with the exact nearest neighbours of all points.

McInnes, Healy and Melville 2018 (arXiv 1802.03426). The nearest neighbours by cosine
are cached on disk, for further maps of the same sentences with other settings, and for
resuming a cancelled map.
"""

import contextlib
import hashlib
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.arrays import FloatArray
from app.engine.mining.exact_search import ExactSide, Neighbours
from app.engine.mining.neighbours import PassSettings, drop_state, find_own_neighbours
from app.engine.projection.fuzzy_graph import fuzzy_graph
from app.engine.projection.layout import LayoutSettings, first_positions, lay_out
from app.engine.projection.points import Points
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.store.arrays import map_array, write_array
from app.errors import ResourceError

FEW, MANY_EPOCHS, FEW_EPOCHS = 10_000, 500, 200  # as in the authors' code
SHUFFLE = 1  # seed of the order in which points are compared
MAX_KEPT = 4  # newest folders of sets of points


class UmapSettings(NamedTuple):
    """Settings of a map.

    Attributes:
        n_neighbours: neighbours per point.
        min_dist: see `LayoutSettings`.
        n_epochs: number of epochs; None: choose by the number of points.
        seed: seed of the samples.
    """

    n_neighbours: int
    min_dist: float
    n_epochs: int | None
    seed: int


def auto_epochs(n: int) -> int:
    """Choose a number of epochs for n points."""
    return MANY_EPOCHS if n <= FEW else FEW_EPOCHS


def make_umap(
    points: Points,
    components: FloatArray,
    settings: UmapSettings,
    folder: Path,
    report: Report,
) -> FloatArray:
    """Lay out points so that neighbours are close: float32 (n, 2).

    Args:
        points: at least 2 points.
        components: float32 (n, 2), principal components, the initial positions.
        settings: settings of the map.
        folder: folder for these points, with cached neighbours and records of the
            layout.

    Raises:
        Cancelled: intermediate results are kept, and the next call resumes from them.
    """
    near = neighbour_graph(points, settings.n_neighbours, folder, report)
    edges = fuzzy_graph(near.scores, near.rows, report)
    n_epochs = settings.n_epochs or auto_epochs(len(points))
    work = folder / f"layout-{_digest(settings, n_epochs)}"
    layout = LayoutSettings(settings.min_dist, n_epochs, settings.seed, work)
    begin = first_positions(components, settings.seed)
    return lay_out(edges, begin, layout, report)


def neighbour_graph(points: Points, k: int, folder: Path, report: Report) -> Neighbours:
    """Find the k nearest of each point, without itself, or load cached neighbours.

    Args:
        points: n points.
        k: number of neighbours, limited by the number of other points.
        folder: folder of the cache.

    Returns:
        (n, min(k, n - 1)), nearest first.
    """
    k = min(k, len(points) - 1)
    kept = folder / f"near-{k}"
    with contextlib.suppress(ResourceError):  # not computed yet
        near = Neighbours(map_array(kept / "scores.npy"), map_array(kept / "rows.npy"))
        folder.touch()
        return near
    settings = PassSettings(
        k + 1, device=preferred_device(), folder=kept / "pass", key=points.key
    )
    near = remove_self_neighbours(_find_shuffled(points.side, settings, report))
    write_array(kept / "scores.npy", near.scores)
    write_array(kept / "rows.npy", near.rows)
    drop_state(kept / "pass")
    return near


def _find_shuffled(
    side: ExactSide, settings: PassSettings, report: Report
) -> Neighbours:
    """Find neighbours with points in random order; return them in the original order.

    Corpora contain runs of similar sentences, and with similar points next to each
    other the pass can rule out fewer candidates.
    """
    order = np.random.default_rng(SHUFFLE).permutation(len(side))
    rows = order if side.rows is None else side.rows[order]
    found = find_own_neighbours(ExactSide(side.vectors, rows), settings, report)
    near = Neighbours(np.empty_like(found.scores), np.empty_like(found.rows))
    near.scores[order] = found.scores
    near.rows[order] = order[found.rows]
    return near


def remove_self_neighbours(found: Neighbours) -> Neighbours:
    """Remove each point from its own neighbours, or else the last neighbour.

    A point may be missing in its own neighbours if many points are equal.
    """
    n, k = found.rows.shape
    is_out = found.rows == np.arange(n)[:, None]
    is_out[~is_out.any(axis=1), -1] = True
    shape = (n, k - 1)
    scores, rows = found.scores[~is_out], found.rows[~is_out]
    return Neighbours(scores.reshape(shape), rows.reshape(shape))


def delete_working_files(folder: Path) -> None:
    """Delete the files of unfinished layouts, and the oldest sets of points."""
    for layout in folder.glob("layout-*"):
        drop_state(layout)
    with contextlib.suppress(OSError):  # Windows: the file is still mapped
        (folder / "vectors.npy").unlink(missing_ok=True)
    parts = sorted(folder.parent.glob("*"), key=lambda one: one.stat().st_mtime)
    for old in parts[:-MAX_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _digest(settings: UmapSettings, n_epochs: int) -> str:
    record = repr(settings._replace(n_epochs=n_epochs))
    return hashlib.sha256(record.encode()).hexdigest()[:16]
