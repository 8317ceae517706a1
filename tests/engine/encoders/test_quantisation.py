"""Rounding to 8 and 4 bits: its bounds, and zero rows."""

import numpy as np

from app.engine.encoders.quantisation import (
    dequantise_rows,
    dequantise_rows_of_4_bits,
    quantise_rows,
    quantise_rows_to_4_bits,
)


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


def test_four_bits_keep_what_seven_steps_can_say() -> None:
    table = np.array([[7, -7, 3, 0], [-1, 0.45, 1, 0], [0, 0, 0, 0]], np.float32)
    packed, scales = quantise_rows_to_4_bits(table)
    assert packed.shape == (3, 2)
    expected = np.array([[7, -7, 3, 0], [-1, 3 / 7, 1, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(
        dequantise_rows_of_4_bits(packed, scales), expected, atol=1e-6
    )


def test_four_bits_cut_an_outlier_off_where_the_row_gains() -> None:
    row = np.r_[1.6, np.tile([0.9, -0.9, 0.4, -0.4], 60)].astype(np.float32)[None, :240]
    packed, scales = quantise_rows_to_4_bits(row)
    uncut = np.rint(row / (1.6 / 7)) * (1.6 / 7)
    error = np.square(dequantise_rows_of_4_bits(packed, scales) - row).sum()
    assert scales[0] < 1.6 / 7
    assert error < np.square(uncut - row).sum()
