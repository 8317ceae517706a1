"""The order of concordance lines: by words beside the hit, by the hit, at random."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.engine.words.line_words import NOTHING, WordColumn

IntArray = NDArray[np.int64]
WORD_OFFSETS = {"L1": -1, "L2": -2, "L3": -3, "R1": 1, "R2": 2, "R3": 3}


def rank_words(parts: Sequence[WordColumn]) -> IntArray:
    """Rank the words of several corpora together: int64 (sum of m,).

    The order is that of the code points; a missing word comes first; equal words have
    equal ranks, whatever corpus they stand in.
    """
    if len(parts) == 1:
        return parts[0].ids
    used = [np.unique(part.ids[part.ids >= 0]) for part in parts]
    words = [part.items(ids) for part, ids in zip(parts, used, strict=True)]
    known = sorted({word for group in words for word in group})
    ranks = {word: rank for rank, word in enumerate(known)}
    joined = []
    for part, ids, group in zip(parts, used, words, strict=True):
        of_used = np.array([*(ranks[word] for word in group), NOTHING], np.int64)
        places = np.searchsorted(ids, part.ids)
        joined.append(of_used[np.where(part.ids >= 0, places, len(ids))])
    return np.concatenate([np.empty(0, np.int64), *joined])


def random_ranks(n: int, seed: int) -> IntArray:
    """Give n lines a rank each at random: int64 (n,), no rank twice."""
    return np.random.default_rng(seed).permutation(n).astype(np.int64)


def order_of(keys: Sequence[IntArray], n: int) -> IntArray:
    """Order n lines by several keys, the first of them first; equal ones stay in place.

    Args:
        keys: int64 (n,) each.
        n: lines.
    """
    if not keys:
        return np.arange(n, dtype=np.int64)
    return np.lexsort(tuple(reversed(keys)))


__all__ = [
    "WORD_OFFSETS",
    "order_of",
    "random_ranks",
    "rank_words",
]
