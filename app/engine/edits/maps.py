"""Apply edits of maps: rename, delete and restore."""

from sqlalchemy import Connection, select, update

from app.engine.edits.base import NO_CHANGE, EditResult, RowState, mark_rows
from app.engine.store import schema
from app.engine.text.normalisation import clean_text
from app.errors import UserError
from app.protocol.edits.maps import MapChange, RenameProjection, SetProjectionState


def apply_map_edit(connection: Connection, change: MapChange) -> EditResult:
    """Make one change.

    Raises:
        UserError: the map is not there, or its new name is empty.
    """
    match change:
        case RenameProjection():
            return _rename(connection, change)
        case SetProjectionState():
            return _set_state(connection, change)


def _rename(connection: Connection, change: RenameProjection) -> EditResult:
    table = schema.projection
    where = table.c.id == change.projection
    old = connection.scalar(select(table.c.name).where(where))
    if old is None:
        raise UserError("The map is no longer in the project.")
    name = clean_text(change.name)[0]
    if not name:
        raise UserError("The name of the map is empty. Enter a name.")
    connection.execute(update(table).where(where).values(name=name))
    return EditResult(
        change.projection,
        f"Renamed {old} to {name}.",
        RenameProjection(projection=change.projection, name=old),
        [("projection", change.projection)],
    )


def _set_state(connection: Connection, change: SetProjectionState) -> EditResult:
    """Set the state of those maps whose state is another."""
    ids, text = mark_rows(
        connection, schema.projection, change.projections, change.state
    )
    if not ids:
        return NO_CHANGE
    opposite: RowState = "ready" if change.state == "deleted" else "deleted"
    inverse = SetProjectionState(projections=ids, state=opposite)
    return EditResult(ids[0], text, inverse, [("projection", id_) for id_ in ids])
