"""Precision, recall and F1 over a list of pairs, worked out by hand."""

import numpy as np
import pytest

from app.engine.mining.gold_standard import (
    accuracy_curve,
    best_threshold,
    point_at,
    running_accuracy,
)

SCORES = np.array([1.4, 1.2, 1.2, 1.0], np.float32)
ACCURACY = running_accuracy(np.array([True, False, True, False]), 3)


def test_rates_after_each_pair() -> None:
    np.testing.assert_allclose(ACCURACY.precision, [1, 1 / 2, 2 / 3, 1 / 2])
    np.testing.assert_allclose(ACCURACY.recall, [1 / 3, 1 / 3, 2 / 3, 2 / 3])
    np.testing.assert_allclose(ACCURACY.f1, [1 / 2, 2 / 5, 2 / 3, 4 / 7])


def test_the_best_threshold_is_halfway_to_the_next_score() -> None:
    assert best_threshold(SCORES, ACCURACY) == pytest.approx(1.1)


def test_below_the_last_score_the_threshold_is_that_score() -> None:
    accuracy = running_accuracy(np.array([True, True]), 2)
    assert best_threshold(np.array([3, 2], np.float32), accuracy) == 2


def test_equal_scores_stay_together() -> None:
    accuracy = running_accuracy(np.array([True, False, False]), 1)
    scores = np.array([2, 2, 1], np.float32)
    assert best_threshold(scores, accuracy) == pytest.approx(1.5)
    assert point_at(scores, accuracy, 2.0).pairs == 2


@pytest.mark.parametrize(("threshold", "n"), [(1.5, 0), (1.3, 1), (1.2, 3), (-9, 4)])
def test_a_threshold_takes_what_reaches_it(threshold: float, n: int) -> None:
    threshold = float(np.float32(threshold))
    assert point_at(SCORES, ACCURACY, threshold).pairs == n


def test_the_curve_falls_in_threshold_and_rises_in_recall() -> None:
    curve = accuracy_curve(SCORES, ACCURACY)
    assert [point.pairs for point in curve] == [1, 3, 4]
    assert accuracy_curve(SCORES[:0], running_accuracy(np.empty(0, bool), 3)) == []
