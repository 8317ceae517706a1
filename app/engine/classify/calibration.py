"""Temperature: makes probabilities as sure as they are right."""

import numpy as np

from app.engine.classify.heads.head import IntArray, softmax
from app.engine.store.arrays import FloatArray

LOWEST, HIGHEST = 0.05, 20.0
N_STEPS = 60  # of the golden section: the temperature is exact to 1e-9 of its range
N_BINS = 10
RATIO = (5**0.5 - 1) / 2


def fit_temperature(logits: FloatArray, classes: IntArray) -> float:
    """Find T for which softmax(logits / T) has the smallest loss (Guo et al. 2017).

    The loss has one minimum in 1/T; it is found by golden section on the logarithm.

    Args:
        logits: float32 (n, c) of the development set.
        classes: int64 (n,); rows of -1 (never seen in training) are left out.
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
