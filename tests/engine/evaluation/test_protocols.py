"""SentEval's protocols: what they may see, and scikit-learn's figures."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from app.engine.evaluation import protocols
from app.engine.evaluation.downstream import f1_estimate
from app.engine.evaluation.protocols import (
    Folds,
    cross_validate,
    train_and_test,
    train_choose_and_test,
)
from app.engine.heads.base import Examples
from app.engine.heads.folds import make_folds
from app.engine.heads.logistic import GRID, choose_inverse_l2
from app.engine.runtime.report import Report

FOLDS = Folds(4, 3, seed=1)


def examples(n: int, seed: int = 1) -> Examples:
    """Two classes in 6 dimensions that overlap."""
    generator = np.random.default_rng(seed)
    classes = np.arange(n) % 2
    features = generator.standard_normal((n, 6)).astype(np.float32)
    features[:, 0] += 1.5 * classes
    return Examples(features, classes, 2)


def test_nested_folds_agree_with_scikit_learn() -> None:
    rows = examples(120)
    judged = cross_validate(rows, FOLDS, Report())
    folds = make_folds(rows.classes, 4, seed=1)
    accuracies = []
    for fold, inverse_l2 in enumerate(judged.inverse_l2):
        is_test = folds == fold
        head = LogisticRegression(C=inverse_l2, tol=1e-8, max_iter=1000)
        head.fit(rows.features[~is_test], rows.classes[~is_test])
        accuracies.append(head.score(rows.features[is_test], rows.classes[is_test]))
        said = head.predict(rows.features[is_test])
        assert (said != judged.predicted[is_test]).sum() <= 1
    assert judged.score == pytest.approx(np.mean(accuracies), abs=0.02)
    assert (judged.protocol, judged.n_development) == ("nested", 120)


def test_no_fold_is_seen_by_what_chooses_its_penalty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = examples(80)
    seen: list[set[bytes]] = []

    def watch(part: Examples, **settings: object) -> object:
        assert settings["n_folds"] == 3
        seen.append({row.tobytes() for row in part.features})
        return choose_inverse_l2(part, **settings)  # type: ignore[arg-type] # passed on as they are

    monkeypatch.setattr(protocols, "choose_inverse_l2", watch)
    judged = cross_validate(rows, FOLDS, Report())
    folds = make_folds(rows.classes, 4, seed=1)
    assert len(seen) == 4
    for fold, known in enumerate(seen):
        tested = {row.tobytes() for row in rows.features[folds == fold]}
        assert not tested & known
        assert len(tested | known) == 80
    assert len(judged.predicted) == 80


def test_a_test_set_is_tested_once_with_the_penalty_of_training() -> None:
    judged = train_and_test(examples(100), examples(60, seed=2), FOLDS, Report())
    (inverse_l2,) = judged.inverse_l2
    train, test = examples(100), examples(60, seed=2)
    head = LogisticRegression(C=inverse_l2, tol=1e-8, max_iter=1000)
    head.fit(train.features, train.classes)
    wanted = head.score(test.features, test.classes)
    assert judged.score == pytest.approx(wanted, abs=1 / 60)
    assert judged.n_development == 100


def test_the_penalty_is_the_best_on_the_development_rows() -> None:
    train, development, test = examples(60), examples(50, 2), examples(70, 3)
    judged = train_choose_and_test(train, development, test, Report())
    accuracies = {}
    for inverse_l2 in GRID:
        head = LogisticRegression(C=inverse_l2, tol=1e-8, max_iter=1000)
        head.fit(train.features, train.classes)
        accuracies[inverse_l2] = head.score(development.features, development.classes)
    assert judged.development == pytest.approx(max(accuracies.values()), abs=1 / 50)
    chosen = accuracies[judged.inverse_l2[0]]
    assert chosen >= max(accuracies.values()) - 1 / 50
    assert (len(judged.gold), judged.n_development) == (70, 50)


def test_f1_by_hand_and_by_scikit_learn() -> None:
    # 3 found of 4, 1 said wrongly: 2 · 3 / (2 · 3 + 1 + 1)
    confusion = np.array([[5, 1], [1, 3]])
    estimate = f1_estimate(confusion, 1, seed=1)
    assert estimate.value == 0.75
    gold, said = [0] * 6 + [1] * 4, [0] * 5 + [1, 0, 1, 1, 1]
    assert estimate.value == pytest.approx(f1_score(gold, said))
    assert estimate.low < 0.75 < estimate.high
    assert f1_estimate(np.array([[4, 0], [0, 0]]), 1, seed=1).value == 0
