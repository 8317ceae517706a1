"""Discard a run that could be resumed; delete and restore runs."""

from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, literal, select, update

from app.engine.classify.predictions import drop_incomplete_predictions
from app.engine.edits.base import NO_CHANGE, EditResult
from app.engine.project.project import Project
from app.engine.store import schema
from app.engine.store.corpus_writes import (
    corpora_of_run,
    mark_corpora_removed,
    purge_removed_corpora,
)
from app.engine.store.embeddings import delete_embedding, incomplete_embeddings
from app.engine.store.pairs import sets
from app.engine.store.runs import DELETED, IS_LISTED, can_discard, read_run
from app.errors import UserError
from app.plurals import count_text
from app.protocol.edits.general import SetRunState
from app.results.jobs import read_unfinished

ENDED_STATES = ("finished", "failed", "cancelled")
PURGE_S = 0.5  # short, since the window waits; the next import removes the rest


def drop_run(project: Project, run: int) -> EditResult:
    """Remove the data of a resumable run, and mark the run as cancelled.

    Raises:
        UserError: the run does not exist, or can't be resumed.
    """
    found = read_run(project.store, run)
    if found is None or not can_discard(project.store, found):
        raise UserError(f"Run {run} has no progress to delete.")
    changed = [("run", run)]
    changed += [("corpus", id_) for id_ in remove_incomplete_corpora(project, run)]
    for row in incomplete_embeddings(project.store, run):
        delete_embedding(project.store, project.folder, row)
        changed.append(("embedding", row.id))
    abandoned = sets.mark_abandoned_pair_sets(project.store, also_run=run)
    changed += [("mining", id_) for id_ in abandoned]
    sets.purge_removed_pair_sets(project.store, seconds=PURGE_S)
    _remove_training_folders(project, run, found.params)
    predictions = drop_incomplete_predictions(project, run)
    changed += [("prediction", id_) for id_ in predictions]
    with project.store.begin() as connection:
        connection.execute(
            update(schema.run)
            .where(schema.run.c.id == run)
            .values(state="cancelled", result="")
        )
    return EditResult(
        run, "The run and its incomplete data were deleted.", None, changed
    )


def set_run_states(
    project: Project, connection: Connection, change: SetRunState
) -> EditResult:
    """Mark runs as deleted, or restore them; runs already in that state are ignored.

    Checkpoints of runs that can't be resumed are removed immediately.

    Raises:
        UserError: a run is active or can be resumed.
    """
    table, is_deletion = schema.run, change.state == "deleted"
    has_other_state = IS_LISTED if is_deletion else ~IS_LISTED
    is_touched = table.c.id.in_(change.runs), has_other_state
    rows = connection.execute(select(table).where(*is_touched)).all()
    for row in rows if is_deletion else ():
        if row.state not in ENDED_STATES or _has_checkpoint(row):
            raise UserError(
                f"Run {row.id} is active or can be resumed. Cancel it, or delete "
                "its progress first."
            )
        _remove_training_folders(project, row.id, row.params)
    if not rows:
        return NO_CHANGE
    state = literal(DELETED) + table.c.state
    if not is_deletion:
        state = func.substr(table.c.state, len(DELETED) + 1)
    ids = tuple(row.id for row in rows)
    connection.execute(update(table).where(table.c.id.in_(ids)).values(state=state))
    text = f"{count_text(len(ids), 'run')} {'deleted' if is_deletion else 'restored'}."
    inverse = SetRunState(runs=ids, state="ready" if is_deletion else "deleted")
    return EditResult(ids[0], text, inverse, [("run", id_) for id_ in ids])


def _has_checkpoint(row: Row[Any]) -> bool:
    return row.state == "cancelled" and read_unfinished(row.result).n_total > 0


def remove_incomplete_corpora(project: Project, run: int) -> list[int]:
    """Remove the corpora of an interrupted import, and return their ids."""
    listed = corpora_of_run(project.store, run)
    ids = [id_ for id_, state, _ in listed if state == "importing"]
    mark_corpora_removed(project.store, ids)
    purge_removed_corpora(project.store, seconds=PURGE_S)
    return ids


def _remove_training_folders(project: Project, run: int, params: str) -> None:
    """Remove the checkpoints of a training, in the project or in its output folder."""
    from app.engine.training.record import remove_work_folders

    out = msgspec.json.decode(params or "{}").get("out")
    remove_work_folders(Path(out).parent if out else project.folder / "encoders", run)
