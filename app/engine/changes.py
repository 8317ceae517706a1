"""Small changes, each with an inverse in the journal: undo and redo without end.

Table `edit` holds changes in the order they were made. Those that are undone are always
the newest ones; a new change drops them.
"""

import time
from collections.abc import Callable
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from app.alignment_changes import AlignmentChange
from app.corpus_changes import CorpusChange
from app.encoder_changes import DropVectors, EncoderChange
from app.engine.change_steps import Step, apply_step
from app.engine.encoder_steps import apply_encoder_step
from app.engine.project import Project
from app.engine.store import schema
from app.engine.store.rows import read_undo
from app.errors import UserError
from app.label_changes import LabelChange
from app.map_changes import MapChange
from app.messages import (
    AddSearch,
    Change,
    DropRun,
    Redo,
    SaveViewState,
    Undo,
)
from app.pair_changes import PairChange
from app.paths import settings_file
from app.plurals import count_text
from app.settings import load_settings

ChangedCall = Callable[[str, int], None]
MOST_TOLD = 50  # pairs of one change that are told of one by one


def apply_change(
    project: Project, change: Change, changed: ChangedCall
) -> dict[str, Any]:
    """Make a small change in one transaction.

    Args:
        project: open for writing.
        change: what to do.
        changed: is told each row that the commit changed: kind and id.

    Returns:
        "id" of the row, "text": a sentence that says what was done, "can_undo",
        "can_redo".

    Raises:
        UserError: the project is read-only, the row is gone, or nothing is to undo.
    """
    if project.is_read_only:
        raise UserError(f"{project.folder.name} is open for reading only.")
    if isinstance(change, DropRun):
        from app.engine.drop_run import drop_run

        step = drop_run(project, change.run)
        return _answer(project, step, step.text, changed)
    if isinstance(change, DropVectors):
        from app.engine.drop_vectors import drop_vectors

        step = drop_vectors(project, change.fingerprints)
        return _answer(project, step, step.text, changed)
    with project.store.begin() as connection:
        match change:
            case AddSearch():
                step = _add_search(connection, change)
                text = step.text
            case SaveViewState():
                step = _save_view_state(connection, change)
                text = step.text
            case Undo():
                step = _undo(project, connection, change.n)
                text = f"Undone. {step.text}"
            case Redo():
                step = _redo(project, connection)
                text = f"Done again. {step.text}"
            case _:
                step = _make(project, connection, change)
                text = step.text
                record_step(connection, change, step)
    return _answer(project, step, text, changed)


def _answer(
    project: Project, step: Step, text: str, changed: ChangedCall
) -> dict[str, Any]:
    for kind, id_ in step.changed:
        changed(kind, id_)
    can_undo, can_redo = read_undo(project.store)
    return {
        "id": step.id,
        "text": text,
        "can_undo": can_undo,
        "can_redo": can_redo,
    }


def record_step(connection: Connection, change: Change, step: Step) -> None:
    """Write a change into the journal; what was undone can't be redone any more."""
    if step.inverse is None:
        return
    newest = select(schema.edit.c.undone).order_by(schema.edit.c.id.desc()).limit(1)
    if connection.scalar(newest):  # they are the newest: no need to look through all
        connection.execute(delete(schema.edit).where(schema.edit.c.undone == 1))
    recorded = change if step.again is None else step.again
    values = {
        "change": msgspec.json.encode(recorded).decode(),
        "inverse": msgspec.json.encode(step.inverse).decode(),
        "who": _who(),
        "created_at": time.time(),
    }
    connection.execute(insert(schema.edit).values(**values))


def _make(project: Project, connection: Connection, change: Change) -> Step:
    """Make a change that can be undone."""
    if isinstance(change, EncoderChange):
        return apply_encoder_step(project.folder, connection, change)
    if isinstance(change, PairChange):
        from app.engine.review.pair_steps import apply_pair_step

        return apply_pair_step(connection, change, _who())
    if isinstance(change, AlignmentChange):
        from app.engine.alignment.bead_steps import apply_bead_step

        return apply_bead_step(connection, change, _who())
    if isinstance(change, LabelChange):
        from app.engine.classify.label_steps import apply_label_step

        return apply_label_step(connection, change, _who())
    if isinstance(change, MapChange):
        from app.engine.projection.map_steps import apply_map_step

        return apply_map_step(connection, change)
    if isinstance(change, CorpusChange):
        from app.engine.corpus_steps import apply_corpus_step

        return apply_corpus_step(project, connection, change)
    return apply_step(connection, change, _who())


def _undo(project: Project, connection: Connection, n: int) -> Step:
    """Apply the inverses of the newest changes that are not undone, the newest first.

    Raises:
        UserError: there are not so many.
    """
    newest = (
        select(schema.edit.c.id, schema.edit.c.inverse)
        .where(schema.edit.c.undone == 0)
        .order_by(schema.edit.c.id.desc())
        .limit(n)
    )
    rows = connection.execute(newest).all()
    if not rows:
        raise UserError("There is nothing to undo.")
    if len(rows) < n:
        raise UserError(
            f"Only {count_text(len(rows), 'change')} can be undone, not {n:,}: look "
            "again."
        )
    steps = [
        _repeat(project, connection, (row.id, row.inverse), undone=1) for row in rows
    ]
    if n == 1:
        return steps[0]
    changed = dict.fromkeys(item for step in steps for item in step.changed)
    return steps[-1]._replace(text=f"{n:,} changes.", changed=_folded(list(changed)))


def _folded(changed: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Tell of many pairs at once: their sets of pairs, in the place of each."""
    pairs = [id_ for kind, id_ in changed if kind == "pair"]
    if len(pairs) <= MOST_TOLD:
        return changed
    from app.engine.store.pair_rows import mining_of

    others = [item for item in changed if item[0] != "pair"]
    sets = dict.fromkeys(("judgements", mining_of(id_)) for id_ in pairs)
    return list(dict.fromkeys([*others, *sets]))


def _redo(project: Project, connection: Connection) -> Step:
    """Make the oldest undone change again."""
    oldest = (
        select(schema.edit.c.id, schema.edit.c.change)
        .where(schema.edit.c.undone == 1)
        .order_by(schema.edit.c.id)
        .limit(1)
    )
    row = connection.execute(oldest).one_or_none()
    if row is None:
        raise UserError("There is nothing to redo.")
    return _repeat(project, connection, (row.id, row.change), undone=0)


def _repeat(
    project: Project, connection: Connection, entry: tuple[int, str], *, undone: int
) -> Step:
    """Make what an entry of the journal (id, JSON) says, and mark it."""
    edit, record = entry
    step = _make(project, connection, msgspec.json.decode(record, type=Change))
    values: dict[str, Any] = {"undone": undone}
    if not undone and step.inverse is not None:  # made anew, it may have another
        values["inverse"] = msgspec.json.encode(step.inverse).decode()
    connection.execute(
        update(schema.edit).where(schema.edit.c.id == edit).values(values)
    )
    return step


def _add_search(connection: Connection, change: AddSearch) -> Step:
    values = {
        "text": change.text,
        "filters": msgspec.json.encode(change.filters).decode(),
        "created_at": time.time(),
    }
    key = connection.execute(insert(schema.search).values(**values))
    id_ = int(key.lastrowid)
    return Step(id_, "The query is in the history.", None, [("search", id_)])


def _save_view_state(connection: Connection, change: SaveViewState) -> Step:
    now = time.time()
    values: dict[str, Any] = {
        "state": msgspec.json.encode(change.state).decode(),
        "saved_at": now,
    }
    table = schema.view_state
    if change.id is None:
        key = connection.execute(insert(table).values(opened_at=now, **values))
        id_ = int(key.lastrowid)
    else:
        id_ = change.id
        done = connection.execute(update(table).where(table.c.id == id_).values(values))
        if not done.rowcount:
            raise UserError(f"The session {id_} is not in the project any more.")
    return Step(id_, "The window's state is saved.", None, [("view_state", id_)])


def _who() -> str:
    """Name who makes changes: as the settings say, empty if they do not."""
    return load_settings(settings_file()).user_name
