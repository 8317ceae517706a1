"""Queries about evaluations."""

from app.protocol.answers.evaluation import RetrievalComparison
from app.protocol.base import BaseQuery


class CompareRetrievalsQuery(BaseQuery[RetrievalComparison], frozen=True, kw_only=True):
    """Estimate the difference of two evaluations of retrieval on the same texts.

    Attributes:
        one, other: runs of evaluate-retrieval or evaluate-tatoeba.
    """

    one: int
    other: int
