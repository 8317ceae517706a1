"""Scores of a classifier tested on several languages."""

import msgspec


class LanguageScore(msgspec.Struct, frozen=True):
    """How well one language was classified; rates 0…1.

    Attributes:
        n: rows.
        accuracy: share of right rows.
        accuracy_interval: 95 % interval of it, by bootstrap.
        macro_f1: mean F1 of the classes.
        majority: accuracy of always saying the most frequent class of these rows.
    """

    n: int
    accuracy: float
    accuracy_interval: tuple[float, float]
    macro_f1: float
    majority: float


class PairScore(msgspec.Struct, frozen=True):
    """How well scores of pairs of one language were told; -1…1.

    Attributes:
        n: pairs.
        pearson: correlation with the true scores.
        pearson_interval: 95 % interval of it, by bootstrap.
        spearman: the same of ranks.
        mean_squared_error: in squared units of the scores.
    """

    n: int
    pearson: float
    pearson_interval: tuple[float, float]
    spearman: float
    mean_squared_error: float


class ClassScores(msgspec.Struct, frozen=True):
    """One class in one language; rates 0…1, null where there is nothing to count."""

    name: str
    precision: float | None
    recall: float | None
    f1: float | None
    n: int


class NearestExample(msgspec.Struct, frozen=True):
    """A training row that is near: its texts, label, cosine and sentence (0: none)."""

    texts: tuple[str, ...]
    label: str
    cosine: float
    sentence: int = 0


class ConfidentError(msgspec.Struct, frozen=True):
    """A row that was classified wrongly, and what of the training is the most like it.

    Attributes:
        place: line of the file, or id of the sentence.
        probability: that the classifier gave to what it said, 0…1.
    """

    texts: tuple[str, ...]
    place: int
    label: str
    predicted: str
    probability: float
    nearest: tuple[NearestExample, ...]


class LanguageDetails(msgspec.Struct, frozen=True):
    """All that is told of one language beside its score.

    Attributes:
        name: as the test was named: de.
        classes: rows and columns of the confusion matrix.
        confusion: rows by true class (outer) and predicted class.
        calibration_error: mean |accuracy − confidence|, 0…1.
        errors: the most confident first.
        n_duplicates: rows that are in the training set too.
        n_translations: rows of which the training set seems to hold a translation.
    """

    name: str
    score: LanguageScore
    macro_f1_interval: tuple[float, float]
    classes: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    per_class: tuple[ClassScores, ...]
    calibration_error: float
    errors: tuple[ConfidentError, ...]
    n_duplicates: int = 0
    n_translations: int = 0
