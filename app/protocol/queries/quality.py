"""Queries about the findings of quality checks."""

from app.protocol.answers.quality import FindingsAnswer
from app.protocol.base import BaseQuery


class FindingsQuery(BaseQuery[FindingsAnswer], frozen=True, kw_only=True):
    """Request the findings of a check that contain no hidden sentence.

    Attributes:
        run: id of the run of the check.
        kinds: kinds of findings; empty: all kinds.
    """

    run: int
    kinds: tuple[str, ...] = ()
