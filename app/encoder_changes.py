"""What Edit carries about the encoders of a project; small writes."""

from typing import Annotated

from msgspec import Meta

from app.tagged import BaseChange

Name = Annotated[str, Meta(min_length=1, max_length=200)]


class ChooseEncoder(BaseChange, frozen=True):
    """Take an encoder into use for search and encoding; empty: the bundled one."""

    encoder: Annotated[str, Meta(max_length=200)]


class RenameEncoder(BaseChange, frozen=True):
    """Give an encoder of the project another name."""

    encoder: Name
    name: Name


class RemoveEncoder(BaseChange, frozen=True):
    """Put an encoder of the project into its trash."""

    encoder: Name


class RestoreEncoder(BaseChange, frozen=True):
    """Bring an encoder back from the trash, and into use if it was."""

    encoder: Name
    trash: Name
    is_chosen: bool


class DropVectors(BaseChange, frozen=True):
    """Remove the vectors that encoders have made (not undoable)."""

    fingerprints: Annotated[tuple[str, ...], Meta(min_length=1)]


# those with an inverse
EncoderChange = ChooseEncoder | RenameEncoder | RemoveEncoder | RestoreEncoder
