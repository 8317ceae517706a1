"""Queries about concordances, word counts, collocates and equivalents."""

from typing import Annotated, Any, Generic, Literal

from msgspec import Meta

from app.params.words import Layer, MatchMode, SortCollocates, SortKey
from app.protocol.answers.corpora import StepCounts
from app.protocol.base import A, BaseQuery


class _Query(BaseQuery[A], Generic[A], frozen=True, kw_only=True):
    """Base of these queries; the latest of a kind and asker wins.

    Attributes:
        corpora, subcorpora: ids; none of either: the whole project.
        languages: codes; none: all.
        asker: the part of the window that asks: its questions are a kind apart.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    asker: str = ""


class ConcordanceQuery(_Query[dict[str, Any]], frozen=True, kw_only=True):
    """Where words or a regular expression stand.

    The answer: {"file": "arrays/views/….npy" (int64 (m, 3): sentence id, start, end in
    code points of the text), "n": all hits, "n_lines": m, "n_sentences" that hold one,
    "n_searched": sentences, "n_tokens" of them (null for a regular expression),
    "is_cut": the time was over before all was read, "not_indexed": [ids of corpora
    that were left out: their words are not indexed yet], "words": file of int32 (m,
    12), start and end of the words L3, L2, L1, R1, R2, R3 of each line in code points,
    -1 where there is none, "notes": sentences on what to mind, "elapsed_s"}.

    Attributes:
        top: lines at most, in the order asked; all are counted.
    """

    text: Annotated[str, Meta(min_length=1, max_length=1_000)]
    mode: MatchMode = "words"
    case: bool = False
    sort: Annotated[tuple[SortKey, ...], Meta(max_length=3)] = ()
    top: Annotated[int, Meta(ge=1)] = 10_000_000
    seed: int = 1


class LineNeighboursQuery(_Query[dict[str, Any]], frozen=True, kw_only=True):
    """The nearest sentences of several lines at once, translations by links first.

    The answer: {"neighbours": [[{"sentence", "score" (cosine, or null), "language",
    "is_translation"}, …] for each sentence asked], "not_encoded": [ids of corpora]}.
    There are 600 at most: of 100 sentences the best six each.
    """

    sentences: Annotated[tuple[int, ...], Meta(min_length=1, max_length=100)]
    k: Annotated[int, Meta(ge=1, le=10)] = 1  # of each language
    encoder: str = ""


class FrequenciesQuery(_Query[dict[str, Any]], frozen=True, kw_only=True):
    """A page of a list of frequencies.

    The answer: {"rows": [{"item", "rank", "n", "per_million", "low", "high" (95 %
    interval of per_million), "n_documents", "dispersion" (DP, Gries 2008: 0 even … 1
    clumped; null with one document)}], "n_items", "n_tokens", "n_documents",
    "not_indexed", "not_counted": the list would take long to make, and was not}.

    Attributes:
        waits: for a list that is not kept yet and takes long; else it is only said so.
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


class CollocatesQuery(_Query[dict[str, Any]], frozen=True, kw_only=True):
    """Words that stand near a word.

    The answer: {"rows": [{"item", "n" (near the word), "n_left", "n_right", "n_corpus",
    "expected", "log_likelihood" (signed), "log_dice", "t_score"}], "n_hits",
    "n_tokens", "not_indexed"}.
    """

    text: Annotated[str, Meta(min_length=1, max_length=1_000)]
    left: Annotated[int, Meta(ge=0, le=20)] = 5
    right: Annotated[int, Meta(ge=0, le=20)] = 5
    layer: Layer = "word"
    order_by: SortCollocates = "log-likelihood"
    min_count: Annotated[int, Meta(ge=1)] = 2
    top: Annotated[int, Meta(ge=1, le=300)] = 200


class KeynessQuery(_Query[dict[str, Any]], frozen=True, kw_only=True):
    """Words that mark the corpora asked about against others.

    The answer: {"rows": [{"item", "n", "per_million", "n_against",
    "per_million_against", "log_likelihood" (signed), "log_ratio", "low", "high" (95 %
    interval of log_ratio)}], "n_tokens", "n_tokens_against", "not_indexed"}.
    """

    against_corpora: tuple[int, ...] = ()
    against_subcorpora: tuple[int, ...] = ()
    layer: Layer = "word"
    n: Annotated[int, Meta(ge=1, le=6)] = 1
    min_count: Annotated[int, Meta(ge=1)] = 5
    top: Annotated[int, Meta(ge=1, le=300)] = 200


class EquivalentsQuery(_Query[dict[str, Any]], frozen=True, kw_only=True):
    """How a word is translated.

    The answer: {"rows": [{"item", "form" (as it is mostly written), "n" (pairs with
    both), "n_own" (those of them where no other word of the source is tied to the
    candidate more), "n_target" (pairs with the candidate), "share" (n of the pairs with
    the word), "low", "high" (95 %), "score" (log-likelihood of the own pairs: what
    ranks), "log_likelihood" (of all pairs), "dice", "in_dictionary": bool or null,
    "examples": [[source id, target id], …]}], "n_word": pairs with the word, "n_pairs",
    "not_indexed", "missing": [translations that the dictionary has and the pairs have
    not], "notes": [sentences]}.
    """

    text: Annotated[str, Meta(min_length=1, max_length=1_000)]
    target_language: str
    source_language: str = ""
    minings: tuple[int, ...] = ()  # none: the links of the corpora
    accepted: bool = False
    layer: Layer = "word"
    order_by: Literal["log-likelihood", "dice", "frequency"] = "log-likelihood"
    min_count: Annotated[int, Meta(ge=1)] = 1
    dictionary: int | None = None
    top: Annotated[int, Meta(ge=1, le=100)] = 50
    n_examples: Annotated[int, Meta(ge=0, le=10)] = 5


class StepsQuery(_Query[StepCounts], frozen=True, kw_only=True, tag="ChainQuery"):
    """How many sentences the steps of a sub-corpus leave."""

    steps: Annotated[tuple[str, ...], Meta(max_length=50)] = ()
    encoder: str = ""


WordQuery = (
    ConcordanceQuery
    | LineNeighboursQuery
    | FrequenciesQuery
    | CollocatesQuery
    | KeynessQuery
    | EquivalentsQuery
    | StepsQuery
)
