"""Vectors of sentences: reuse the stored ones of equal texts, encode the others."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.arrays import FloatArray
from app.engine.encoders.encoder import Encoder
from app.engine.numeric import normalise_rows
from app.engine.project.project import Project
from app.engine.runtime.devices import retry_with_smaller_batches
from app.engine.store.embeddings import (
    EmbeddingRow,
    is_embedding_complete,
    lacks_edited_vectors,
    list_embeddings,
    map_embedding,
)
from app.engine.store.sentences import read_integers, read_texts

# Searching a stored row costs about 1/30 of encoding a short sentence with the static
# encoder; these limits keep the search a small part of the work.
MAX_ROWS_EACH = 4  # stored rows per row to encode
MAX_ROWS_ALWAYS = 200_000  # stored rows searched in any case, in about 0.1 s


class TextHashes:
    """The hashes of the texts of corpora, each corpus read once."""

    def __init__(self, store: Engine):
        self._store = store
        self._read: dict[int, NDArray[np.int64]] = {}

    def of(self, corpus_id: int) -> NDArray[np.int64]:
        """Return the hashes of a corpus: int64 (n,), by position."""
        if corpus_id not in self._read:
            self._read[corpus_id] = read_integers(self._store, corpus_id, "hash")
        return self._read[corpus_id]


class ReusableVectors:
    """The stored vectors of one encoder, sorted by the hash of their texts."""

    def __init__(
        self, folder: Path, embeddings: list[EmbeddingRow], text_hashes: TextHashes
    ):
        """Sort the hashes of the corpora of these complete embeddings."""
        hashes = [text_hashes.of(row.corpus_id) for row in embeddings]
        arrays = [map_embedding(folder, row) for row in embeddings]
        self._units = [unit for unit, _, _ in arrays]
        self._norms = [norm for _, _, norm in arrays]
        self._ends = np.cumsum([len(part) for part in hashes], dtype=np.int64)
        together = np.concatenate(hashes) if hashes else np.empty(0, np.int64)
        self._order = np.argsort(together, kind="stable")
        self._sorted = together[self._order]

    def __len__(self) -> int:
        """Return the number of vectors."""
        return len(self._sorted)

    def find(self, hashes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the place of a vector for each hash, or -1."""
        if not len(self):
            return np.full(len(hashes), -1, np.int64)
        spots = np.searchsorted(self._sorted, hashes)
        spots = np.minimum(spots, len(self) - 1)
        is_known = self._sorted[spots] == hashes
        return np.where(is_known, self._order[spots], -1)

    def copy(
        self, indices: NDArray[np.int64], unit_vectors: FloatArray, norms: FloatArray
    ) -> None:
        """Fill the rows whose place is not -1.

        Args:
            indices: int64 (n,), of `find`.
            unit_vectors: float32 (n, d), written to.
            norms: float32 (n,), written to.
        """
        sources = np.searchsorted(self._ends, indices, side="right")
        for source, (unit, norm) in enumerate(
            zip(self._units, self._norms, strict=True)
        ):
            rows = np.nonzero((indices >= 0) & (sources == source))[0]
            begin = 0 if source == 0 else self._ends[source - 1]
            unit_vectors[rows] = unit[indices[rows] - begin]
            norms[rows] = norm[indices[rows] - begin]


def load_reusable_vectors(
    project: Project, fingerprint: str, n_wanted: int, text_hashes: TextHashes
) -> ReusableVectors:
    """Load stored vectors of an encoder, as far as reusing them saves time."""
    listed = list_embeddings(project.store, fingerprint=fingerprint)
    complete = [
        row
        for row in listed
        if is_embedding_complete(project.folder, row)
        and not lacks_edited_vectors(project.folder, row)
    ]
    chosen: list[EmbeddingRow] = []
    left = max(MAX_ROWS_EACH * n_wanted, MAX_ROWS_ALWAYS)
    for row in sorted(complete, key=lambda row: row.n_rows):
        left -= row.n_rows
        if left >= 0:
            chosen.append(row)
    return ReusableVectors(project.folder, chosen, text_hashes)


MAX_BATCH = 20_480  # sentences passed to the encoder at once


class VectorSource:
    """Computes unit vectors and norms for ranges of one corpus.

    Attributes:
        n_reused: sentences whose vector was copied from an equal text.
    """

    def __init__(
        self,
        project: Project,
        encoder: Encoder,
        corpus_id: int,
        *,
        n_wanted: int,
        text_hashes: TextHashes,
    ):
        self.n_reused = 0
        self._project, self._encoder, self._corpus_id = project, encoder, corpus_id
        self._batch = MAX_BATCH
        self._known = load_reusable_vectors(
            project, encoder.fingerprint, n_wanted, text_hashes
        )
        self._hashes = text_hashes.of(corpus_id) if len(self._known) else None

    def read(self, start: int, end: int) -> tuple[FloatArray, FloatArray]:
        """Return the vectors of the sentences at the positions start … end - 1.

        Returns:
            unit_vectors: float32 (end - start, d); norms: float32 (end - start,).
        """
        texts = read_texts(self._project.store, self._corpus_id, start, end)
        if self._hashes is None:
            return self._encode(texts)
        indices = self._known.find(self._hashes[start:end])
        new = np.nonzero(indices < 0)[0]
        unit_vectors = np.empty((len(texts), self._encoder.dim), np.float32)
        norms = np.empty(len(texts), np.float32)
        self._known.copy(indices, unit_vectors, norms)
        if len(new):
            unit_vectors[new], norms[new] = self._encode([texts[i] for i in new])
        self.n_reused += len(texts) - len(new)
        return unit_vectors, norms

    def _encode(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Encode texts, in smaller batches after the GPU ran out of memory."""
        encode = self._encoder.encode

        def work(size: int) -> FloatArray:
            starts = range(0, len(texts), size)
            return np.concatenate([encode(texts[i : i + size]) for i in starts])

        vectors, self._batch = retry_with_smaller_batches(work, self._batch)
        return normalise_rows(vectors)
