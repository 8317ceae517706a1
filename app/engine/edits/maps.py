"""Apply edits of maps: rename, delete and restore."""

from sqlalchemy import Connection

from app.engine.edits.base import (
    EditResult,
    clean_name,
    find_row,
    rename_row,
    set_row_states,
)
from app.engine.store.schema import projection
from app.protocol.edits.maps import MapChange, RenameProjection, SetProjectionState


def apply_map_edit(connection: Connection, change: MapChange) -> EditResult:
    """Apply an edit.

    Raises:
        UserError: the map does not exist, or its new name is empty.
    """
    match change:
        case RenameProjection():
            return _rename(connection, change)
        case SetProjectionState():
            return set_row_states(connection, projection, change)


def _rename(connection: Connection, change: RenameProjection) -> EditResult:
    missing = "The map is no longer in the project."
    old = find_row(connection, projection, change.projection, missing)
    name = clean_name(change.name, "The name of the map is empty. Enter a name.")
    return rename_row(connection, projection, change, old, name)
