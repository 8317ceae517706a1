"""Queries about evaluations."""

from pathlib import Path

from app.protocol.answers.evaluation import (
    RetrievalComparison,
    RetrievalErrors,
    TreebankOffers,
)
from app.protocol.base import BaseQuery


class CompareRetrievalsQuery(BaseQuery[RetrievalComparison], frozen=True, kw_only=True):
    """Estimate the difference between two retrieval evaluations on the same texts.

    Attributes:
        one, other: ids of runs of evaluate-retrieval or evaluate-tatoeba.
    """

    one: int
    other: int


class RetrievalErrorsQuery(BaseQuery[RetrievalErrors], frozen=True, kw_only=True):
    """List the retrieval errors of an evaluation.

    Attributes:
        run: id of a run of evaluate-retrieval or evaluate-tatoeba.
        source, target: names of source and target in the measurements.
    """

    run: int
    source: str
    target: str


class TreebankQuery(BaseQuery[TreebankOffers], frozen=True, kw_only=True):
    """List the features and relations of treebanks.

    Attributes:
        treebanks: treebank files.
        fewest_words, most_words: inclusive bounds of sentence length.
    """

    treebanks: tuple[Path, ...]
    fewest_words: int
    most_words: int
