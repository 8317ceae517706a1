"""Remove the vectors that some encoders have made, from the record and the disk."""

from collections.abc import Sequence

from sqlalchemy import select

from app.engine.change_steps import Step
from app.engine.project import OPEN_STATES, Project
from app.engine.store import schema
from app.engine.store.embedding_writes import drop_embedding
from app.engine.store.rows import EmbeddingRow
from app.errors import UserError


def drop_vectors(project: Project, fingerprints: Sequence[str]) -> Step:
    """Remove all vectors of encoders; making them again takes encoding.

    Raises:
        UserError: a job is under way, which may be reading or writing them.
    """
    table = schema.embedding
    columns = [table.c[name] for name in EmbeddingRow._fields]
    query = select(*columns).where(table.c.fingerprint.in_(fingerprints))
    open_runs = select(schema.run.c.id).where(schema.run.c.state.in_(OPEN_STATES))
    with project.store.connect() as connection:
        if connection.scalar(open_runs.limit(1)) is not None:
            raise UserError("A job is running: remove vectors when it is done.")
        rows = [EmbeddingRow(*row) for row in connection.execute(query)]
    for row in rows:
        drop_embedding(project.store, project.folder, row)
    n_bytes = sum(row.n_rows * (6 * row.dim + 4) for row in rows)
    n = "1 corpus" if len(rows) == 1 else f"{len(rows)} corpora"
    text = f"The vectors of {n} were removed: {n_bytes / 1e6:,.1f} MB."
    return Step(0, text, None, [("embedding", row.id) for row in rows])
