"""Encode corpora: texts from the store to vectors on disk, in shards, resumable."""

import shutil
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.device import wanted_device
from app.engine.encoders.checkpoint import load_encoder
from app.engine.encoders.encoder import Encoder, normalise_rows
from app.engine.project import Project
from app.engine.report import Report
from app.engine.search.known_vectors import load_known_vectors
from app.engine.store.arrays import EmbeddingWriter, FloatArray
from app.engine.store.bulk import read_integers, read_texts
from app.engine.store.embedding_writes import (
    EmbeddingKey,
    begin_embedding,
    drop_embedding,
    find_embedding,
    record_rows,
)
from app.engine.store.find import find_corpora
from app.engine.store.rows import CorpusRow, EmbeddingRow
from app.errors import ResourceError
from app.params import Encode

FIRST_SHARD, MIN_SHARD, MAX_SHARD = 1_024, 16, 20_480  # sentences
SHARD_S = 0.5  # wanted length of a shard: what a kill can lose, how soon Cancel is met
SPACE_LEFT = 50_000_000  # bytes that stay free on the disk


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
    device = wanted_device()
    report.step("load encoder", 0, 1)
    encoder = load_encoder(params.encoder, project.folder, device=device)
    done = [_encode_corpus(project, encoder, corpus, report) for corpus in corpora]
    return EncodeResult(
        encoder=encoder.name,
        device=device,
        dim=encoder.dim,
        sentences=sum(one.sentences for one in done),
        encoded=sum(one.encoded for one in done),
        reused=sum(one.reused for one in done),
        zero_rows=sum(one.zero_rows for one in done),
        seconds=time.monotonic() - begun,
        message=_message(done, encoder.name),
        corpora=done,
    )


def _encode_corpus(
    project: Project, encoder: Encoder, corpus: CorpusRow, report: Report
) -> EncodedCorpus:
    """Encode what a corpus lacks."""
    row = find_embedding(project.store, corpus.id, encoder.fingerprint)
    n_rows = corpus.n_sentences
    nothing = EncodedCorpus(corpus.name, corpus.id, n_rows, was_done=True)
    if n_rows == 0:
        return nothing
    if row is not None and row.n_done == row.n_rows == n_rows:
        return msgspec.structs.replace(nothing, zero_rows=row.n_zero)
    if row is not None and row.n_rows != n_rows:
        drop_embedding(project.store, project.folder, row)
        row = None
    n_left = n_rows - (row.n_done if row else 0)
    _check_space(project.folder, n_left, encoder.dim)
    key = EmbeddingKey(
        corpus.id, encoder.name, encoder.fingerprint, encoder.dim, n_rows
    )
    row = row or begin_embedding(project.store, key, run=report.run)
    job = _Job(project, encoder, row, _open_files(project, row), report)
    resumed_at, n_reused, n_zero = job.perform(corpus.name)
    report.changed("embedding", row.id)
    return EncodedCorpus(
        corpus.name,
        corpus.id,
        n_rows,
        encoded=n_rows - resumed_at - n_reused,
        reused=n_reused,
        resumed_at=resumed_at,
        zero_rows=n_zero,
    )


class _Job:
    """Encoding one corpus: reads and encodes here, writes in a second thread."""

    def __init__(
        self,
        project: Project,
        encoder: Encoder,
        row: EmbeddingRow,
        files: tuple[EmbeddingWriter, int, int],
        report: Report,
    ):
        self._project, self._encoder, self._row = project, encoder, row
        self._files, self._n_done, self._n_zero = files
        self._report = report
        self._n_reused = 0
        n_left = row.n_rows - self._n_done
        self._known = load_known_vectors(
            project.store, project.folder, row.fingerprint, n_left
        )
        self._hashes = self._read_hashes()

    def perform(self, name: str) -> tuple[int, int, int]:
        """Encode; returns the row it began at, rows reused, and zero rows in all."""
        begun_at, begun = self._n_done, time.monotonic()
        size, position, stage = FIRST_SHARD, self._n_done, f"encode {name}"
        writing: Future[None] | None = None
        try:
            with ThreadPoolExecutor(1, "embedding-writer") as writer:
                while position < self._row.n_rows:
                    rate = (position - begun_at) / (time.monotonic() - begun + 1e-9)
                    note = f"{rate:,.0f} sentences a second" if rate else ""
                    self._report.step(stage, position, self._row.n_rows, note)
                    shard_begun = time.monotonic()
                    end = min(position + size, self._row.n_rows)
                    unit_vectors, norms = self._vectors(position, end)
                    if writing is not None:
                        writing.result()
                    writing = writer.submit(self._save, unit_vectors, norms)
                    shard_s = max(time.monotonic() - shard_begun, 1e-3)
                    wanted = int((end - position) * SHARD_S / shard_s)
                    size = min(max(wanted, MIN_SHARD), 4 * size, MAX_SHARD)
                    position = end
            if writing is not None:
                writing.result()
            self._finish()
        finally:
            self._files.close()
        self._report.step(stage, position, self._row.n_rows)
        return begun_at, self._n_reused, self._n_zero

    def _read_hashes(self) -> NDArray[np.int64]:
        if not len(self._known):
            return np.empty(0, np.int64)
        return read_integers(
            self._project.store, self._row.corpus_id, "hash", start=self._n_done
        )

    def _vectors(self, start: int, end: int) -> tuple[FloatArray, FloatArray]:
        """Give unit vectors and norms of the sentences start … end - 1."""
        texts = read_texts(self._project.store, self._row.corpus_id, start, end)
        if not len(self._known):
            return normalise_rows(self._encoder.encode(texts))
        offset = self._row.n_rows - len(self._hashes)
        places = self._known.find(self._hashes[start - offset : end - offset])
        new = np.nonzero(places < 0)[0]
        unit_vectors = np.empty((len(texts), self._encoder.dim), np.float32)
        norms = np.empty(len(texts), np.float32)
        self._known.copy(places, unit_vectors, norms)
        if len(new):
            vectors = self._encoder.encode([texts[i] for i in new])
            unit_vectors[new], norms[new] = normalise_rows(vectors)
        self._n_reused += len(texts) - len(new)
        return unit_vectors, norms

    def _save(self, unit_vectors: FloatArray, norms: FloatArray) -> None:
        """Write a shard, flush, then record it; the last one is `_finish`'s."""
        self._files.append(unit_vectors, norms)
        self._n_done += len(norms)
        self._n_zero += int(np.count_nonzero(norms == 0))
        if self._n_done < self._row.n_rows:
            self._files.flush()
            record_rows(self._project.store, self._row.id, self._n_done, self._n_zero)

    def _finish(self) -> None:
        """Name the arrays; whoever reads n_done == n_rows finds them."""
        self._files.finish()
        record_rows(self._project.store, self._row.id, self._n_done, self._n_zero)


def _open_files(
    project: Project, row: EmbeddingRow
) -> tuple[EmbeddingWriter, int, int]:
    """Open the arrays where the record says; from the start if they are gone.

    Returns:
        The writer, and how many rows and zero rows are done.
    """
    shape = (row.n_rows, row.dim)
    try:
        files = EmbeddingWriter(project.folder, row.array, shape, row.n_done)
    except FileNotFoundError:
        record_rows(project.store, row.id, 0, 0)
        return EmbeddingWriter(project.folder, row.array, shape, 0), 0, 0
    return files, row.n_done, row.n_zero


def _check_space(folder: Path, n_rows: int, dim: int) -> None:
    """Refuse before the work what the disk cannot hold."""
    needed = n_rows * (6 * dim + 4)  # float32 and float16 (n, d), float32 (n,)
    free = shutil.disk_usage(folder).free
    if needed + SPACE_LEFT > free:
        raise ResourceError(
            f"The vectors of {n_rows:,} sentences take {needed / 1e6:,.0f} MB, but the "
            f"disk of {folder} has {free / 1e6:,.0f} MB free: free some space."
        )


def _message(done: Sequence[EncodedCorpus], encoder: str) -> str:
    """Say in a sentence what was done."""
    n_new = sum(one.encoded + one.reused for one in done)
    if not n_new:
        names = ", ".join(one.corpus for one in done)
        return f"{names}: encoded by {encoder} already, nothing was to do."
    return f"{n_new:,} sentences have a vector by {encoder} now."
