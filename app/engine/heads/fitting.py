"""Fit any head by its settings, and calibrate its probabilities by temperature."""

from typing import Any, Literal, NamedTuple

import numpy as np

from app.arrays import BoolArray, FloatArray, IntArray
from app.engine.heads.base import Examples, Head, softmax
from app.engine.heads.logistic import choose_inverse_l2, fit_logistic
from app.engine.heads.mlp import MlpSettings, fit_mlp
from app.engine.heads.nearest import fit_centroids, fit_neighbours
from app.engine.heads.relatedness import (
    ScoreScale,
    expected_scores,
    fit_relatedness,
    pearson,
)
from app.engine.runtime.report import Report
from app.params.classify import RECIPES, WITH_LBFGS, HeadSettings

LOWEST, HIGHEST = 0.05, 20.0
N_STEPS = 60  # of the golden section, precise to 1e-9 of the temperature's range
N_BINS = 10
RATIO = (5**0.5 - 1) / 2


def fit_temperature(logits: FloatArray, classes: IntArray) -> float:
    """Find T that minimises the loss of softmax(logits / T) (Guo et al. 2017).

    The loss has one minimum in 1/T; it is found by golden section on the logarithm.

    Args:
        logits: float32 (n, c), logits of the development set.
        classes: int64 (n,); rows with -1 (not in training) are left out.
    """
    is_known = classes >= 0
    logits, classes = logits[is_known].astype(np.float64), classes[is_known]
    if not len(classes):
        return 1.0
    low, high = np.log(LOWEST), np.log(HIGHEST)
    for _ in range(N_STEPS):
        step = RATIO * (high - low)
        if _loss(logits, classes, high - step) < _loss(logits, classes, low + step):
            high = low + step
        else:
            low = high - step
    return float(np.exp((low + high) / 2))


def calibration_error(probabilities: FloatArray, classes: IntArray) -> float:
    """Measure |accuracy − confidence| over ten bins (ECE, Guo et al. 2017, eq. 3)."""
    if not len(classes):
        return float("nan")
    confidence = probabilities.max(axis=1)
    is_right = probabilities.argmax(axis=1) == classes
    bins = np.minimum((confidence * N_BINS).astype(np.int64), N_BINS - 1)
    gaps = np.bincount(bins, is_right - confidence.astype(np.float64), N_BINS)
    return float(np.abs(gaps).sum() / len(classes))


def _loss(logits: FloatArray, classes: IntArray, log_temperature: float) -> float:
    scaled = logits / np.exp(log_temperature)
    shares = softmax(scaled)[np.arange(len(classes)), classes]
    return -float(np.log(np.maximum(shares, 1e-300)).mean())


class FittedHead(NamedTuple):
    """A trained head.

    Attributes:
        temperature: divisor of the logits.
        development: accuracy on the development set, or Pearson's r of scores.
        notes: selected values: inverse_l2, epoch.
    """

    head: Head
    temperature: float
    development: float
    notes: dict[str, float]


def fit_head(
    train: Examples, development: Examples, settings: HeadSettings, report: Report
) -> FittedHead:
    """Train a head of classes.

    Raises:
        Cancelled: the run was asked to stop.
    """
    head, notes = _fit(train, development, settings, report)
    logits = head.logits(development.features)
    is_right = logits.argmax(axis=1) == development.classes
    accuracy = float(is_right.mean()) if len(is_right) else float("nan")
    temperature = fit_temperature(logits, development.classes)
    return FittedHead(head, temperature, accuracy, notes)


def fit_held_out(
    whole: Examples, is_held: BoolArray, settings: HeadSettings, report: Report
) -> FittedHead:
    """Train a head of classes, and measure it on a share of its rows.

    A logistic regression with a given C selects nothing on the held-out share, so it is
    fitted again to all rows. Its accuracy and temperature are from the fit without the
    held-out rows.
    """
    fitted = fit_head(whole.part(~is_held), whole.part(is_held), settings, report)
    if not fits_all_rows(settings):
        return fitted
    head, _ = _fit(whole, whole.part(is_held), settings, report)
    return fitted._replace(head=head)


def fits_all_rows(settings: HeadSettings) -> bool:
    """Return whether a head needs no held-out rows, since C is given."""
    return settings.head == "logistic" and settings.inverse_l2 is not None


def fit_scores(
    train: tuple[FloatArray, FloatArray],
    development: tuple[FloatArray, FloatArray],
    settings: HeadSettings,
    report: Report,
) -> FittedHead:
    """Train the relatedness head on features float32 (n, f) and scores float32 (n,)."""
    scale = ScoreScale(settings.lowest, settings.highest)
    trained = fit_relatedness(
        (train[0], scale.to_bins(train[1])),
        (development[0], scale.to_bins(development[1])),
        mlp_settings(settings),
        report,
    )
    found = expected_scores(trained.layers.logits(development[0]))
    measure = pearson(found, development[1])
    return FittedHead(trained.layers, 1.0, measure, {"epoch": float(trained.epoch)})


def mlp_settings(settings: HeadSettings) -> MlpSettings:
    """Return the settings of the perceptron, with the head's defaults."""
    recipe: dict[str, Any] = dict(RECIPES[settings.head])
    if settings.optimiser == "lbfgs":
        recipe |= WITH_LBFGS
    set_values = {
        name: value
        for name in recipe
        if (value := getattr(settings, name)) not in (None, ())
    }
    values = recipe | set_values | {"keep": settings.keep}
    values.pop("head", None)
    return MlpSettings(
        **values,
        optimiser=settings.optimiser,
        is_balanced=settings.balanced,
        seed=settings.seed,
    )


def choose_features(
    settings: HeadSettings, n_texts: int
) -> Literal["single", "pair", "difference"]:
    """Choose the features if the settings do not specify them."""
    if settings.features != "auto":
        return settings.features
    if n_texts == 1:
        return "single"
    return "difference" if settings.head == "relatedness" else "pair"


def _fit(
    train: Examples, development: Examples, settings: HeadSettings, report: Report
) -> tuple[Head, dict[str, float]]:
    if settings.head == "centroid":
        return fit_centroids(train), {}
    if settings.head == "knn":
        return fit_neighbours(train, settings.k), {}
    if settings.head in ("mlp", "nli"):
        trained = fit_mlp(train, development, mlp_settings(settings), report)
        return trained.layers, {"epoch": float(trained.epoch)}
    inverse_l2 = settings.inverse_l2
    if inverse_l2 is None:
        choice = choose_inverse_l2(
            train, is_balanced=settings.balanced, seed=settings.seed, report=report
        )
        inverse_l2 = choice.inverse_l2
    layers = fit_logistic(
        train, inverse_l2, is_balanced=settings.balanced, report=report
    )
    return layers, {"inverse_l2": float(np.float64(inverse_l2))}
