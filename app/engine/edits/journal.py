"""Apply edits, record them with their inverses, undo and redo them.

Table `edit` contains changes in the order of creation. Undone changes are always the
newest; a new change deletes them.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from app.engine.edits.base import EditResult
from app.engine.edits.documents import apply_document_edit
from app.engine.edits.encoders import apply_encoder_edit
from app.engine.edits.general import apply_general_edit
from app.engine.edits.hidden import apply_hidden_edit
from app.engine.edits.links import apply_link_edit
from app.engine.edits.subcorpora import apply_subcorpus_edit
from app.engine.edits.words import apply_list_edit, set_vectors_language
from app.engine.project.project import Project
from app.engine.store import schema
from app.engine.store.embeddings import remove_unused_edits
from app.engine.store.journal import read_undo_state
from app.errors import UserError
from app.paths import settings_file
from app.plurals import count_text
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits import Change
from app.protocol.edits.alignments import AlignmentChange
from app.protocol.edits.corpora import (
    DocumentChange,
    EditSentence,
    HiddenChange,
    ListChange,
    SetVectorsLanguage,
    SubcorpusChange,
)
from app.protocol.edits.encoders import DropVectors, EncoderChange
from app.protocol.edits.general import (
    AddSearch,
    DropRun,
    Redo,
    SaveViewState,
    SetRunState,
    Undo,
)
from app.protocol.edits.labels import LabelChange
from app.protocol.edits.links import LinkChange
from app.protocol.edits.maps import MapChange
from app.protocol.edits.pairs import PairChange
from app.settings import load_settings

ChangeCallback = Callable[[str, int], None]
MAX_PAIRS_LISTED = 50  # pairs of one change that are reported individually


def apply_edit(project: Project, change: Change, changed: ChangeCallback) -> EditAnswer:
    """Apply an edit in one transaction.

    Args:
        project: the project, open for writing.
        changed: called with kind and id of each row that the commit changed.

    Raises:
        UserError: the project is read-only, the row was deleted, or nothing can be
            undone.
    """
    if project.is_read_only:
        raise UserError(f"{project.folder.name} is open for reading only.")
    if isinstance(change, DropRun):
        from app.engine.edits.runs import drop_run

        step = drop_run(project, change.run)
        return _answer(project, step, step.text, changed)
    if isinstance(change, DropVectors):
        from app.engine.edits.encoders import drop_vectors

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
                step = _dispatch(project, connection, change)
                text = step.text
                record_edit(connection, change, step)
    if any(kind == "sentence" for kind, _ in step.changed):
        remove_unused_edits(project.store, project.folder)
    return _answer(project, step, text, changed)


def _answer(
    project: Project, step: EditResult, text: str, changed: ChangeCallback
) -> EditAnswer:
    for kind, id_ in step.changed:
        changed(kind, id_)
    can_undo, can_redo = read_undo_state(project.store)
    return EditAnswer(step.id, text, can_undo, can_redo)


def record_edit(connection: Connection, change: Change, step: EditResult) -> None:
    """Write a change to the journal; undone changes can no longer be redone."""
    if step.inverse is None:
        return
    newest = select(schema.edit.c.undone).order_by(schema.edit.c.id.desc()).limit(1)
    if connection.scalar(newest):  # undone changes are the newest: no full scan
        connection.execute(delete(schema.edit).where(schema.edit.c.undone == 1))
    recorded = change if step.again is None else step.again
    values = {
        "change": msgspec.json.encode(recorded).decode(),
        "inverse": msgspec.json.encode(step.inverse).decode(),
        "who": _user_name(connection),
        "created_at": time.time(),
    }
    connection.execute(insert(schema.edit).values(**values))


def _dispatch(project: Project, connection: Connection, change: Change) -> EditResult:
    """Apply a change that can be undone."""
    if isinstance(change, EncoderChange):
        return apply_encoder_edit(project.folder, connection, change)
    if isinstance(change, PairChange):
        from app.engine.edits.pairs import apply_pair_edit

        return apply_pair_edit(connection, change, _user_name(connection))
    if isinstance(change, LinkChange):
        return apply_link_edit(project, connection, change)
    if isinstance(change, AlignmentChange):
        from app.engine.edits.alignments import apply_alignment_edit

        return apply_alignment_edit(connection, change, _user_name(connection))
    if isinstance(change, LabelChange):
        from app.engine.edits.labels import apply_label_edit

        return apply_label_edit(connection, change, _user_name(connection))
    if isinstance(change, MapChange):
        from app.engine.edits.maps import apply_map_edit

        return apply_map_edit(connection, change)
    if isinstance(change, HiddenChange):
        return apply_hidden_edit(project, connection, change)
    if isinstance(change, EditSentence):
        from app.engine.edits.sentences import edit_sentence

        return edit_sentence(project, connection, change)
    if isinstance(change, SubcorpusChange):
        return apply_subcorpus_edit(project, connection, change)
    if isinstance(change, DocumentChange):
        return apply_document_edit(connection, change)
    if isinstance(change, ListChange):
        return apply_list_edit(connection, change)
    if isinstance(change, SetVectorsLanguage):
        return set_vectors_language(project, change)
    if isinstance(change, SetRunState):
        from app.engine.edits.runs import set_run_states

        return set_run_states(project, connection, change)
    return apply_general_edit(connection, change, _user_name(connection))


def _undo(project: Project, connection: Connection, n: int) -> EditResult:
    """Apply the inverses of the newest changes that are not undone, newest first.

    Raises:
        UserError: there are fewer changes.
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
            f"Only {count_text(len(rows), 'change')} can be undone, not {n:,}. Open "
            "the history again."
        )
    steps = [
        _replay(project, connection, (row.id, row.inverse), undone=1) for row in rows
    ]
    if n == 1:
        return steps[0]
    changed = dict.fromkeys(item for step in steps for item in step.changed)
    return steps[-1]._replace(
        text=f"{n:,} changes.", changed=_fold_pairs(list(changed))
    )


def _fold_pairs(changed: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Replace many changed pairs by their pair sets."""
    pairs = [id_ for kind, id_ in changed if kind == "pair"]
    if len(pairs) <= MAX_PAIRS_LISTED:
        return changed
    from app.engine.store.pairs.sets import pair_set_of

    others = [item for item in changed if item[0] != "pair"]
    sets = dict.fromkeys(("judgements", pair_set_of(id_)) for id_ in pairs)
    return list(dict.fromkeys([*others, *sets]))


def _redo(project: Project, connection: Connection) -> EditResult:
    """Redo the oldest undone change."""
    oldest = (
        select(schema.edit.c.id, schema.edit.c.change)
        .where(schema.edit.c.undone == 1)
        .order_by(schema.edit.c.id)
        .limit(1)
    )
    row = connection.execute(oldest).one_or_none()
    if row is None:
        raise UserError("There is nothing to redo.")
    return _replay(project, connection, (row.id, row.change), undone=0)


def _replay(
    project: Project, connection: Connection, entry: tuple[int, str], *, undone: int
) -> EditResult:
    """Apply the change of a journal entry (id, JSON), and mark the entry."""
    edit, record = entry
    step = _dispatch(project, connection, msgspec.json.decode(record, type=Change))
    values: dict[str, Any] = {"undone": undone}
    if not undone and step.inverse is not None:  # a redo may have a new inverse
        values["inverse"] = msgspec.json.encode(step.inverse).decode()
    connection.execute(
        update(schema.edit).where(schema.edit.c.id == edit).values(values)
    )
    return step


def _add_search(connection: Connection, change: AddSearch) -> EditResult:
    values = {
        "text": change.text,
        "filters": msgspec.json.encode(change.filters).decode(),
        "created_at": time.time(),
    }
    key = connection.execute(insert(schema.search).values(**values))
    id_ = int(key.lastrowid)
    return EditResult(id_, "The query is in the history.", None, [("search", id_)])


def _save_view_state(connection: Connection, change: SaveViewState) -> EditResult:
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
    return EditResult(id_, "The window's state is saved.", None, [("view_state", id_)])


def _user_name(connection: Connection) -> str:
    """Return the user's name from the settings; empty: no name."""
    sql = "SELECT file FROM pragma_database_list WHERE name = 'main'"
    file = Path(connection.exec_driver_sql(sql).scalar_one())
    return load_settings(settings_file()).name_in(file.parent)
