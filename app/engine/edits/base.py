"""The result of an edit with its inverse, and helpers shared by edits."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, Table, select, update

from app.engine.project.project import OPEN_STATES
from app.engine.store.schema import run
from app.engine.text.normalisation import clean_text
from app.errors import UserError
from app.protocol.edits import Change, RenameChange, StateChange


class EditResult(NamedTuple):
    """The result of an edit.

    Attributes:
        id: id of the row.
        text: sentence that describes the change.
        inverse: change that undoes the edit; None if nothing changed or undo is
            impossible.
        changed: kind and id of the rows that have changed.
        again: change to make on redo; None: the original change.
    """

    id: int
    text: str
    inverse: Change | None
    changed: list[tuple[str, int]]
    again: Change | None = None


# Names of the rows of a table.
KINDS = {
    "mining": ("pair set", "pair sets"),
    "corpus": ("corpus", "corpora"),
    "subcorpus": ("sub-corpus", "sub-corpora"),
    "hit_list": ("hit list", "hit lists"),
    "dictionary": ("dictionary", "dictionaries"),
    "classifier": ("classifier", "classifiers"),
    "projection": ("map", "maps"),
}
NO_CHANGE = EditResult(0, "There was nothing to change.", None, [])


def set_row_states(
    connection: Connection, table: Table, change: StateChange
) -> EditResult:
    """Mark rows of a table as deleted, or restore them, if their state differs."""
    ids_field, _ = change.__struct_fields__  # ids of the rows, and their new state
    ids, state = getattr(change, ids_field), change.state
    is_touched = table.c.id.in_(ids), table.c.state != state
    query = select(table.c.id, table.c.name).where(*is_touched).order_by(table.c.id)
    touched = connection.execute(query).all()
    if not touched:
        return NO_CHANGE
    connection.execute(update(table).where(*is_touched).values(state=state))
    kind = KINDS[table.name][len(touched) > 1]
    names = ", ".join(f"“{row.name}”" for row in touched)
    text = f"{'Deleted' if state == 'deleted' else 'Restored'} the {kind} {names}."
    changed = tuple(row.id for row in touched)
    values = {ids_field: changed, "state": "ready" if state == "deleted" else "deleted"}
    inverse = msgspec.structs.replace(change, **values)
    return EditResult(
        changed[0], text, inverse, [(str(table.name), id_) for id_ in changed]
    )


def has_open_run(connection: Connection, *, without: Sequence[str] = ()) -> bool:
    """Return whether a task is running or queued; `without`: tasks to ignore."""
    query = select(run.c.id).where(run.c.state.in_(OPEN_STATES))
    return (
        connection.scalar(query.where(run.c.task.not_in(without)).limit(1)) is not None
    )


def clean_name(given: str, empty: str) -> str:
    """Return a name without redundant spaces.

    Raises:
        UserError: the name is empty; `empty` is the message.
    """
    name = clean_text(given)[0]
    if not name:
        raise UserError(empty)
    return name


def rename_row(
    connection: Connection,
    table: Table,
    change: RenameChange,
    old: Row[Any],
    name: str,
) -> EditResult:
    """Rename a row; `old` is its old name, `name` the cleaned new name."""
    connection.execute(update(table).where(table.c.id == old.id).values(name=name))
    inverse = msgspec.structs.replace(change, name=old.name)
    text = f"Renamed {old.name} to {name}."
    return EditResult(old.id, text, inverse, [(str(table.name), old.id)])


def find_row(connection: Connection, table: Table, id_: int, missing: str) -> Row[Any]:
    """Return the row with an id.

    Raises:
        UserError: there is no such row; `missing` is the message.
    """
    row = connection.execute(select(table).where(table.c.id == id_)).one_or_none()
    if row is None:
        raise UserError(missing)
    return row
