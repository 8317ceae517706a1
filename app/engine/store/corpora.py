"""Corpora, and the ids of their sentences."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Engine, Row, func, select

from app.arrays import IdArray
from app.engine.store.schema import (
    CORPUS_STRIDE,
    corpus,
)

WORD_LIST_FORMAT = "words"  # in the report of a corpus
EXAMPLE_WRITER = "Isogloss"  # author of the example notes on the words of a list


class CorpusRow(NamedTuple):
    """A corpus, or the part of a corpus that a sub-corpus selects.

    Attributes:
        run_id: id of the import run.
        subcorpus: id of the sub-corpus that selects the sentences; 0: all sentences.
    """

    id: int
    name: str
    language: str
    language_given: str
    state: str
    n_sentences: int
    source: str
    report: dict[str, Any]
    created_at: float
    run_id: int | None = None
    subcorpus: int = 0

    @property
    def is_word_list(self) -> bool:
        """Return whether the corpus is the word list of a learned dictionary."""
        return self.report.get("format") == WORD_LIST_FORMAT


def first_sentence_id(corpus_id: int) -> int:
    """Return the id of a corpus's first sentence."""
    return corpus_id * CORPUS_STRIDE


SentenceIds = TypeVar("SentenceIds", int, IdArray)  # one id, or an array of them


def corpus_of(sentence_id: SentenceIds) -> SentenceIds:
    """Return the id of the corpus that each sentence belongs to."""
    return sentence_id // CORPUS_STRIDE


def position_of(sentence_id: SentenceIds) -> SentenceIds:
    """Return the position of each sentence in its corpus, from 0: its array row."""
    return sentence_id % CORPUS_STRIDE


def list_corpora(
    store: Engine, *, states: Sequence[str] = ("ready",)
) -> list[CorpusRow]:
    """List corpora in the order of creation."""
    columns = [column for column in corpus.c if column.key in CorpusRow._fields]
    query = select(*columns).where(corpus.c.state.in_(states)).order_by(corpus.c.id)
    with store.connect() as connection:
        return [_corpus_row(row) for row in connection.execute(query)]


def list_texts(store: Engine) -> list[CorpusRow]:
    """List the ready corpora except word lists; if there are none, the word lists."""
    rows = list_corpora(store)
    return [row for row in rows if not row.is_word_list] or rows


def find_word_lists(store: Engine) -> set[int]:
    """Return the ids of the corpora that are word lists of learned dictionaries."""
    format_ = func.json_extract(corpus.c.report, "$.format")
    query = select(corpus.c.id).where(format_ == WORD_LIST_FORMAT)
    with store.connect() as connection:
        return set(connection.scalars(query))


def _corpus_row(row: Row[Any]) -> CorpusRow:
    values = row._asdict()
    return CorpusRow(**{**values, "report": json.loads(values["report"])})
