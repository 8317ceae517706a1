"""UMAP's layout: stochastic gradient descent with negative sampling, in batches.

McInnes, Healy and Melville 2018 (arXiv 1802.03426), section 3.2 and Algorithm 5, with
the settings of the authors' code: five negative samples, gradients clipped at 4, a
learning rate that decreases from 1 to 0. There are two differences. The edges of a
batch are moved at once instead of one by one: a batch has fewer edges than there are
points, so that few points have several. And the epochs in which an edge is drawn, in
proportion to its weight, start at a random offset instead of the first epoch.

An epoch depends only on the seed and its number, so that a layout that was killed
resumes with the same result.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.arrays import FloatArray
from app.engine.projection.fuzzy_graph import FuzzyEdges
from app.engine.runtime.report import Report
from app.engine.store.arrays import write_array
from app.engine.timing import SaveClock

STAGE = "Computing the layout"
N_NEGATIVES = 5
CLIP = 4.0  # of each component of a gradient
EXTENT = 10.0  # largest coordinate of the initial positions
NOISE = 1e-4  # standard deviation of noise, which separates equal points
NEAR = 0.001  # added to squared distances of negatives
MAX_BATCH, MIN_BATCH = 65_536, 256  # edges
POINTS_EACH = 4  # points per edge of a batch
SAVE_S = 10.0  # seconds between two records of the state
N_CURVE = 300  # distances


class LayoutSettings(NamedTuple):
    """Settings of a layout.

    Attributes:
        min_dist: distance below which neighbours do not attract each other.
        n_epochs: number of draws of the strongest edges.
        seed: seed of the samples.
        folder: folder for records of the state; None: no records.
        spread: scale of the distances.
    """

    min_dist: float
    n_epochs: int
    seed: int
    folder: Path | None = None
    spread: float = 1.0


def fit_curve(min_dist: float, spread: float = 1.0) -> tuple[float, float]:
    """Fit a and b of the similarity 1 / (1 + a d^2b) on the map (definition 11).

    Least squares, to 1 up to `min_dist` and an exponential with the scale `spread`
    beyond it, over 0…3 spreads.
    """
    from scipy import optimize  # slow import, 0.3 s

    x = np.linspace(0, 3 * spread, N_CURVE)
    target = np.where(x < min_dist, 1.0, np.exp(-(x - min_dist) / spread))
    (a, b), _ = optimize.curve_fit(_similarity, x, target)
    return float(a), float(b)


def _similarity(x: NDArray[np.float64], a: float, b: float) -> NDArray[np.float64]:
    """Return the similarity of points at distances on the map: float64 (n,), 0…1."""
    similarity: NDArray[np.float64] = 1 / (1 + a * x ** (2 * b))
    return similarity


def first_positions(components: FloatArray, seed: int) -> Tensor:
    """Scale principal components to initial positions: float32 (2, n).

    They preserve global structure as well as spectral positions (Kobak and Linderman
    2021,
    "Initialization is critical for preserving global data structure").

    Args:
        components: float32 (n, 2).
    """
    generator = torch.Generator().manual_seed(seed)
    positions = torch.from_numpy(components).T.contiguous()
    largest = positions.abs().max().clamp_min(1e-12)
    noise = torch.randn(positions.shape, generator=generator) * NOISE
    scale = EXTENT / largest if largest > 1e-6 else torch.tensor(1.0)
    return positions * scale + noise


def lay_out(
    edges: FuzzyEdges, positions: Tensor, settings: LayoutSettings, report: Report
) -> FloatArray:
    """Move points until neighbours are close, and other points distant.

    Args:
        edges: edges between the n points.
        positions: float32 (2, n), initial positions.
        settings: settings of the layout.

    Returns:
        float32 (n, 2), with the centre at 0.

    Raises:
        Cancelled: the recorded state is kept, and the next call resumes from it.
    """
    n_before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            found = _run(_Layout(edges, positions, settings), settings, report)
    finally:
        torch.set_num_threads(n_before)
    return np.ascontiguousarray(found - found.mean(axis=0))


def _run(work: "_Layout", settings: LayoutSettings, report: Report) -> FloatArray:
    """Run the remaining epochs: float32 (n, 2).

    Uses one thread: batches are so short that several threads would mostly wait for
    each other.
    """
    epoch, total = work.take_up(), settings.n_epochs * work.n_drawn
    clock = SaveClock(SAVE_S)
    while epoch < settings.n_epochs:
        for share in work.epoch(epoch):
            report.step(STAGE, int((epoch + share) * work.n_drawn), total)
        epoch += 1
        if settings.folder is not None and clock.is_due():
            work.save(settings.folder, epoch)
    report.step(STAGE, total, total)
    found: FloatArray = work.positions.T.numpy()
    return found


class _Layout:
    """State of a layout.

    Attributes:
        positions: float32 (2, n).
        n_drawn: mean number of edges per epoch.
    """

    def __init__(
        self, edges: FuzzyEdges, positions: Tensor, settings: LayoutSettings
    ) -> None:
        self.positions, self._settings = positions, settings
        self._curve = fit_curve(settings.min_dist, settings.spread)
        rates = torch.from_numpy(edges.weights) / max(edges.weights.max(), 1e-12)
        generator = torch.Generator().manual_seed(settings.seed)
        order = torch.randperm(len(rates), generator=generator)
        # edges drawn less than once are dropped
        order = order[rates[order] * settings.n_epochs >= 1]
        self._rates = rates[order]
        self._heads = torch.from_numpy(edges.heads)[order]
        self._tails = torch.from_numpy(edges.tails)[order]
        self._phases = torch.rand(len(order), generator=generator)
        self.n_drawn = max(1, int(self._rates.sum()))
        n = positions.shape[1]
        self._batch = min(max(n // POINTS_EACH, MIN_BATCH), MAX_BATCH)

    def take_up(self) -> int:
        """Restore the newest record, if any; return the number of finished epochs."""
        folder = self._settings.folder
        for file in reversed(_records(folder)):
            try:
                found = np.load(file, allow_pickle=False)
            except (OSError, ValueError, EOFError):
                continue  # damaged file
            self.positions = torch.from_numpy(found)
            return int(file.stem.partition("-")[2])
        return 0

    def save(self, folder: Path, epoch: int) -> None:
        """Record the state, and delete the previous record."""
        old = _records(folder)
        write_array(folder / f"layout-{epoch:06d}.npy", self.positions.numpy())
        for file in old:
            file.unlink()

    def epoch(self, epoch: int) -> Iterator[float]:
        """Run an epoch; yield the finished share after each batch.

        Each edge is drawn twice, once for the negative samples of each end.
        """
        settings = self._settings
        rate = 1 - epoch / settings.n_epochs
        generator = torch.Generator().manual_seed(settings.seed * 1_000_003 + epoch)
        before = (self._phases + epoch * self._rates).floor()
        after = (self._phases + (epoch + 1) * self._rates).floor()
        drawn = (after > before).nonzero()[:, 0]
        ends = self._heads[drawn].long(), self._tails[drawn].long()
        total = 2 * len(drawn)
        for turn, (heads, tails) in enumerate((ends, ends[::-1])):
            for start in range(0, len(drawn), self._batch):
                end = start + self._batch
                self._move(heads[start:end], tails[start:end], rate, generator)
                yield (turn * len(drawn) + min(end, len(drawn))) / total

    def _move(
        self, heads: Tensor, tails: Tensor, rate: float, generator: torch.Generator
    ) -> None:
        """Move the ends (e,) of edges closer, and heads away from random points."""
        x, y = self.positions
        a, b = self._curve
        head_x, head_y = x[heads], y[heads]
        away_x, away_y = head_x - x[tails], head_y - y[tails]
        squared = away_x.square() + away_y.square()
        power = squared.pow(b)
        pull = -2 * a * b * power / (squared * (1 + a * power))
        pull = torch.where(squared > 0, pull, 0.0)
        pull_x = (pull * away_x).clamp_(-CLIP, CLIP) * rate
        pull_y = (pull * away_y).clamp_(-CLIP, CLIP) * rate
        shape = (N_NEGATIVES, len(heads))
        others = torch.randint(len(x), shape, generator=generator).view(-1)
        away_x = head_x - x[others].view(shape)  # (e,) - (s, e) -> (s, e)
        away_y = head_y - y[others].view(shape)
        squared = away_x.square() + away_y.square()
        # a point paired with itself or an equal point is not moved: the difference is 0
        push = 2 * b / ((NEAR + squared) * (1 + a * squared.pow(b)))
        push_x = (push * away_x).clamp_(-CLIP, CLIP).sum(dim=0) * rate  # -> (e,)
        push_y = (push * away_y).clamp_(-CLIP, CLIP).sum(dim=0) * rate
        x.index_add_(0, heads, pull_x + push_x)
        y.index_add_(0, heads, pull_y + push_y)
        x.index_add_(0, tails, pull_x, alpha=-1)
        y.index_add_(0, tails, pull_y, alpha=-1)


def _records(folder: Path | None) -> list[Path]:
    return [] if folder is None else sorted(folder.glob("layout-*.npy"))
