"""Logistic regression against scikit-learn and by its own condition."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from app.engine.heads.base import Examples, class_weights, softmax
from app.engine.heads.logistic import choose_inverse_l2, fit_logistic
from app.engine.runtime.report import Report
from app.errors import Cancelled
from tests.engine.heads.blobs import make_blobs

TRAIN, TEST = make_blobs(600), make_blobs(2_000, seed=2)


@pytest.mark.parametrize("is_balanced", [False, True])
@pytest.mark.parametrize("inverse_l2", [0.25, 4.0, 256.0])
def test_it_agrees_with_scikit_learn(inverse_l2: float, is_balanced: bool) -> None:
    kept = (TRAIN.classes > 0) | (np.arange(600) % 4 == 0)  # one class is rare
    train = TRAIN.part(kept)
    peer = LogisticRegression(
        C=inverse_l2, max_iter=2_000, class_weight="balanced" if is_balanced else None
    ).fit(train.features, train.classes)
    layers = fit_logistic(train, inverse_l2, is_balanced=is_balanced)
    own = (layers.logits(TEST.features).argmax(axis=1) == TEST.classes).mean()
    theirs = (peer.predict(TEST.features) == TEST.classes).mean()
    assert abs(own - theirs) <= 0.002
    given = softmax(layers.logits(TEST.features))
    wanted = peer.predict_proba(TEST.features)
    assert np.abs(given - wanted).mean() < 0.01


def test_its_slope_is_flat_where_it_ends() -> None:
    weight = fit_logistic(TRAIN, 1.0).weights[0].astype(float)
    layers = fit_logistic(TRAIN, 1.0)
    error = softmax(layers.logits(TRAIN.features)) - np.eye(3)[TRAIN.classes]
    slope = (error.T @ TRAIN.features + weight) / len(TRAIN.classes)
    assert np.abs(slope).max() < 3e-4


def test_cross_validation_wants_a_strong_penalty_where_all_is_noise() -> None:
    noise = make_blobs(200, signal=0.0)
    choice = choose_inverse_l2(noise, is_balanced=False, seed=1, report=Report())
    signal = choose_inverse_l2(TRAIN, is_balanced=False, seed=1, report=Report())
    assert choice.accuracy < 0.5 < 0.7 < signal.accuracy


def test_the_same_seed_gives_the_same_choice() -> None:
    ones, others = (
        choose_inverse_l2(TRAIN, is_balanced=False, seed=3, report=Report())
        for _ in range(2)
    )
    assert ones == others


def test_balanced_classes_weigh_alike_in_sum() -> None:
    classes = np.array([0, 0, 0, 1, 3, 3])
    weights = class_weights(classes, 4, is_balanced=True)
    sums = np.bincount(classes, weights[classes], 4)
    assert sums.tolist() == pytest.approx([2, 2, 0, 2])


def test_a_class_without_a_row_is_never_said() -> None:
    train = Examples(TRAIN.features, TRAIN.classes % 2, 3)
    said = fit_logistic(train, 16.0).logits(TEST.features).argmax(axis=1)
    assert set(said.tolist()) == {0, 1}


def test_a_cancel_is_met_between_two_looks_at_the_rows() -> None:
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        fit_logistic(TRAIN, 1.0, report=report)


def test_penalties_under_which_all_fail_alike_do_not_end_the_search() -> None:
    generator = np.random.default_rng(2)
    classes = np.arange(10, dtype=np.int64) % 5  # a row left out is of the rarest class
    rows = 1 + np.eye(16)[classes] + 0.1 * generator.normal(size=(10, 16))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    examples = Examples(rows.astype(np.float32), classes, 5)
    choice = choose_inverse_l2(examples, is_balanced=False, seed=1, report=Report())
    assert choice.accuracy == 1.0
