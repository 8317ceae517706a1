"""Stratified folds and splits.

Rows of a class with the same meaning (a sentence and its translations or duplicates)
are never separated, since training on one of them would inflate the accuracy on the
others.
"""

import numpy as np

from app.arrays import IntArray


def make_folds(
    classes: IntArray, n_folds: int, *, seed: int, groups: IntArray | None = None
) -> IntArray:
    """Assign the rows of each class evenly to folds: int64 (n,), 0…n_folds-1.

    The rotation continues from one class to the next, so that folds have similar sizes.

    Args:
        classes: int64 (n,).
        n_folds: two or more.
        groups: int64 (n,), equal numbers for rows of equal meaning; None: all differ.
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
    """Select a share of each class to hold out: int64 (m,), ascending.

    Of a class with two or more rows of different meanings, at least one is held out and
    at least one is not; a single row is not held out.

    Args:
        classes: int64 (n,).
        share: share of the rows, 0…1.
        groups: int64 (n,), equal numbers for rows of equal meaning; None: all differ.
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
    """Return the first row of each group within a class, and each row's group."""
    both = np.stack([groups, classes], axis=1)
    _, firsts, units = np.unique(both, axis=0, return_index=True, return_inverse=True)
    return firsts, units.reshape(-1)
