"""Groups of sentences that stand for one, from pairs of them."""

import numpy as np

from app.engine.search.knn import IdArray


def group_pairs(n: int, ones: IdArray, others: IdArray) -> IdArray:
    """Give each of n members the first of its group: int64 (n,).

    A group is a connected component. Labels fall along the pairs, and each is replaced
    by the label of its label, until nothing changes (Shiloach and Vishkin 1982): a few
    rounds, whatever the order of the pairs.

    Args:
        n: members.
        ones: int64 (p,), a member of each pair.
        others: int64 (p,), the other one.
    """
    firsts = np.arange(n)
    while True:
        lowest = np.minimum(firsts[ones], firsts[others])
        before = firsts.copy()
        np.minimum.at(firsts, before[ones], lowest)
        np.minimum.at(firsts, before[others], lowest)
        while not np.array_equal(jumped := firsts[firsts], firsts):
            firsts = jumped
        if np.array_equal(firsts, before):
            return firsts


def choose_kept(firsts: IdArray, lengths: "IdArray | None" = None) -> IdArray:
    """Give each member the one of its group that is kept: int64 (n,).

    Args:
        firsts: int64 (n,), the first of each one's group.
        lengths: int64 (n,): the longest is kept, of equal ones the first; None: the
            first.
    """
    if lengths is None:
        return firsts
    order = np.lexsort((np.arange(len(firsts)), -lengths, firsts))
    groups, starts = np.unique(firsts[order], return_index=True)
    kept: IdArray = order[starts][np.searchsorted(groups, firsts)]
    return kept
