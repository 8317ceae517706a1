"""Create, update and delete records of embeddings."""

import secrets
import time
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, and_, delete, insert, select, update

from app.engine.store.arrays import remove_embedding_files
from app.engine.store.corpora import EmbeddingRow
from app.engine.store.schema import embedding


class EmbeddingKey(NamedTuple):
    """What an embedding is of: a corpus of so many sentences, by an encoder."""

    corpus_id: int
    encoder: str
    fingerprint: str
    dim: int
    n_rows: int


def find_embedding(
    store: Engine, corpus_id: int, fingerprint: str
) -> EmbeddingRow | None:
    """Read the embedding of a corpus by an encoder, complete or not."""
    columns = [embedding.c[name] for name in EmbeddingRow._fields]
    query = select(*columns).where(
        embedding.c.corpus_id == corpus_id, embedding.c.fingerprint == fingerprint
    )
    with store.connect() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else EmbeddingRow(*row)


def begin_embedding(
    store: Engine, key: EmbeddingKey, *, run: int | None
) -> EmbeddingRow:
    """Make the row of an embedding without vectors; its files get a name of their own.

    An array that was dropped may still be mapped, so that no name is used twice.
    """
    stem = f"{key.corpus_id}-{key.fingerprint[:8]}-{secrets.token_hex(4)}"
    values = {
        **key._asdict(),
        "n_done": 0,
        "n_zero": 0,
        "array": stem,
        "run_id": run,
        "created_at": time.time(),
    }
    with store.begin() as connection:
        id_ = connection.execute(insert(embedding).values(**values)).lastrowid
    return EmbeddingRow(int(id_), **key._asdict(), n_done=0, n_zero=0, array=stem)


def assign_embedding_to_run(store: Engine, embedding_id: int, run: int | None) -> None:
    """Record that another run goes on with an embedding, so that it is its own."""
    statement = (
        update(embedding).where(embedding.c.id == embedding_id).values(run_id=run)
    )
    with store.begin() as connection:
        connection.execute(statement)


def record_embedding_progress(
    store: Engine, embedding_id: int, n_done: int, n_zero: int
) -> None:
    """Record that the first `n_done` rows are on disk, `n_zero` of them zero."""
    statement = (
        update(embedding)
        .where(embedding.c.id == embedding_id)
        .values(n_done=n_done, n_zero=n_zero)
    )
    with store.begin() as connection:
        connection.execute(statement)


def delete_embedding(store: Engine, folder: Path, row: EmbeddingRow) -> None:
    """Take an embedding out; files that are still mapped go at the next opening."""
    with store.begin() as connection:
        connection.execute(delete(embedding).where(embedding.c.id == row.id))
    remove_embedding_files(folder, row.array)


def record_embedding(
    store: Engine, key: EmbeddingKey, stem: str, *, n_zero: int, run: int | None
) -> int:
    """Record arrays that are complete, in place of those that were; gives the id."""
    values = {
        **key._asdict(),
        "n_done": key.n_rows,
        "n_zero": n_zero,
        "array": stem,
        "run_id": run,
        "created_at": time.time(),
    }
    is_old = and_(
        embedding.c.corpus_id == key.corpus_id,
        embedding.c.fingerprint == key.fingerprint,
    )
    with store.begin() as connection:
        connection.execute(delete(embedding).where(is_old))
        return int(connection.execute(insert(embedding).values(**values)).lastrowid)
