"""Task: encode corpora to vectors on disk, in resumable shards."""

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import msgspec
import numpy as np
import torch

from app.arrays import FloatArray
from app.engine.encoders.encoder import Encoder
from app.engine.encoders.registry import load_encoder
from app.engine.project.project import Project
from app.engine.runtime.devices import preferred_device
from app.engine.runtime.report import Report
from app.engine.search.vector_source import TextHashes, VectorSource
from app.engine.store.arrays import check_disk_space
from app.engine.store.corpora import CorpusRow
from app.engine.store.embeddings import (
    EmbeddingKey,
    EmbeddingRow,
    EmbeddingWriter,
    assign_embedding_to_run,
    begin_embedding,
    delete_embedding,
    find_embedding,
    is_embedding_complete,
    record_embedding_progress,
)
from app.engine.store.lookup import find_corpora
from app.params.vectors import Encode

FIRST_SHARD, MIN_SHARD, MAX_SHARD = 64, 16, 20_480  # sentences
SHARD_S = 0.5  # wanted length of a shard: what a kill can lose, how soon Cancel is met


class EncodedCorpus(msgspec.Struct, frozen=True):
    """What encoding did with one corpus.

    Attributes:
        reused: sentences whose vector was known from an equal text.
        resumed_at: sentences that an earlier run had done.
        zero_rows: sentences without a known piece; search leaves them out.
        was_done: nothing was to do.
    """

    corpus: str
    id: int
    sentences: int
    encoded: int = 0
    reused: int = 0
    resumed_at: int = 0
    zero_rows: int = 0
    was_done: bool = False


class EncodeResult(msgspec.Struct, frozen=True):
    """What encoding did."""

    encoder: str
    device: str
    dim: int
    sentences: int
    encoded: int
    reused: int
    zero_rows: int
    seconds: float
    message: str
    corpora: list[EncodedCorpus]


def encode(project: Project, params: Encode, report: Report) -> EncodeResult:
    """Encode corpora: one vector for each sentence, kept in the project.

    Raises:
        UserError: an unknown corpus or encoder.
        ResourceError: the disk is too full.
        Cancelled: what was encoded stays, and the next run goes on there.
    """
    begun = time.monotonic()
    corpora = find_corpora(project.store, params.corpora)
    device = preferred_device()
    report.step("load encoder", 0, 1)
    encoder = load_encoder(params.encoder, project.folder, device=device)
    text_hashes = TextHashes(project.store)
    done = [
        _encode_corpus(project, encoder, corpus, text_hashes, report)
        for corpus in corpora
    ]
    return EncodeResult(
        encoder=encoder.name,
        device=device,
        dim=encoder.dim,
        sentences=sum(one.sentences for one in done),
        encoded=sum(one.encoded for one in done),
        reused=sum(one.reused for one in done),
        zero_rows=sum(one.zero_rows for one in done),
        seconds=time.monotonic() - begun,
        message=_message(done, encoder.name) + _note_subcorpora(corpora),
        corpora=done,
    )


def _note_subcorpora(corpora: Sequence[CorpusRow]) -> str:
    """Return that a sub-corpus has the vectors of its corpora."""
    names = ", ".join(corpus.name for corpus in corpora if corpus.subcorpus)
    said = " The corpora of sub-corpora are encoded whole: "
    return f"{said}{names}." if names else ""


def _encode_corpus(
    project: Project,
    encoder: Encoder,
    corpus: CorpusRow,
    text_hashes: TextHashes,
    report: Report,
) -> EncodedCorpus:
    """Encode what a corpus lacks."""
    n_rows = corpus.n_sentences
    result = EncodedCorpus(corpus.name, corpus.id, n_rows, was_done=True)
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    is_done = (
        row and row.n_rows == n_rows and is_embedding_complete(project.folder, row)
    )
    if n_rows == 0 or is_done:
        return msgspec.structs.replace(result, zero_rows=row.n_zero if row else 0)
    row = _begin(project, encoder, corpus, row, report)
    book = _VectorWriter(project, row)
    source = VectorSource(
        project,
        encoder,
        corpus.id,
        n_wanted=n_rows - book.n_done,
        text_hashes=text_hashes,
    )
    resumed_at = book.n_done
    _fill(book, source, report, f"encode {corpus.name}")
    report.changed("embedding", row.id)
    return EncodedCorpus(
        corpus.name,
        corpus.id,
        n_rows,
        encoded=n_rows - resumed_at - source.n_reused,
        reused=source.n_reused,
        resumed_at=resumed_at,
        zero_rows=book.n_zero,
    )


def _begin(
    project: Project,
    encoder: Encoder,
    corpus: CorpusRow,
    row: EmbeddingRow | None,
    report: Report,
) -> EmbeddingRow:
    """Take up an embedding that was begun, or begin one."""
    n_rows = corpus.n_sentences
    # the corpus is another since, or a file of a complete one is gone
    if row is not None and (row.n_rows != n_rows or row.n_done == n_rows):
        delete_embedding(project.store, project.folder, row)
        row = None
    encoder.encode([])  # one of vectors alone refuses, before anything is begun
    check_disk_space(project.folder, n_rows - (row.n_done if row else 0), encoder.dim)
    key = EmbeddingKey(
        corpus.id, encoder.name, encoder.fingerprint, encoder.dim, n_rows
    )
    if row is None:
        return begin_embedding(project.store, key, run=report.run)
    assign_embedding_to_run(project.store, row.id, report.run)
    return row


class _VectorWriter:
    """The arrays of an embedding and the record of how far they are.

    Attributes:
        n_rows, n_done, n_zero: as in table `embedding`.
    """

    def __init__(self, project: Project, row: EmbeddingRow):
        """Open the arrays where the record says; from the start if they are gone."""
        self._store, self._id = project.store, row.id
        self.n_rows, self.n_done, self.n_zero = row.n_rows, row.n_done, row.n_zero
        shape = (row.n_rows, row.dim)
        try:
            self._files = EmbeddingWriter(project.folder, row.array, shape, self.n_done)
        except FileNotFoundError:
            self.n_done = self.n_zero = 0
            record_embedding_progress(self._store, self._id, 0, 0)
            self._files = EmbeddingWriter(project.folder, row.array, shape, 0)

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
    book: _VectorWriter, source: VectorSource, report: Report, stage: str
) -> None:
    """Encode shard after shard, while the one before is written in a second thread."""
    begun_at, begun = book.n_done, time.monotonic()
    position, size = begun_at, FIRST_SHARD
    writing: Future[None] | None = None
    try:
        with ThreadPoolExecutor(1, "embedding-writer") as writer:
            while position < book.n_rows:
                shard_begun = time.monotonic()
                rate = (position - begun_at) / max(shard_begun - begun, 1e-3)
                note = f"{rate:,.0f} sentences a second" if rate else ""
                report.step(stage, position, book.n_rows, note)
                end = min(position + size, book.n_rows)
                unit_vectors, norms = source.read(position, end)
                if writing is not None:
                    writing.result()
                writing = writer.submit(book.save, unit_vectors, norms)
                size = _next_size(end - position, time.monotonic() - shard_begun)
                position = end
        if writing is not None:
            writing.result()
    finally:
        book.close()
    report.step(stage, position, book.n_rows)


def _next_size(n_rows: int, seconds: float) -> int:
    """Choose the next shard's size by the last one's time: at most four times it."""
    wanted = int(n_rows * SHARD_S / max(seconds, 1e-3))
    return min(max(wanted, MIN_SHARD), 4 * n_rows, MAX_SHARD)


def _message(done: Sequence[EncodedCorpus], encoder: str) -> str:
    """Return in a sentence what was done."""
    n_new = sum(one.encoded + one.reused for one in done)
    if not n_new:
        names = ", ".join(one.corpus for one in done)
        return f"{names}: encoded by {encoder} already, nothing was to do."
    message = f"{n_new:,} sentences have a vector by {encoder} now."
    n_zero = sum(one.zero_rows for one in done)
    if not n_zero:
        return message
    hold = "holds" if n_zero == 1 else "hold"
    return (
        f"{message} {n_zero:,} {hold} no piece that it knows: search leaves them out."
    )
