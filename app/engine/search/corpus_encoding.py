"""Encode the sentences of corpora, in resumable shards."""

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import msgspec
import numpy as np
import torch

from app.arrays import FloatArray
from app.engine.encoders.encoder import Encoder, encoder_of_language
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.edited_vectors import encode_missing_edits
from app.engine.search.vector_source import TextHashes, VectorSource
from app.engine.store.arrays import check_disk_space
from app.engine.store.corpora import CorpusRow
from app.engine.store.embeddings import (
    EmbeddingKey,
    EmbeddingRow,
    assign_embedding_to_run,
    begin_embedding,
    delete_embedding,
    find_embedding,
    is_embedding_complete,
    open_embedding_writer,
    record_embedding_progress,
    restart_embedding,
)

FIRST_SHARD, MIN_SHARD, MAX_SHARD = 64, 16, 20_480  # sentences
SHARD_S = 0.5  # target duration of a shard: what a kill loses, how fast Cancel works


class EncodedCorpus(msgspec.Struct, frozen=True):
    """The result of encoding one corpus.

    Attributes:
        reused: sentences whose vector was copied from an equal text.
        resumed_at: sentences that an earlier run had encoded.
        zero_rows: sentences without a known subword, which search skips.
        was_done: whether the corpus was already encoded.
    """

    corpus: str
    id: int
    sentences: int
    encoded: int = 0
    reused: int = 0
    resumed_at: int = 0
    zero_rows: int = 0
    was_done: bool = False


def encode_corpora(
    project: Project, encoder: Encoder, corpora: Sequence[CorpusRow], report: Report
) -> list[EncodedCorpus]:
    """Encode the sentences of corpora that have no vector yet.

    Raises:
        ResourceError: the disk is too full.
        UserError: the encoder does not have the language of a corpus.
        Cancelled: finished shards are kept, and the next run resumes after them.
    """
    text_hashes = TextHashes(project.store)
    chosen = [
        (corpus, encoder_of_language(encoder, corpus.language)) for corpus in corpora
    ]
    return [
        _encode_corpus(project, one, corpus, text_hashes, report)
        for corpus, one in chosen
    ]


def _encode_corpus(
    project: Project,
    encoder: Encoder,
    corpus: CorpusRow,
    text_hashes: TextHashes,
    report: Report,
) -> EncodedCorpus:
    n_rows = corpus.n_sentences
    result = EncodedCorpus(corpus.name, corpus.id, n_rows, was_done=True)
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    is_done = (
        row and row.n_rows == n_rows and is_embedding_complete(project.folder, row)
    )
    if n_rows == 0 or is_done:
        return _encode_edits(project, encoder, row, result, report)
    row = _begin(project, encoder, corpus, row, report)
    writer = _VectorWriter(project, row)
    source = VectorSource(
        project,
        encoder,
        corpus.id,
        n_wanted=n_rows - writer.n_done,
        text_hashes=text_hashes,
    )
    resumed_at = writer.n_done
    _fill(writer, source, report, f"Encoding {corpus.name}")
    report.changed("embedding", row.id)
    return EncodedCorpus(
        corpus.name,
        corpus.id,
        n_rows,
        encoded=n_rows - resumed_at - source.n_reused,
        reused=source.n_reused,
        resumed_at=resumed_at,
        zero_rows=writer.n_zero,
    )


def _encode_edits(
    project: Project,
    encoder: Encoder,
    row: EmbeddingRow | None,
    result: EncodedCorpus,
    report: Report,
) -> EncodedCorpus:
    """Encode the edited sentences of an encoded corpus that have no vector."""
    if row is None:
        return result
    n = encode_missing_edits(project, encoder, row)
    if n:
        report.changed("embedding", row.id)
        row = find_embedding(project.store, row.corpus_id, row.fingerprint) or row
    return msgspec.structs.replace(
        result, encoded=n, zero_rows=row.n_zero, was_done=not n
    )


def _begin(
    project: Project,
    encoder: Encoder,
    corpus: CorpusRow,
    row: EmbeddingRow | None,
    report: Report,
) -> EmbeddingRow:
    """Resume an embedding, or begin one."""
    n_rows = corpus.n_sentences
    # the corpus has changed, or a file is missing
    if row is not None and (row.n_rows != n_rows or row.n_done == n_rows):
        delete_embedding(project.store, project.folder, row)
        row = None
    encoder.encode([])  # raises at once for an encoder that only has imported vectors
    check_disk_space(project.folder, n_rows - (row.n_done if row else 0), encoder.dim)
    key = EmbeddingKey(
        corpus.id, encoder.name, encoder.fingerprint, encoder.dim, n_rows
    )
    if row is None:
        return begin_embedding(project.store, key, run=report.run)
    assign_embedding_to_run(project.store, row.id, report.run)
    return row


class _VectorWriter:
    """Writes the arrays of an embedding and records its progress.

    Attributes:
        n_rows, n_done, n_zero: as in table `embedding`.
    """

    def __init__(self, project: Project, row: EmbeddingRow):
        """Open the arrays at the recorded row, or at the start if they are missing."""
        self._store, self._id = project.store, row.id
        self.n_rows, self.n_done, self.n_zero = row.n_rows, row.n_done, row.n_zero
        files = project.folder, row.array, (row.n_rows, row.dim)
        try:
            self._files = open_embedding_writer(*files, self.n_done)
        except FileNotFoundError:
            self.n_done = self.n_zero = 0
            restart_embedding(self._store, row)
            self._files = open_embedding_writer(*files, 0)

    def save(self, unit_vectors: FloatArray, norms: FloatArray) -> None:
        """Write a shard, flush, and then record it; after the last one, finish.

        The arrays have their final names before n_done == n_rows says so.
        """
        scan_vectors = torch.from_numpy(unit_vectors).half().numpy()  # 4x numpy's rate
        self._files.append(unit_vectors, scan_vectors, norms)
        self.n_done += len(norms)
        self.n_zero += int(np.count_nonzero(norms == 0))
        if self.n_done < self.n_rows:
            self._files.flush()
        else:
            self._files.finish()
        record_embedding_progress(self._store, self._id, self.n_done, self.n_zero)

    def close(self) -> None:
        """Close the arrays, complete or not."""
        self._files.close()


def _fill(
    vectors: _VectorWriter, source: VectorSource, report: Report, stage: str
) -> None:
    """Encode shard after shard, while the one before is written in a second thread."""
    position, size = vectors.n_done, FIRST_SHARD
    writing: Future[None] | None = None
    try:
        with ThreadPoolExecutor(1, "embedding-writer") as writer:
            while position < vectors.n_rows:
                shard_begun = time.monotonic()
                report.step(stage, position, vectors.n_rows)
                end = min(position + size, vectors.n_rows)
                unit_vectors, norms = source.read(position, end)
                if writing is not None:
                    writing.result()
                writing = writer.submit(vectors.save, unit_vectors, norms)
                size = _next_size(end - position, time.monotonic() - shard_begun)
                position = end
        if writing is not None:
            writing.result()
    finally:
        vectors.close()
    report.step(stage, position, vectors.n_rows)


def _next_size(n_rows: int, seconds: float) -> int:
    """Choose the next shard's size by the last one's time: at most four times it."""
    wanted = int(n_rows * SHARD_S / max(seconds, 1e-3))
    return min(max(wanted, MIN_SHARD), 4 * n_rows, MAX_SHARD)
