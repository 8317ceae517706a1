"""Task: import vectors of a corpus, one row per line."""

import secrets
import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.encoders.configs import VectorsConfig
from app.engine.encoders.imported.card import hash_source
from app.engine.encoders.imported.vectors import (
    VectorFile,
    VectorsEncoder,
    find_or_create,
    open_vector_file,
)
from app.engine.encoders.registry import check_new_name, check_plain_name
from app.engine.numeric import normalise_rows
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.arrays import check_disk_space
from app.engine.store.corpora import CorpusRow
from app.engine.store.embeddings import (
    EmbeddingKey,
    find_embedding,
    open_embedding_writer,
    record_embedding,
    remove_embedding_files,
)
from app.engine.store.lookup import find_whole_corpus
from app.engine.store.sentences import read_integers
from app.errors import UserError
from app.params.encoders import ImportVectors
from app.results.task import TaskResult

SHARD_BYTES = 16_000_000  # bytes that are read, checked and written at once
LINE_FORMATS = ("text", "moses")  # formats with one sentence per line

RowIds = NDArray[np.int64] | None


class ImportVectorsResult(TaskResult, frozen=True):
    """The imported vectors.

    Attributes:
        n_rows: rows of the file; n_used: rows that belong to a sentence of the corpus.
        zero_rows: sentences whose vector is zero, which search ignores.
    """

    corpus: str
    encoder: str
    dim: int
    n_rows: int
    n_used: int
    zero_rows: int


def import_vectors(
    project: Project, params: ImportVectors, report: Report
) -> ImportVectorsResult:
    """Import a file's rows as a corpus's vectors under the name of an encoder.

    Vectors that the corpus already has under this name are replaced.

    Raises:
        UserError: rows and lines do not match, a row is not finite, or the dimensions
            differ from vectors imported under this name before.
        ResourceError: the file is missing, or the disk is too full.
        Cancelled: nothing is imported.
    """
    check_plain_name(params.encoder)
    why = "the rows of a file of vectors are of all sentences"
    corpus = find_whole_corpus(project.store, params.corpus, why)
    n_lines = _count_lines(corpus)
    counts = (corpus.n_sentences, n_lines) if n_lines else (corpus.n_sentences,)
    file = open_vector_file(params.file, params.dim, counts)
    row_ids = _row_ids(project, corpus, len(file.rows))
    check_disk_space(project.folder, corpus.n_sentences, file.rows.shape[1])
    folder = project.folder / "encoders" / params.encoder
    if not folder.exists():
        check_new_name(project.folder, params.encoder)
    encoder, is_new = find_or_create(folder, _config(params, file, report))
    is_done = False
    try:
        n_zero = _import(project, corpus, encoder, file, row_ids, report)
        is_done = True
    finally:
        if is_new and not is_done:
            shutil.rmtree(folder, ignore_errors=True)
    report.changed("encoder", 0)
    return ImportVectorsResult(
        corpus=corpus.name,
        encoder=encoder.name,
        dim=encoder.dim,
        n_rows=len(file.rows),
        n_used=corpus.n_sentences,
        zero_rows=n_zero,
        message=f"{corpus.n_sentences:,} sentences of {corpus.name} have a vector by "
        f"{encoder.name} now.",
    )


def _import(
    project: Project,
    corpus: CorpusRow,
    encoder: VectorsEncoder,
    file: VectorFile,
    row_ids: RowIds,
    report: Report,
) -> int:
    """Write the arrays, record them, and return the number of zero rows."""
    key = EmbeddingKey(
        corpus.id, encoder.name, encoder.fingerprint, encoder.dim, corpus.n_sentences
    )
    stem = f"{corpus.id}-{encoder.fingerprint[:8]}-{secrets.token_hex(4)}"
    is_done = False
    try:
        n_zero = _write(project.folder, stem, key, file, row_ids, report)
        old = find_embedding(project.store, corpus.id, encoder.fingerprint)
        new_id = record_embedding(
            project.store, key, stem, n_zero=n_zero, run=report.run
        )
        is_done = True
    finally:
        if not is_done:
            remove_embedding_files(project.folder, stem)
    if old is not None:
        remove_embedding_files(project.folder, old.array)
    report.changed("embedding", new_id)
    return n_zero


def _write(
    folder: Path,
    stem: str,
    key: EmbeddingKey,
    file: VectorFile,
    row_ids: RowIds,
    report: Report,
) -> int:
    """Write rows in the order of the sentences; return the number of zero rows."""
    size = max(1, SHARD_BYTES // (4 * key.dim))
    n_zero = 0
    writer = open_embedding_writer(folder, stem, (key.n_rows, key.dim), 0)
    try:
        for start in range(0, key.n_rows, size):
            report.step("Importing vectors", start, key.n_rows)
            end = min(start + size, key.n_rows)
            ids = np.arange(start, end) if row_ids is None else row_ids[start:end]
            rows = file.rows[start:end] if row_ids is None else file.rows[ids]
            with np.errstate(over="ignore"):  # infinite values are rejected below
                vectors = np.array(rows, np.float32)
            _refuse_infinite(file.path, ids, vectors)
            unit_vectors, norms = normalise_rows(vectors)
            writer.append(unit_vectors, unit_vectors.astype(np.float16), norms)
            n_zero += int(np.count_nonzero(norms == 0))
        writer.finish()
    finally:
        writer.close()
    report.step("Importing vectors", key.n_rows, key.n_rows)
    return n_zero


def _refuse_infinite(path: Path, ids: NDArray[np.int64], vectors: FloatArray) -> None:
    """Reject rows with a value that is not finite, or too large to square."""
    squares = np.einsum("nd,nd->n", vectors, vectors)  # (n, d) -> (n,)
    bad = ids[~np.isfinite(squares)]
    if len(bad):
        raise UserError(
            f"{path}, row {bad[0] + 1:,}: a number is not finite (nan, inf, or too "
            "large). Create the vectors again."
        )


def _count_lines(corpus: CorpusRow) -> int:
    """Count the lines of a corpus's source file; 0: the format is not line-based."""
    is_by_line = corpus.report.get("format") in LINE_FORMATS
    return int(corpus.report.get("n_read", 0)) if is_by_line else 0


def _row_ids(project: Project, corpus: CorpusRow, n_rows: int) -> RowIds:
    """Return the row of each sentence: int64 (n,); None: row i is sentence i."""
    if not corpus.n_sentences:
        raise UserError(f"{corpus.name} has no sentences.")
    if n_rows == corpus.n_sentences:
        return None
    lines = read_integers(project.store, corpus.id, "line")
    if (np.diff(lines) <= 0).any() or lines[-1] > n_rows:
        raise UserError(
            f"{corpus.name} has lines that were split into sentences, so the file "
            f"must have one row for each of its {corpus.n_sentences:,} sentences, not "
            "one per line."
        )
    return lines - 1


def _config(params: ImportVectors, file: VectorFile, report: Report) -> VectorsConfig:
    """Return the config of the encoder that the vectors are stored under."""
    return VectorsConfig(
        name=params.encoder,
        description="Vectors from another program. New text can't be encoded.",
        dim=file.rows.shape[1],
        precision="float16" if file.rows.dtype == np.float16 else "float32",
        origin=params.file.name,
        source_sha256=hash_source(params.file, report),
    )
