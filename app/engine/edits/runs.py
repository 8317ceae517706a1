"""Discard a run that could be resumed, and remove what it left incomplete."""

from pathlib import Path

import msgspec
from sqlalchemy import select, update

from app.engine.classify.predictions import drop_incomplete_predictions
from app.engine.edits.base import EditResult
from app.engine.project.project import Project
from app.engine.store import schema
from app.engine.store.corpus_writes import (
    corpora_of_run,
    mark_corpora_removed,
    purge_removed_corpora,
)
from app.engine.store.embeddings import delete_embedding, incomplete_embeddings
from app.engine.store.pairs import sets
from app.engine.store.runs import can_discard, read_run
from app.errors import UserError

PURGE_S = 0.5  # the window waits; the next import removes the rest


def drop_run(project: Project, run: int) -> EditResult:
    """Remove what a run left that could be resumed, and mark it cancelled.

    Raises:
        UserError: the run is not there, or can't be resumed.
    """
    found = read_run(project.store, run)
    if found is None or not can_discard(project.store, found):
        raise UserError(f"Run {run} is not interrupted, so it can't be discarded.")
    changed = [("run", run)]
    changed += [("corpus", id_) for id_ in remove_incomplete_corpora(project, run)]
    for row in incomplete_embeddings(project.store, run):
        delete_embedding(project.store, project.folder, row)
        changed.append(("embedding", row.id))
    abandoned = sets.mark_abandoned_pair_sets(project.store, also_run=run)
    changed += [("mining", id_) for id_ in abandoned]
    sets.purge_removed_pair_sets(project.store, seconds=PURGE_S)
    _remove_training_folders(project, run)
    predictions = drop_incomplete_predictions(project, run)
    changed += [("prediction", id_) for id_ in predictions]
    with project.store.begin() as connection:
        connection.execute(
            update(schema.run)
            .where(schema.run.c.id == run)
            .values(state="cancelled", result="")
        )
    return EditResult(
        run, "The run was discarded and its incomplete data removed.", None, changed
    )


def remove_incomplete_corpora(project: Project, run: int) -> list[int]:
    """Remove the corpora that an interrupted import left; returns their ids."""
    listed = corpora_of_run(project.store, run)
    ids = [id_ for id_, state, _ in listed if state == "importing"]
    mark_corpora_removed(project.store, ids)
    purge_removed_corpora(project.store, seconds=PURGE_S)
    return ids


def _remove_training_folders(project: Project, run: int) -> None:
    """Remove the checkpoints of a training, in the project or where it writes."""
    from app.engine.training.record import remove_work_folders

    with project.store.connect() as connection:
        query = select(schema.run.c.params).where(schema.run.c.id == run)
        record = msgspec.json.decode(connection.scalar(query) or "{}")
    out = record.get("out")
    remove_work_folders(Path(out).parent if out else project.folder / "encoders", run)
