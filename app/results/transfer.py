"""Scores of a classifier tested on several languages, and with a few labels."""

from typing import Generic, TypeVar

import msgspec

Interval = tuple[float, float]


class LanguageScore(msgspec.Struct, frozen=True):
    """Classification scores of one language; rates 0…1.

    Attributes:
        n: number of rows.
        accuracy: share of correct rows.
        accuracy_interval: 95 % bootstrap interval; Wilson's if all resamples are equal.
        macro_f1: mean F1 of the classes.
        majority: accuracy of always predicting the most frequent class of these rows.
    """

    n: int
    accuracy: float
    accuracy_interval: Interval
    macro_f1: float
    majority: float


class PairScore(msgspec.Struct, frozen=True):
    """Correlations of predicted pair scores in one language; -1…1.

    Attributes:
        n: number of pairs.
        pearson: correlation with the true scores.
        pearson_interval: 95 % bootstrap interval.
        spearman: rank correlation with the true scores.
        mean_squared_error: in squared units of the scores.
    """

    n: int
    pearson: float
    pearson_interval: Interval
    spearman: float
    mean_squared_error: float


S = TypeVar("S", bound=LanguageScore | PairScore)
Score = LanguageScore | PairScore


class ClassScores(msgspec.Struct, frozen=True):
    """Scores of one class in one language; rates 0…1; null if undefined."""

    name: str
    precision: float | None
    recall: float | None
    f1: float | None
    n: int


class NearestExample(msgspec.Struct, frozen=True):
    """A near training row: texts, label, cosine and sentence (0: none)."""

    texts: tuple[str, ...]
    label: str
    cosine: float
    sentence: int = 0


class ConfidentError(msgspec.Struct, frozen=True):
    """A misclassified row and its most similar training rows.

    Attributes:
        place: line of the file, or id of the sentence.
        probability: probability of the predicted class, 0…1.
    """

    texts: tuple[str, ...]
    place: int
    label: str
    predicted: str
    probability: float
    nearest: tuple[NearestExample, ...]


class LanguageDetails(msgspec.Struct, frozen=True):
    """Details of one language: confusions, classes and errors.

    Attributes:
        name: name of the test, such as de.
        classes: rows and columns of the confusion matrix.
        confusion: rows by true class (outer) and predicted class.
        calibration_error: mean |accuracy − confidence|, 0…1.
        errors: errors, most confident first.
        n_duplicates: rows that are also in the training set.
        n_translations: rows that look like translations of training rows.
    """

    name: str
    score: LanguageScore
    macro_f1_interval: Interval
    classes: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    per_class: tuple[ClassScores, ...]
    calibration_error: float
    errors: tuple[ConfidentError, ...]
    n_duplicates: int = 0
    n_translations: int = 0


class TrainingFacts(msgspec.Struct, frozen=True):
    """The classifier that was tested.

    Attributes:
        language: language of the training rows.
        development: accuracy on the development set (Pearson's r of scores), 0…1.
        temperature: temperature that calibrates the probabilities.
        notes: values chosen in training: inverse_l2, epoch.
    """

    head: str
    features: str
    encoder: str
    language: str
    classes: tuple[str, ...]
    n_train: int
    n_development: int
    development: float
    temperature: float
    notes: dict[str, float]


class EvaluateTransferResult(msgspec.Struct, Generic[S], frozen=True):
    """The results of a transfer test; rates 0…1.

    Attributes:
        languages: scores by name of the test.
        mean_gap: accuracy (Pearson's r of scores) in the training language minus the
            mean of the others; null if there are no others.
        training: the classifier that was tested.
        matrix: accuracy by the language of the first text (outer) and of the second.
        notes: sentences on reservations about the figures.
        mean_gap_interval: 95 % bootstrap interval of the gap; languages of a parallel
            set are resampled together (see `measure_means`).
        others_mean: mean of the other languages, with its interval by the same method.
        message: sentence for the user.
    """

    languages: dict[str, S]
    mean_gap: float | None
    training: TrainingFacts
    matrix: dict[str, dict[str, float]]
    notes: tuple[str, ...]
    mean_gap_interval: Interval | None = None
    others_mean: float | None = None
    others_mean_interval: Interval | None = None
    message: str = ""


TransferResult = (
    EvaluateTransferResult[LanguageScore] | EvaluateTransferResult[PairScore]
)


def read_transfer_result(text: str) -> TransferResult:
    """Decode the stored result of a transfer test, of classes or of scores.

    Raises:
        msgspec.MsgspecError: another version wrote it.
    """
    try:
        return msgspec.json.decode(text, type=EvaluateTransferResult[LanguageScore])
    except msgspec.ValidationError:
        return msgspec.json.decode(text, type=EvaluateTransferResult[PairScore])


class FewShotPoint(msgspec.Struct, frozen=True):
    """Accuracy (0…1) with n labels of the target language, over several draws.

    Attributes:
        n: number of drawn labels.
        accuracy: mean accuracy, trained on these and all rows of the training language.
        deviation: standard deviation over the draws.
        lowest, highest: lowest and highest accuracy over the draws.
        alone: mean accuracy, trained only on these labels; null if they have one class.
        gain_interval: 95 % interval of the accuracy minus that without labels, by
            paired bootstrap over test rows and draws; null: an older version.
    """

    n: int
    accuracy: float
    deviation: float
    lowest: float
    highest: float
    alone: float | None
    gain_interval: Interval | None = None


N_ERRORS = 20  # per language, most confident first
FEW_SHOT_SIZES = (10, 50, 100, 500, 1_000)  # labels, if there are enough


def transfer_columns(*, has_pairs: bool) -> tuple[str, ...]:
    """Return the columns of the exported predictions of a test."""
    return (
        *("language", "name", "corpus", "line", "label", "predicted", "is_correct"),
        *(("text", "second_text") if has_pairs else ("text",)),
    )


class EvaluateFewShotResult(msgspec.Struct, frozen=True):
    """The results of a few-shot evaluation.

    Attributes:
        n_test: test rows in the target language, the same for all points.
        zero_shot: accuracy without labels in the target language.
        majority: accuracy of always predicting the most frequent class of the test
            rows.
        points: points by ascending number of labels.
    """

    n_train: int
    n_test: int
    zero_shot: float
    majority: float
    repeats: int
    points: tuple[FewShotPoint, ...]
    message: str = ""
