"""Answers to queries about predictions, labels and transfer between languages."""

import msgspec

from app.protocol.answers.evaluation import PairedComparison


class PredictionsAnswer(msgspec.Struct, frozen=True):
    """Classified sentences.

    Attributes:
        file: ids int64 (n,) in the order of the query: arrays/views/….npy.
        n: number of ids.
        n_by_class: number of sentences per class, before the query's filters of classes
            and labels.
        without: names of corpora without predictions of the classifier.
    """

    file: str
    n: int
    n_by_class: dict[str, int]
    without: tuple[str, ...]


class ClassChange(msgspec.Struct, frozen=True):
    """Sentences whose class changed from one to another."""

    before: str
    after: str
    n: int


class PredictionChangesAnswer(msgspec.Struct, frozen=True):
    """Sentences with different classes by two classifiers.

    Attributes:
        file: ids of the sentences, int64 (n,).
        n_compared: number of sentences that both classified.
        moves: changes between classes, most frequent first.
    """

    file: str
    n: int
    n_compared: int
    moves: tuple[ClassChange, ...]


class SuggestedSentence(msgspec.Struct, frozen=True):
    """A sentence to label; `probability` of the predicted class, 0…1."""

    sentence: int
    predicted: str
    probability: float


class SuggestionsAnswer(msgspec.Struct, frozen=True):
    """Sentences to label next, most useful first."""

    sentences: tuple[SuggestedSentence, ...]


class ClassifyTextAnswer(msgspec.Struct, frozen=True):
    """The class or score of a typed text; neither if the encoder knows no part of it.

    Attributes:
        classes: names and probabilities, 0…1, most probable first; at most 100.
        score: score of a pair, from a classifier that returns scores.
    """

    classes: tuple[tuple[str, float], ...] = ()
    score: float | None = None


class LanguageComparison(PairedComparison, frozen=True, kw_only=True):
    """Two tests of the same rows in one language."""

    language: str


class TransferComparison(msgspec.Struct, frozen=True):
    """Two tests compared; `skipped`: sentences on languages without the same rows."""

    languages: tuple[LanguageComparison, ...]
    skipped: tuple[str, ...]


class CorpusLabelCounts(msgspec.Struct, frozen=True):
    """The labels of a corpus; `classes`: most frequent first, at most 100."""

    id: int
    n_labelled: int
    n_classes: int
    classes: tuple[tuple[str, int], ...]


class LabelCountsAnswer(msgspec.Struct, frozen=True):
    """The labels of corpora, without corpora that have none."""

    corpora: tuple[CorpusLabelCounts, ...]
