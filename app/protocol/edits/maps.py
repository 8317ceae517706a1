"""Edits of maps."""

from app.protocol.base import BaseChange, Name, RowIds, RowState


class RenameProjection(BaseChange, frozen=True, kw_only=True):
    """Rename a map."""

    projection: int
    name: Name


class SetProjectionState(BaseChange, frozen=True, kw_only=True):
    """Mark maps as deleted, or restore them."""

    projections: RowIds
    state: RowState


MapChange = RenameProjection | SetProjectionState
