"""Read the journal of edits, the history of queries and the window's sessions."""

import json
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Engine, func, select, text

from app.engine.store.rows import read_rows
from app.engine.store.schema import (
    CORPUS_STRIDE,
    edit,
    search,
    view_state,
)
from app.protocol.edits import Change


class SearchRow(NamedTuple):
    """A query of the history; `filters` is JSON."""

    id: int
    text: str
    filters: str


class UndoState(NamedTuple):
    """Whether an edit can be undone, and whether one can be redone."""

    can_undo: bool
    can_redo: bool


class SessionRow(NamedTuple):
    """A session of the window: when it was saved (seconds since 1970), its state."""

    id: int
    saved_at: float
    state: dict[str, Any]


def list_searches(store: Engine, *, limit: int = 100) -> list[SearchRow]:
    """List the history of queries, the newest first."""
    newest = func.max(search.c.id)
    query = (
        select(newest, search.c.text, search.c.filters)
        .group_by(search.c.text, search.c.filters)
        .order_by(newest.desc())
        .limit(limit)
    )
    return read_rows(store, query, SearchRow)


def read_undo_state(store: Engine) -> UndoState:
    """Return whether an edit can be undone, and whether one can be redone."""
    ends = [
        select(edit.c.undone).order_by(order).limit(1)
        for order in (edit.c.id, edit.c.id.desc())
    ]  # undone are always the newest
    with store.connect() as connection:
        oldest, newest = (connection.scalar(end) for end in ends)
    return UndoState(can_undo=oldest == 0, can_redo=newest == 1)


class NextChanges(NamedTuple):
    """The change that is undone next and the one that is redone next.

    None: there is none, or another version made it.
    """

    undone: Change | None
    redone: Change | None


def read_next_changes(store: Engine) -> NextChanges:
    """Return what is undone next, and what is redone next."""
    # Undone ones are always the newest: neither query reads the whole table.
    newest = select(edit.c.id, edit.c.change).where(edit.c.undone == 0)
    after = select(edit.c.change).order_by(edit.c.id).limit(1)
    with store.connect() as connection:
        row = connection.execute(newest.order_by(edit.c.id.desc()).limit(1)).first()
        done, change = (0, None) if row is None else row
        undone = connection.scalar(after.where(edit.c.id > done))
    return NextChanges(_decode(change), _decode(undone))


def _decode(record: str | None) -> Change | None:
    try:
        return None if record is None else msgspec.json.decode(record, type=Change)
    except msgspec.DecodeError:  # another version made it
        return None


_EDITED_SQL = text(
    "SELECT id / :stride, count(DISTINCT id) FROM ("
    "SELECT json_extract(change, '$.sentence') AS id FROM edit "
    "WHERE undone = 0 AND change LIKE :pattern) GROUP BY 1"
)
_EDITED_SINCE_SQL = text(
    "SELECT json_extract(change, '$.sentence'), max(created_at) FROM edit WHERE "
    "undone = 0 AND created_at > :since AND change LIKE :pattern GROUP BY 1 ORDER BY 1"
)
_EDITED_PATTERN = '{"change":"EditSentence"%'


def count_edited_sentences(store: Engine) -> dict[int, int]:
    """Count the edited sentences of each corpus that has some."""
    with store.connect() as connection:
        rows = connection.execute(
            _EDITED_SQL, {"stride": CORPUS_STRIDE, "pattern": _EDITED_PATTERN}
        )
        return {int(id_): n for id_, n in rows}


def read_edit_times(store: Engine, since: float) -> dict[int, float]:
    """Return when sentences were last edited, if after a time, in ascending order."""
    with store.connect() as connection:
        rows = connection.execute(
            _EDITED_SINCE_SQL, {"since": since, "pattern": _EDITED_PATTERN}
        )
        return {int(id_): edited_at for id_, edited_at in rows}


def list_view_states(store: Engine) -> list[SessionRow]:
    """List the window's sessions, the newest first."""
    query = select(view_state.c.id, view_state.c.saved_at, view_state.c.state).order_by(
        view_state.c.id.desc()
    )
    with store.connect() as connection:
        return [
            SessionRow(id_, saved_at, json.loads(state))
            for id_, saved_at, state in connection.execute(query)
        ]
