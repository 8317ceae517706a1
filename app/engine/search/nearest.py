"""Nearest neighbours of an interactive query: scan in float16, then re-score.

The scan is limited by memory bandwidth: it reads the float16 copy once. The error of
its scores is at most `SCAN_ERROR`, so every row within twice that of the k-th best is a
candidate. The scores of candidates are computed again from the float32 rows, so the
result is exactly that of `knn.top_k`, not an approximation.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.arrays import FloatArray
from app.engine.store.corpora import first_sentence_id

# |error| <= |q| |x| (u + u) for the rounding of query and row, + u for that of the
# score, with u = 2^-11 the unit roundoff of float16; the rest is for the summation in
# float32 and for components under 2^-14, which float16 stores to 2^-25.
SCAN_ERROR = 3 * 2.0**-11 + 2.0**-14
RESCORE_ROWS = 65_536
GPU_ROWS = 262_144
MIN_FIRST = (
    64  # rows read from the scan at first; they nearly always include all candidates
)


class StoredVectors(NamedTuple):
    """The vectors of one corpus, open for search.

    Attributes:
        corpus_id: whose sentences the rows are, in the order of position.
        unit: float32 (n, d), rows of length 1, mapped.
        scan: float16 (n, d), the same, mapped or on the device.
        zero_rows: int64 (z,), rows without a known subword, left out of search.
    """

    corpus_id: int
    unit: FloatArray
    scan: Tensor
    zero_rows: Tensor


class ScannedPart(NamedTuple):
    """Scan scores of some rows of a corpus.

    Attributes:
        vectors: the corpus's vectors.
        scores: float16 or float32 (m,); -inf for rows that are left out.
        rows: int64 (m,), which rows they are; None: all of them.
    """

    vectors: StoredVectors
    scores: Tensor
    rows: Tensor | None = None


class NearestSentences(NamedTuple):
    """The nearest sentences: ids int64 (k,), falling scores float32 (k,)."""

    ids: NDArray[np.int64]
    scores: FloatArray


def open_vectors(
    corpus_id: int,
    unit: FloatArray,
    scan: NDArray[np.float16],
    norms: FloatArray,
    *,
    device: str = "cpu",
) -> StoredVectors:
    """Open a corpus's arrays; the scan copy is moved to the GPU if it fits."""
    tensor = torch.from_numpy(scan)
    if device.startswith("cuda"):
        free, _ = torch.cuda.mem_get_info(device)
        if 2 * scan.nbytes < free:
            tensor = tensor.to(device)
    zero_rows = torch.from_numpy(np.nonzero(norms == 0)[0]).to(tensor.device)
    return StoredVectors(corpus_id, unit, tensor, zero_rows)


def scan_scores(
    vectors: StoredVectors, query: FloatArray, *, without: int | None = None
) -> ScannedPart:
    """Score every row of a corpus approximately.

    Args:
        query: float32 (d,), of length 1.
        without: a row to leave out.
    """
    wanted = torch.from_numpy(query).to(vectors.scan.device)
    with torch.inference_mode():
        scores = _dot(vectors.scan, wanted)
        scores[vectors.zero_rows] = -torch.inf
        if without is not None:
            scores[without] = -torch.inf
    return ScannedPart(vectors, scores)


def select_rows(part: ScannedPart, rows: Tensor | None) -> ScannedPart:
    """Select rows of a scanned corpus: int64 (m,), on any device; None for all."""
    if rows is None:
        return part
    rows = rows.to(part.scores.device)
    return ScannedPart(part.vectors, part.scores[rows], rows)


def nearest_sentences(
    parts: Sequence[ScannedPart],
    query: FloatArray,
    k: int,
    *,
    translations: Collection[int] = (),
) -> NearestSentences:
    """Return the k best of all parts by their exact score.

    Of equal scores, known translations are first, then the lower id.

    Args:
        parts: scanned with the same query; no row twice.
        query: float32 (d,), of length 1.
        k: number of hits; fewer if there are fewer rows.
        translations: ids of known translations of the query.
    """
    found = _candidates(parts, k)
    ids, scores = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
    for part, rows in zip(parts, found, strict=True):
        ids.append(first_sentence_id(part.vectors.corpus_id) + rows)
        scores.append(exact_scores(part.vectors.unit, rows, query))
    all_ids, all_scores = np.concatenate(ids), np.concatenate(scores)
    is_other = np.isin(all_ids, list(translations), invert=True)
    order = np.lexsort((all_ids, is_other, -all_scores))[:k]
    return NearestSentences(all_ids[order], all_scores[order])


def exact_scores(
    unit: FloatArray, rows: NDArray[np.int64], query: FloatArray
) -> FloatArray:
    """Return the cosine of some rows with a query: float32 (m,).

    Summed in float64 row by row, so that equal rows have equal scores at any position.
    """
    scores = np.empty(len(rows), np.float32)
    wanted = query.astype(np.float64)
    for start in range(0, len(rows), RESCORE_ROWS):
        block = unit[rows[start : start + RESCORE_ROWS]].astype(np.float64)
        block *= wanted
        scores[start : start + RESCORE_ROWS] = block.sum(axis=1)  # (m, d) -> (m,)
    return scores


def _dot(scan: Tensor, query: Tensor) -> Tensor:
    """Return the dot product of each row of (n, d) with (d,): (n,)."""
    if scan.device.type == "cpu":  # sums in float32
        return torch.mv(scan, query.half())
    return _dot_by_blocks(scan, query)


def _dot_by_blocks(scan: Tensor, query: Tensor) -> Tensor:
    """Convert to float32 first: cuBLAS may sum float16 in float16."""
    starts = range(0, len(scan), GPU_ROWS)
    return torch.cat([scan[i : i + GPU_ROWS].float() @ query for i in starts])


def _candidates(parts: Sequence[ScannedPart], k: int) -> list[NDArray[np.int64]]:
    """Return the rows of each part that can be among the k best."""
    n_first = max(4 * k, MIN_FIRST)
    tops = [part.scores.topk(min(n_first, len(part.scores))) for part in parts]
    values = [top.values.float().cpu() for top in tops]
    together = torch.cat(values) if values else torch.empty(0)
    if not len(together):
        return [np.empty(0, np.int64) for _ in parts]
    kth_best = together.topk(min(k, len(together))).values[-1]
    lowest = max(float(kth_best) - 2 * SCAN_ERROR, -2.0)  # cosines end at -1
    found = []
    for part, top, value in zip(parts, tops, values, strict=True):
        indices = top.indices[: int((value >= lowest).sum())]
        if len(indices) == n_first < len(part.scores):  # there may be more
            indices = (part.scores.float() >= lowest).nonzero()[:, 0]
        rows = indices if part.rows is None else part.rows[indices]
        found.append(rows.cpu().numpy())
    return found
