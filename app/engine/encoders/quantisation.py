"""Quantise tables of weights to 8 or 4 bits with a scale per row, and restore them."""

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray

LARGEST = 127
LARGEST_OF_4_BITS = 7
CUTS = (1.0, 0.9, 0.8, 0.7, 0.6)  # clipping limits, relative to a row's largest value


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
    """Restore a rounded table: float32 (rows, d)."""
    table: FloatArray = rounded.astype(np.float32)
    table *= scales.astype(np.float32)[:, None]
    return table


def quantise_rows_to_4_bits(table: FloatArray) -> tuple[NDArray[np.uint8], FloatArray]:
    """Round each row to -7…7, two values per byte.

    Large values are clipped if that reduces the row's squared error.

    Args:
        table: float32 (rows, d), d even.

    Returns:
        packed: uint8 (rows, d / 2), value + 8, the even columns in the low half;
        scales: float32 (rows,), 0 for a zero row.
    """
    best_scales = np.zeros(len(table), np.float32)
    best_errors = np.full(len(table), np.inf, np.float32)
    largest = np.abs(table).max(axis=1)
    for cut in CUTS:
        scales = (largest * (cut / LARGEST_OF_4_BITS)).astype(np.float32)
        errors = np.square(table - _round_4(table, scales) * scales[:, None]).sum(
            axis=1
        )
        is_better = errors < best_errors
        best_scales[is_better] = scales[is_better]
        best_errors[is_better] = errors[is_better]
    values = (_round_4(table, best_scales) + 8).astype(np.uint8)
    packed: NDArray[np.uint8] = values[:, 0::2] | (values[:, 1::2] << np.uint8(4))
    return packed, best_scales


def dequantise_rows_of_4_bits(
    packed: NDArray[np.uint8], scales: FloatArray
) -> FloatArray:
    """Restore a table that was rounded to 4 bits: float32 (rows, d)."""
    table = np.empty((len(packed), 2 * packed.shape[1]), np.float32)
    table[:, 0::2] = packed & 0xF
    table[:, 1::2] = packed >> 4
    table -= 8
    table *= scales.astype(np.float32)[:, None]
    return table


def _round_4(table: FloatArray, scales: FloatArray) -> FloatArray:
    """Round rows by their scales to -7…7."""
    divisors = np.where(scales > 0, scales, 1)[:, None]
    rounded: FloatArray = np.rint(table / divisors)
    return np.clip(rounded, -LARGEST_OF_4_BITS, LARGEST_OF_4_BITS, out=rounded)
