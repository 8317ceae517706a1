"""Edits of the links between aligned documents."""

from typing import Literal

from app.protocol.base import BaseChange

BeadValues = tuple[int, int, int, int, float, float, float, float]
MAX_JOINED = 16  # sentences of one side of a bead that is made by hand


class SplitBead(BaseChange, frozen=True, kw_only=True):
    """Split a bead in the middle of both sides; of one and one sentence: take its link.

    The first part keeps the larger half.
    """

    bead: int


class MergeBead(BaseChange, frozen=True, kw_only=True):
    """Merge a bead with the next: that also links single sentences."""

    bead: int


class MoveBoundary(BaseChange, frozen=True, kw_only=True):
    """Move the end of one side of a bead by a sentence.

    Attributes:
        by: 1: the next bead's first sentence comes into this one; -1: this one's last
            goes to the next.
    """

    bead: int
    side: Literal["source", "target"]
    by: Literal[-1, 1]


class UnlinkBead(BaseChange, frozen=True, kw_only=True):
    """Take a link: the sentences of both sides stand alone."""

    bead: int


class RestoreBeads(BaseChange, frozen=True, kw_only=True):
    """Put beads back in the place of those that were made of them: the inverse.

    Attributes:
        mining: the alignment.
        made: ids of those that go.
        rows: those that come back: columns of table `pair` without the id.
        step: of the judgements that were made with it, to be taken back; 0: none.
    """

    mining: int
    made: tuple[int, ...]
    rows: tuple[BeadValues, ...]
    step: int = 0


AlignmentChange = SplitBead | MergeBead | MoveBoundary | UnlinkBead | RestoreBeads
