"""Cross-validation of heads, and detection of labels that other rows contradict.

Confident learning (Northcutt, Jiang and Chuang 2021): each row's probabilities are from
a classifier that was trained without it; a row counts for a class if its probability is
at least the mean probability of the rows with this label; a row that counts for a class
other than its label is suspect.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray, IntArray
from app.engine.classify.classes import index_labels, list_classes
from app.engine.classify.features import make_features
from app.engine.classify.training import EncodedRows
from app.engine.heads.base import Examples, softmax
from app.engine.heads.fitting import choose_features, fit_held_out, mlp_settings
from app.engine.heads.folds import hold_out, make_folds
from app.engine.runtime.report import InnerReport, Report
from app.params.classify import HeadSettings

N_FOLDS = 5
STAGE = "Cross-validating"


def make_examples(
    data: EncodedRows, settings: HeadSettings
) -> tuple[Examples, list[str]]:
    """Return the features and class indices of training rows, and the class names.

    Raises:
        UserError: the labels are unsuitable.
    """
    rows, similar = data.rows, settings.similar_labels
    classes = list_classes(rows.labels, rows.source, similar)
    places = index_labels(rows.labels, classes, rows.source, similar)
    kind = choose_features(settings, len(data.vectors))
    features = make_features(data.vectors, kind)
    return Examples(features, places, len(classes), data.groups), classes


def cross_probabilities(
    examples: Examples, settings: HeadSettings, report: Report
) -> FloatArray:
    """Return each row's probabilities by a head trained without it: float32 (n, c)."""
    folds = make_folds(
        examples.classes, N_FOLDS, seed=settings.seed, groups=examples.groups
    )
    shares = np.zeros((len(folds), examples.n_classes), np.float32)
    is_perceptron = settings.head in ("mlp", "nli")
    size = mlp_settings(settings).n_epochs if is_perceptron else 1
    for fold in range(N_FOLDS):
        done, total = fold * size, N_FOLDS * size
        note = f"fold {fold + 1} of {N_FOLDS}"
        report.step(STAGE, done, total, note)
        inner = InnerReport(report, STAGE, done, total, size=size, note=note)
        rest = examples.part(folds != fold)
        held = hold_out(
            rest.classes,
            settings.development_share,
            seed=settings.seed,
            groups=rest.groups,
        )
        is_held = np.isin(np.arange(len(rest.classes)), held)
        fitted = fit_held_out(rest, is_held, settings, inner)
        logits = fitted.head.logits(examples.features[folds == fold])
        shares[folds == fold] = softmax(logits / fitted.temperature)
    return shares


class SuspectLabels(NamedTuple):
    """Rows with suspect labels, most likely wrong first.

    Attributes:
        rows: int64 (m,).
        suggested: int64 (m,), probable class of each row.
        label_probabilities, probabilities: float32 (m,), probabilities of the label and
            of the suggested class.
    """

    rows: IntArray
    suggested: IntArray
    label_probabilities: FloatArray
    probabilities: FloatArray


def find_suspect_labels(shares: FloatArray, classes: IntArray) -> SuspectLabels:
    """Find rows that count for a class other than their label.

    Args:
        shares: float32 (n, c), probabilities by heads trained without the row.
        classes: int64 (n,), labels.
    """
    n_classes = shares.shape[1]
    own = shares[np.arange(len(classes)), classes]
    counts = np.maximum(np.bincount(classes, minlength=n_classes), 1)
    thresholds = np.bincount(classes, own, n_classes) / counts  # equation 2
    counted = np.where(shares >= thresholds, shares, 0)
    best: NDArray[np.int64] = counted.argmax(axis=1)
    is_doubted = (counted.max(axis=1) > 0) & (best != classes)
    rows = np.nonzero(is_doubted)[0]
    likely = shares[rows, best[rows]] - own[rows]
    rows = rows[np.argsort(-likely, kind="stable")]
    return SuspectLabels(rows, best[rows], own[rows], shares[rows, best[rows]])
