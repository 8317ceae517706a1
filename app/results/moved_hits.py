"""Result of moving the hits of a saved list to a corrected corpus."""

from typing import Literal

import msgspec

HitChange = Literal["stayed", "moved", "changed", "lost"]


class MovedHit(msgspec.Struct, frozen=True):
    """What happened to one hit.

    Attributes:
        fate: moved (to another line or document), changed (the text was corrected) or
            lost.
        line: in the old file, from 1.
        new_line: in the new file; None if the hit is lost.
        text: the sentence, shortened: the new one, or the old one if it is lost.
        document: name of the sentence's document, or of its last one; empty: none.
        old_document: name of the former document, if it changed; otherwise empty.
    """

    fate: HitChange
    line: int
    new_line: int | None
    text: str
    document: str = ""
    old_document: str = ""


class MoveHitsResult(msgspec.Struct, frozen=True, kw_only=True):
    """The new list of hits.

    Attributes:
        hits: id of the new list.
        name: its name.
        n_stayed: hits in the same line and document, with the same text.
        n_moved: hits in another line or document, with the same text.
        n_changed: hits in corrected sentences.
        n_lost: hits whose sentence or words no longer exist.
        n_others: hits in other corpora, which did not change.
        named: the first hits that did not stay; lost ones come first.
        message: summary.
    """

    hits: int
    name: str
    n_stayed: int
    n_moved: int
    n_changed: int
    n_lost: int
    n_others: int
    named: list[MovedHit]
    message: str
