"""Queries about concordances, word lists, collocates, keywords and equivalents."""

from typing import Annotated, Generic, Literal

from msgspec import Meta

from app.params.words import Layer, MatchMode, SortCollocates, SortKey
from app.protocol.answers.corpora import StepCounts
from app.protocol.answers.words import (
    CollocatesAnswer,
    ConcordanceAnswer,
    EquivalentsAnswer,
    FrequenciesAnswer,
    KeynessAnswer,
    LineNeighboursAnswer,
    NeighboursAnswer,
    TranslationsAnswer,
    WordMapAnswer,
)
from app.protocol.base import A, BaseQuery, WordText


class _Query(BaseQuery[A], Generic[A], frozen=True, kw_only=True):
    """Base of these queries.

    Attributes:
        corpora, subcorpora: ids; if both are empty, the whole project is searched.
        languages: codes; empty means all.
        requester: the part of the window that asks; a newer query of the same type and
            requester replaces an older one.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    requester: str = ""


class ConcordanceQuery(_Query[ConcordanceAnswer], frozen=True, kw_only=True):
    """The occurrences of words or of a regular expression.

    Attributes:
        top: maximum number of lines, in the order of `sort`; all hits are counted.
    """

    text: WordText
    mode: MatchMode = "words"
    case: bool = False
    sort: Annotated[tuple[SortKey, ...], Meta(max_length=3)] = ()
    top: Annotated[int, Meta(ge=1)] = 10_000_000
    seed: int = 1


class LineNeighboursQuery(_Query[LineNeighboursAnswer], frozen=True, kw_only=True):
    """The nearest sentences of several lines at once, linked translations first.

    The answer has at most 600 neighbours: the best six of each of 100 sentences.
    """

    sentences: Annotated[tuple[int, ...], Meta(min_length=1, max_length=100)]
    k: Annotated[int, Meta(ge=1, le=10)] = 1  # of each language
    encoder: str = ""


class FrequenciesQuery(_Query[FrequenciesAnswer], frozen=True, kw_only=True):
    """A page of a frequency list.

    Attributes:
        waits: count a list that is not cached and takes long; otherwise the answer
            only reports `not_counted`.
    """

    layer: Layer = "word"
    n: Annotated[int, Meta(ge=1, le=6)] = 1
    find: str = ""
    min_count: Annotated[int, Meta(ge=1)] = 1
    order_by: Literal["n", "item", "n_documents", "dispersion"] = "n"
    descending: bool = True
    offset: Annotated[int, Meta(ge=0)] = 0
    limit: Annotated[int, Meta(ge=1, le=300)] = 200
    waits: bool = True


class CollocatesQuery(_Query[CollocatesAnswer], frozen=True, kw_only=True):
    """The words that occur near a word."""

    text: WordText
    left: Annotated[int, Meta(ge=0, le=20)] = 5
    right: Annotated[int, Meta(ge=0, le=20)] = 5
    layer: Layer = "word"
    order_by: SortCollocates = "log-likelihood"
    min_count: Annotated[int, Meta(ge=1)] = 2
    top: Annotated[int, Meta(ge=1, le=300)] = 200


class KeynessQuery(_Query[KeynessAnswer], frozen=True, kw_only=True):
    """The words that distinguish `corpora` and `subcorpora` from others."""

    against_corpora: tuple[int, ...] = ()
    against_subcorpora: tuple[int, ...] = ()
    layer: Layer = "word"
    n: Annotated[int, Meta(ge=1, le=6)] = 1
    min_count: Annotated[int, Meta(ge=1)] = 5
    top: Annotated[int, Meta(ge=1, le=300)] = 200


class EquivalentsQuery(_Query[EquivalentsAnswer], frozen=True, kw_only=True):
    """The translations of a word.

    Attributes:
        minings: ids of pair sets; empty means the links of the corpora.
        accepted: only accepted pairs of these sets.
    """

    text: WordText
    target_language: str
    source_language: str = ""
    minings: tuple[int, ...] = ()
    accepted: bool = False
    layer: Layer = "word"
    order_by: Literal["log-likelihood", "dice", "frequency"] = "log-likelihood"
    min_count: Annotated[int, Meta(ge=1)] = 1
    dictionary: int | None = None
    top: Annotated[int, Meta(ge=1, le=100)] = 50
    n_examples: Annotated[int, Meta(ge=0, le=10)] = 5


class TranslationsQuery(_Query[TranslationsAnswer], frozen=True, kw_only=True):
    """The translations of a word in mapped word vectors.

    Attributes:
        map: name of a map of the project.
        top: translations by each of the three rankings.
    """

    text: WordText
    map: Annotated[str, Meta(min_length=1)]
    top: Annotated[int, Meta(ge=1, le=100)] = 20


class NeighboursQuery(_Query[NeighboursAnswer], frozen=True, kw_only=True):
    """The nearest words of a word in one language, or the answers to an analogy.

    Attributes:
        text: a word, or an analogy a : b = c.
        vectors: name of word vectors of the project.
    """

    text: WordText
    vectors: Annotated[str, Meta(min_length=1)]
    top: Annotated[int, Meta(ge=1, le=200)] = 50


class WordMapQuery(BaseQuery[WordMapAnswer], frozen=True, kw_only=True):
    """The most frequent words of a mapping on a plane, before and after mapping.

    Attributes:
        map: name of a map of the project.
        n: words of each language.
    """

    map: Annotated[str, Meta(min_length=1)]
    n: Annotated[int, Meta(ge=1, le=1_500)] = 1_500


class StepsQuery(_Query[StepCounts], frozen=True, kw_only=True, tag="ChainQuery"):
    """How many sentences the steps of a sub-corpus leave."""

    steps: Annotated[tuple[str, ...], Meta(max_length=50)] = ()
    encoder: str = ""


WordIndexQuery = (
    ConcordanceQuery
    | LineNeighboursQuery
    | FrequenciesQuery
    | CollocatesQuery
    | KeynessQuery
    | EquivalentsQuery
)
VectorQuery = TranslationsQuery | NeighboursQuery | WordMapQuery
