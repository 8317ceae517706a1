"""What Ask carries: short reads that need the engine."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from app.classify_questions import ClassifyQuery
from app.look_questions import TokensQuery
from app.map_questions import MapQuery
from app.pair_questions import PairQuery
from app.tagged import BaseQuery
from app.word_questions import WordQuery

SentenceOrder = Literal["position", "text", "length", "language", "line"]


class NearestQuery(BaseQuery, frozen=True, kw_only=True):
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


class WordsQuery(BaseQuery, frozen=True, kw_only=True):
    """Sentences that hold words, a prefix (`haus*`) or a "phrase"; answer as above."""

    text: str
    k: Annotated[int, Meta(ge=1, le=500)] = 12
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()


class OrderQuery(BaseQuery, frozen=True, kw_only=True):
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


class FindingsQuery(BaseQuery, frozen=True, kw_only=True):
    """Places of a search's findings of which no sentence is left out yet.

    The answer: {"file": "arrays/views/….npy" (int64 places), "n"}.

    Attributes:
        run: the search.
        kinds: of findings; none: all.
    """

    run: int
    kinds: tuple[str, ...] = ()


class PreviewQuery(BaseQuery, frozen=True, kw_only=True):
    """What an import would read: the answer is a `text.preview.Preview` as JSON."""

    params: dict[str, Any]  # ImportCorpus, perhaps without languages yet


class EncodersQuery(BaseQuery, frozen=True):
    """The encoders that can be used; the answer: see `encoders.shelf_list`."""


class WarmQuery(BaseQuery, frozen=True, kw_only=True):
    """Load the encoder and map the vectors, so that the first search is quick."""

    encoder: str = ""


class RecipeQuery(BaseQuery, frozen=True, kw_only=True):
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


def kind_of(query: Query) -> tuple[type, str]:
    """Tell which questions a newer one replaces: those of equal type and asker."""
    return type(query), getattr(query, "asker", "")
