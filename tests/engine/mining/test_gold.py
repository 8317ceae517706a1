"""Precision, recall and F1 over a list of pairs, computed by hand."""

import numpy as np
import pytest

from app.arrays import IntArray
from app.engine.mining.gold_standard import (
    accuracy_curve,
    best_threshold,
    f1_estimate,
    point_at,
    running_accuracy,
)
from app.engine.statistics import bootstrap_estimate

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


def test_f1_has_the_interval_of_drawing_pairs_one_by_one() -> None:
    # 60 right, 20 wrong and 40 missed pairs: 2 · 60 / (80 + 100)
    kinds = np.repeat([0, 1, 2], [60, 20, 40])

    def f1(rows: IntArray) -> float:
        right, wrong, missed = np.bincount(kinds[rows], minlength=3).tolist()
        return float(2 * right / (2 * right + wrong + missed))

    got = f1_estimate(60, 80, 100)
    assert got.value == pytest.approx(2 / 3)
    assert got == pytest.approx(bootstrap_estimate(f1, 120), abs=0.01)
    assert f1_estimate(5, 5, 5) == (1, 1, 1)
    assert f1_estimate(0, 3, 5) == (0, 0, 0)


def test_the_curve_falls_in_threshold_and_rises_in_recall() -> None:
    curve = accuracy_curve(SCORES, ACCURACY)
    assert [point.pairs for point in curve] == [1, 3, 4]
    assert accuracy_curve(SCORES[:0], running_accuracy(np.empty(0, bool), 3)) == []
