"""Queries about corpora that are shown side by side."""

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
        fallbacks: ids of alignments to use if no links were imported.
        subcorpus: id of a sub-corpus that restricts the sentences of the first corpus.
        pairs: id of a pair set; between its corpora, its pairs are the links, and of
            the first corpus, only sentences with a pair are read. Rejected pairs are
            left out.
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
    """The corpora that links of an import connect with a corpus."""

    corpus: int


class WordLinksQuery(BaseQuery[WordLinksAnswer], frozen=True, kw_only=True):
    """The words of sentences that translate words of other sentences.

    Attributes:
        first, second: ids of sentences, each of one corpus.
        encoder: also compare the vectors of the words; empty: the one in use.
        requester: the part of the window that asks.
    """

    first: _Sentences
    second: _Sentences
    encoder: str = ""
    requester: str = ""


class MarkedText(msgspec.Struct, frozen=True, kw_only=True):
    """A text whose translations are marked in other sentences.

    Attributes:
        text: a query, or a sentence of the project.
        begin, end: the part that is translated, in code points; end 0: the whole text.
        targets: ids of the other sentences.
        sentence: id of the sentence; 0: the text is not of the project.
    """

    text: Annotated[str, Meta(max_length=20_000)]
    targets: Annotated[tuple[int, ...], Meta(max_length=2_000)]
    begin: int = 0
    end: int = 0
    sentence: int = 0


class WordMarksQuery(BaseQuery[WordMarksAnswer], frozen=True, kw_only=True):
    """The words of sentences that translate parts of texts.

    Attributes:
        requester: the part of the window that asks.
    """

    texts: Annotated[tuple[MarkedText, ...], Meta(max_length=200)]
    requester: str = ""


class ExampleWordsQuery(BaseQuery[ExampleWords], frozen=True, kw_only=True):
    """Words of the project for examples of queries.

    Attributes:
        languages: codes, the preferred ones first.
        patterns: regular expressions; the answer has those with a hit.
        requester: the part of the window that asks.
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
