"""Several logistic regressions at once equal scikit-learn's and single ones."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from app.engine.heads import lbfgs
from app.engine.heads import logistic as module
from app.engine.heads.base import Examples, softmax
from app.engine.heads.logistic import (
    GRID,
    choose_logistic,
    fit_labellings,
    predict,
    rotate,
    solve,
    to_layers,
)
from app.engine.heads.workers import start_workers
from app.engine.probing.sets import SplitVectors
from app.engine.runtime.report import Report
from app.errors import Cancelled
from tests.engine.heads.blobs import make_blobs
from tests.engine.probing.made import ALONE

TRAIN, DEVELOPMENT, TEST = (make_blobs(n, seed=n) for n in (400, 200, 300))
# a shift that must not matter, and one dimension that never varies
SHIFT = np.arange(16, dtype=np.float32) / 4


def moved(examples: Examples) -> np.ndarray:
    features = examples.features + SHIFT
    features[:, 3] = 1
    return features


PARTS = SplitVectors(
    moved(TRAIN),
    moved(DEVELOPMENT),
    moved(TEST),
    TRAIN.classes,
    DEVELOPMENT.classes,
    TEST.classes,
)


@pytest.mark.parametrize(
    ("n_classes", "most_rotated", "block"),
    [(2, 1_024, 1_024), (3, 1_024, 1_024), (3, 3, 1_024), (3, 1_024, 70)],
    ids=["two", "three", "own axes", "blocks of rows"],
)
def test_every_strength_agrees_with_scikit_learn(
    n_classes: int,
    most_rotated: int,
    block: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_ROTATED", most_rotated)
    monkeypatch.setattr(lbfgs, "BLOCK", block)
    monkeypatch.setattr(module, "BLOCK", block)
    classes = np.minimum(TRAIN.classes, n_classes - 1)
    strengths = (0.25, 4.0, 256.0)
    found = solve(
        rotate(PARTS.train, ALONE), np.stack([classes] * 3), n_classes, strengths, ALONE
    )
    for strength, weights in zip(strengths, found, strict=True):
        # of two classes scikit-learn has one row of weights v, we v / 2 and -v / 2:
        # half the penalty
        factor = 2 if n_classes == 2 else 1
        peer = LogisticRegression(C=strength * factor, max_iter=5_000, tol=1e-8)
        peer.fit(PARTS.train, classes)
        layers = to_layers(rotate(PARTS.train, ALONE), weights)
        given = softmax(layers.logits(PARTS.test))
        assert np.abs(given - peer.predict_proba(PARTS.test)).max() < 0.05
        assert np.abs(given - peer.predict_proba(PARTS.test)).mean() < 0.005
        theirs = peer.predict(PARTS.test)
        assert (predict(layers, PARTS.test) == theirs).mean() >= 0.99


def test_labellings_solved_together_are_solved_as_each_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = np.random.default_rng(1)
    labellings = [generator.permutation(TRAIN.classes) for _ in range(3)]
    rotated = rotate(PARTS.train, ALONE)
    together = fit_labellings(rotated, labellings, 3, 4.0, ALONE)
    monkeypatch.setattr(module, "MAX_LOGITS", 400 * 3)  # one at a time
    alone = fit_labellings(rotated, labellings, 3, 4.0, ALONE)
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one.weights[0], other.weights[0], atol=1e-4)
        np.testing.assert_allclose(one.biases[0], other.biases[0], atol=1e-4)


@pytest.mark.parametrize("most", [10**9, 400 * 3])
def test_the_development_set_chooses_the_strength(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(module, "MAX_LOGITS", most)
    choice = choose_logistic(
        rotate(PARTS.train, ALONE),
        TRAIN.classes,
        Examples(PARTS.development, PARTS.development_classes, 3),
        ALONE,
    )
    accuracies = []
    for strength in GRID:
        peer = LogisticRegression(C=strength, max_iter=5_000, tol=1e-8)
        peer.fit(PARTS.train, TRAIN.classes)
        said = peer.predict(PARTS.development)
        accuracies.append(float((said == DEVELOPMENT.classes).mean()))
    assert choice.development == pytest.approx(max(accuracies), abs=0.011)
    wanted = accuracies[GRID.index(choice.inverse_l2)]
    assert choice.development == pytest.approx(wanted, abs=0.011)


def test_classes_in_plenty_are_told_apart() -> None:
    vectors = np.eye(40, dtype=np.float32).repeat(3, axis=0)
    classes = np.arange(40).repeat(3)
    (layers,) = fit_labellings(rotate(vectors, ALONE), [classes], 40, 1_000.0, ALONE)
    assert (predict(layers, vectors) == classes).all()


def test_equal_vectors_say_the_most_frequent_class() -> None:
    vectors = np.ones((10, 4), np.float32)
    classes = np.array([0, 1, 1, 1, 0, 1, 1, 0, 1, 1])
    (layers,) = fit_labellings(rotate(vectors, ALONE), [classes], 2, 1.0, ALONE)
    assert (predict(layers, vectors) == 1).all()
    assert softmax(layers.logits(vectors))[0, 1] == pytest.approx(0.7, abs=0.005)


def test_a_cancel_is_met_between_two_steps() -> None:
    report = Report()
    with start_workers(report) as workers:
        rotated = rotate(PARTS.train, workers)
        report.cancel()
        with pytest.raises(Cancelled):
            fit_labellings(rotated, [TRAIN.classes], 3, 1.0, workers)
        with pytest.raises(Cancelled):
            rotate(PARTS.train, workers)
