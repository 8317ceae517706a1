"""Edits of the links between sentences of corpora."""

from app.protocol.base import BaseChange

BY_HAND = "by-hand"

# source, target, kind, run: the columns of table `link`
LinkValues = tuple[int, int, str, int | None]


class ChangeLinks(BaseChange, frozen=True, kw_only=True):
    """Remove links and add links; the inverse is also of this kind.

    Attributes:
        added: links to add; existing links are not changed.
        removed: pairs of sentences, in any order; pairs without a link are skipped.
    """

    added: tuple[LinkValues, ...] = ()
    removed: tuple[tuple[int, int], ...] = ()


class UnlinkRejected(BaseChange, frozen=True, kw_only=True):
    """Remove the links between the sentences of the rejected pairs of a set."""

    mining: int


LinkChange = ChangeLinks | UnlinkRejected
