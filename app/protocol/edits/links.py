"""Edits of the links between sentences of corpora."""

from typing import Annotated

from msgspec import Meta

from app.protocol.base import BaseChange

MAX_LINKS = 1_000  # of one change
BY_HAND = "by-hand"

# source, target, kind, run: the columns of table `link`
LinkValues = tuple[int, int, str, int | None]


class ChangeLinks(BaseChange, frozen=True, kw_only=True):
    """Remove links and add links; the inverse is a change of this kind too.

    Attributes:
        added: links that are there already stay as they are.
        removed: two sentences each, in any order; those without a link are skipped.
    """

    added: Annotated[tuple[LinkValues, ...], Meta(max_length=MAX_LINKS)] = ()
    removed: Annotated[tuple[tuple[int, int], ...], Meta(max_length=MAX_LINKS)] = ()
