"""Margin scores by hand."""

import numpy as np
import pytest

from app.engine.mining.scores import MIN_MEAN, margin_scores, neighbour_means


def test_the_mean_is_over_the_neighbours_that_are_there() -> None:
    scores = np.array([[0.9, 0.5], [0.4, -np.inf], [-np.inf, -np.inf]], np.float32)
    np.testing.assert_allclose(neighbour_means(scores), [0.7, 0.4, 0], rtol=1e-6)


def test_the_three_margins_are_those_of_the_equations() -> None:
    cosine = np.array([0.8], np.float32)
    means = np.array([0.6], np.float32), np.array([0.2], np.float32)  # b = 0.4
    got = {
        name: float(margin_scores(cosine, *means, name)[0])
        for name in ("absolute", "distance", "ratio")
    }
    assert got == pytest.approx({"absolute": 0.8, "distance": 0.4, "ratio": 2.0})


def test_the_margin_is_one_where_all_neighbours_are_equal() -> None:
    half = np.array([0.5], np.float32)
    assert margin_scores(half, half, half, "ratio").tolist() == [1.0]


def test_a_mean_of_nothing_or_less_does_not_make_a_good_pair() -> None:
    low = np.array([-0.2, 0.0], np.float32)
    cosines = np.array([0.005, 0.005], np.float32)
    expected = [0.005 / MIN_MEAN] * 2
    got = margin_scores(cosines, low, low, "ratio")
    np.testing.assert_allclose(got, expected, rtol=1e-6)
