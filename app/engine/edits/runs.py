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
from app.engine.store.embeddings import EmbeddingRow, delete_embedding
from app.engine.store.pairs import sets
from app.engine.store.rows import read_rows, select_fields
from app.errors import UserError
from app.results.jobs import read_unfinished

PURGE_S = 0.5  # the window waits; the next import removes the rest


def drop_run(project: Project, run: int) -> EditResult:
    """Remove what a run left that could be resumed, and mark it cancelled.

    Raises:
        UserError: the run is not there, or can't be resumed.
    """
    table = schema.run
    query = select(table.c.state, table.c.result).where(table.c.id == run)
    with project.store.connect() as connection:
        found = connection.execute(query).first()
    has_stopped = found is not None and (
        found.state == "interrupted"
        or (found.state == "cancelled" and read_unfinished(found.result).n_total > 0)
    )
    if not has_stopped:
        raise UserError(f"Run {run} is not interrupted, so it can't be discarded.")
    changed = [("run", run)]
    changed += [("corpus", id_) for id_ in remove_incomplete_corpora(project, run)]
    for row in _incomplete_embeddings(project, run):
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
            update(table).where(table.c.id == run).values(state="cancelled", result="")
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


def _incomplete_embeddings(project: Project, run: int) -> list[EmbeddingRow]:
    table = schema.embedding
    query = select_fields(table, EmbeddingRow)
    query = query.where(table.c.run_id == run, table.c.n_done < table.c.n_rows)
    return read_rows(project.store, query, EmbeddingRow)


def _remove_training_folders(project: Project, run: int) -> None:
    """Remove the checkpoints of a training, in the project or where it writes."""
    from app.engine.training.record import remove_work_folders

    with project.store.connect() as connection:
        query = select(schema.run.c.params).where(schema.run.c.id == run)
        record = msgspec.json.decode(connection.scalar(query) or "{}")
    out = record.get("out")
    remove_work_folders(Path(out).parent if out else project.folder / "encoders", run)
