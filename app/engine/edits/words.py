"""Apply edits of hit lists and dictionaries."""

from sqlalchemy import Connection, select, update

from app.engine.edits.base import (
    NO_CHANGE,
    EditResult,
    clean_name,
    find_row,
    set_row_states,
)
from app.engine.store import schema
from app.engine.store.schema import hit_list
from app.errors import UserError
from app.protocol.edits.corpora import (
    RenameHitList,
    SetDictionaryState,
    SetHitListState,
)

MISSING = "The list of hits is not in the project any more."


def rename_hit_list(connection: Connection, change: RenameHitList) -> EditResult:
    """Return a list another name.

    Raises:
        UserError: there is no such list, or the name is empty.
    """
    old = find_row(connection, hit_list, change.hits, MISSING).name
    name = clean_name(change.name, "The name of the list is empty. Enter a name.")
    if name == old:
        return NO_CHANGE
    statement = update(hit_list).where(hit_list.c.id == change.hits)
    connection.execute(statement.values(name=name))
    inverse = RenameHitList(hits=change.hits, name=old)
    changed = [("hit_list", change.hits)]
    text = f"Renamed {old} to {name}."
    return EditResult(change.hits, text, inverse, changed)


def set_hit_list_state(connection: Connection, change: SetHitListState) -> EditResult:
    """Mark lists as deleted, or bring them back: those whose state is another.

    Raises:
        UserError: one of them is not there.
    """
    query = select(hit_list.c.id).where(hit_list.c.id.in_(change.lists))
    if len(set(connection.scalars(query))) < len(set(change.lists)):
        raise UserError(MISSING)
    return set_row_states(connection, hit_list, change, "lists")


def set_dictionary_state(
    connection: Connection, change: SetDictionaryState
) -> EditResult:
    """Set the state of those dictionaries whose state is another."""
    return set_row_states(connection, schema.dictionary, change, "dictionaries")
