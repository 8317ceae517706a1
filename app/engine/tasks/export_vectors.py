"""Export a corpus's vectors as .npy, with the sentences they belong to beside them."""

import os
import re
from pathlib import Path

import msgspec
import numpy as np

from app.engine.encoders.checkpoint import load_encoder
from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.arrays import ArrayWriter, map_embedding, part_of
from app.engine.store.embedding_writes import find_embedding
from app.engine.store.find import find_corpora
from app.engine.store.rows import CorpusRow, EmbeddingRow, first_id, read_sentences
from app.errors import UserError
from app.params import Encode, ExportVectors
from app.params.flags import command_text

SHARD = 10_000  # rows
HEADER = "id\tcorpus\tline\tlanguage\ttext\n"


class ExportVectorsResult(msgspec.Struct, frozen=True):
    """What was written.

    Attributes:
        vectors: the .npy file, float32 (n, dim).
        ids: the TSV file: a header, then a line for each row of the array.
    """

    vectors: Path
    ids: Path
    n: int
    dim: int
    encoder: str
    raw: bool


def export_vectors(
    project: Project, params: ExportVectors, report: Report
) -> ExportVectorsResult:
    """Write a corpus's vectors as .npy and its sentence ids and texts beside it.

    Raises:
        UserError: an unknown corpus or encoder, or the corpus has no vectors yet.
    """
    (corpus,) = find_corpora(project.store, [params.corpus])
    encoder = load_encoder(params.encoder, project.folder)
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    if row is None or row.n_done < row.n_rows:
        missing = Encode(corpora=(str(corpus.id),), encoder=params.encoder)
        raise UserError(
            f"{corpus.name} is not encoded by {encoder.name} yet. "
            f"Run: {command_text(missing, project.folder)}"
        )
    if params.out.is_file():
        raise UserError(f"{params.out} is a file: name a folder to write into.")
    params.out.mkdir(parents=True, exist_ok=True)
    name = re.sub(r'[\\/:*?"<>|\s]+', "_", corpus.name).strip("._") or str(corpus.id)
    vectors, ids = params.out / f"{name}.npy", params.out / f"{name}.tsv"
    parts = part_of(vectors), part_of(ids)
    try:
        _write_vectors(project, row, vectors, report, is_raw=params.raw)
        _write_ids(project, corpus, parts[1], report)
        for part, file in zip(parts, (vectors, ids), strict=True):
            part.replace(file)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
    return ExportVectorsResult(
        vectors, ids, row.n_rows, row.dim, encoder.name, params.raw
    )


def _write_vectors(
    project: Project, row: EmbeddingRow, file: Path, report: Report, *, is_raw: bool
) -> None:
    """Write the array under its temporary name."""
    unit, _, norms = map_embedding(project.folder, row)
    writer = ArrayWriter(file, unit.shape, "<f4")
    try:
        for start in range(0, row.n_rows, SHARD):
            report.step("write vectors", start, row.n_rows)
            vectors = np.array(unit[start : start + SHARD])
            if is_raw:
                vectors *= norms[start : start + SHARD, None]
            writer.append(vectors)
        writer.flush()
    finally:
        writer.close()


def _write_ids(project: Project, corpus: CorpusRow, part: Path, report: Report) -> None:
    first = first_id(corpus.id)
    with part.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(HEADER)
        for start in range(0, corpus.n_sentences, SHARD):
            report.step("write sentences", start, corpus.n_sentences)
            end = min(start + SHARD, corpus.n_sentences)
            rows = read_sentences(project.store, range(first + start, first + end))
            stream.writelines(
                f"{row.id}\t{corpus.name}\t{row.line}\t{row.language}\t{row.text}\n"
                for row in rows
                if row is not None
            )
        stream.flush()
        os.fsync(stream.fileno())
