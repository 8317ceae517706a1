"""Folds and splits in which every class has its share."""

import numpy as np

from app.engine.classify.heads.head import IntArray


def make_folds(classes: IntArray, n_folds: int, *, seed: int) -> IntArray:
    """Deal rows to folds, the rows of each class evenly: int64 (n,), 0…n_folds-1.

    The dealing goes on from one class to the next, so that folds are alike in size.
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    folds = np.empty(len(classes), np.int64)
    folds[order] = np.arange(len(classes)) % n_folds
    return folds


def hold_out(classes: IntArray, share: float, *, seed: int) -> IntArray:
    """Choose rows to hold out, of each class its share: int64 (m,), rising.

    A class with two rows or more keeps at least one and gives at least one; one with a
    single row keeps it.
    """
    generator = np.random.default_rng(seed)
    held = [np.empty(0, np.int64)]
    for one in np.unique(classes):
        rows = np.nonzero(classes == one)[0]
        n_held = min(max(1, round(share * len(rows))), len(rows) - 1)
        held.append(generator.choice(rows, n_held, replace=False))
    return np.sort(np.concatenate(held))
