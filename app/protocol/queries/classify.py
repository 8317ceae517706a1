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
        others: ids of the corpora of the second texts of pairs; empty: for each corpus
            the ones used in its latest classification.
        classes: names; empty: all.
        languages: stored codes; empty: all.
        lowest, highest: bounds of the probability (score), both included.
        which: only sentences with a label, without one, or whose label is not the
            predicted class.
        order: by descending or ascending probability, or by corpus and position.
        requester: the part of the window that asks; each has its own newest query.
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
    """Find the sentences that two classifiers put into different classes.

    Attributes:
        before, after: ids of classifiers.
    """

    before: int
    after: int
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    requester: str = ""


class SuggestQuery(BaseQuery[SuggestionsAnswer], frozen=True, kw_only=True):
    """Suggest sentences to label next: uncertain and varied ones.

    Attributes:
        n: number of sentences.
        diversity: 0: by uncertainty only; 1: by distance from those chosen only.
    """

    classifier: int
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    n: Annotated[int, Meta(ge=1, le=500)] = 20
    diversity: Annotated[float, Meta(ge=0, le=1)] = 0.5


class ClassifyTextQuery(BaseQuery[ClassifyTextAnswer], frozen=True, kw_only=True):
    """Classify a typed text, or two texts by a classifier of pairs."""

    classifier: int
    texts: tuple[Annotated[str, Meta(max_length=10_000)], ...]


class CompareTransfersQuery(BaseQuery[TransferComparison], frozen=True, kw_only=True):
    """Test whether two transfer tests of the same rows differ significantly.

    Attributes:
        one, other: runs of evaluate-transfer.
    """

    one: int
    other: int


class LabelCountsQuery(BaseQuery[LabelCountsAnswer], frozen=True, kw_only=True):
    """Count the sentences of each class in labelled corpora.

    Attributes:
        corpora, subcorpora: ids; empty: all. Only active sentences of sub-corpora
            count.
        requester: the part of the window that asks; each has its own newest query.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    requester: str = ""


class LabelOrderQuery(BaseQuery[OrderAnswer], frozen=True, kw_only=True):
    """List sentences of some classes, or without a label, in the order of corpora.

    Attributes:
        corpora, subcorpora: ids; empty: all corpora.
        classes: names of labelled sentences; empty: all.
        requester: the part of the window that asks; each has its own newest query.
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
