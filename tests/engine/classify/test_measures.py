"""Accuracy, F1, their intervals and calibration, by hand and by a slower way."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from app.engine.classify.measures import (
    accuracy_of,
    bootstrap_intervals,
    class_scores,
    confusion_matrix,
    macro_f1_of,
    majority_of,
)
from app.engine.heads.base import softmax
from app.engine.heads.fitting import calibration_error, fit_temperature
from app.engine.heads.folds import hold_out, make_folds
from app.engine.statistics import bootstrap_estimate

GENERATOR = np.random.default_rng(7)
GOLD = GENERATOR.choice(4, 300, p=[0.5, 0.3, 0.15, 0.05])
SAID = np.where(GENERATOR.random(300) < 0.7, GOLD, GENERATOR.integers(0, 4, 300))
CONFUSION = confusion_matrix(GOLD, SAID, 4)


def test_the_measures_by_hand() -> None:
    confusion = np.array([[3, 1], [2, 4]])
    assert accuracy_of(confusion) == 0.7
    assert majority_of(confusion) == 0.6
    assert macro_f1_of(confusion) == pytest.approx((6 / 9 + 8 / 11) / 2)
    first = class_scores(confusion)[0]
    assert (first.precision, first.recall, first.n) == (0.6, 0.75, 4)


def test_macro_f1_is_that_of_scikit_learn() -> None:
    assert macro_f1_of(CONFUSION) == pytest.approx(
        f1_score(GOLD, SAID, average="macro")
    )


def test_a_class_that_does_not_occur_does_not_count() -> None:
    wider = np.zeros((6, 6), np.int64)
    wider[:4, :4] = CONFUSION
    assert macro_f1_of(wider) == pytest.approx(macro_f1_of(CONFUSION))


def test_an_accuracy_of_0_or_1_has_the_interval_of_wilson() -> None:
    accuracy, _ = bootstrap_intervals(np.diag([2, 1]))
    assert accuracy == pytest.approx((1.0, 0.4385, 1.0), abs=1e-4)  # 3 ÷ (3 + z²)


def test_drawing_cells_is_drawing_rows() -> None:
    accuracy, macro_f1 = bootstrap_intervals(CONFUSION)
    slow = [
        bootstrap_estimate(lambda rows: float((GOLD == SAID)[rows].mean()), 300),
        bootstrap_estimate(
            lambda rows: macro_f1_of(confusion_matrix(GOLD[rows], SAID[rows], 4)), 300
        ),
    ]
    for fast, wanted in zip((accuracy, macro_f1), slow, strict=True):
        assert fast.value == pytest.approx(wanted.value)
        assert fast.low == pytest.approx(wanted.low, abs=0.012)
        assert fast.high == pytest.approx(wanted.high, abs=0.012)


def test_the_temperature_undoes_a_scaling() -> None:
    logits = np.array([[0.0, 2.0]] * 100, np.float32)
    shares = softmax(logits)[0]
    classes = np.array([0] * round(100 * shares[0]) + [1] * round(100 * shares[1]))
    assert fit_temperature(logits, classes) == pytest.approx(1, abs=0.05)
    assert fit_temperature(5 * logits, classes) == pytest.approx(5, abs=0.25)


def test_probabilities_that_are_kept_are_calibrated() -> None:
    shares = np.array([[0.75, 0.25]] * 4, np.float32)
    assert calibration_error(shares, np.array([0, 0, 0, 1])) == pytest.approx(0)
    assert calibration_error(shares, np.zeros(4, np.int64)) == pytest.approx(0.25)


def test_every_fold_has_its_share_of_every_class() -> None:
    folds = make_folds(GOLD, 10, seed=1)
    assert np.ptp(np.bincount(folds)) == 0
    for one in range(4):
        assert np.ptp(np.bincount(folds[one == GOLD], minlength=10)) <= 1


def test_every_class_keeps_a_row_and_gives_one() -> None:
    classes = np.array([0] * 50 + [1] * 2 + [2])
    held = classes[hold_out(classes, 0.1, seed=1)]
    assert np.bincount(held, minlength=3).tolist() == [5, 1, 0]
