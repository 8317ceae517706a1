"""Results of label checks: sets of labelled rows, warnings and doubtful labels."""

import msgspec


class ClassSize(msgspec.Struct, frozen=True):
    """A class and its number of rows in a set."""

    name: str
    n: int


class CheckedSet(msgspec.Struct, frozen=True):
    """A set of labelled rows.

    Attributes:
        classes: classes, most frequent first, at most 100.
        n_classes: number of all classes.
        n_unlabelled, n_empty: rows left out because they have no label or no text.
        n_repeated: rows whose text is also in an earlier row of the set.
        n_contradicting: rows whose text has different labels in the set.
        n_duplicates: rows that are also in the training set.
        n_translations: rows that look like translations of training rows.
        duplicates, translations: places (line, or id of the sentence) of some of them.
    """

    name: str
    n: int
    classes: tuple[ClassSize, ...]
    n_classes: int
    n_unlabelled: int
    n_empty: int
    n_repeated: int
    n_contradicting: int
    n_duplicates: int = 0
    n_translations: int = 0
    duplicates: tuple[int, ...] = ()
    translations: tuple[int, ...] = ()


class DataReport(msgspec.Struct, frozen=True):
    """All sets, the training set first, and warnings as sentences."""

    sets: tuple[CheckedSet, ...]
    warnings: tuple[str, ...]


class DoubtfulLabel(msgspec.Struct, frozen=True):
    """A label that may be wrong.

    Attributes:
        place: line of the file, or id of the sentence.
        suggested: the class that classifiers trained on the other rows predict.
        probability: probability of that class, 0…1.
        label_probability: probability of the label, 0…1.
    """

    texts: tuple[str, ...]
    place: int
    label: str
    suggested: str
    probability: float
    label_probability: float


class CheckLabelsResult(msgspec.Struct, frozen=True):
    """The result of a label check.

    Attributes:
        n_doubtful: labels that may be wrong.
        doubtful: labels that are most likely wrong.
        doubts_note: reason why doubtful labels were not searched for; empty: searched.
    """

    data: DataReport
    n_doubtful: int
    doubtful: tuple[DoubtfulLabel, ...]
    doubts_note: str
    message: str = ""
