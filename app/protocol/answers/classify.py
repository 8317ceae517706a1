"""Answers to queries about predictions, labels and transfer between languages."""

import msgspec

from app.protocol.answers.evaluation import PairedComparison


class PredictionsAnswer(msgspec.Struct, frozen=True):
    """Classified sentences.

    Attributes:
        file: ids int64 (n,) in the order of the query: arrays/views/….npy.
        n: of the ids.
        n_by_class: sentences of each class, before the query's classes and labels are
            applied.
        without: names of corpora that the classifier has not been used on.
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
    """Sentences that two classifiers put into different classes.

    Attributes:
        file: their ids, int64 (n,).
        n_compared: sentences that both classified.
        moves: the most frequent first.
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
    """Sentences to label next, the most useful first."""

    sentences: tuple[SuggestedSentence, ...]


class ClassifyTextAnswer(msgspec.Struct, frozen=True):
    """The class of a typed text; neither: the encoder knows no part of the text.

    Attributes:
        classes: names with their probabilities, 0…1; the most probable first, a hundred
            at most.
        score: of a pair, by a classifier that gives scores.
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
    """The labels of a corpus; `classes`: the most frequent first, a hundred at most."""

    id: int
    n_labelled: int
    n_classes: int
    classes: tuple[tuple[str, int], ...]


class LabelCountsAnswer(msgspec.Struct, frozen=True):
    """The labels of corpora, without corpora that have none."""

    corpora: tuple[CorpusLabelCounts, ...]
