"""Queries about sentences: nearest, by keyword, in order."""

from typing import Annotated, Literal

from msgspec import Meta

from app.protocol.answers.search import OrderAnswer, SearchAnswer
from app.protocol.base import BaseQuery

SentenceOrder = Literal["position", "text", "length", "language", "line"]
MAX_K = 500  # hits of each language


class NearestQuery(BaseQuery[SearchAnswer], frozen=True, kw_only=True):
    """The nearest sentences to a typed text, or to a sentence of the project.

    Attributes:
        reranker: encoder that scores the nearest sentences once more; empty: none.
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
    """Sentences that contain words, a prefix (`haus*`) or a "phrase"."""

    text: str
    k: Annotated[int, Meta(ge=1, le=MAX_K)] = 12
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()


class OrderQuery(BaseQuery[OrderAnswer], frozen=True, kw_only=True):
    """Ids of sentences, sorted and filtered.

    Attributes:
        at_word_start: find only what begins a word; scripts without spaces: anywhere.
        hidden: only the hidden sentences, instead of the others.
    """

    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    find: str = ""
    at_word_start: bool = False
    order_by: SentenceOrder = "position"
    descending: bool = False
    hidden: Literal["without", "only"] = "without"
    requester: str = ""  # the part of the window that asks
