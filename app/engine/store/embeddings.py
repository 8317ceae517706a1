"""Embeddings: their rows, and the files of their vectors.

An embedding with stem `s` has three files in `arrays/`:
    s.unit.npy   float32 (n, d)  rows of length 1; zero rows for texts without a piece
    s.scan.npy   float16 (n, d)  the same, for scanning
    s.norm.npy   float32 (n,)    length of each row before it was normalised
"""

import secrets
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, and_, delete, insert, update

from app.arrays import FloatArray
from app.engine.store.arrays import (
    ArrayGroupWriter,
    check_stem,
    map_array,
    remove_arrays,
)
from app.engine.store.rows import read_rows, select_fields
from app.engine.store.schema import (
    corpus,
    embedding,
)
from app.errors import ResourceError


class EmbeddingKey(NamedTuple):
    """What an embedding is of: a corpus of so many sentences, by an encoder."""

    corpus_id: int
    encoder: str
    fingerprint: str
    dim: int
    n_rows: int


class EmbeddingRow(NamedTuple):
    """The vectors of one corpus by one encoder."""

    id: int
    corpus_id: int
    encoder: str
    fingerprint: str
    dim: int
    n_rows: int
    n_done: int
    n_zero: int
    array: str
    run_id: int | None = None


def list_embeddings(store: Engine, *, fingerprint: str = "") -> list[EmbeddingRow]:
    """List the embeddings of corpora that are ready, by one encoder or by all."""
    query = (
        select_fields(embedding, EmbeddingRow)
        .join(corpus, corpus.c.id == embedding.c.corpus_id)
        .where(corpus.c.state == "ready")
        .order_by(embedding.c.corpus_id, embedding.c.id)
    )
    if fingerprint:
        query = query.where(embedding.c.fingerprint == fingerprint)
    return read_rows(store, query, EmbeddingRow)


def incomplete_embeddings(store: Engine, run: int) -> list[EmbeddingRow]:
    """List the embeddings that a run has begun and not completed."""
    query = select_fields(embedding, EmbeddingRow).where(
        embedding.c.run_id == run, embedding.c.n_done < embedding.c.n_rows
    )
    return read_rows(store, query, EmbeddingRow)


def find_embedding(
    store: Engine, corpus_id: int, fingerprint: str
) -> EmbeddingRow | None:
    """Read the embedding of a corpus by an encoder, complete or not."""
    query = select_fields(embedding, EmbeddingRow).where(
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
    """Record that another run continues an embedding and owns it from now on."""
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


def map_embedding(
    folder: Path, row: EmbeddingRow
) -> tuple[FloatArray, NDArray[np.float16], FloatArray]:
    """Open the arrays of a complete embedding: unit and scan (n, d), norm (n,).

    Raises:
        ResourceError: one of them is missing, damaged, or of another shape.
    """
    files = embedding_files(folder, row.array)
    shape = (row.n_rows, row.dim)
    return (
        map_array(files[0], "<f4", shape),
        map_array(files[1], "<f2", shape),
        map_array(files[2], "<f4", shape[:1]),
    )


def is_embedding_complete(folder: Path, row: EmbeddingRow) -> bool:
    """Return whether an embedding is complete, in the record and on the disk."""
    if row.n_done < row.n_rows:
        return False
    try:
        map_embedding(folder, row)
    except ResourceError:
        return False
    return True


def embedding_files(folder: Path, stem: str) -> tuple[Path, Path, Path]:
    """Name the unit, scan and norm files of an embedding."""
    base = folder / "arrays"
    check_stem(stem)
    return (
        base / f"{stem}.unit.npy",
        base / f"{stem}.scan.npy",
        base / f"{stem}.norm.npy",
    )


def remove_embedding_files(folder: Path, stem: str) -> None:
    """Remove an embedding's files, complete or not (see `remove_arrays`)."""
    remove_arrays(embedding_files(folder, stem))


def open_embedding_writer(
    folder: Path, stem: str, shape: tuple[int, int], n_done: int
) -> ArrayGroupWriter:
    """Begin the arrays of an embedding, or continue them after `n_done` rows.

    Rows are appended as float32 (n, d), the same as float16, and float32 (n,).

    Raises:
        FileNotFoundError: not all that was recorded is there.
    """
    kinds = ((shape, "<f4"), (shape, "<f2"), (shape[:1], "<f4"))
    return ArrayGroupWriter(embedding_files(folder, stem), kinds, n_done)
