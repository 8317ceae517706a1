"""Edits of the encoders of a project and their vectors."""

from typing import Annotated

from msgspec import Meta

from app.protocol.base import BaseChange, Name


class ChooseEncoder(BaseChange, frozen=True):
    """Use an encoder for search and encoding; empty for the bundled one."""

    encoder: Annotated[str, Meta(max_length=200)]


class RenameEncoder(BaseChange, frozen=True):
    """Rename an encoder of the project."""

    encoder: Name
    name: Name


class RemoveEncoder(BaseChange, frozen=True):
    """Move an encoder of the project to its trash."""

    encoder: Name


class RestoreEncoder(BaseChange, frozen=True):
    """Restore an encoder from the trash, and use it if it was in use."""

    encoder: Name
    trash: Name
    is_chosen: bool


class DropVectors(BaseChange, frozen=True):
    """Remove the vectors computed by encoders (not undoable)."""

    fingerprints: Annotated[tuple[str, ...], Meta(min_length=1)]


# edits with an inverse
EncoderChange = ChooseEncoder | RenameEncoder | RemoveEncoder | RestoreEncoder
