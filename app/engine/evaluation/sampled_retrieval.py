"""Retrieval among random candidates, as published for the multi-task dual encoder.

Chidambaram et al. 2019, section 4.2: each sentence's translation is ranked among 999
other sentences, drawn at random for each query, by the dot product of unnormalised
vectors. P@k is the share of queries whose translation is among the first k.
"""

import numpy as np

from app.arrays import DoubleArray, FloatArray, IntArray
from app.engine.evaluation.retrieval import DirectionResult
from app.engine.runtime.report import Report

DEPTHS = (1, 3, 10)  # of P@k
TIE = 1e-6  # relative tolerance for equal dot products
BLOCK = 2**24  # numbers gathered at once
STAGE = "Measuring retrieval"


def measure_sampled(
    sources: FloatArray,
    targets: FloatArray,
    n: int,
    *,
    n_random: int,
    seed: int,
    report: Report,
) -> tuple[DirectionResult, DirectionResult]:
    """Measure both directions; a candidate that ties with the translation ranks first.

    Args:
        sources: float32 (n or more, d), of any length; row i < n is the translation of
            target row i, further rows are candidates.
        targets: float32 (n or more, d).
        n: number of pairs.
        n_random: candidates besides the translation, if there are as many.
        seed: seed of the candidates, which are the same for every encoder.
    """
    return (
        _direction(sources[:n], targets, n_random, seed, report),
        _direction(targets[:n], sources, n_random, seed + 1, report),
    )


def _direction(
    queries: FloatArray, pool: FloatArray, n_random: int, seed: int, report: Report
) -> DirectionResult:
    generator = np.random.default_rng(seed)
    n, m = len(queries), min(n_random, len(pool) - 1)
    ranks = np.empty(n, np.int64)
    size = max(1, BLOCK // max((m + 1) * pool.shape[1], 1))
    for first in range(0, n, size):
        report.step(STAGE, first, n)
        rows = np.arange(first, min(first + size, n))
        others = np.stack(
            [generator.choice(len(pool) - 1, m, replace=False) for _ in rows]
        )
        others += others >= rows[:, None]  # any row but the query's own
        indices = np.concatenate([rows[:, None], others], axis=1)  # (b, 1 + m)
        scores = pool[indices].astype(np.float64) @ queries[rows, :, None]
        ranks[rows] = rank_first(scores[:, :, 0])
    return DirectionResult(
        n_pool=m + 1,
        is_wrong=ranks > 1,
        is_wrong_margin=None,
        n_found={k: int((ranks <= k).sum()) for k in DEPTHS},
    )


def rank_first(scores: DoubleArray) -> IntArray:
    """Rank the first of each row's scores, after ties: (b, c) -> int64 (b,)."""
    own = scores[:, :1]
    margin = TIE * np.abs(own)
    ranks: IntArray = (scores >= own - margin).sum(axis=1)
    return ranks
