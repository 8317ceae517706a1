"""SentEval's protocols: separation of data, and scikit-learn's figures."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from app.engine.evaluation import learners
from app.engine.evaluation.downstream import f1_estimate
from app.engine.evaluation.learners import SigmoidLearner
from app.engine.evaluation.protocols import (
    Folds,
    cross_validate,
    train_and_test,
    train_choose_and_test,
)
from app.engine.heads import perceptrons
from app.engine.heads.base import Examples
from app.engine.heads.folds import make_folds
from app.engine.heads.logistic import GRID, choose_inverse_l2
from app.engine.heads.perceptrons import PerceptronConfig
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
    for fold, inverse_l2 in enumerate(judged.strengths):
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

    monkeypatch.setattr(learners, "choose_inverse_l2", watch)
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
    (inverse_l2,) = judged.strengths
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
    chosen = accuracies[judged.strengths[0]]
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


def senteval_perceptron(
    train: Examples, development: Examples, l2: float, seed: int
) -> tuple[float, torch.nn.Module]:
    """Train as SentEval's classifier.py: Linear, Dropout, Sigmoid, Linear; Adam.

    The first weights and the order of rows are those of our implementation.
    """
    first = perceptrons._first_weights(
        (train.features.shape[1], train.n_classes), PerceptronConfig(5, 0.0, l2, seed)
    )
    model = torch.nn.Sequential(
        torch.nn.Linear(train.features.shape[1], 5),
        torch.nn.Dropout(0.0),
        torch.nn.Sigmoid(),
        torch.nn.Linear(5, train.n_classes),
    )
    with torch.no_grad():
        for parameter, values in zip(model.parameters(), first, strict=True):
            parameter.copy_(values)
    optimiser = torch.optim.Adam(model.parameters(), weight_decay=l2)
    generator = torch.Generator().manual_seed(seed)
    features, classes = (torch.from_numpy(one) for one in train[:2])
    held, gold = (torch.from_numpy(one) for one in development[:2])
    best, kept, n_worse, n_epochs = -1.0, model, 0, 0
    while n_epochs < 200:
        for _ in range(4):  # epoch_size
            for rows in torch.randperm(len(features), generator=generator).split(64):
                optimiser.zero_grad()
                loss = torch.nn.functional.cross_entropy(
                    model(features[rows]), classes[rows]
                )
                loss.backward()
                optimiser.step()
        n_epochs += 4
        accuracy = float((model(held).argmax(dim=1) == gold).float().mean())
        if accuracy > best:
            best, kept = accuracy, copy.deepcopy(model)
        elif n_worse >= 5:  # tenacity
            break
        else:
            n_worse += 1
    return best, kept


def test_the_sigmoid_perceptron_is_sentevals() -> None:
    train, development, test = examples(90), examples(40, seed=2), examples(50, seed=3)
    judged = train_choose_and_test(
        train, development, test, Report(), SigmoidLearner(5), seed=4
    )
    grid = (1e-5, 1e-4, 1e-3, 1e-2)
    found = [senteval_perceptron(train, development, l2, 4) for l2 in grid]
    best, model = max(found, key=lambda one: one[0])  # of equals the first
    assert judged.development == pytest.approx(best)
    said = model(torch.from_numpy(test.features)).argmax(dim=1).numpy()
    assert (said == judged.predicted).mean() >= 0.98
    assert judged.strengths[0] == grid[found.index((best, model))]


def test_nested_folds_of_the_perceptron_see_no_tested_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = examples(60)
    seen: list[tuple[set[bytes], int]] = []
    train = SigmoidLearner._train

    def watch(
        self: SigmoidLearner, part: Examples, held: Examples, *others: Any
    ) -> Any:
        known = {row.tobytes() for one in (part, held) for row in one.features}
        seen.append((known, len(held.classes)))
        return train(self, part, held, *others)

    monkeypatch.setattr(SigmoidLearner, "_train", watch)
    monkeypatch.setattr(perceptrons, "MAX_EPOCHS", 8)
    judged = cross_validate(rows, Folds(3, 2, seed=1), Report(), SigmoidLearner(4, 0.2))
    folds = make_folds(rows.classes, 3, seed=1)
    assert [n for _, n in seen] == [20, 20, 2] * 3  # 5 % of 40 for the last fit
    for number, (known, _) in enumerate(seen):
        tested = {row.tobytes() for row in rows.features[folds == number // 3]}
        assert not tested & known
    assert judged.protocol == "nested"
    assert len(judged.strengths) == 3
