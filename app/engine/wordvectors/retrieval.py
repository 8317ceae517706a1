"""Find translations in a shared space by NN, ISF and CSLS.

Lample et al. 2018, "Word Translation Without Parallel Data", section 2.3, and for ISF
Smith et al. 2017, "Offline Bilingual Word Vectors", section 2.3. All rows of the source
have been mapped into the space of the target, and all rows have the length 1.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from app.arrays import FloatArray, IdArray
from app.engine.mining.exact_search import ExactSide
from app.engine.mining.neighbours import PassSettings, find_neighbours
from app.engine.mining.scores import neighbour_means
from app.engine.runtime.report import InnerReport, Report
from app.params.word_vectors import RetrievalName

K = 10  # neighbours of CSLS (Lample et al. 2018: 5, 10 and 50 are equivalent)
TEMPERATURE = 30.0  # of the inverted softmax
BLOCK = 512  # source rows whose scores are computed together
BEST_STAGE = "Finding translations"
NEIGHBOUR_STAGE, ISF_STAGE = "Measuring neighbourhoods", "Preparing inverted softmax"


class Neighbourhoods(NamedTuple):
    """The neighbourhood statistics of all words.

    Attributes:
        source_means: float32 (n,), mean cosine with the K nearest targets, r_T.
        target_means: float32 (m,), mean cosine with the K nearest sources, r_S.
        target_log_sums: float32 (m,), log of the sum over all sources of
            exp(TEMPERATURE cosine), by which ISF divides.
        hub_counts: int64 (m,), sources that have the target among their K nearest.
    """

    source_means: FloatArray
    target_means: FloatArray
    target_log_sums: FloatArray
    hub_counts: IdArray


class Ranking(NamedTuple):
    """The best targets of some sources: scores float32 (q, k), rows int64 (q, k)."""

    scores: FloatArray
    rows: IdArray


def measure_neighbourhoods(
    source: FloatArray, target: FloatArray, report: Report
) -> Neighbourhoods:
    """Measure the neighbourhoods of all words: float32 (n, d) and (m, d)."""
    means, target_means, hub_counts = _neighbour_means(source, target, report)
    log_sums = _log_sums(source, target, report)
    return Neighbourhoods(means, target_means, log_sums, hub_counts)


def neighbourhood_means(
    source: FloatArray, target: FloatArray, report: Report
) -> tuple[FloatArray, FloatArray]:
    """Return r_T of the sources, float32 (n,), and r_S of the targets, float32 (m,)."""
    return _neighbour_means(source, target, report)[:2]


def rank_targets(
    queries: FloatArray,
    target: FloatArray,
    penalties: FloatArray,
    k: int,
    method: RetrievalName,
) -> Ranking:
    """Rank the targets of some sources.

    Scores: NN: cosine; CSLS: 2 cosine - r_T(source) - r_S(target) (Lample et al. 2018,
    equation 6), here without the term r_T, which is the same for all targets, so that
    the caller adds it; ISF: TEMPERATURE cosine - log sum (Smith et al. 2017, equation
    6), the log of the probability.

    Args:
        queries: float32 (q, d), mapped source rows.
        target: float32 (m, d).
        penalties: float32 (m,), see `target_penalties`; NN uses none.
        k: targets per query; fewer if there are fewer.
        method: how to score.
    """
    factor = {"nn": 1.0, "isf": TEMPERATURE, "csls": 2.0}[method]
    shift = -torch.from_numpy(penalties)
    columns = torch.from_numpy(np.ascontiguousarray(target)).T
    parts: list[tuple[Tensor, Tensor]] = []
    for start in range(0, len(queries), BLOCK):
        rows = torch.from_numpy(np.ascontiguousarray(queries[start : start + BLOCK]))
        scores = torch.addmm(shift, rows, columns, alpha=factor)  # (b, d) x (d, m)
        parts.append(scores.topk(min(k, scores.shape[1]), dim=1))
    if not parts:
        return Ranking(np.empty((0, k), np.float32), np.empty((0, k), np.int64))
    values, places = (torch.cat(column) for column in zip(*parts, strict=True))
    return Ranking(values.numpy(), places.numpy())


def target_penalties(near: Neighbourhoods, method: RetrievalName) -> FloatArray:
    """Return the penalty to subtract from the scores of each target: float32 (m,)."""
    if method == "csls":
        return near.target_means
    return near.target_log_sums if method == "isf" else np.zeros_like(near.target_means)


def best_rows(
    queries: FloatArray, target: FloatArray, target_means: FloatArray, report: Report
) -> IdArray:
    """Return the best target of each query by CSLS: int64 (q,).

    Args:
        queries: float32 (q, d).
        target: float32 (m, d).
        target_means: r_S, float32 (m,).
    """
    columns = torch.from_numpy(np.ascontiguousarray(target)).T
    shift = -torch.from_numpy(target_means)
    parts = [np.empty(0, np.int64)]
    for start in range(0, len(queries), BLOCK):
        report.step(BEST_STAGE, start, len(queries))
        rows = torch.from_numpy(np.ascontiguousarray(queries[start : start + BLOCK]))
        scores = torch.addmm(shift, rows, columns, alpha=2.0)  # (b, d) x (d, m)
        parts.append(scores.argmax(dim=1).numpy())
    report.step(BEST_STAGE, len(queries), len(queries))
    return np.concatenate(parts)


class MutualPairs(NamedTuple):
    """Pairs in which each word is the other's best.

    Attributes:
        sources, targets: int64 (p,), rows.
        scores: float32 (p,), CSLS.
    """

    sources: IdArray
    targets: IdArray
    scores: FloatArray


def mutual_pairs(
    source: FloatArray,
    target: FloatArray,
    means: tuple[FloatArray, FloatArray],
    report: Report,
    stage: str,
) -> MutualPairs:
    """Find the pairs in which each word is the other's best by CSLS.

    Args:
        source: float32 (n, d).
        target: float32 (m, d).
        means: r_T, float32 (n,), and r_S, float32 (m,).
    """
    columns = torch.from_numpy(np.ascontiguousarray(target)).T
    shift = -torch.from_numpy(means[1])
    own = torch.from_numpy(means[0])
    best_columns = torch.empty(len(source), dtype=torch.int64)
    best_scores = torch.empty(len(source))
    column_scores = torch.full((len(target),), -torch.inf)
    column_rows = torch.zeros(len(target), dtype=torch.int64)
    for start in range(0, len(source), BLOCK):
        report.step(stage, start, len(source))
        end = min(start + BLOCK, len(source))
        rows = torch.from_numpy(np.ascontiguousarray(source[start:end]))
        scores = torch.addmm(shift, rows, columns, alpha=2.0)  # (b, d) x (d, m)
        scores -= own[start:end, None]
        best_scores[start:end], best_columns[start:end] = scores.max(dim=1)
        values, places = scores.max(dim=0)
        is_better = values > column_scores
        column_scores[is_better] = values[is_better]
        column_rows[is_better] = places[is_better] + start
    report.step(stage, len(source), len(source))
    rows = torch.arange(len(source))
    is_mutual = column_rows[best_columns] == rows
    found = rows[is_mutual], best_columns[is_mutual], best_scores[is_mutual]
    return MutualPairs(*(part.numpy() for part in found))


def _neighbour_means(
    source: FloatArray, target: FloatArray, report: Report
) -> tuple[FloatArray, FloatArray, IdArray]:
    inner = InnerReport(report, NEIGHBOUR_STAGE, 0, 0)
    sides = ExactSide(source), ExactSide(target)
    of_sources, of_targets = find_neighbours(*sides, PassSettings(K), inner)
    counts = np.bincount(of_sources.rows.ravel(), minlength=len(target))
    means = neighbour_means(of_sources.scores), neighbour_means(of_targets.scores)
    return *means, counts.astype(np.int64)


def _log_sums(source: FloatArray, target: FloatArray, report: Report) -> FloatArray:
    """Return log sum over s of exp(TEMPERATURE cos(s, t)): float32 (m,)."""
    columns = torch.from_numpy(np.ascontiguousarray(target)).T
    sums = torch.zeros(len(target), dtype=torch.float64)
    for start in range(0, len(source), BLOCK):
        report.step(ISF_STAGE, start, len(source))
        rows = torch.from_numpy(np.ascontiguousarray(source[start : start + BLOCK]))
        # less the largest exponent, which keeps float32 from overflowing
        scores = (rows @ columns - 1.0).mul_(TEMPERATURE).exp_()
        sums += scores.sum(dim=0, dtype=torch.float64)
    report.step(ISF_STAGE, len(source), len(source))
    log_sums: FloatArray = (sums.log() + TEMPERATURE).float().numpy()
    return log_sums
