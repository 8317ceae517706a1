"""The transfer board: how well a classifier does on one language after another."""

from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine

from app.engine.classify.calibration import calibration_error
from app.engine.classify.classifier import Classifier
from app.engine.classify.heads.head import IntArray
from app.engine.classify.heads.relatedness import pearson
from app.engine.classify.labelled import Labelled, read_scores
from app.engine.classify.labels import UNSEEN, Similar, place_labels
from app.engine.classify.measures import (
    bootstrap_intervals,
    class_scores,
    confusion_matrix,
    majority_of,
)
from app.engine.classify.overlap import (
    Overlap,
    find_overlap,
    joined,
    nearest_rows,
)
from app.engine.classify.training import Data
from app.engine.statistics import bootstrap_estimate
from app.engine.store.arrays import FloatArray
from app.params.classify import HeadSettings
from app.transfer import (
    ClassFacts,
    ConfidentError,
    LanguageDetails,
    LanguageScore,
    NearText,
    PairScore,
)

N_ERRORS = 20  # of a language, the most confident
N_NEAREST = 3  # training rows shown beside each


class TrainedOn(NamedTuple):
    """The rows that a classifier was trained on.

    Attributes:
        store: where links of corpora say what is a translation; None: files only.
    """

    data: Data
    store: Engine | None = None

    def find_overlap(self, test: Data) -> Overlap:
        """Find the rows of a test that hide in these."""
        own = self.data
        return find_overlap(
            own.rows, test.rows, own.vectors, test.vectors, store=self.store
        )


class Measured(NamedTuple):
    """One language: what is told of it, and what was said of each row.

    Attributes:
        gold: int64 (n,), places among details.classes.
        predicted: int64 (n,).
        unseen: labels that training never saw, and how many rows have them.
    """

    details: LanguageDetails
    gold: IntArray
    predicted: IntArray
    unseen: dict[str, int]


def measure_language(
    name: str,
    classifier: Classifier,
    test: Data,
    trained_on: TrainedOn | None,
    *,
    settings: HeadSettings,
    probabilities: FloatArray | None = None,
) -> Measured:
    """Classify the rows of one language and compare them with their labels.

    A label that training never saw is a class of its own, which is never said.

    Args:
        name: of the language, as it is shown.
        classifier: of classes.
        test: labelled rows with their vectors.
        trained_on: what it was trained on; None: it is not at hand.
        settings: what is done with similar labels, and the seed of the bootstrap.
        probabilities: float32 (n, c), where they are known otherwise.
    """
    gold, unseen = _gold(test.rows, classifier, settings.similar_labels)
    if probabilities is None:
        probabilities = classifier.probabilities(test.vectors)
    predicted = probabilities.argmax(axis=1)
    classes = (*classifier.config.classes, *unseen)
    confusion = confusion_matrix(gold, predicted, len(classes))
    accuracy, macro_f1 = bootstrap_intervals(confusion, seed=settings.seed)
    train = trained_on.data if trained_on else None
    overlap = trained_on.find_overlap(test) if trained_on else None
    score = LanguageScore(
        n=len(gold),
        accuracy=accuracy.value,
        accuracy_interval=(accuracy.low, accuracy.high),
        macro_f1=macro_f1.value,
        majority=majority_of(confusion),
    )
    details = LanguageDetails(
        name=name,
        score=score,
        macro_f1_interval=(macro_f1.low, macro_f1.high),
        classes=classes,
        confusion=tuple(map(tuple, confusion.tolist())),
        per_class=tuple(
            ClassFacts(one, *facts)
            for one, facts in zip(classes, class_scores(confusion), strict=True)
        ),
        calibration_error=calibration_error(probabilities, gold),
        errors=_errors(test, gold, probabilities, classes, train),
        n_duplicates=int(overlap.duplicates.sum()) if overlap else 0,
        n_translations=int(overlap.translations.sum()) if overlap else 0,
    )
    return Measured(details, gold, predicted, unseen)


class MeasuredScores(NamedTuple):
    """One language: what is told of it, and each pair's true and found score.

    Attributes:
        gold, found: float32 (n,).
    """

    score: PairScore
    gold: FloatArray
    found: FloatArray


def measure_scores(classifier: Classifier, test: Data, *, seed: int) -> MeasuredScores:
    """Score pairs of one language and compare with their true scores."""
    config = classifier.config
    gold = read_scores(test.rows, config.lowest, config.highest)
    found = classifier.scores(test.vectors)

    def correlation(rows: IntArray) -> float:
        return pearson(found[rows], gold[rows])

    estimate = bootstrap_estimate(correlation, len(gold), seed=seed)
    score = PairScore(
        n=len(gold),
        pearson=estimate.value,
        pearson_interval=(estimate.low, estimate.high),
        spearman=pearson(ranks(found), ranks(gold)),
        mean_squared_error=float(np.square(found - gold).mean()),
    )
    return MeasuredScores(score, gold, found)


def ranks(values: FloatArray) -> FloatArray:
    """Give each value's rank, equal ones their mean rank: float32 (n,), from 0."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means = ends - (counts + 1) / 2
    return means[places].astype(np.float32)


def _gold(
    rows: Labelled, classifier: Classifier, similar: Similar
) -> tuple[IntArray, dict[str, int]]:
    """Give the classes of rows; labels never seen stand behind the known ones."""
    known = classifier.config.classes
    gold = place_labels(rows.labels, known, rows.source, similar)
    unseen: dict[str, int] = {}
    for row in np.nonzero(gold == UNSEEN)[0].tolist():
        unseen[rows.labels[row]] = unseen.get(rows.labels[row], 0) + 1
    places = {label: len(known) + place for place, label in enumerate(unseen)}
    for row in np.nonzero(gold == UNSEEN)[0].tolist():
        gold[row] = places[rows.labels[row]]
    return gold, unseen


def _errors(
    test: Data,
    gold: IntArray,
    probabilities: FloatArray,
    classes: tuple[str, ...],
    train: Data | None,
) -> tuple[ConfidentError, ...]:
    """List the wrong rows, the most confident first, with their nearest of training."""
    predicted = probabilities.argmax(axis=1)
    sure = probabilities.max(axis=1)
    wrong = np.nonzero(predicted != gold)[0]
    wrong = wrong[np.argsort(-sure[wrong], kind="stable")][:N_ERRORS]
    queries = tuple(side[wrong] for side in test.vectors)
    nearest = _nearest(queries, train) if train else [()] * len(wrong)
    return tuple(
        ConfidentError(
            texts=tuple(column[row] for column in test.rows.texts),
            place=int(test.rows.places[row, 0]),
            label=classes[gold[row]],
            predicted=classes[predicted[row]],
            probability=float(sure[row]),
            nearest=near,
        )
        for row, near in zip(wrong.tolist(), nearest, strict=True)
    )


def _nearest(
    queries: tuple[FloatArray, ...], train: Data
) -> list[tuple[NearText, ...]]:
    """Find the training rows most like some rows, all texts together."""
    rows = train.rows
    places, cosines = nearest_rows(joined(queries), joined(train.vectors), N_NEAREST)
    return [
        tuple(
            NearText(
                texts=tuple(column[place] for column in rows.texts),
                label=rows.labels[place],
                cosine=round(cosine, 4),
                sentence=int(rows.places[place, 0]) if rows.corpora else 0,
            )
            for place, cosine in zip(*pair, strict=True)
        )
        for pair in zip(places.tolist(), cosines.tolist(), strict=True)
    ]
