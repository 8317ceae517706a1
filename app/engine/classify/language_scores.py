"""Measures of a classifier on each language, and on pairs across languages."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine

from app.arrays import FloatArray, IntArray
from app.engine.classify.classes import UNSEEN, SimilarNames, index_labels
from app.engine.classify.classifier import Classifier
from app.engine.classify.labelled_rows import LabelledRows, read_scores
from app.engine.classify.measures import (
    bootstrap_intervals,
    class_scores,
    confusion_matrix,
    majority_of,
)
from app.engine.classify.overlap import (
    Overlap,
    find_overlap,
    join_vectors,
    nearest_rows,
)
from app.engine.classify.training import EncodedRows
from app.engine.heads.fitting import calibration_error
from app.engine.heads.relatedness import pearson
from app.engine.statistics import bootstrap_estimate
from app.errors import UserError
from app.params.classify import HeadSettings
from app.results.transfer import (
    N_ERRORS,
    ClassScores,
    ConfidentError,
    LanguageDetails,
    LanguageScore,
    NearestExample,
    PairScore,
)

N_NEAREST = 3  # training rows shown for each error


class TrainingSet(NamedTuple):
    """Training rows of a classifier.

    Attributes:
        store: store with links between translations; None: files only.
    """

    data: EncodedRows
    store: Engine | None = None

    def find_overlap(self, test: EncodedRows) -> Overlap:
        """Find test rows that also occur in the training set."""
        own = self.data
        return find_overlap(
            own.rows, test.rows, own.vectors, test.vectors, store=self.store
        )


class LanguageResult(NamedTuple):
    """Details of one language, and the prediction of each row.

    Attributes:
        gold: int64 (n,), indices into `details.classes`.
        predicted: int64 (n,).
        unseen: labels that do not occur in training, with numbers of rows.
    """

    details: LanguageDetails
    gold: IntArray
    predicted: IntArray
    unseen: dict[str, int]


def measure_language(
    name: str,
    classifier: Classifier,
    test: EncodedRows,
    trained_on: TrainingSet | None,
    *,
    settings: HeadSettings,
    probabilities: FloatArray | None = None,
) -> LanguageResult:
    """Classify the rows of one language and compare them with their labels.

    A label that does not occur in training is a class that is never predicted.

    Args:
        name: displayed name of the language.
        classifier: a classifier with classes.
        test: labelled rows with their vectors.
        trained_on: training rows; None: not available.
        settings: treatment of similar labels, and the seed of the bootstrap.
        probabilities: float32 (n, c), if already known.
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
            ClassScores(one, *facts)
            for one, facts in zip(classes, class_scores(confusion), strict=True)
        ),
        calibration_error=calibration_error(probabilities, gold),
        errors=_errors(test, gold, probabilities, classes, train),
        n_duplicates=int(overlap.duplicates.sum()) if overlap else 0,
        n_translations=int(overlap.translations.sum()) if overlap else 0,
    )
    return LanguageResult(details, gold, predicted, unseen)


class LanguageScoreResult(NamedTuple):
    """Score of one language, and the true and predicted score of each pair.

    Attributes:
        gold, found: float32 (n,).
    """

    score: PairScore
    gold: FloatArray
    found: FloatArray


def measure_scores(
    classifier: Classifier, test: EncodedRows, *, seed: int
) -> LanguageScoreResult:
    """Predict scores of pairs in one language, and compare them with true scores."""
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
    return LanguageScoreResult(score, gold, found)


def ranks(values: FloatArray) -> FloatArray:
    """Return ranks from 0, with mean ranks for equal values: float32 (n,)."""
    _, indices, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means = ends - (counts + 1) / 2
    return means[indices].astype(np.float32)


def _gold(
    rows: LabelledRows, classifier: Classifier, similar: SimilarNames
) -> tuple[IntArray, dict[str, int]]:
    """Return the class indices of rows; unseen labels follow the known classes."""
    known = classifier.config.classes
    gold = index_labels(rows.labels, known, rows.source, similar)
    unseen: dict[str, int] = {}
    for row in np.nonzero(gold == UNSEEN)[0].tolist():
        unseen[rows.labels[row]] = unseen.get(rows.labels[row], 0) + 1
    indices = {label: len(known) + index for index, label in enumerate(unseen)}
    for row in np.nonzero(gold == UNSEEN)[0].tolist():
        gold[row] = indices[rows.labels[row]]
    return gold, unseen


def _errors(
    test: EncodedRows,
    gold: IntArray,
    probabilities: FloatArray,
    classes: tuple[str, ...],
    train: EncodedRows | None,
) -> tuple[ConfidentError, ...]:
    """List wrong rows, most confident first, with their nearest training rows."""
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
    queries: tuple[FloatArray, ...], train: EncodedRows
) -> list[tuple[NearestExample, ...]]:
    """Find the training rows nearest to some rows, by all texts together."""
    rows = train.rows
    places, cosines = nearest_rows(
        join_vectors(queries), join_vectors(train.vectors), N_NEAREST
    )
    return [
        tuple(
            NearestExample(
                texts=tuple(column[index] for column in rows.texts),
                label=rows.labels[index],
                cosine=round(cosine, 4),
                sentence=int(rows.places[index, 0]) if rows.corpora else 0,
            )
            for index, cosine in zip(*pair, strict=True)
        )
        for pair in zip(places.tolist(), cosines.tolist(), strict=True)
    ]


def check_matrix(tests: Mapping[str, LabelledRows], *, gives_scores: bool) -> None:
    """Reject tests that don't allow a matrix, before any work.

    Raises:
        UserError: the rows are not pairs with a class, or the tests are not aligned.
    """
    first, *others = tests.values()
    if len(first.texts) != 2 or gives_scores:
        raise UserError(
            "The matrix of languages is for classes of pairs: label, text, text."
        )
    for other in others:
        if other.labels != first.labels:
            raise UserError(
                f"{other.source} is not aligned with {first.source}: the matrix of "
                "languages needs the same pairs, row by row."
            )


def measure_matrix(
    classifier: Classifier, tests: Mapping[str, EncodedRows], settings: HeadSettings
) -> dict[str, dict[str, float]]:
    """Measure accuracy with the first and second texts in different languages.

    As in LASER's table of XNLI (Artetxe and Schwenk 2019, appendix).

    Args:
        classifier: a classifier of pairs.
        tests: tests by language that pass `check_matrix`.
        settings: treatment of labels that differ only in case or spaces.

    Returns:
        Accuracy 0…1 by the language of the first text (outer) and of the second.
    """
    first = next(iter(tests.values()))
    gold = index_labels(
        first.rows.labels,
        classifier.config.classes,
        first.rows.source,
        settings.similar_labels,
    )
    return {
        one: {
            two: _accuracy(classifier, (left.vectors[0], right.vectors[1]), gold)
            for two, right in tests.items()
        }
        for one, left in tests.items()
    }


def _accuracy(
    classifier: Classifier,
    vectors: "tuple[np.ndarray[tuple[int, int], np.dtype[np.float32]], ...]",
    gold: "np.ndarray[tuple[int], np.dtype[np.int64]]",
) -> float:
    said = classifier.probabilities(vectors).argmax(axis=1)
    return float(np.mean(said == gold))
