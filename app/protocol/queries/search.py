"""Queries about sentences: nearest, by keyword, in order."""

from typing import Annotated, Literal

from msgspec import Meta

from app.protocol.answers.search import OrderAnswer, SearchAnswer
from app.protocol.base import BaseQuery

SentenceOrder = Literal["position", "text", "length", "language", "line"]
MAX_K = 500  # maximum of hits per language


class NearestQuery(BaseQuery[SearchAnswer], frozen=True, kw_only=True):
    """Request the sentences nearest to a typed text or to a sentence of the project.

    Attributes:
        reranker: encoder that re-ranks the nearest sentences; empty: none.
    """

    text: str = ""
    sentence: int | None = None
    k: Annotated[int, Meta(ge=1, le=MAX_K)] = 12  # hits per language
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    encoder: str = ""
    reranker: str = ""
    requester: str = ""


class KeywordQuery(BaseQuery[SearchAnswer], frozen=True, kw_only=True):
    """Request the sentences that contain words, a prefix (`haus*`) or a "phrase"."""

    text: str
    k: Annotated[int, Meta(ge=1, le=MAX_K)] = 12
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()


class OrderQuery(BaseQuery[OrderAnswer], frozen=True, kw_only=True):
    """Request the ids of sentences, sorted and filtered.

    Attributes:
        at_word_start: match only at the start of words; in scripts without spaces,
            anywhere.
        hidden: return only hidden sentences instead of active ones.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    find: str = ""
    at_word_start: bool = False
    order_by: SentenceOrder = "position"
    descending: bool = False
    hidden: Literal["without", "only"] = "without"
    requester: str = ""  # name of the sender
