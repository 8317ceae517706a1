"""Queries about corpora side by side."""

from typing import Annotated

import msgspec
from msgspec import Meta

from app.protocol.answers.reading import (
    ExampleWords,
    LinkedCorporaAnswer,
    ReadingAnswer,
    WordLinksAnswer,
    WordMarksAnswer,
)
from app.protocol.base import BaseQuery

MAX_COLUMNS = 12
_Sentences = Annotated[tuple[int, ...], Meta(min_length=1, max_length=100)]


class ReadingQuery(BaseQuery[ReadingAnswer], frozen=True, kw_only=True):
    """Request the rows of corpora side by side.

    Attributes:
        corpora: ids; the first corpus determines the rows.
        alignments: ids of alignments; their links replace the imported links between
            their corpora, except outside the aligned lines.
        fallbacks: ids of alignments to use between corpora without imported links.
        subcorpus: id of a sub-corpus that restricts the sentences of the first corpus.
        pairs: id of a pair set whose pairs replace the links between its corpora; the
            rows contain only sentences of the first corpus with a pair. Rejected pairs
            are left out.
        accepted_only: use only accepted pairs.
        lowest: minimum score of pairs that are not accepted; None: no minimum.
    """

    corpora: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_COLUMNS)]
    alignments: tuple[int, ...] = ()
    fallbacks: tuple[int, ...] = ()
    subcorpus: int = 0
    pairs: int = 0
    accepted_only: bool = False
    lowest: float | None = None


class LinkedCorporaQuery(BaseQuery[LinkedCorporaAnswer], frozen=True, kw_only=True):
    """Request the corpora that imported links connect with a corpus."""

    corpus: int


class WordLinksQuery(BaseQuery[WordLinksAnswer], frozen=True, kw_only=True):
    """Request the words in sentences that translate words of other sentences.

    Attributes:
        first, second: ids of sentences, each from one corpus.
        encoder: name of the encoder for the word vectors; empty: the encoder in use.
        requester: name of the sender.
    """

    first: _Sentences
    second: _Sentences
    encoder: str = ""
    requester: str = ""


class MarkedText(msgspec.Struct, frozen=True, kw_only=True):
    """A text with translations to mark in other sentences.

    Attributes:
        text: a query, or a sentence of the project.
        begin, end: translated part in code points; end 0: the complete text.
        targets: ids of the other sentences.
        sentence: id of the sentence; 0 for a text outside the project.
    """

    text: Annotated[str, Meta(max_length=20_000)]
    targets: Annotated[tuple[int, ...], Meta(max_length=2_000)]
    begin: int = 0
    end: int = 0
    sentence: int = 0


class WordMarksQuery(BaseQuery[WordMarksAnswer], frozen=True, kw_only=True):
    """Request the words in sentences that translate parts of texts.

    Attributes:
        requester: name of the sender.
    """

    texts: Annotated[tuple[MarkedText, ...], Meta(max_length=200)]
    requester: str = ""


class ExampleWordsQuery(BaseQuery[ExampleWords], frozen=True, kw_only=True):
    """Request words of the project for example queries.

    Attributes:
        languages: codes, preferred languages first.
        patterns: regular expressions; the answer contains those with a hit.
        requester: name of the sender.
    """

    languages: tuple[str, ...]
    patterns: tuple[str, ...] = ()
    requester: str = ""


ReadQuery = (
    ReadingQuery
    | LinkedCorporaQuery
    | WordLinksQuery
    | WordMarksQuery
    | ExampleWordsQuery
)
