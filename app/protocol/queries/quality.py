"""Queries about the findings of quality checks."""

from app.protocol.answers.quality import FindingsAnswer
from app.protocol.base import BaseQuery


class FindingsQuery(BaseQuery[FindingsAnswer], frozen=True, kw_only=True):
    """Request the findings of a check without hidden sentences.

    Attributes:
        run: id of the check's run.
        kinds: kinds of findings; empty: all.
    """

    run: int
    kinds: tuple[str, ...] = ()
