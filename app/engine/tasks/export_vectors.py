"""Task: export a corpus's vectors as .npy, with a file of the sentences."""

import os
import re
from pathlib import Path

import msgspec
import numpy as np

from app.arrays import IdArray
from app.engine.encoders.registry import load_encoder
from app.engine.project.active_sentences import active_positions
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.arrays import ArrayWriter, partial_path
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.embeddings import EmbeddingRow, find_embedding, map_embedding
from app.engine.store.lookup import find_corpus, with_subcorpus_name
from app.engine.store.sentences import read_sentences
from app.errors import UserError
from app.params.corpora import ExportVectors
from app.params.flags import command_text
from app.params.vectors import Encode

SHARD = 10_000  # rows
HEADER = "id\tcorpus\tline\tlanguage\ttext\n"


class ExportVectorsResult(msgspec.Struct, frozen=True):
    """The exported files.

    Attributes:
        vectors: the .npy file, float32 (n, dim).
        ids: the TSV file, with a header and one line per row of the array.
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
    """Export a corpus's vectors as .npy, and its sentence ids and texts as TSV.

    Raises:
        UserError: unknown corpus or encoder, or the corpus has no vectors yet.
    """
    corpus = find_corpus(project.store, params.corpus)
    title = with_subcorpus_name(project.store, corpus).name
    encoder = load_encoder(params.encoder, project.folder)
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    if row is None or row.n_done < row.n_rows:
        missing = Encode(corpora=(str(corpus.id),), encoder=params.encoder)
        raise UserError(
            f"{corpus.name} is not encoded by {encoder.name} yet. "
            f"Run: {command_text(missing, project.folder)}"
        )
    if params.out.is_file():
        raise UserError(f"{params.out} is a file. Choose a folder.")
    params.out.mkdir(parents=True, exist_ok=True)
    name = re.sub(r'[\\/:*?"<>|\s]+', "_", title).strip("._") or str(corpus.id)
    vectors, ids = params.out / f"{name}.npy", params.out / f"{name}.tsv"
    parts = partial_path(vectors), partial_path(ids)
    try:
        selected = active_positions(project, corpus)
        rows = np.arange(row.n_rows) if selected is None else selected
        _write_vectors(project, (row, rows), vectors, report, is_raw=params.raw)
        _write_ids(project, (corpus, rows), parts[1], report)
        for part, file in zip(parts, (vectors, ids), strict=True):
            part.replace(file)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
    return ExportVectorsResult(
        vectors, ids, len(rows), row.dim, encoder.name, params.raw
    )


def _write_vectors(
    project: Project,
    selected: tuple[EmbeddingRow, IdArray],
    file: Path,
    report: Report,
    *,
    is_raw: bool,
) -> None:
    """Write the vectors to a file with a temporary name."""
    embedding, rows = selected
    unit, _, norms = map_embedding(project.folder, embedding)
    writer = ArrayWriter(file, (len(rows), embedding.dim), "<f4")
    try:
        for start in range(0, len(rows), SHARD):
            report.step("Writing vectors", start, len(rows))
            part = rows[start : start + SHARD]
            vectors = np.array(unit[part])
            if is_raw:
                vectors *= norms[part, None]
            writer.append(vectors)
        writer.flush()
    finally:
        writer.close()


def _write_ids(
    project: Project, selected: tuple[CorpusRow, IdArray], part: Path, report: Report
) -> None:
    corpus, positions = selected
    ids = positions + first_sentence_id(corpus.id)
    with part.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(HEADER)
        for start in range(0, len(ids), SHARD):
            report.step("Writing sentences", start, len(ids))
            rows = read_sentences(project.store, ids[start : start + SHARD].tolist())
            stream.writelines(
                f"{row.id}\t{corpus.name}\t{row.line}\t{row.language}\t{row.text}\n"
                for row in rows
                if row is not None
            )
        stream.flush()
        os.fsync(stream.fileno())
