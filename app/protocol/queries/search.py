"""Queries about sentences: nearest, by keyword, in order."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from app.protocol.base import BaseQuery

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
