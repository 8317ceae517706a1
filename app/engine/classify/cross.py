"""Cross-validation: what heads say of rows that they have not seen."""

import numpy as np

from app.engine.classify.features import make_features
from app.engine.classify.fit import choose_features, fit_head
from app.engine.classify.folds import hold_out, make_folds
from app.engine.classify.heads.head import Examples, softmax
from app.engine.classify.labels import list_classes, place_labels
from app.engine.classify.training import Data
from app.engine.report import Report
from app.engine.store.arrays import FloatArray
from app.params.classify import HeadSettings

N_FOLDS = 5
STAGE = "Cross-validating"


def examples_of(data: Data, settings: HeadSettings) -> tuple[Examples, list[str]]:
    """Make the features and classes of training rows, and name the classes.

    Raises:
        UserError: the labels do not do.
    """
    rows, similar = data.rows, settings.similar_labels
    classes = list_classes(rows.labels, rows.source, similar)
    places = place_labels(rows.labels, classes, rows.source, similar)
    kind = choose_features(settings, len(data.vectors))
    features = make_features(data.vectors, kind)
    return Examples(features, places, len(classes), data.groups), classes


def cross_probabilities(
    examples: Examples, settings: HeadSettings, report: Report
) -> FloatArray:
    """Give each row's probabilities by a head that did not see it: float32 (n, c)."""
    folds = make_folds(
        examples.classes, N_FOLDS, seed=settings.seed, groups=examples.groups
    )
    shares = np.zeros((len(folds), examples.n_classes), np.float32)
    for fold in range(N_FOLDS):
        report.step(STAGE, fold, N_FOLDS)
        rest = examples.part(folds != fold)
        held = hold_out(
            rest.classes,
            settings.development_share,
            seed=settings.seed,
            groups=rest.groups,
        )
        is_held = np.isin(np.arange(len(rest.classes)), held)
        fitted = fit_head(rest.part(~is_held), rest.part(is_held), settings, report)
        logits = fitted.head.logits(examples.features[folds == fold])
        shares[folds == fold] = softmax(logits / fitted.temperature)
    return shares
