"""Exact nearest neighbours by cosine, in blocks: the reference for other methods."""

import numpy as np
import torch
from torch import Tensor

from app.arrays import FloatArray, IdArray

QUERY_BLOCK = 1_024
STORED_BLOCK = 16_384  # 1,024 x 16,384 scores are 64 MB
NO_NEIGHBOUR = -1  # row of a neighbour that does not exist


def top_k(
    query_vectors: FloatArray,
    stored_vectors: FloatArray,
    k: int,
    *,
    norms: FloatArray | None = None,
    device: str = "cpu",
) -> tuple[FloatArray, IdArray]:
    """Find the k stored rows with the highest cosine to each query.

    Equal scores are ordered by row, so that the result does not depend on the blocks.

    Args:
        query_vectors: float32 (q, d), rows of length 1.
        stored_vectors: float32 or float16 (n, d), rows of length 1; may be mapped.
        k: neighbours of each query.
        norms: float32 (n,), lengths before normalising; rows with 0 are left out.

    Returns:
        scores: float32 (q, k), cosine -1…1, descending; -inf without a neighbour.
        rows: int64 (q, k), of `stored_vectors`; -1 without a neighbour.
    """
    n_queries = len(query_vectors)
    scores = np.full((n_queries, k), -np.inf, np.float32)
    rows = np.full((n_queries, k), NO_NEIGHBOUR, np.int64)
    for start in range(0, n_queries, QUERY_BLOCK):
        queries = _tensor(query_vectors[start : start + QUERY_BLOCK], device)
        best_scores, best_rows = _top_k_of_block(queries, stored_vectors, k, norms)
        end, n_found = start + len(queries), best_rows.shape[1]
        scores[start:end, :n_found] = best_scores.cpu().numpy()
        rows[start:end, :n_found] = best_rows.cpu().numpy()
    rows[np.isneginf(scores)] = NO_NEIGHBOUR
    return scores, rows


def _top_k_of_block(
    queries: Tensor, stored_vectors: FloatArray, k: int, norms: FloatArray | None
) -> tuple[Tensor, Tensor]:
    """Search the stored rows for one block of queries (b, d)."""
    device = queries.device
    best_scores = torch.empty((len(queries), 0), device=device)  # (b, <= k)
    best_rows = torch.empty((len(queries), 0), dtype=torch.int64, device=device)
    for start in range(0, len(stored_vectors), STORED_BLOCK):
        stored = _tensor(stored_vectors[start : start + STORED_BLOCK], str(device))
        block = queries @ stored.T  # (b, d) x (d, n) -> (b, n)
        if norms is not None:
            is_zero = norms[start : start + STORED_BLOCK] == 0
            block[:, torch.from_numpy(np.nonzero(is_zero)[0]).to(device)] = -torch.inf
        block_scores, block_rows = _stable_top_k(block, k)
        scores = torch.cat([best_scores, block_scores], dim=1)
        rows = torch.cat([best_rows, block_rows + start], dim=1)
        # Both parts are sorted by (score, row) and the later rows come second, so a
        # stable sort by score keeps equal scores in the order of their rows.
        best_scores, order = scores.sort(dim=1, descending=True, stable=True)
        best_rows = rows.gather(1, order)[:, :k]
        best_scores = best_scores[:, :k]
    return best_scores, best_rows


def _stable_top_k(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k highest of each row of (b, n), equal ones by their place.

    `topk` returns any of equal values, so rows with a tie at the k-th value are sorted
    completely.
    """
    n = scores.shape[1]
    values, indices = scores.topk(min(k + 1, n), dim=1)
    is_open = values[:, -1] == values[:, -2] if n > k else torch.empty(0)
    values, indices = values[:, :k], indices[:, :k]
    if n > k and bool(is_open.any()):
        order = scores[is_open].argsort(dim=1, descending=True, stable=True)
        indices[is_open] = order[:, :k]
    indices = indices.sort(dim=1).values
    values, order = scores.gather(1, indices).sort(dim=1, descending=True, stable=True)
    return values, indices.gather(1, order)


def _tensor(vectors: FloatArray, device: str) -> Tensor:
    """Return float32 rows on a device (a mapped float16 block is converted)."""
    return torch.from_numpy(np.ascontiguousarray(vectors, np.float32)).to(device)
