"""Scores of a classifier tested on several languages, and with a few labels."""

from typing import Generic, TypeVar

import msgspec

Interval = tuple[float, float]


class LanguageScore(msgspec.Struct, frozen=True):
    """How well one language was classified; rates 0…1.

    Attributes:
        n: rows.
        accuracy: share of right rows.
        accuracy_interval: 95 % interval of it, by bootstrap; Wilson's where all
            resamples are equal.
        macro_f1: mean F1 of the classes.
        majority: accuracy of always predicting the most frequent class of these rows.
    """

    n: int
    accuracy: float
    accuracy_interval: Interval
    macro_f1: float
    majority: float


class PairScore(msgspec.Struct, frozen=True):
    """How well scores of pairs of one language were predicted; -1…1.

    Attributes:
        n: pairs.
        pearson: correlation with the true scores.
        pearson_interval: 95 % interval of it, by bootstrap.
        spearman: the same of ranks.
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
    """A row that was classified wrongly, and the training rows most like it.

    Attributes:
        place: line of the file, or id of the sentence.
        probability: of the predicted class, 0…1.
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
        name: of the test: de.
        classes: rows and columns of the confusion matrix.
        confusion: rows by true class (outer) and predicted class.
        calibration_error: mean |accuracy − confidence|, 0…1.
        errors: the most confident first.
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
        language: of the training rows.
        development: accuracy on the development set (Pearson's r of scores), 0…1.
        temperature: that calibrates its probabilities.
        notes: what training chose: inverse_l2, epoch.
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
    """What a transfer test measured; rates 0…1.

    Attributes:
        languages: scores by the names of the tests.
        mean_gap: accuracy (Pearson's r of scores) in the training language minus the
            mean of the others; null where there is no other.
        training: the classifier that was tested.
        matrix: accuracy by the language of the first text (outer) and of the second.
        notes: sentences on what makes the figures doubtful.
        mean_gap_interval: 95 % interval of the gap, by bootstrap over what the rows
            say: languages of a parallel set are drawn together (see `measure_means`).
        others_mean: mean of the other languages, with its interval; as above.
        message: a sentence for the user.
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
        n: labels drawn.
        accuracy: mean, trained on these and all of the training language.
        deviation: standard deviation over the draws.
        lowest, highest: over the draws.
        alone: mean, trained on these labels only; null: they are of one class.
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


N_ERRORS = 20  # of a language, the most confident
FEW_SHOT_SIZES = (10, 50, 100, 500, 1_000)  # labels, as far as there are enough


def transfer_columns(*, has_pairs: bool) -> tuple[str, ...]:
    """Return the columns of the exported predictions of a test."""
    return (
        *("language", "name", "corpus", "line", "label", "predicted", "is_correct"),
        *(("text", "second_text") if has_pairs else ("text",)),
    )


class EvaluateFewShotResult(msgspec.Struct, frozen=True):
    """What a few-shot evaluation measured.

    Attributes:
        n_test: rows of the target language that all points were tested on.
        zero_shot: accuracy without a label of the target language.
        majority: accuracy of always predicting the most frequent class of the test
            rows.
        points: by rising number of labels.
    """

    n_train: int
    n_test: int
    zero_shot: float
    majority: float
    repeats: int
    points: tuple[FewShotPoint, ...]
    message: str = ""
