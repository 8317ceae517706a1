"""Edits of maps."""

from typing import Annotated, Literal

from msgspec import Meta

from app.protocol.base import BaseChange


class RenameProjection(BaseChange, frozen=True, kw_only=True):
    """Rename a map."""

    projection: int
    name: Annotated[str, Meta(min_length=1, max_length=200)]


class SetProjectionState(BaseChange, frozen=True, kw_only=True):
    """Delete maps (a mark) or bring them back."""

    projections: Annotated[tuple[int, ...], Meta(min_length=1, max_length=1_000)]
    state: Literal["ready", "deleted"]


MapChange = RenameProjection | SetProjectionState
