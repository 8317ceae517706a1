"""Vectors that an encoder gave before, found by the hash of the text."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.project import Project
from app.engine.store.arrays import FloatArray, is_whole, map_embedding
from app.engine.store.bulk import read_integers
from app.engine.store.rows import EmbeddingRow, list_embeddings

# Looking through a stored row costs about a thirtieth of encoding a short sentence by
# the static encoder: what is looked through stays a small part of the work.
MAX_ROWS_EACH = 4  # stored rows for each row to encode
MAX_ROWS_ALWAYS = 200_000  # stored rows however little is to encode: about 0.1 s


class TextHashes:
    """The hashes of the texts of corpora, each corpus read once."""

    def __init__(self, store: Engine):
        self._store = store
        self._read: dict[int, NDArray[np.int64]] = {}

    def of(self, corpus_id: int) -> NDArray[np.int64]:
        """Give the hashes of a corpus: int64 (n,), in the order of position."""
        if corpus_id not in self._read:
            self._read[corpus_id] = read_integers(self._store, corpus_id, "hash")
        return self._read[corpus_id]


class KnownVectors:
    """The stored vectors of one encoder, sorted by the hash of their texts."""

    def __init__(
        self, folder: Path, embeddings: list[EmbeddingRow], text_hashes: TextHashes
    ):
        """Sort the hashes of the corpora that these complete embeddings are of."""
        hashes = [text_hashes.of(row.corpus_id) for row in embeddings]
        arrays = [map_embedding(folder, row) for row in embeddings]
        self._units = [unit for unit, _, _ in arrays]
        self._norms = [norm for _, _, norm in arrays]
        self._ends = np.cumsum([len(part) for part in hashes], dtype=np.int64)
        together = np.concatenate(hashes) if hashes else np.empty(0, np.int64)
        self._order = np.argsort(together, kind="stable")
        self._sorted = together[self._order]

    def __len__(self) -> int:
        """Count the vectors."""
        return len(self._sorted)

    def find(self, hashes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the place of a vector for each hash, -1 where there is none."""
        if not len(self):
            return np.full(len(hashes), -1, np.int64)
        spots = np.searchsorted(self._sorted, hashes)
        spots = np.minimum(spots, len(self) - 1)
        is_known = self._sorted[spots] == hashes
        return np.where(is_known, self._order[spots], -1)

    def copy(
        self, places: NDArray[np.int64], unit_vectors: FloatArray, norms: FloatArray
    ) -> None:
        """Fill the rows whose place is not -1.

        Args:
            places: int64 (n,), of `find`.
            unit_vectors: float32 (n, d), written to.
            norms: float32 (n,), written to.
        """
        sources = np.searchsorted(self._ends, places, side="right")
        for source, (unit, norm) in enumerate(
            zip(self._units, self._norms, strict=True)
        ):
            rows = np.nonzero((places >= 0) & (sources == source))[0]
            begin = 0 if source == 0 else self._ends[source - 1]
            unit_vectors[rows] = unit[places[rows] - begin]
            norms[rows] = norm[places[rows] - begin]


def load_known_vectors(
    project: Project, fingerprint: str, n_wanted: int, text_hashes: TextHashes
) -> KnownVectors:
    """Load what an encoder gave before, as far as looking through it can pay."""
    listed = list_embeddings(project.store, fingerprint=fingerprint)
    complete = [row for row in listed if is_whole(project.folder, row)]
    chosen: list[EmbeddingRow] = []
    left = max(MAX_ROWS_EACH * n_wanted, MAX_ROWS_ALWAYS)
    for row in sorted(complete, key=lambda row: row.n_rows):
        left -= row.n_rows
        if left >= 0:
            chosen.append(row)
    return KnownVectors(project.folder, chosen, text_hashes)
