"""Edits of maps."""

from app.protocol.base import BaseChange, Name, RowIds, RowState


class RenameProjection(BaseChange, frozen=True, kw_only=True):
    """Rename a map."""

    projection: int
    name: Name


class SetProjectionState(BaseChange, frozen=True, kw_only=True):
    """Delete maps (a mark) or bring them back."""

    projections: RowIds
    state: RowState


MapChange = RenameProjection | SetProjectionState
