"""Make a t-SNE map of a small set with openTSNE, an optional dependency."""

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
N_EPOCHS, EARLY_EPOCHS = 500, 250  # as openTSNE's own defaults
NEIGHBOURS_EACH = 3  # of each unit of perplexity
EVERY = 10  # epochs between two looks at whether it was cancelled
FIRST_SPREAD = 1e-4  # standard deviation of the first positions


def check_tsne(n: int) -> None:
    """Check before the work that t-SNE can be made of n points.

    Raises:
        UserError: there are too many points, or too few.
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

    The perplexity is the number of neighbours, less where there are not three times as
    many others. The first positions are the principal components (Kobak and Berens
    2019, "The art of using t-SNE for single-cell transcriptomics").

    Args:
        points: at most `MAX_POINTS`, at least 4.
        components: float32 (n, 2), their principal components.
        settings: how; `min_dist` has no part in it.
        folder: of these points; neighbours stay there.
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
    """A t-SNE that is being made, in a thread that is not waited for after a cancel."""

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
            n_jobs=1,  # the same each time
            random_state=self._settings.seed % 2**31,
            callbacks=lambda *_: self._report.is_cancelled,
            callbacks_every_iters=EVERY,
        )
        found = model.fit(
            affinities=weights, initialization=begin + noise * FIRST_SPREAD / 100
        )
        return np.ascontiguousarray(found, np.float32)
