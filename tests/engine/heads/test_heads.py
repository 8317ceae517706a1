"""Perceptrons, relatedness, centroids and neighbours, in small exact cases."""

from typing import Any

import numpy as np
import pytest
import torch

from app.engine.heads.base import Examples, Head, Layers, softmax
from app.engine.heads.fitting import mlp_settings
from app.engine.heads.mlp import MlpSettings, fit_mlp, train_layers
from app.engine.heads.nearest import (
    Centroids,
    NearestNeighbours,
    fit_centroids,
    fit_neighbours,
)
from app.engine.heads.relatedness import (
    ScoreScale,
    expected_scores,
    fit_relatedness,
    pearson,
    spread_scores,
)
from app.engine.runtime.report import Report
from app.errors import Cancelled
from app.params import build_params, params_from_json
from app.params.classify import PRESETS, TrainClassifier
from tests.engine.heads.blobs import make_blobs

TRAIN, DEVELOPMENT = make_blobs(400), make_blobs(200, seed=2)


def accuracy(head: Head, examples: Examples) -> float:
    said = head.logits(examples.features).argmax(axis=1)
    return float((said == examples.classes).mean())


@pytest.mark.parametrize("hidden", [(10,), (10, 8), (32, 24), (16, 16)])
def test_a_perceptron_of_any_layers_learns(hidden: tuple[int, ...]) -> None:
    settings = MlpSettings(hidden=hidden, lr=0.01, n_epochs=40)
    trained = fit_mlp(TRAIN, DEVELOPMENT, settings, Report())
    assert trained.measure > 0.75
    assert [len(bias) for bias in trained.layers.biases] == [*hidden, 3]


def test_lbfgs_learns_what_adam_learns() -> None:
    settings = MlpSettings(hidden=(10,), optimiser="lbfgs", n_epochs=10)
    assert fit_mlp(TRAIN, DEVELOPMENT, settings, Report()).measure > 0.75


def test_a_perceptron_learns_what_no_line_parts() -> None:
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 40, np.float32)
    train = Examples(corners, np.array([0, 1, 1, 0] * 40), 2)
    settings = MlpSettings(hidden=(8,), lr=0.03, n_epochs=200, patience=100)
    assert fit_mlp(train, train, settings, Report()).measure == 1
    assert fit_mlp(train, train, settings._replace(hidden=()), Report()).measure < 0.8


def test_training_stops_when_the_development_set_gets_no_better() -> None:
    steps: list[int] = []

    class Sink:
        def progress(self, *_: object) -> None: ...
        def changed(self, *_: object) -> None: ...
        def metric(self, step: int, values: dict[str, float]) -> None:
            steps.append(step)

    settings = MlpSettings(hidden=(10,), lr=0.05, n_epochs=500, patience=3)
    trained = fit_mlp(TRAIN, DEVELOPMENT, settings, Report(Sink()))
    assert steps[-1] == trained.epoch + 3 < 500
    assert trained.measure == pytest.approx(accuracy(trained.layers, DEVELOPMENT))


def test_the_same_seed_gives_the_same_perceptron() -> None:
    settings = MlpSettings(hidden=(6,), n_epochs=3, dropout=0.3)
    ones, others, third = (
        fit_mlp(TRAIN, DEVELOPMENT, settings._replace(seed=seed), Report()).layers
        for seed in (5, 5, 6)
    )
    assert all(map(np.array_equal, ones.weights, others.weights))
    assert not np.array_equal(ones.weights[0], third.weights[0])


def test_a_cancel_is_met_between_two_steps() -> None:
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        fit_mlp(TRAIN, DEVELOPMENT, MlpSettings(), report)


def test_two_layers_by_hand() -> None:
    layers = Layers(
        [np.array([[1, -1]], np.float32), np.array([[2], [-2]], np.float32)],
        [np.array([0.5], np.float32), np.array([0, 1], np.float32)],
    )
    middle = np.tanh(2 - 1 + 0.5)
    got = layers.logits(np.array([[2, 1]], np.float32))
    assert got.tolist() == [pytest.approx([2 * middle, 1 - 2 * middle])]


def test_a_score_is_spread_over_its_two_nearest_bins() -> None:
    spread = spread_scores(np.array([1, 3.6, 5], np.float32))
    wanted = [[1, 0, 0, 0, 0], [0, 0, 0.4, 0.6, 0], [0, 0, 0, 0, 1]]
    assert spread == pytest.approx(np.array(wanted), abs=1e-6)
    assert expected_scores(np.log(spread + 1e-12)) == pytest.approx([1, 3.6, 5])


def test_scores_of_any_range_become_one_to_five() -> None:
    scale = ScoreScale(0, 10)
    assert scale.to_bins(np.array([0, 5, 10], np.float32)).tolist() == [1, 3, 5]
    assert scale.from_bins(np.array([1, 2, 5], np.float32)).tolist() == [0, 2.5, 10]


def test_relatedness_is_learned() -> None:
    generator = np.random.default_rng(3)
    features = generator.normal(size=(400, 6)).astype(np.float32)
    scores = np.clip(3 + features[:, 0], 1, 5)
    halves = [(features[rows], scores[rows]) for rows in (slice(300), slice(300, 400))]
    settings = MlpSettings(lr=0.02, n_epochs=60)
    trained = fit_relatedness(halves[0], halves[1], settings, Report())
    found = expected_scores(trained.layers.logits(halves[1][0]))
    assert trained.measure == pytest.approx(pearson(found, halves[1][1]))
    assert trained.measure > 0.95


def test_the_correlation_by_hand() -> None:
    ones, others = np.array([[1, 2, 3], [1, 3, 2]], np.float32)
    assert pearson(ones, others) == pytest.approx(0.5)
    assert pearson(ones, np.ones(3, np.float32)) == 0


ROWS = np.array([[1, 0], [0.8, 0.6], [-1, 0], [0, -1]], np.float32)
LABELLED = Examples(ROWS, np.array([0, 0, 1, 1]), 3)


def test_the_nearest_centroid_is_said() -> None:
    head = fit_centroids(LABELLED)
    assert head.unit_vectors[1] == pytest.approx([-(0.5**0.5), -(0.5**0.5)])
    said = head.logits(np.array([[0, 1], [0.1, -1]], np.float32)).argmax(axis=1)
    assert said.tolist() == [0, 1]  # and never the third, which has no row


def test_the_neighbours_vote() -> None:
    head = fit_neighbours(LABELLED, 3)
    shares = softmax(head.logits(np.array([[0.9, 0.1]], np.float32)))[0]
    assert shares == pytest.approx([2 / 3, 1 / 3, 0], abs=0.002)


def test_heads_are_read_back_as_they_were() -> None:
    for head, kind in (
        (fit_centroids(LABELLED), Centroids),
        (fit_neighbours(LABELLED, 2), NearestNeighbours),
    ):
        again = kind.from_arrays(head.arrays())
        assert np.array_equal(again.logits(ROWS), head.logits(ROWS))


# The settings of the papers, as the digests of them list these.
PUBLISHED: dict[str, dict[str, Any]] = {
    # Artetxe and Schwenk 2019, and their released recipes
    "MLDoc, as in the paper (10)": {"hidden": (10,), "n_epochs": 500, "batch_size": 12},
    "MLDoc, as released (10, 8)": {
        "hidden": (10, 8),
        "n_epochs": 500,
        "batch_size": 12,
    },
    "XNLI (512, 384)": {"hidden": (512, 384), "n_epochs": 200, "batch_size": 128},
    # Chidambaram et al. 2019
    "Sentiment (512, 512)": {"hidden": (512, 512), "n_epochs": 20, "batch_size": 16},
}
PUBLISHED["MLDoc, as in the paper (10)"] |= {"dropout": 0.2, "lr": 0.001}
PUBLISHED["MLDoc, as released (10, 8)"] |= {"dropout": 0.2, "lr": 0.001}
PUBLISHED["XNLI (512, 384)"] |= {"dropout": 0.3, "lr": 0.001}
PUBLISHED["Sentiment (512, 512)"] |= {"lr": 0.0005, "lr_decay": 0.9, "keep": "last"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_preset_trains_as_published(name: str) -> None:
    made = build_params(TrainClassifier, {"name": "x", "train": ["x"], **PRESETS[name]})
    settings = mlp_settings(made)
    wanted = {"patience": 0, "keep": "best", "lr_decay": 1.0, **PUBLISHED[name]}
    assert {key: getattr(settings, key) for key in wanted} == wanted
    assert settings.optimiser == "adam"


@pytest.mark.parametrize(
    ("head", "name"),
    [("nli", "XNLI (512, 384)"), ("mlp", "MLDoc, as in the paper (10)")],
)
def test_a_head_alone_has_the_values_of_its_preset(head: str, name: str) -> None:
    fields = {"name": "x", "train": ["x"]}
    alone = build_params(TrainClassifier, {**fields, "head": head})
    preset = build_params(TrainClassifier, {**fields, **PRESETS[name]})
    assert mlp_settings(alone) == mlp_settings(preset)
    some = build_params(
        TrainClassifier, {**fields, "head": head, "lr": 0.1, "hidden": [3]}
    )
    wanted = mlp_settings(preset)._replace(lr=0.1, hidden=(3,))
    assert mlp_settings(some) == wanted


def test_old_records_keep_their_own_values() -> None:
    text = (
        '{"task": "train-classifier", "name": "x", "train": ["x"], "head": "nli", '
        '"n_epochs": 100, "batch_size": 64, "dropout": 0.0, "patience": 10}'
    )
    settings = mlp_settings(params_from_json(text))
    assert (settings.n_epochs, settings.batch_size) == (100, 64)
    assert (settings.dropout, settings.patience) == (0, 10)


def train_with(measures: list[float], **values: Any) -> tuple[int, int]:
    """Return the kept epoch, and the epochs that were trained."""
    generator = np.random.default_rng(1)
    features = generator.standard_normal((8, 3)).astype(np.float32)
    seen: list[float] = []

    def measure(_: Layers) -> tuple[float]:
        seen.append(measures[len(seen)])
        return (seen[-1],)

    def loss_of(logits: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return logits.square().mean()

    settings = MlpSettings(n_epochs=len(measures), **values)
    found = train_layers((features, 2), loss_of, measure, settings, Report())
    return found.epoch, len(seen)


def test_patience_0_trains_all_epochs_and_the_best_or_the_last_is_kept() -> None:
    measures = [0.5, 0.9, *[0.1] * 18]
    assert train_with(measures, patience=3) == (2, 5)
    assert train_with(measures, patience=0) == (2, 20)
    assert train_with(measures, patience=0, keep="last") == (20, 20)
