"""Array types, unit vectors, and slices and hashes of ragged arrays; pure numpy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray

IdArray = NDArray[np.int32]


def normalise_rows(vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rows of length 1 and their original lengths; zero rows stay zero.

    Args:
        vectors: float32 (n, d), finite.

    Returns:
        unit_vectors: float32 (n, d); norms: float32 (n,).
    """
    norms = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float32))
    with np.errstate(divide="ignore"):
        factors = np.where(norms > 0, 1 / norms, 0).astype(np.float32)
    unit_vectors = vectors * factors[:, None]
    return unit_vectors, norms


def gather_runs(
    values: NDArray[Any], ends: NDArray[np.int64], runs: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the concatenated values of some runs, and each run's length.

    Args:
        values: (t,), all runs, concatenated.
        ends: int64 (n,), end of each run.
        runs: int64 (r,), indices of the runs to return.
    """
    run_ends = ends[runs]
    starts = np.where(runs > 0, ends[runs - 1], 0)
    lengths = run_ends - starts
    shifts = starts - (np.cumsum(lengths) - lengths)
    return values[np.arange(lengths.sum()) + np.repeat(shifts, lengths)], lengths


def hash_runs(values: IdArray, lengths: IdArray) -> NDArray[np.uint64]:
    """Hash each run of values to 64 bits: equal runs have equal hashes.

    Args:
        values: int32 (t,), n runs, concatenated.
        lengths: int32 (n,), number of values in each run.

    Returns:
        uint64 (n,).
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    starts = ends - lengths
    positions = np.arange(len(values)) - np.repeat(starts, lengths)
    mixed = values.astype(np.uint64) + np.uint64(1)
    mixed += positions.astype(np.uint64) << np.uint64(32)
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
        mixed ^= mixed >> np.uint64(shift)  # the finaliser of MurmurHash3
        mixed *= np.uint64(factor)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed)])
    hashes: NDArray[np.uint64] = sums[ends] - sums[starts]
    return hashes
