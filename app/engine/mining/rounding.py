"""Rounded copies of vectors for fast products, and bounds of their errors.

A product of rounded rows x̂·ŷ differs from x·y, both of length 1, by at most
|x - x̂| + |y - ŷ| (1 + |x - x̂|) (Cauchy-Schwarz), by the summation in float32, and by
the rounding of the result. The first two are measured row by row, not assumed.
"""

import mmap
import time
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.arrays import FloatArray
from app.engine.runtime.report import Report
from app.errors import UserError

Precision = Literal["float32", "bfloat16", "float16"]

# Unit roundoff: half the distance from 1 to the next number.
ROUNDOFF: dict[Precision, float] = {
    "float32": 2.0**-24,
    "bfloat16": 2.0**-8,
    "float16": 2.0**-11,
}
ROUNDING_STAGE = "Reading vectors"
WORTH = 1.3  # minimum speed relative to float32 to use the rounded pass
TRIAL_ROWS, TRIAL_COLUMNS, N_TRIALS = 512, 2_048, 3
CONVERTED_ROWS = 16_384


class RoundedSide(NamedTuple):
    """The rounded vectors of one side.

    Attributes:
        matrix: (n, d), in the precision of the pass, on the device.
        errors: float32 (n,), norm of each row's difference from its vector.
    """

    matrix: Tensor
    errors: Tensor


def round_side(
    vectors: FloatArray,
    rows: NDArray[np.int64] | None,
    precision: Precision,
    device: str,
    report: Report,
) -> RoundedSide:
    """Round some rows of a matrix, or all.

    Args:
        vectors: float32 (m, d), rows of length 1; may be mapped.
        rows: int64 (n,); None: all.

    Raises:
        UserError: a vector contains a value that is not a number.
    """
    n = len(vectors) if rows is None else len(rows)
    if precision == "float32" and rows is None and device == "cpu":
        matrix = torch.from_numpy(np.ascontiguousarray(vectors, np.float32))
    else:
        dtype: torch.dtype = getattr(torch, precision)
        matrix = torch.empty((n, vectors.shape[1]), dtype=dtype, device=device)
    errors = torch.zeros(n, device=device)
    for start in range(0, n, CONVERTED_ROWS):
        report.step(ROUNDING_STAGE, start, n)
        end = min(start + CONVERTED_ROWS, n)
        part = vectors[start:end] if rows is None else vectors[rows[start:end]]
        exact = torch.from_numpy(np.ascontiguousarray(part, np.float32)).to(device)
        if not bool(torch.isfinite(exact).all()):
            raise UserError(_not_finite(exact, rows, start))
        rounded = matrix[start:end]
        if rounded.data_ptr() != exact.data_ptr():
            rounded.copy_(exact)
        # (n, d) -> (n,)
        errors[start:end] = torch.linalg.vector_norm(rounded.float() - exact, dim=1)
    if matrix.data_ptr() != vectors.__array_interface__["data"][0]:
        _let_go(vectors)
    return RoundedSide(matrix, errors)


def choose_precision(dim: int, device: str) -> Precision:
    """Choose the precision of the rough pass: float16 on a GPU, else by measurement.

    Bfloat16 products are about twice as fast as float32 on CPUs that have units for
    them (AVX512-BF16, AMX), and much slower on others, so a trial of a millisecond
    decides.
    """
    if device.startswith("cuda"):
        return "float16"
    if device != "cpu":
        return "float32"
    is_worth = _trial_s(torch.bfloat16, dim) * WORTH < _trial_s(torch.float32, dim)
    return "bfloat16" if is_worth else "float32"


def score_error_bound(precision: Precision, dim: int) -> float:
    """Return the bound of float32 summation errors in rough and final scores.

    Higham 2002, equation 3.5: at most gamma_d = d u / (1 - d u) times the sum of the
    products' sizes, which for rows of length 1 is at most 1 (here up to 1.01). Matrix
    units may truncate instead of round, which quadruples the error except in float32.
    The final scores, by which the nearest are chosen, are summed in float32 too.
    """
    n_sums = 2 if precision == "float32" else 5
    return 1.02 * n_sums * dim * ROUNDOFF["float32"]


def _let_go(vectors: FloatArray) -> None:
    """Release the pages of a mapped array from this process's memory after reading.

    Arrays of a project are never written to, so nothing is lost; the pages are loaded
    from the system's cache when needed.
    """
    mapped = getattr(vectors, "_mmap", None)
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _trial_s(dtype: torch.dtype, dim: int) -> float:
    """Return the fastest time of several products, in seconds."""
    source = torch.ones(TRIAL_ROWS, dim, dtype=dtype)
    target = torch.ones(TRIAL_COLUMNS, dim, dtype=dtype)
    out = torch.empty(TRIAL_ROWS, TRIAL_COLUMNS, dtype=dtype)
    times = []
    for _ in range(N_TRIALS):
        begun = time.perf_counter()
        torch.mm(source, target.T, out=out)
        times.append(time.perf_counter() - begun)
    return min(times)


def _not_finite(exact: Tensor, rows: NDArray[np.int64] | None, start: int) -> str:
    """Return the error that names the first row with NaN or infinity."""
    index = int((~torch.isfinite(exact)).any(dim=1).nonzero()[0, 0]) + start
    row = index if rows is None else int(rows[index])
    return (
        f"The vector of row {row + 1:,} contains a value that is not a finite number. "
        "Import or encode the vectors of this corpus again."
    )
