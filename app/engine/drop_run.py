"""Give an interrupted run up: what it left half-done is removed."""

from pathlib import Path

import msgspec
from sqlalchemy import select, update

from app.engine.change_steps import Step
from app.engine.classify.half_done import drop_half_done
from app.engine.project import Project
from app.engine.store import pair_writes, schema
from app.engine.store.corpus_removal import (
    mark_removing,
    purge_removing,
)
from app.engine.store.embedding_writes import drop_embedding
from app.engine.store.pair_writes import mark_abandoned
from app.engine.store.rows import EmbeddingRow
from app.engine.store.writes import (
    corpora_of_run,
)
from app.errors import UserError

PURGE_S = 0.5  # the window waits; what is left goes with the next import


def drop_run(project: Project, run: int) -> Step:
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
    mark_removing(project.store, corpora)
    purge_removing(project.store, seconds=PURGE_S)
    changed += [("corpus", id_) for id_ in corpora]
    for row in _half_done(project, run):
        drop_embedding(project.store, project.folder, row)
        changed.append(("embedding", row.id))
    changed += [("corpus", id_) for id_ in drop_import(project, run)]
    changed += [("mining", id_) for id_ in mark_abandoned(project.store, also_run=run)]
    pair_writes.purge_removing(project.store, seconds=PURGE_S)
    _drop_training(project, run)
    changed += [("prediction", id_) for id_ in drop_half_done(project, run)]
    with project.store.begin() as connection:
        connection.execute(
            update(table).where(table.c.id == run).values(state="cancelled")
        )
    return Step(run, "The run is given up; what it left was removed.", None, changed)


def _half_done(project: Project, run: int) -> list[EmbeddingRow]:
    table = schema.embedding
    query = select(*[table.c[name] for name in EmbeddingRow._fields]).where(
        table.c.run_id == run, table.c.n_done < table.c.n_rows
    )
    with project.store.connect() as connection:
        return [EmbeddingRow(*row) for row in connection.execute(query)]


def _drop_training(project: Project, run: int) -> None:
    """Remove the checkpoints of a training, in the project or where it writes."""
    from app.engine.training.run_mark import drop_work

    with project.store.connect() as connection:
        query = select(schema.run.c.params).where(schema.run.c.id == run)
        record = msgspec.json.decode(connection.scalar(query) or "{}")
    out = record.get("out")
    drop_work(Path(out).parent if out else project.folder / "encoders", run)
