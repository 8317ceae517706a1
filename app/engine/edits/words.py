"""Apply edits of hit lists and dictionaries."""

from sqlalchemy import Connection, select

from app.engine.edits.base import (
    NO_CHANGE,
    EditResult,
    clean_name,
    find_row,
    rename_row,
    set_row_states,
)
from app.engine.store import schema
from app.engine.store.schema import hit_list
from app.errors import UserError
from app.protocol.edits.corpora import (
    ListChange,
    RenameHitList,
    SetDictionaryState,
    SetHitListState,
)

MISSING = "The list of hits is not in the project any more."


def apply_list_edit(connection: Connection, change: ListChange) -> EditResult:
    """Apply an edit.

    Raises:
        UserError: there is no such list, or the new name is empty.
    """
    match change:
        case RenameHitList():
            return _rename(connection, change)
        case SetHitListState():
            return _set_hit_list_state(connection, change)
        case SetDictionaryState():
            return set_row_states(
                connection,
                schema.dictionary,
                change.dictionaries,
                change.state,
                lambda ids, state: SetDictionaryState(dictionaries=ids, state=state),
            )


def _rename(connection: Connection, change: RenameHitList) -> EditResult:
    old = find_row(connection, hit_list, change.hits, MISSING)
    name = clean_name(change.name, "The name of the list is empty. Enter a name.")
    if name == old.name:
        return NO_CHANGE
    return rename_row(connection, hit_list, change, old, name)


def _set_hit_list_state(connection: Connection, change: SetHitListState) -> EditResult:
    """Mark lists as deleted, or bring them back: those whose state is another."""
    query = select(hit_list.c.id).where(hit_list.c.id.in_(change.lists))
    if len(set(connection.scalars(query))) < len(set(change.lists)):
        raise UserError(MISSING)
    return set_row_states(
        connection,
        hit_list,
        change.lists,
        change.state,
        lambda ids, state: SetHitListState(lists=ids, state=state),
    )
