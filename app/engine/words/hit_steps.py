"""The changes of kept lists of hits: a name, a mark of deletion."""

from sqlalchemy import Connection, select, update

from app.corpus_changes import RenameHitList, SetHitListState
from app.engine.change_steps import NOTHING, State, Step, mark_rows
from app.engine.store.schema import hit_list
from app.engine.text.normalise import clean_text
from app.errors import UserError


def rename_hit_list(connection: Connection, change: RenameHitList) -> Step:
    """Give a list another name.

    Raises:
        UserError: there is no such list, or the name is empty.
    """
    query = select(hit_list.c.name).where(hit_list.c.id == change.hits)
    old = connection.scalar(query)
    if old is None:
        raise UserError("The list of hits is not in the project any more.")
    name = clean_text(change.name)[0]
    if not name:
        raise UserError("The name of a list of hits is empty: give it one.")
    if name == old:
        return NOTHING
    statement = update(hit_list).where(hit_list.c.id == change.hits)
    connection.execute(statement.values(name=name))
    inverse = RenameHitList(hits=change.hits, name=old)
    changed = [("hit_list", change.hits)]
    return Step(change.hits, f"{old} is called {name}.", inverse, changed)


def set_hit_list_state(connection: Connection, change: SetHitListState) -> Step:
    """Mark lists as deleted, or bring them back: those whose state is another.

    Raises:
        UserError: one of them is not there.
    """
    query = select(hit_list.c.id).where(hit_list.c.id.in_(change.lists))
    if len(set(connection.scalars(query))) < len(set(change.lists)):
        raise UserError("The list of hits is not in the project any more.")
    touched, text = mark_rows(connection, hit_list, change.lists, change.state)
    if not touched:
        return NOTHING
    back: State = "ready" if change.state == "deleted" else "deleted"
    inverse = SetHitListState(lists=touched, state=back)
    return Step(touched[0], text, inverse, [("hit_list", id_) for id_ in touched])


__all__ = ["rename_hit_list", "set_hit_list_state"]
