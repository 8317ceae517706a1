"""Queries about the findings of quality checks."""

from typing import Any

from app.protocol.base import BaseQuery


class FindingsQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Places of a search's findings of which no sentence is left out yet.

    The answer: {"file": "arrays/views/….npy" (int64 places), "n"}.

    Attributes:
        run: the search.
        kinds: of findings; none: all.
    """

    run: int
    kinds: tuple[str, ...] = ()
