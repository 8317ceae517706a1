"""A grid of perceptrons as one model equals single perceptrons and torch."""

import itertools
from collections.abc import Iterable

import numpy as np
import pytest
import torch
from torch import nn

from app.engine.heads import perceptrons as module
from app.engine.heads.base import Examples
from app.engine.heads.perceptrons import (
    DROPOUTS,
    HIDDEN,
    L2,
    MultiLabelledRows,
    PerceptronConfig,
    list_grid,
    train_grid,
)
from app.engine.heads.workers import start_workers
from app.engine.runtime.report import Report
from app.errors import Cancelled
from tests.engine.heads.blobs import make_blobs
from tests.engine.probing.made import ALONE

TRAIN, DEVELOPMENT, TEST = (make_blobs(n, seed=n) for n in (150, 60, 61))


def rows_of(examples: Examples, *others: np.ndarray) -> MultiLabelledRows:
    features = torch.from_numpy(examples.features * 4)
    labels = np.stack([examples.classes, *others])
    return MultiLabelledRows(features, torch.from_numpy(labels))


SETS = rows_of(TRAIN), rows_of(DEVELOPMENT)


@pytest.fixture
def few_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_EPOCHS", 12)


@pytest.mark.usefixtures("few_epochs")
def test_the_grid_trained_together_is_each_one_trained_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "UNITS", 9)  # three of size 3, one of size 5
    members = [
        PerceptronConfig(hidden, 0.0, l2, seed)
        for hidden in (3, 5)
        for l2 in (1e-4, 0.3)
        for seed in (1, 2)
    ]
    together = train_grid(*SETS, 3, members, seed=4, workers=ALONE)
    for member, one in zip(members, together, strict=True):
        (alone,) = train_grid(*SETS, 3, [member], seed=4, workers=ALONE)
        assert (one.development, one.epoch) == (alone.development, alone.epoch)
        for ours, theirs in zip(one.arrays, alone.arrays, strict=True):
            torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


def test_it_is_what_torch_makes_of_linear_sigmoid_and_adam(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_EPOCHS", 4)
    member = PerceptronConfig(5, 0.0, 1e-2, 3)
    (own,) = train_grid(*SETS, 3, [member], seed=4, workers=ALONE)
    peer = nn.Sequential(nn.Linear(16, 5), nn.Sigmoid(), nn.Linear(5, 3))
    first = module._first_weights((16, 3), member)
    with torch.no_grad():
        for parameter, values in zip(peer.parameters(), first, strict=True):
            parameter.copy_(values)
    optimiser = torch.optim.Adam(peer.parameters(), lr=1e-3, weight_decay=1e-2)
    generator = torch.Generator().manual_seed(4)
    for _ in range(4):
        for rows in torch.split(torch.randperm(150, generator=generator), 64):
            optimiser.zero_grad()
            logits = peer(SETS[0].features[rows])
            nn.functional.cross_entropy(logits, SETS[0].labels[0, rows]).backward()
            optimiser.step()
    for ours, theirs in zip(own.arrays, peer.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs.detach(), atol=1e-5, rtol=1e-4)


def test_labellings_are_learned_beside_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LR", 0.02)
    flipped = [2 - one.classes for one in (TRAIN, DEVELOPMENT)]
    sets = rows_of(TRAIN, flipped[0]), rows_of(DEVELOPMENT, flipped[1])
    members = [
        PerceptronConfig(8, 0.1, 1e-4, 1),
        PerceptronConfig(8, 0.1, 1e-4, 1, labelling=1),
    ]
    one, other = train_grid(*sets, 3, members, seed=1, workers=ALONE)
    features = rows_of(TEST).features
    assert (one.predict(features) == TEST.classes).mean() > 0.55
    assert (other.predict(features) == 2 - TEST.classes).mean() > 0.55


def epochs_of_senteval(accuracies: Iterable[float], tenacity: int = 5) -> list[int]:
    """Return the epochs that SentEval's loop measures: a check, then a count."""
    epochs, best, n_worse = [], -1.0, 0
    for epoch, accuracy in zip(itertools.count(4, 4), accuracies, strict=False):
        epochs.append(epoch)
        if accuracy > best:
            best = accuracy
        elif n_worse >= tenacity:
            break
        else:
            n_worse += 1
    return epochs


@pytest.mark.parametrize(
    "accuracies",
    [
        [0.5] * 20,
        [0.5, 0.4, 0.6, 0.5, 0.5, 0.5, 0.7, *[0.1] * 13],
        [0.1 * (i % 2) + 0.01 * i for i in range(20)],
    ],
)
def test_training_ends_where_senteval_ends(
    accuracies: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    epochs = []
    measure = module._Stack.measure

    def show_accuracy(
        self: module._Stack, development: MultiLabelledRows, epoch: int
    ) -> object:
        epochs.append(epoch)
        accuracy = accuracies[len(epochs) - 1]
        with torch.no_grad():
            logits = module._forward(self._weights, development.features)
        labels = logits.argmax(dim=2).clone()  # (1, 60)
        labels[:, round(60 * accuracy) :] = -1
        return measure(self, development._replace(labels=labels), epoch)

    monkeypatch.setattr(module._Stack, "measure", show_accuracy)
    monkeypatch.setattr(module, "MAX_EPOCHS", 80)
    train_grid(*SETS, 3, [PerceptronConfig(2, 0.0, 0.0, 1)], seed=1, workers=ALONE)
    assert epochs == epochs_of_senteval(accuracies)


def test_training_ends_at_the_sixth_measurement_that_is_no_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    epochs = []
    measure = module._Stack.measure

    def listen(
        self: module._Stack, development: MultiLabelledRows, epoch: int
    ) -> object:
        epochs.append(epoch)
        return measure(self, development, epoch)

    monkeypatch.setattr(module._Stack, "measure", listen)
    nothing = rows_of(DEVELOPMENT)._replace(labels=torch.full((1, 60), -1))
    (found,) = train_grid(
        SETS[0], nothing, 3, [PerceptronConfig(2, 0.0, 0.0, 1)], seed=1, workers=ALONE
    )
    assert epochs == [4, 8, 12, 16, 20, 24, 28]
    assert (found.development, found.epoch) == (0, 4)


@pytest.mark.usefixtures("few_epochs")
def test_dropout_changes_the_weights_and_the_same_seed_does_not() -> None:
    members = [PerceptronConfig(4, 0.0, 0.0, 1), PerceptronConfig(4, 0.2, 0.0, 1)]
    ones, others = (
        train_grid(*SETS, 3, members, seed=1, workers=ALONE) for _ in range(2)
    )
    assert (ones[0].arrays[0] != ones[1].arrays[0]).any()
    for one, other in zip(ones, others, strict=True):
        assert (one.arrays[0] == other.arrays[0]).all()


def test_the_grid_is_that_of_the_protocol() -> None:
    members = list_grid(1)
    assert len(set(members)) == len(HIDDEN) * len(DROPOUTS) * len(L2) == 36
    assert (HIDDEN, DROPOUTS) == ((50, 100, 200), (0.0, 0.1, 0.2))


def test_a_cancel_is_met_between_two_batches() -> None:
    report = Report()
    report.cancel()
    members = list_grid(1)
    with start_workers(report) as workers, pytest.raises(Cancelled):
        train_grid(*SETS, 3, members, seed=1, workers=workers)
