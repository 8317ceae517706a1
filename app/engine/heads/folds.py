"""Folds and splits in which every class has its share.

Rows of one class that say the same (a sentence and its translations, or its repeats)
are never parted: what is trained on one would look too good on the other.
"""

import numpy as np

from app.arrays import IntArray


def make_folds(
    classes: IntArray, n_folds: int, *, seed: int, groups: IntArray | None = None
) -> IntArray:
    """Deal rows to folds, the rows of each class evenly: int64 (n,), 0…n_folds-1.

    The dealing goes on from one class to the next, so that folds are alike in size.

    Args:
        classes: int64 (n,).
        n_folds: two or more.
        groups: int64 (n,), one number for rows that say the same; None: no two do.
    """
    if groups is not None:
        firsts, units = _units(classes, groups)
        dealt: IntArray = make_folds(classes[firsts], n_folds, seed=seed)[units]
        return dealt
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    folds = np.empty(len(classes), np.int64)
    folds[order] = np.arange(len(classes)) % n_folds
    return folds


def hold_out(
    classes: IntArray, share: float, *, seed: int, groups: IntArray | None = None
) -> IntArray:
    """Choose rows to hold out, of each class its share: int64 (m,), rising.

    A class with two rows or more that do not say the same keeps at least one and gives
    at least one; one with a single such row keeps it.

    Args:
        classes: int64 (n,).
        share: of the rows, 0…1.
        groups: int64 (n,), one number for rows that say the same; None: no two do.
    """
    if groups is not None:
        firsts, units = _units(classes, groups)
        chosen = hold_out(classes[firsts], share, seed=seed)
        return np.flatnonzero(np.isin(units, chosen))
    generator = np.random.default_rng(seed)
    held = [np.empty(0, np.int64)]
    for one in np.unique(classes):
        rows = np.nonzero(classes == one)[0]
        n_held = min(max(1, round(share * len(rows))), len(rows) - 1)
        held.append(generator.choice(rows, n_held, replace=False))
    return np.sort(np.concatenate(held))


def _units(classes: IntArray, groups: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first row of each group within a class, and each row's such group."""
    both = np.stack([groups, classes], axis=1)
    _, firsts, units = np.unique(both, axis=0, return_index=True, return_inverse=True)
    return firsts, units.reshape(-1)
