"""Edits of the links between aligned documents."""

from typing import Literal

from app.protocol.base import BaseChange

BeadValues = tuple[int, int, int, int, float, float, float, float]
MAX_JOINED = 16  # sentences per side of a manual bead


class SplitBead(BaseChange, frozen=True, kw_only=True):
    """Split a bead in the middle of both sides; remove the link of a 1:1 bead.

    The first part keeps the larger half.
    """

    bead: int


class MergeBead(BaseChange, frozen=True, kw_only=True):
    """Merge a bead with the next one, which also links single sentences."""

    bead: int


class MoveBoundary(BaseChange, frozen=True, kw_only=True):
    """Move the end of one side of a bead by a sentence.

    Attributes:
        by: 1: move the next bead's first sentence into this bead; -1: move this bead's
            last sentence to the next.
    """

    bead: int
    side: Literal["source", "target"]
    by: Literal[-1, 1]


class UnlinkBead(BaseChange, frozen=True, kw_only=True):
    """Remove a link, so that the sentences of both sides are unlinked."""

    bead: int


class RestoreBeads(BaseChange, frozen=True, kw_only=True):
    """Restore beads that were replaced: the inverse of the other edits.

    Attributes:
        mining: the alignment.
        made: ids of the beads to remove.
        rows: beads to restore: columns of table `pair` without the id.
        step: step of the judgements made with the edit, to undo; 0: none.
    """

    mining: int
    made: tuple[int, ...]
    rows: tuple[BeadValues, ...]
    step: int = 0


AlignmentChange = SplitBead | MergeBead | MoveBoundary | UnlinkBead | RestoreBeads
