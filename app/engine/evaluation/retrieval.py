"""Translation retrieval: error of the nearest target by cosine and by margin."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from app.arrays import BoolArray, DoubleArray, FloatArray, IdArray
from app.engine.evaluation.recording import DIGITS, rounded_interval
from app.engine.mining.exact_search import ExactSide, Neighbours
from app.engine.mining.neighbours import PassSettings, find_neighbours
from app.engine.mining.scores import margin_scores, neighbour_means
from app.engine.runtime.report import Report
from app.engine.search.knn import NO_NEIGHBOUR, top_k
from app.engine.statistics import bootstrap_estimate, wilson_interval
from app.results.measurements import Interval, Retrieved

MARGIN_K = 4  # neighbours of the margin, as in LASER
DEPTHS = (1, 5, 10)  # of P@k
MAX_DIFFERENCE = 1e-6  # between components of equal vectors
MAX_REFERENCE_CELLS = 2**24  # cosines that one call of the reference computes quickly


class DirectionResult(NamedTuple):
    """Results of the queries in one direction.

    Attributes:
        n_pool: candidates.
        is_wrong: bool (n,), whether a query's nearest candidate is wrong.
        is_wrong_margin: the same with the ratio margin; None: not measured.
        n_found: by k, number of queries whose translation is among the first k.
        nearest: int64 (n,), rows of the nearest candidates; None: not known.
    """

    n_pool: int
    is_wrong: BoolArray
    is_wrong_margin: BoolArray | None
    n_found: dict[int, int]
    nearest: IdArray | None = None

    @property
    def n(self) -> int:
        """Return the number of queries."""
        return len(self.is_wrong)

    @property
    def n_wrong(self) -> int:
        """Return the number of queries whose nearest candidate is wrong."""
        return int(self.is_wrong.sum())

    @property
    def n_wrong_margin(self) -> int | None:
        """Return the same with the ratio margin; None: not measured."""
        wrong = self.is_wrong_margin
        return None if wrong is None else int(wrong.sum())

    @property
    def error(self) -> float:
        """Return the share of queries whose nearest candidate is wrong."""
        return self.n_wrong / self.n

    def as_row(
        self, encoder: str, source: str, target: str, data: str = ""
    ) -> Retrieved:
        """Return the row to store."""
        margin = self.n_wrong_margin
        return Retrieved(
            encoder=encoder,
            source=source,
            target=target,
            data=data,
            n=self.n,
            n_pool=self.n_pool,
            error=round(self.error, DIGITS),
            error_interval=self._interval(self.n_wrong),
            error_margin=None if margin is None else round(margin / self.n, DIGITS),
            error_margin_interval=None if margin is None else self._interval(margin),
            precision_at={
                str(k): round(n_found / self.n, DIGITS)
                for k, n_found in self.n_found.items()
            },
            precision_at_interval={
                str(k): self._interval(n_found) for k, n_found in self.n_found.items()
            },
        )

    def _interval(self, count: int) -> Interval:
        return rounded_interval(wilson_interval(count, self.n))


def measure_retrieval(
    sources: FloatArray, targets: FloatArray, n: int, report: Report
) -> tuple[DirectionResult, DirectionResult]:
    """Measure both directions.

    An equal text elsewhere is an error, and equal cosines are ordered by row (as in
    LASER). The margin selects among the four nearest by cosine: ratio, k = 4, of
    Artetxe and Schwenk 2019, equations 2 and 5.

    Args:
        sources: float32 (n or more, d), rows of length 1; row i < n is the translation
            of target row i, further rows are a pool.
        targets: float32 (n or more, d).
        n: number of pairs.
    """
    of_sources, of_targets = _nearest(sources, targets, report)
    means = neighbour_means(of_sources.scores[:, :MARGIN_K])
    target_means = neighbour_means(of_targets.scores[:, :MARGIN_K])
    return (
        _direction(of_sources, (means, target_means), n),
        _direction(of_targets, (target_means, means), n),
    )


def mean_interval(wrong: Sequence[BoolArray]) -> Interval:
    """Return the interval of the mean error of directions that share their rows.

    A percentile bootstrap over the rows: row i of all directions is drawn together, as
    its sentences are translations of each other.

    Args:
        wrong: bool (n,) each, whether row i is wrong in a direction.
    """
    shares: DoubleArray = np.mean(wrong, axis=0)  # (directions, n) -> (n,)
    return rounded_interval(
        bootstrap_estimate(lambda rows: float(shares[rows].mean()), len(shares))
    )


def note_vectors(name: str, unit_vectors: FloatArray) -> Iterator[str]:
    """Warn about sentences without a vector, or with equal vectors.

    Args:
        unit_vectors: float32 (n, d), rows of length 1 or 0.
    """
    n = len(unit_vectors)
    n_zero = int((np.abs(unit_vectors).max(axis=1) == 0).sum())
    if n_zero:
        yield (
            f"{name}: {n_zero:,} of {n:,} sentences have no vector because the encoder "
            "knows none of their tokens. They count as errors."
        )
    elif np.ptp(unit_vectors, axis=0).max() < MAX_DIFFERENCE:
        yield (
            f"{name}: all {n:,} vectors are the same, so the results are at chance "
            "level. Check the encoder's coverage of the language."
        )


def _nearest(
    sources: FloatArray, targets: FloatArray, report: Report
) -> tuple[Neighbours, Neighbours]:
    """Find the ten nearest of each row on the other side, in both directions."""
    k = max(DEPTHS)
    if len(sources) * len(targets) <= MAX_REFERENCE_CELLS:
        return (
            Neighbours(*top_k(sources, targets, k)),
            Neighbours(*top_k(targets, sources, k)),
        )
    sides = ExactSide(sources), ExactSide(targets)
    return find_neighbours(*sides, PassSettings(k), report)


def _direction(
    near: Neighbours, means: tuple[FloatArray, FloatArray], n: int
) -> DirectionResult:
    """Evaluate the first n queries; means: margin means of queries and candidates."""
    own = np.arange(n)
    rows = near.rows[:n]
    is_own = rows == own[:, None]  # (n, k)
    few = slice(None, MARGIN_K)
    scores = margin_scores(
        near.scores[:n, few],
        means[0][:n, None],
        means[1][rows[:, few]],
        "ratio",
    )
    scores = np.where(rows[:, few] == NO_NEIGHBOUR, -np.inf, scores)
    best = rows[own, scores.argmax(axis=1)]
    return DirectionResult(
        n_pool=len(means[1]),
        is_wrong=~is_own[:, 0],
        is_wrong_margin=best != own,
        n_found={k: int(is_own[:, :k].any(axis=1).sum()) for k in DEPTHS},
        nearest=rows[:, 0],
    )
