"""Queries about the findings of quality checks."""

from app.protocol.answers.quality import FindingsAnswer
from app.protocol.base import BaseQuery


class FindingsQuery(BaseQuery[FindingsAnswer], frozen=True, kw_only=True):
    """The findings of a check without a hidden sentence.

    Attributes:
        run: of the check.
        kinds: of findings (none given = all).
    """

    run: int
    kinds: tuple[str, ...] = ()
