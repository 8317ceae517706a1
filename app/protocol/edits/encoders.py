"""Edits of the encoders of a project and their vectors."""

from typing import Annotated

from msgspec import Meta

from app.protocol.base import BaseChange

EncoderLabel = Annotated[str, Meta(min_length=1, max_length=200)]


class ChooseEncoder(BaseChange, frozen=True):
    """Take an encoder into use for search and encoding; empty: the bundled one."""

    encoder: Annotated[str, Meta(max_length=200)]


class RenameEncoder(BaseChange, frozen=True):
    """Give an encoder of the project another name."""

    encoder: EncoderLabel
    name: EncoderLabel


class RemoveEncoder(BaseChange, frozen=True):
    """Put an encoder of the project into its trash."""

    encoder: EncoderLabel


class RestoreEncoder(BaseChange, frozen=True):
    """Bring an encoder back from the trash, and into use if it was."""

    encoder: EncoderLabel
    trash: EncoderLabel
    is_chosen: bool


class DropVectors(BaseChange, frozen=True):
    """Remove the vectors that encoders have made (not undoable)."""

    fingerprints: Annotated[tuple[str, ...], Meta(min_length=1)]


# those with an inverse
EncoderChange = ChooseEncoder | RenameEncoder | RemoveEncoder | RestoreEncoder
