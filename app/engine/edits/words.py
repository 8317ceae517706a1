"""Apply edits of hit lists and dictionaries."""

from sqlalchemy import Connection, select, update

from app.engine.edits.base import NO_CHANGE, EditResult, RowState, mark_rows
from app.engine.store import schema
from app.engine.store.schema import hit_list
from app.engine.text.normalisation import clean_text
from app.errors import UserError
from app.protocol.edits.corpora import (
    RenameHitList,
    SetDictionaryState,
    SetHitListState,
)


def rename_hit_list(connection: Connection, change: RenameHitList) -> EditResult:
    """Return a list another name.

    Raises:
        UserError: there is no such list, or the name is empty.
    """
    query = select(hit_list.c.name).where(hit_list.c.id == change.hits)
    old = connection.scalar(query)
    if old is None:
        raise UserError("The list of hits is not in the project any more.")
    name = clean_text(change.name)[0]
    if not name:
        raise UserError("The name of the list is empty. Enter a name.")
    if name == old:
        return NO_CHANGE
    statement = update(hit_list).where(hit_list.c.id == change.hits)
    connection.execute(statement.values(name=name))
    inverse = RenameHitList(hits=change.hits, name=old)
    changed = [("hit_list", change.hits)]
    return EditResult(change.hits, f"{old} is called {name}.", inverse, changed)


def set_hit_list_state(connection: Connection, change: SetHitListState) -> EditResult:
    """Mark lists as deleted, or bring them back: those whose state is another.

    Raises:
        UserError: one of them is not there.
    """
    query = select(hit_list.c.id).where(hit_list.c.id.in_(change.lists))
    if len(set(connection.scalars(query))) < len(set(change.lists)):
        raise UserError("The list of hits is not in the project any more.")
    touched, text = mark_rows(connection, hit_list, change.lists, change.state)
    if not touched:
        return NO_CHANGE
    back: RowState = "ready" if change.state == "deleted" else "deleted"
    inverse = SetHitListState(lists=touched, state=back)
    return EditResult(touched[0], text, inverse, [("hit_list", id_) for id_ in touched])


def set_dictionary_state(
    connection: Connection, change: SetDictionaryState
) -> EditResult:
    """Set the state of those dictionaries whose state is another."""
    ids, text = mark_rows(
        connection, schema.dictionary, change.dictionaries, change.state
    )
    if not ids:
        return NO_CHANGE
    opposite: RowState = "ready" if change.state == "deleted" else "deleted"
    inverse = SetDictionaryState(dictionaries=ids, state=opposite)
    return EditResult(ids[0], text, inverse, [("dictionary", id_) for id_ in ids])
