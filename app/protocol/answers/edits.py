"""Answers to edits."""

import msgspec


class EditAnswer(msgspec.Struct, frozen=True):
    """What an edit did.

    Attributes:
        id: of the row that was edited; 0: nothing changed.
        text: a sentence that describes what was done.
        can_undo, can_redo: whether an edit can be undone, or redone, now.
    """

    id: int
    text: str
    can_undo: bool
    can_redo: bool
