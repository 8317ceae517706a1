"""From piece ids to the rows of a table, and from rows to unit vectors; pure numpy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
IdArray = NDArray[np.int32]

SILENT_ROW = 0  # of every table: unknown pieces and missing neighbours; always zero


def normalise_rows(vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give rows of length 1 and their former lengths; zero rows stay zero.

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


def table_rows(
    piece_ids: IdArray,
    lengths: IdArray,
    *,
    n_pieces: int,
    n_bigrams: int,
    space_id: int,
) -> tuple[IdArray, NDArray[np.int64]]:
    """Name the table rows whose sum is each text's vector.

    Row i < n_pieces belongs to piece i, row n_pieces + h to the bigrams of
    neighbouring pieces with hash h. Unknown pieces, the bare mark of a space and
    bigrams with either are `SILENT_ROW`.

    Args:
        piece_ids: int32 (t,), pieces of n texts one after the other; 0 = unknown.
        lengths: int32 (n,), pieces of each text.
        n_pieces: pieces of the vocabulary.
        n_bigrams: rows for hashed bigrams; 0 = none.
        space_id: the piece that only marks a space; -1 = there is none.

    Returns:
        rows: int32 (t,) or, with bigrams, (2t,): piece and the bigram that it begins;
        starts: int64 (n,), where each text's rows begin.
    """
    known_ids = np.where(piece_ids == space_id, SILENT_ROW, piece_ids)
    ends = np.cumsum(lengths, dtype=np.int64)
    starts = ends - lengths
    if not n_bigrams:
        return known_ids, starts
    rows = np.zeros(2 * len(known_ids), np.int32)
    rows[0::2] = known_ids
    if len(known_ids) > 1:
        left, right = known_ids[:-1], known_ids[1:]
        bigram_rows = hash_bigrams(left, right, n_bigrams)
        bigram_rows += n_pieces
        bigram_rows *= (left != SILENT_ROW) & (right != SILENT_ROW)
        rows[1:-1:2] = bigram_rows
        rows[2 * ends[lengths > 0] - 1] = SILENT_ROW  # the next piece is another text's
    return rows, 2 * starts


def hash_bigrams(left: IdArray, right: IdArray, n_bigrams: int) -> IdArray:
    """Hash pairs of piece ids to 0…n_bigrams-1.

    Multiply and mix in 32 bits (constants of xxHash and MurmurHash3); stored encoders
    rely on it, so it never changes.
    """
    mixed = left.astype(np.uint32) * np.uint32(0x9E3779B1)
    mixed += right.astype(np.uint32) * np.uint32(0x85EBCA77)
    mixed ^= mixed >> np.uint32(15)
    mixed *= np.uint32(0xC2B2AE35)
    mixed ^= mixed >> np.uint32(16)
    return (mixed % np.uint32(n_bigrams)).astype(np.int32)


def gather_runs(
    values: NDArray[Any], ends: NDArray[np.int64], runs: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Give the values of some runs, one after the other, and each run's length.

    Args:
        values: (t,), all runs one after the other.
        ends: int64 (n,), where each run ends.
        runs: int64 (r,), the wanted ones.
    """
    run_ends = ends[runs]
    starts = np.where(runs > 0, ends[runs - 1], 0)
    lengths = run_ends - starts
    shifts = starts - (np.cumsum(lengths) - lengths)
    return values[np.arange(lengths.sum()) + np.repeat(shifts, lengths)], lengths


def hash_runs(values: IdArray, lengths: IdArray) -> NDArray[np.uint64]:
    """Hash each run of values to 64 bits: equal runs have equal hashes.

    Args:
        values: int32 (t,), n runs one after the other.
        lengths: int32 (n,), values of each run.

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
