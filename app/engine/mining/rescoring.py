"""The final scores: float32, summed row by row, the same by every way to them."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.engine.mining.contest import Events
from app.engine.search.knn import NOTHING
from app.engine.store.arrays import FloatArray

PAIRS = 8_192  # at a time: their vectors stay in the cache


class ExactSide(NamedTuple):
    """The vectors of one side as they are.

    Attributes:
        vectors: float32 (m, d), rows of length 1; may be mapped.
        rows: int64 (n,), those that take part; None: all.
    """

    vectors: FloatArray
    rows: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """Count the rows that take part."""
        return len(self.vectors) if self.rows is None else len(self.rows)


class Neighbours(NamedTuple):
    """The nearest on the other side.

    Attributes:
        scores: float32 (n, k), cosine -1…1, falling; -inf where there is none.
        rows: int64 (n, k), places on the other side; -1 where there is none.
    """

    scores: FloatArray
    rows: NDArray[np.int64]


def exact_cosines(
    left: ExactSide, right: ExactSide, left_ids: Tensor, right_ids: Tensor
) -> Tensor:
    """Give the cosine of pairs: float32 (m,), on the CPU.

    Summed row by row in one order, so that a pair has one score wherever it stands.

    Args:
        left: one side.
        right: the other.
        left_ids: int64 (m,), places among the rows that take part.
        right_ids: int64 (m,).
    """
    left_rows, right_rows = _rows(left, left_ids), _rows(right, right_ids)
    left_all = torch.from_numpy(left.vectors)
    right_all = torch.from_numpy(right.vectors)
    cosines = torch.empty(len(left_rows))
    for start in range(0, len(left_rows), PAIRS):
        end = start + PAIRS
        product = left_all.index_select(0, left_rows[start:end])
        product.mul_(right_all.index_select(0, right_rows[start:end]))
        cosines[start:end] = product.sum(dim=1)  # (m, d) -> (m,)
    return cosines


def nearest_of(
    events: Events, cosines: Tensor, n: int, k: int
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Give the k nearest of each of n owners, equal scores by the other's place.

    Args:
        events: pairs of owner and other, in any order.
        cosines: float32 (e,), their exact scores.
        n: owners.
        k: neighbours of each.

    Returns:
        scores: float32 (n, k), falling, -inf where there is no neighbour;
        rows: int64 (n, k), -1 where there is none.
    """
    owners, others = events.owners.cpu().numpy(), events.others.cpu().numpy()
    values = cosines.numpy()
    order = np.lexsort((others, -values, owners))
    owners = owners[order]
    starts = np.searchsorted(owners, owners)  # (e,), where each owner's begin
    ranks = np.arange(len(owners)) - starts
    is_near = ranks < k
    scores = np.full((n, k), -np.inf, np.float32)
    rows = np.full((n, k), NOTHING, np.int64)
    place = owners[is_near], ranks[is_near]
    scores[place] = values[order[is_near]]
    rows[place] = others[order[is_near]]
    return scores, rows


def _rows(side: ExactSide, ids: Tensor) -> Tensor:
    ids = ids.cpu()
    return ids if side.rows is None else torch.from_numpy(side.rows)[ids]
