"""Queries about predictions, labels and transfer between languages."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from app.protocol.answers.search import OrderAnswer
from app.protocol.base import BaseQuery


class PredictionsQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Ids of classified sentences in a wanted order, filtered.

    The answer: {"file": "arrays/views/….npy" (int64 ids), "n", "n_by_class": {class: n,
    before classes and which are looked at}, "without": names of corpora that the
    classifier has not been used on}. What was said of a sentence is read from
    `store/prediction_arrays.py`.

    Attributes:
        corpora, subcorpora: ids; none of either: all that are classified.
        others: ids of the corpora of the second texts, where it is pairs that were
            classified; empty: of each corpus the ones it was classified with last.
        classes: names; empty: all.
        languages: stored codes; empty: all.
        lowest, highest: bounds of the probability (score), both included.
        which: only those with a label, without one, or with a label that is another
            class than was said.
        order: the surest first, the least sure first, or by corpus and position.
        asker: the part of the window that asks: its questions are a kind apart.
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
    asker: str = ""


class PredictionChangesQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """What another classifier says otherwise of the sentences that both classified.

    The answer: {"file": ids of those (int64), "n", "n_compared", "moves": [{"before",
    "after", "n"}], the most frequent first}.

    Attributes:
        before, after: ids of classifiers.
    """

    before: int
    after: int
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    asker: str = ""


class SuggestQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Sentences to label next: those of which the classifier is unsure, unlike ones.

    The answer: {"sentences": [{"sentence", "predicted", "probability"}]}, the most
    useful first.

    Attributes:
        n: how many.
        diversity: 0: only by how unsure it is; 1: only unlike those already chosen.
    """

    classifier: int
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    n: Annotated[int, Meta(ge=1, le=500)] = 20
    diversity: Annotated[float, Meta(ge=0, le=1)] = 0.5


class CompareTransfersQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Whether two tests of the same rows differ by more than chance.

    The answer: {"languages": [{"language", "n", "one", "other" (accuracies),
    "difference" (one less other), "low", "high" (95 %, paired bootstrap), "only_one",
    "only_other" (rows that only one had right), "p" (McNemar, exact)}], "skipped":
    sentences on languages that were not tested on the same rows}.

    Attributes:
        one, other: runs of evaluate-transfer.
    """

    one: int
    other: int


class LabelCountsQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """The classes of labelled corpora, and how many sentences have each.

    The answer: {"corpora": [{"id", "n_labelled", "n_classes", "classes": [[name, n]],
    the most frequent first, a hundred at most}]}, without corpora that have no label.

    Attributes:
        subcorpora: ids; of these only the sentences that take part are counted.
        asker: the part of the window that asks: its questions are a kind apart.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    asker: str = ""


class LabelOrderQuery(BaseQuery[OrderAnswer], frozen=True, kw_only=True):
    """Ids of sentences of some classes, or without a label, in the order of corpora.

    Attributes:
        classes: names; empty: all; of labelled ones only.
        asker: the part of the window that asks: its questions are a kind apart.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    which: Literal["labelled", "unlabelled"] = "labelled"
    classes: tuple[str, ...] = ()
    asker: str = ""


ClassifyQuery = (
    PredictionsQuery
    | PredictionChangesQuery
    | SuggestQuery
    | CompareTransfersQuery
    | LabelCountsQuery
    | LabelOrderQuery
)
