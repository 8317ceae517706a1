"""Round a table of weights to int8 with one scale a row, and back; pure numpy."""

import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.pooling import FloatArray

LARGEST = 127


def quantise_rows(table: FloatArray) -> tuple[NDArray[np.int8], FloatArray]:
    """Round each row to int8 so that its largest value becomes ±127.

    Args:
        table: float32 (rows, d).

    Returns:
        rounded: int8 (rows, d); scales: float32 (rows,), 0 for a zero row.
        |table - rounded * scale| <= scale / 2.
    """
    scales = (np.abs(table).max(axis=1) / LARGEST).astype(np.float32)
    divisors = np.where(scales > 0, scales, 1)[:, None]
    rounded = np.clip(np.rint(table / divisors), -LARGEST, LARGEST)
    return rounded.astype(np.int8), scales


def dequantise_rows(rounded: NDArray[np.int8], scales: FloatArray) -> FloatArray:
    """Give the float32 (rows, d) table that was rounded."""
    table: FloatArray = rounded.astype(np.float32)
    table *= scales.astype(np.float32)[:, None]
    return table
