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
        corpora, subcorpora: ids; both empty: the complete project.
        languages: codes; empty: all.
        requester: name of the sender; a newer query of the same type and requester
            replaces an older one.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    requester: str = ""


class ConcordanceQuery(_Query[ConcordanceAnswer], frozen=True, kw_only=True):
    """Request the occurrences of words or of a regular expression.

    Attributes:
        top: maximum number of lines in the order of `sort`; all hits are counted.
    """

    text: WordText
    mode: MatchMode = "words"
    case: bool = False
    sort: Annotated[tuple[SortKey, ...], Meta(max_length=3)] = ()
    top: Annotated[int, Meta(ge=1)] = 10_000_000
    seed: int = 1


class LineNeighboursQuery(_Query[LineNeighboursAnswer], frozen=True, kw_only=True):
    """Request the nearest sentences of several lines, linked translations first.

    The answer has at most 600 neighbours: the best six of each of 100 sentences.
    """

    sentences: Annotated[tuple[int, ...], Meta(min_length=1, max_length=100)]
    k: Annotated[int, Meta(ge=1, le=10)] = 1  # neighbours per language
    encoder: str = ""


class FrequenciesQuery(_Query[FrequenciesAnswer], frozen=True, kw_only=True):
    """Request a page of a frequency list.

    Attributes:
        waits: wait for long counting if the list is not cached; otherwise the answer
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
    """Request the words that occur near a word."""

    text: WordText
    left: Annotated[int, Meta(ge=0, le=20)] = 5
    right: Annotated[int, Meta(ge=0, le=20)] = 5
    layer: Layer = "word"
    order_by: SortCollocates = "log-likelihood"
    min_count: Annotated[int, Meta(ge=1)] = 2
    top: Annotated[int, Meta(ge=1, le=300)] = 200


class KeynessQuery(_Query[KeynessAnswer], frozen=True, kw_only=True):
    """Request the words that distinguish `corpora` and `subcorpora` from others."""

    against_corpora: tuple[int, ...] = ()
    against_subcorpora: tuple[int, ...] = ()
    layer: Layer = "word"
    n: Annotated[int, Meta(ge=1, le=6)] = 1
    min_count: Annotated[int, Meta(ge=1)] = 5
    top: Annotated[int, Meta(ge=1, le=300)] = 200


class EquivalentsQuery(_Query[EquivalentsAnswer], frozen=True, kw_only=True):
    """Request the translations of a word.

    Attributes:
        minings: ids of pair sets; empty: the links of the corpora.
        accepted: use only accepted pairs of these sets.
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
    """Request the translations of a word in bilingual (mapped) word vectors.

    Attributes:
        map: name of bilingual vectors of the project.
        top: number of translations for each of the three rankings.
    """

    text: WordText
    map: Annotated[str, Meta(min_length=1)]
    top: Annotated[int, Meta(ge=1, le=100)] = 20


class NeighboursQuery(_Query[NeighboursAnswer], frozen=True, kw_only=True):
    """Request the nearest words of a word in one language, or answers to an analogy.

    Attributes:
        text: a word, or an analogy `a : b = c`.
        vectors: name of word vectors of the project.
    """

    text: WordText
    vectors: Annotated[str, Meta(min_length=1)]
    top: Annotated[int, Meta(ge=1, le=200)] = 50


class WordMapQuery(BaseQuery[WordMapAnswer], frozen=True, kw_only=True):
    """Request 2-D positions of the most frequent words before and after mapping.

    Attributes:
        map: name of bilingual vectors of the project.
        n: number of words per language.
    """

    map: Annotated[str, Meta(min_length=1)]
    n: Annotated[int, Meta(ge=1, le=1_500)] = 1_500


class StepsQuery(_Query[StepCounts], frozen=True, kw_only=True, tag="ChainQuery"):
    """Request the number of sentences after each step of a sub-corpus."""

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
