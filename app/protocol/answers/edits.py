"""Answers to edits."""

import msgspec


class EditAnswer(msgspec.Struct, frozen=True):
    """The result of an edit.

    Attributes:
        id: id of the edited row; 0: nothing changed.
        text: sentence that describes the edit.
        can_undo, can_redo: whether an edit can now be undone or redone.
    """

    id: int
    text: str
    can_undo: bool
    can_redo: bool
