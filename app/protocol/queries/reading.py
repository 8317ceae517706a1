"""Queries about corpora that are read side by side."""

from typing import Annotated

from msgspec import Meta

from app.protocol.answers.reading import (
    LinkedCorporaAnswer,
    ReadingAnswer,
    WordLinksAnswer,
)
from app.protocol.base import BaseQuery

MAX_COLUMNS = 12
_Sentences = Annotated[tuple[int, ...], Meta(min_length=1, max_length=100)]


class ReadingQuery(BaseQuery[ReadingAnswer], frozen=True, kw_only=True):
    """The rows in which corpora are read side by side.

    Attributes:
        corpora: ids, the first one leads.
        alignments: ids of alignments; between the corpora of each, its links are used
            instead of those of the import.
    """

    corpora: Annotated[tuple[int, ...], Meta(min_length=1, max_length=MAX_COLUMNS)]
    alignments: tuple[int, ...] = ()


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


ReadQuery = ReadingQuery | LinkedCorporaQuery | WordLinksQuery
