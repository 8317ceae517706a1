"""What Edit carries about maps."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class _Change(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="change",
    forbid_unknown_fields=True,
):
    """Base of these changes."""


class RenameProjection(_Change, frozen=True, kw_only=True):
    """Give a map another name."""

    projection: int
    name: Annotated[str, Meta(min_length=1, max_length=200)]


class SetProjectionState(_Change, frozen=True, kw_only=True):
    """Delete maps (a mark) or bring them back."""

    projections: Annotated[tuple[int, ...], Meta(min_length=1, max_length=1_000)]
    state: Literal["ready", "deleted"]


MapChange = RenameProjection | SetProjectionState
