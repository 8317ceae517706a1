"""Discard an interrupted run and remove what it left incomplete."""

from pathlib import Path

import msgspec
from sqlalchemy import select, update

from app.engine.classify.predictions import drop_incomplete_predictions
from app.engine.edits.base import EditResult
from app.engine.project.project import Project
from app.engine.store import schema
from app.engine.store.corpora import EmbeddingRow
from app.engine.store.corpus_writes import (
    corpora_of_run,
    mark_corpora_removed,
    purge_removed_corpora,
)
from app.engine.store.embeddings import delete_embedding
from app.engine.store.pairs import sets
from app.engine.store.pairs.sets import mark_abandoned_pair_sets
from app.errors import UserError

PURGE_S = 0.5  # the window waits; what is left goes with the next import


def drop_run(project: Project, run: int) -> EditResult:
    """Remove what an interrupted run left half-done, and mark it cancelled.

    Raises:
        UserError: the run is not there, or it is not interrupted.
    """
    table = schema.run
    with project.store.connect() as connection:
        state = connection.scalar(select(table.c.state).where(table.c.id == run))
    if state != "interrupted":
        raise UserError(
            f"Run {run} is not interrupted: only such a run can be dropped."
        )
    from app.engine.tasks.import_corpus import drop_import

    changed = [("run", run)]
    listed = corpora_of_run(project.store, run)
    corpora = [id_ for id_, state, _ in listed if state == "importing"]
    mark_corpora_removed(project.store, corpora)
    purge_removed_corpora(project.store, seconds=PURGE_S)
    changed += [("corpus", id_) for id_ in corpora]
    for row in _half_done(project, run):
        delete_embedding(project.store, project.folder, row)
        changed.append(("embedding", row.id))
    changed += [("corpus", id_) for id_ in drop_import(project, run)]
    changed += [
        ("mining", id_) for id_ in mark_abandoned_pair_sets(project.store, also_run=run)
    ]
    sets.purge_removed_pair_sets(project.store, seconds=PURGE_S)
    _drop_training(project, run)
    changed += [
        ("prediction", id_) for id_ in drop_incomplete_predictions(project, run)
    ]
    with project.store.begin() as connection:
        connection.execute(
            update(table).where(table.c.id == run).values(state="cancelled")
        )
    return EditResult(
        run, "The run is given up; what it left was removed.", None, changed
    )


def _half_done(project: Project, run: int) -> list[EmbeddingRow]:
    table = schema.embedding
    query = select(*[table.c[name] for name in EmbeddingRow._fields]).where(
        table.c.run_id == run, table.c.n_done < table.c.n_rows
    )
    with project.store.connect() as connection:
        return [EmbeddingRow(*row) for row in connection.execute(query)]


def _drop_training(project: Project, run: int) -> None:
    """Remove the checkpoints of a training, in the project or where it writes."""
    from app.engine.training.record import remove_work_folders

    with project.store.connect() as connection:
        query = select(schema.run.c.params).where(schema.run.c.id == run)
        record = msgspec.json.decode(connection.scalar(query) or "{}")
    out = record.get("out")
    remove_work_folders(Path(out).parent if out else project.folder / "encoders", run)
