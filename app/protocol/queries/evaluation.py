"""Queries about evaluations."""

from pathlib import Path

from app.protocol.answers.evaluation import (
    RetrievalComparison,
    RetrievalErrors,
    TreebankOffers,
)
from app.protocol.base import BaseQuery


class CompareRetrievalsQuery(BaseQuery[RetrievalComparison], frozen=True, kw_only=True):
    """Estimate the difference of two evaluations of retrieval on the same texts.

    Attributes:
        one, other: ids of runs of evaluate-retrieval or evaluate-tatoeba.
    """

    one: int
    other: int


class RetrievalErrorsQuery(BaseQuery[RetrievalErrors], frozen=True, kw_only=True):
    """List the sentences that an evaluation of retrieval got wrong.

    Attributes:
        run: id of a run of evaluate-retrieval or evaluate-tatoeba.
        source, target: names in its measurements.
    """

    run: int
    source: str
    target: str


class TreebankQuery(BaseQuery[TreebankOffers], frozen=True, kw_only=True):
    """List the features and relations of treebanks.

    Attributes:
        treebanks: files.
        fewest_words, most_words: limits of the length of sentences to read.
    """

    treebanks: tuple[Path, ...]
    fewest_words: int
    most_words: int
