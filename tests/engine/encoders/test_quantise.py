"""Rounding to int8: its bound, and zero rows."""

import numpy as np

from app.engine.encoders.quantise import dequantise_rows, quantise_rows


def test_rounding_error_is_at_most_half_a_scale() -> None:
    table = np.random.default_rng(1).normal(size=(50, 40)).astype(np.float32)
    rounded, scales = quantise_rows(table)
    error = np.abs(dequantise_rows(rounded, scales) - table)
    assert (error <= scales[:, None] * 0.5001).all()  # half, and float32's own error


def test_largest_value_of_a_row_becomes_127() -> None:
    rounded, scales = quantise_rows(np.array([[-2.54, 1.27]], np.float32))
    assert rounded.tolist() == [[-127, 64]]  # 63.5 rounds to even
    np.testing.assert_allclose(scales, [0.02], rtol=1e-6)


def test_zero_row_stays_zero() -> None:
    rounded, scales = quantise_rows(np.zeros((1, 3), np.float32))
    assert not dequantise_rows(rounded, scales).any()
