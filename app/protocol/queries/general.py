"""Queries about sentences, imports and encoders, and the union of all queries."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from app.protocol.answers.encoders import EncoderListing
from app.protocol.base import BaseQuery
from app.protocol.queries.classify import ClassifyQuery
from app.protocol.queries.maps import MapQuery
from app.protocol.queries.pairs import PairQuery
from app.protocol.queries.words import WordQuery


class TokensQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """The tokens of two sentences, and what each does for their cosine.

    The answer: {"encoder", "pooling", "cosine", "first": {"text", "tokens": [{"name",
    "contribution" (to the cosine, or null), "wins" (share of the dimensions of the
    maximum, 0…1, or null), "best": place of the most alike token of the other sentence,
    "similarity": their cosine}], "rest": what no token contributes, or null (all
    contributions and both rests: see `engine.look.inside`)}, "second": the same,
    "file": a .npy of float32 with all matrices one after the other, "matrices":
    [{"name": similarity, inner attention or layer N, "side": first, second or both,
    "head": from 1, 0 where it has none, "at": where it begins in the file, "shape",
    "entropy": or null}], "how": sentences on how it was made, "notes": what can't be
    told and why}.

    Attributes:
        first, second: texts; an empty second one: the first is compared with itself.
        first_sentence, second_sentence: ids of sentences in place of texts.
    """

    first: str = ""
    second: str = ""
    first_sentence: int | None = None
    second_sentence: int | None = None
    encoder: str = ""
    asker: str = ""  # the part of the window that asks: its questions are a kind apart


SentenceOrder = Literal["position", "text", "length", "language", "line"]


class NearestQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Nearest sentences of a typed text, or of a sentence of the project.

    The answer: {"hits": [{"sentence", "corpus_id", "score", "language"}], "n_searched",
    "elapsed_s", "not_encoded": [corpus ids without vectors]}.
    """

    text: str = ""
    sentence: int | None = None
    k: Annotated[int, Meta(ge=1, le=500)] = 12  # hits per language
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    encoder: str = ""
    asker: str = ""  # the part of the window that asks: its questions are a kind apart


class WordsQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Sentences that hold words, a prefix (`haus*`) or a "phrase"; answer as above."""

    text: str
    k: Annotated[int, Meta(ge=1, le=500)] = 12
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()


class OrderQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Ids of sentences in a wanted order, filtered.

    The answer: {"file": "arrays/views/….npy" (int64 ids), "n"}.

    Attributes:
        hidden: only the sentences that are hidden, instead of those that take part.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    find: str = ""
    order_by: SentenceOrder = "position"
    descending: bool = False
    hidden: Literal["without", "only"] = "without"
    asker: str = ""  # the part of the window that asks


class FindingsQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Places of a search's findings of which no sentence is left out yet.

    The answer: {"file": "arrays/views/….npy" (int64 places), "n"}.

    Attributes:
        run: the search.
        kinds: of findings; none: all.
    """

    run: int
    kinds: tuple[str, ...] = ()


class PreviewQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """What an import would read: the answer is a `text.preview.Preview` as JSON."""

    params: dict[str, Any]  # ImportCorpus, perhaps without languages yet


class EncodersQuery(BaseQuery[EncoderListing], frozen=True):
    """The encoders that the project can use."""


class WarmQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Load the encoder and map the vectors, so that the first search is quick."""

    encoder: str = ""


class RecipeQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """What the filters of a recipe would do with a sample of a mining's pairs.

    The answer: {"pairs": size of the sample, "steps": [{"filter", "n_left",
    "n_removed", "n_alone", "examples": [pair ids], "was_known"}]}.
    """

    mining: int
    filters: tuple[str, ...]
    sample: Annotated[int, Meta(ge=1, le=20_000)] = 2_000


Query = (
    NearestQuery
    | WordsQuery
    | OrderQuery
    | FindingsQuery
    | PreviewQuery
    | EncodersQuery
    | WarmQuery
    | RecipeQuery
    | TokensQuery
    | PairQuery
    | ClassifyQuery
    | MapQuery
    | WordQuery
)


def query_kind(query: Query) -> tuple[type, str]:
    """Return which questions a newer one replaces: those of equal type and asker."""
    return type(query), getattr(query, "asker", "")
