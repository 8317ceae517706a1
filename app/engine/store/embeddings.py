"""Embeddings: their rows, and the files of their vectors.

An embedding with stem `s` has three files in `arrays/`:
    s.unit.npy   float32 (n, d)  rows of length 1; zero rows for texts without a token
    s.scan.npy   float16 (n, d)  the same vectors, for scanning
    s.norm.npy   float32 (n,)    length of each row before normalisation

Arrays are never overwritten, and copying a million vectors for one edited sentence
takes too long. The vectors of edited sentences are therefore in a small file that is
applied to the arrays when they are mapped. The stem of such an embedding is `s_e`,
where e is new for each edit: results computed with older vectors are not mistaken for
results of the new vectors, and an edit becomes visible when its stem is committed.
    s_e.edit.npy replacement rows (see `edited_rows_type`)
"""

import secrets
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, and_, delete, insert, select, update

from app.arrays import FloatArray
from app.engine.store.arrays import (
    ArrayGroupWriter,
    check_stem,
    map_array,
    remove_arrays,
    write_array,
)
from app.engine.store.rows import read_rows, select_fields
from app.engine.store.schema import (
    corpus,
    embedding,
)
from app.errors import DamagedDataError, ResourceError

EDIT_MARK = "_"  # in a stem, before the part that changes with each edit
EDITS_ENDING = ".edit.npy"
EditedRows = NDArray[Any]  # of `edited_rows_type`


class EmbeddingKey(NamedTuple):
    """Key of an embedding: corpus, number of sentences, and encoder."""

    corpus_id: int
    encoder: str
    fingerprint: str
    dim: int
    n_rows: int


class EmbeddingRow(NamedTuple):
    """Record of the vectors of one corpus by one encoder."""

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
    """List the embeddings of ready corpora, by one encoder or by all."""
    query = (
        select_fields(embedding, EmbeddingRow)
        .join(corpus, corpus.c.id == embedding.c.corpus_id)
        .where(corpus.c.state == "ready")
        .order_by(embedding.c.corpus_id, embedding.c.id)
    )
    if fingerprint:
        query = query.where(embedding.c.fingerprint == fingerprint)
    return read_rows(store, query, EmbeddingRow)


def embeddings_of_corpus(connection: Connection, corpus_id: int) -> list[EmbeddingRow]:
    """List the embeddings of a corpus, complete or not."""
    query = select_fields(embedding, EmbeddingRow)
    query = query.where(embedding.c.corpus_id == corpus_id).order_by(embedding.c.id)
    return [EmbeddingRow(*row) for row in connection.execute(query)]


def incomplete_embeddings(store: Engine, run: int) -> list[EmbeddingRow]:
    """List the embeddings that a run started but did not complete."""
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
    """Insert the record of an embedding without vectors, with an unused file name.

    A deleted array may still be mapped, so no name is used twice.
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
    """Record that another run continues and now owns an embedding."""
    statement = (
        update(embedding).where(embedding.c.id == embedding_id).values(run_id=run)
    )
    with store.begin() as connection:
        connection.execute(statement)


def record_embedding_progress(
    store: Engine, embedding_id: int, n_done: int, n_zero: int
) -> None:
    """Record that the first `n_done` rows are on disk, `n_zero` of them zero rows."""
    statement = (
        update(embedding)
        .where(embedding.c.id == embedding_id)
        .values(n_done=n_done, n_zero=n_zero)
    )
    with store.begin() as connection:
        connection.execute(statement)


def restart_embedding(store: Engine, row: EmbeddingRow) -> None:
    """Record that no rows and no vectors of edited sentences are on disk."""
    values = {"n_done": 0, "n_zero": 0, "array": arrays_stem(row.array)}
    statement = update(embedding).where(embedding.c.id == row.id).values(values)
    with store.begin() as connection:
        connection.execute(statement)


def delete_embedding(store: Engine, folder: Path, row: EmbeddingRow) -> None:
    """Delete an embedding; its mapped files are removed at the next opening."""
    with store.begin() as connection:
        connection.execute(delete(embedding).where(embedding.c.id == row.id))
    remove_embedding_files(folder, row.array)


def record_embedding(
    store: Engine, key: EmbeddingKey, stem: str, *, n_zero: int, run: int | None
) -> int:
    """Record complete arrays in place of earlier ones; return the embedding's id."""
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
        ResourceError: an array is missing, damaged, or of another shape.
    """
    files = embedding_files(folder, row.array)
    shape = (row.n_rows, row.dim)
    unit = map_array(files[0], "<f4", shape)
    scan = map_array(files[1], "<f2", shape)
    norm = map_array(files[2], "<f4", shape[:1])
    edited = read_edited_rows(folder, row)
    rows = edited["row"]  # written to private pages: the files do not change
    unit[rows], norm[rows] = edited["unit"], edited["norm"]
    scan[rows] = edited["unit"].astype(np.float16)
    return unit, scan, norm


def map_unit_vectors(file: Path) -> FloatArray:
    """Open the unit vectors of an embedding by a name returned by `unit_file`.

    Raises:
        ResourceError: a file is missing or damaged.
    """
    if file.exists():
        return map_array(file, "<f4", (None, None))
    folder, stem = file.parent.parent, file.name.split(".", 1)[0]
    unit = map_array(embedding_files(folder, stem)[0], "<f4", (None, None))
    type_ = edited_rows_type(unit.shape[1])
    edited = map_array(_edits_file(folder, stem), type_, (None,))
    unit[edited["row"]] = edited["unit"]
    return unit


def is_embedding_complete(folder: Path, row: EmbeddingRow) -> bool:
    """Return whether an embedding is complete in the database and on disk."""
    if row.n_done < row.n_rows:
        return False
    try:
        map_embedding(folder, row)
    except ResourceError:
        return False
    return True


def embedding_files(folder: Path, stem: str) -> tuple[Path, Path, Path]:
    """Return the unit, scan and norm files of an embedding, without later edits."""
    base = folder / "arrays"
    stem = arrays_stem(check_stem(stem))
    return (
        base / f"{stem}.unit.npy",
        base / f"{stem}.scan.npy",
        base / f"{stem}.norm.npy",
    )


def arrays_stem(stem: str) -> str:
    """Return the stem of the arrays of an embedding, edited or not."""
    return stem.split(EDIT_MARK, 1)[0]


def unit_file(folder: Path, stem: str) -> Path:
    """Return the name of the unit vectors with edits, for `map_unit_vectors`."""
    return folder / "arrays" / f"{check_stem(stem)}.unit.npy"


def remove_embedding_files(folder: Path, stem: str) -> None:
    """Remove an embedding's files, complete or not (see `remove_arrays`)."""
    remove_arrays(embedding_files(folder, stem))
    base = arrays_stem(stem)
    remove_arrays((folder / "arrays").glob(f"{base}{EDIT_MARK}*{EDITS_ENDING}"))


def edited_rows_type(dim: int) -> np.dtype[Any]:
    """Return the dtype of the rows of edited sentences.

    Its fields are:
        row: position of the sentence.
        original: hash of the text of the vector in the arrays.
        is_encoded: whether the edited text was encoded; otherwise the vector is zero.
        norm, unit: norm and unit vector, as in the arrays.
    """
    fields = [("row", "<i8"), ("original", "<i8"), ("is_encoded", "?")]
    return np.dtype([*fields, ("norm", "<f4"), ("unit", "<f4", (dim,))])


def read_edited_rows(folder: Path, row: EmbeddingRow) -> EditedRows:
    """Read the vectors of edited sentences, (m,) of `edited_rows_type`.

    Raises:
        ResourceError: the file is missing or damaged.
    """
    type_ = edited_rows_type(row.dim)
    if EDIT_MARK not in row.array:
        return np.empty(0, type_)
    file = _edits_file(folder, row.array)
    edited = np.array(map_array(file, type_, (None,)))
    if len(edited) and not 0 <= edited["row"].min() <= edited["row"].max() < row.n_rows:
        raise DamagedDataError(
            f"The array {file} names sentences that its corpus does not have: encode "
            "the corpus again."
        )
    return edited


def lacks_edited_vectors(folder: Path, row: EmbeddingRow) -> bool:
    """Return whether an edited sentence could not be encoded."""
    return not np.all(read_edited_rows(folder, row)["is_encoded"])


def write_edited_rows(folder: Path, row: EmbeddingRow, edited: EditedRows) -> str:
    """Write the vectors of edited sentences to a new file.

    Returns:
        The stem to record for the embedding with these rows.
    """
    base = arrays_stem(row.array)
    if not len(edited):
        return base
    stem = f"{base}{EDIT_MARK}{secrets.token_hex(4)}"
    write_array(_edits_file(folder, stem), edited)
    return stem


def remove_unused_edits(store: Engine, folder: Path) -> None:
    """Remove the files of edited vectors that no embedding uses."""
    with store.connect() as connection:
        stems = set(connection.scalars(select(embedding.c.array)))
    files = (folder / "arrays").glob(f"*{EDIT_MARK}*{EDITS_ENDING}")
    remove_arrays(
        file for file in files if file.name.removesuffix(EDITS_ENDING) not in stems
    )


def record_edited_rows(
    connection: Connection, embedding_id: int, stem: str, n_zero: int
) -> None:
    """Record the stem and the number of zero rows of an edited embedding."""
    connection.execute(
        update(embedding)
        .where(embedding.c.id == embedding_id)
        .values(array=stem, n_zero=n_zero)
    )


def _edits_file(folder: Path, stem: str) -> Path:
    return folder / "arrays" / f"{check_stem(stem)}{EDITS_ENDING}"


def open_embedding_writer(
    folder: Path, stem: str, shape: tuple[int, int], n_done: int
) -> ArrayGroupWriter:
    """Create the arrays of an embedding, or continue them after `n_done` rows.

    Each append takes float32 (n, d), the same rows as float16, and float32 (n,).

    Raises:
        FileNotFoundError: recorded rows are missing.
    """
    kinds = ((shape, "<f4"), (shape, "<f2"), (shape[:1], "<f4"))
    return ArrayGroupWriter(embedding_files(folder, stem), kinds, n_done)
