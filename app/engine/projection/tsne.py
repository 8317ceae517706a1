"""t-SNE maps of small sets with openTSNE, an optional dependency."""

from pathlib import Path
from typing import Any

import numpy as np

from app.arrays import FloatArray
from app.engine.projection.layout import STAGE
from app.engine.projection.points import Points
from app.engine.projection.umap import UmapSettings, neighbour_graph
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.errors import ResourceError, UserError

MAX_POINTS = 10_000
N_EPOCHS, EARLY_EPOCHS = 500, 250  # openTSNE's defaults
NEIGHBOURS_EACH = 3  # per unit of perplexity
EVERY = 10  # epochs between two checks for cancellation
FIRST_SPREAD = 1e-4  # standard deviation of the initial positions


def check_tsne(n: int) -> None:
    """Check before any work that t-SNE is possible with n points.

    Raises:
        UserError: there are too many or too few points.
        ResourceError: openTSNE is not installed.
    """
    if n > MAX_POINTS:
        raise UserError(
            f"t-SNE supports up to {MAX_POINTS:,} sentences, and the selection has "
            f"{n:,}. Choose the method umap."
        )
    try:
        import openTSNE  # noqa: F401 - is it there?
    except ImportError as error:
        raise ResourceError(
            "The method tsne needs the package openTSNE, which is not installed (see "
            "Optional packages in the documentation). Or choose the method umap."
        ) from error


def make_tsne(
    points: Points,
    components: FloatArray,
    settings: UmapSettings,
    folder: Path,
    report: Report,
) -> FloatArray:
    """Lay points out by t-SNE (van der Maaten and Hinton 2008): float32 (n, 2).

    The perplexity is the number of neighbours, reduced if there are fewer than three
    times as many other points. The initial positions are the principal components
    (Kobak and Berens 2019, "The art of using t-SNE for single-cell transcriptomics").

    Args:
        points: 4 to `MAX_POINTS` points.
        components: float32 (n, 2), principal components of the points.
        settings: settings of the map; `min_dist` is ignored.
        folder: folder for these points, where neighbours are cached.
    """
    most = max(1, (len(points) - 1) // NEIGHBOURS_EACH)
    perplexity = min(settings.n_neighbours, most)
    near = neighbour_graph(points, NEIGHBOURS_EACH * perplexity, folder, report)
    distances = np.maximum(1 - np.asarray(near.scores, np.float64), 0)
    work = _TsneThread(perplexity, settings, report)

    def fit() -> FloatArray:
        return work.fit(np.array(near.rows), distances, components)

    return run_in_thread(fit, report, STAGE)


class _TsneThread:
    """A t-SNE computation in a thread, which is abandoned after cancellation."""

    def __init__(self, perplexity: int, settings: UmapSettings, report: Report):
        self._perplexity, self._settings = perplexity, settings
        self._report = report

    def fit(self, rows: Any, distances: Any, components: FloatArray) -> FloatArray:
        from openTSNE import TSNE, affinity, nearest_neighbors

        index = nearest_neighbors.PrecomputedNeighbors(rows, distances)
        weights = affinity.PerplexityBasedNN(
            knn_index=index, perplexity=self._perplexity
        )
        spread = components[:, 0].std()
        begin = components / (spread if spread > 1e-6 else 1.0) * FIRST_SPREAD
        noise = np.random.default_rng(self._settings.seed).normal(size=begin.shape)
        model = TSNE(
            early_exaggeration_iter=EARLY_EPOCHS,
            n_iter=self._settings.n_epochs or N_EPOCHS,
            n_jobs=1,  # for reproducible maps
            random_state=self._settings.seed % 2**31,
            callbacks=lambda *_: self._report.is_cancelled,
            callbacks_every_iters=EVERY,
        )
        found = model.fit(
            affinities=weights, initialization=begin + noise * FIRST_SPREAD / 100
        )
        return np.ascontiguousarray(found, np.float32)
