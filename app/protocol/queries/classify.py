"""Queries about predictions, labels and transfer between languages."""

from typing import Annotated, Literal

from msgspec import Meta

from app.protocol.answers.classify import (
    ClassifyTextAnswer,
    LabelCountsAnswer,
    PredictionChangesAnswer,
    PredictionsAnswer,
    SuggestionsAnswer,
    TransferComparison,
)
from app.protocol.answers.search import OrderAnswer
from app.protocol.base import BaseQuery


class PredictionsQuery(BaseQuery[PredictionsAnswer], frozen=True, kw_only=True):
    """Filter and order classified sentences.

    Attributes:
        corpora, subcorpora: ids; empty: all classified corpora.
        others: ids of the corpora of the second texts of pairs; empty: for each corpus,
            the corpora used in its latest classification.
        classes: names; empty: all classes.
        languages: stored codes; empty: all languages.
        lowest, highest: inclusive bounds of the probability (score).
        which: only sentences with a label, without a label, or with a label that
            differs from the predicted class.
        order: by descending or ascending probability, or by corpus and position.
        requester: name of the sender; only its newest query is answered.
    """

    classifier: int
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    classes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    lowest: float | None = None
    highest: float | None = None
    which: Literal["all", "labelled", "unlabelled", "contradicted"] = "all"
    order: Literal["sure", "unsure", "position"] = "sure"
    requester: str = ""


class PredictionChangesQuery(
    BaseQuery[PredictionChangesAnswer], frozen=True, kw_only=True
):
    """Find the sentences for which two classifiers predict different classes.

    Attributes:
        before, after: ids of classifiers.
    """

    before: int
    after: int
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    requester: str = ""


class SuggestQuery(BaseQuery[SuggestionsAnswer], frozen=True, kw_only=True):
    """Suggest uncertain and diverse sentences to label next.

    Attributes:
        n: number of sentences.
        diversity: 0: only by uncertainty; 1: only by distance from selected sentences.
    """

    classifier: int
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    n: Annotated[int, Meta(ge=1, le=500)] = 20
    diversity: Annotated[float, Meta(ge=0, le=1)] = 0.5


class ClassifyTextQuery(BaseQuery[ClassifyTextAnswer], frozen=True, kw_only=True):
    """Classify a typed text, or two texts with a pair classifier."""

    classifier: int
    texts: tuple[Annotated[str, Meta(max_length=10_000)], ...]


class CompareTransfersQuery(BaseQuery[TransferComparison], frozen=True, kw_only=True):
    """Test whether two transfer tests on the same rows differ significantly.

    Attributes:
        one, other: ids of runs of evaluate-transfer.
    """

    one: int
    other: int


class LabelCountsQuery(BaseQuery[LabelCountsAnswer], frozen=True, kw_only=True):
    """Count the sentences of each class in labelled corpora.

    Attributes:
        corpora, subcorpora: ids; empty: all corpora. Only active sentences of
            sub-corpora count.
        requester: name of the sender; only its newest query is answered.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    requester: str = ""


class LabelOrderQuery(BaseQuery[OrderAnswer], frozen=True, kw_only=True):
    """List sentences of some classes, or without a label, in corpus order.

    Attributes:
        corpora, subcorpora: ids; empty: all corpora.
        classes: class names; empty: all classes.
        requester: name of the sender; only its newest query is answered.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    which: Literal["labelled", "unlabelled"] = "labelled"
    classes: tuple[str, ...] = ()
    requester: str = ""


ClassifyQuery = (
    PredictionsQuery
    | PredictionChangesQuery
    | SuggestQuery
    | ClassifyTextQuery
    | CompareTransfersQuery
    | LabelCountsQuery
    | LabelOrderQuery
)
