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
    sentence,
    text_change,
    view_state,
)
from app.protocol.edits import Change


class SearchRow(NamedTuple):
    """A query in the history; `filters` is JSON."""

    id: int
    text: str
    filters: str


class UndoState(NamedTuple):
    """Whether edits can be undone and redone."""

    can_undo: bool
    can_redo: bool


class SessionRow(NamedTuple):
    """A saved window session: time (seconds since 1970) and state."""

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
    """Return whether edits can be undone and redone."""
    ends = [
        select(edit.c.undone).order_by(order).limit(1)
        for order in (edit.c.id, edit.c.id.desc())
    ]  # undone edits are always the newest
    with store.connect() as connection:
        oldest, newest = (connection.scalar(end) for end in ends)
    return UndoState(can_undo=oldest == 0, can_redo=newest == 1)


class NextChanges(NamedTuple):
    """The changes that undo and redo apply next.

    None: no such change, or another version wrote it.

    Attributes:
        undone_id: journal id of the change to undo; 0: none.
    """

    undone: Change | None
    redone: Change | None
    undone_id: int = 0


def read_next_changes(store: Engine) -> NextChanges:
    """Return the changes that undo and redo apply next."""
    # Undone edits are always the newest, so neither query reads the whole table.
    newest = select(edit.c.id, edit.c.change).where(edit.c.undone == 0)
    after = select(edit.c.change).order_by(edit.c.id).limit(1)
    with store.connect() as connection:
        row = connection.execute(newest.order_by(edit.c.id.desc()).limit(1)).first()
        done, change = (0, None) if row is None else row
        undone = connection.scalar(after.where(edit.c.id > done))
    return NextChanges(_decode(change), _decode(undone), done)


def _decode(record: str | None) -> Change | None:
    try:
        return None if record is None else msgspec.json.decode(record, type=Change)
    except msgspec.DecodeError:  # written by another version
        return None


_EDITED_SQL = text(
    "SELECT id / :stride, count(DISTINCT id) FROM ("
    "SELECT json_extract(change, '$.sentence') AS id FROM edit "
    "WHERE undone = 0 AND change LIKE :pattern) GROUP BY 1"
)
_EDITED_PATTERN = '{"change":"EditSentence"%'


def count_edited_sentences(store: Engine) -> dict[int, int]:
    """Count the edited sentences of each corpus that has any."""
    with store.connect() as connection:
        rows = connection.execute(
            _EDITED_SQL, {"stride": CORPUS_STRIDE, "pattern": _EDITED_PATTERN}
        )
        return {int(id_): n for id_, n in rows}


class TextChanges:
    """Changes of texts after a point in time, by edits, undo and redo."""

    def __init__(self, store: Engine, since: float):
        is_restored = (text_change.c.old_hash == sentence.c.hash).label("is_restored")
        query = (
            select(text_change.c.sentence_id, text_change.c.changed_at, is_restored)
            .join(sentence, sentence.c.id == text_change.c.sentence_id)
            .where(text_change.c.changed_at > since)
            .order_by(text_change.c.id)
        )
        with store.connect() as connection:
            self._rows = connection.execute(query).all()

    def list_changed(self, since: float) -> list[int]:
        """List the sentences whose text has changed since a point in time, by id.

        Args:
            since: seconds since 1970, not before the time of the changes.
        """
        changed: dict[int, bool] = {}
        for sentence_id, changed_at, is_restored in self._rows:
            if changed_at > since:  # the first change replaced the text of that time
                changed.setdefault(sentence_id, not is_restored)
        return sorted(id_ for id_, is_other in changed.items() if is_other)


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
