"""Vectors that an encoder gave before, found by the hash of the text."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.store.arrays import FloatArray, embedding_files, map_array
from app.engine.store.bulk import read_integers
from app.engine.store.rows import EmbeddingRow, list_embeddings

# Reading a sentence's hash costs about a fortieth of encoding a short sentence.
MAX_LOOK_THROUGH = 20  # stored rows to look through for each row to encode


class KnownVectors:
    """The stored vectors of one encoder, sorted by the hash of their texts."""

    def __init__(self, store: Engine, folder: Path, embeddings: list[EmbeddingRow]):
        """Read the hashes of the corpora that these complete embeddings are of."""
        hashes = [read_integers(store, row.corpus_id, "hash") for row in embeddings]
        files = [embedding_files(folder, row.array) for row in embeddings]
        self._units = [map_array(unit) for unit, _, _ in files]
        self._norms = [map_array(norm) for _, _, norm in files]
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
    store: Engine, folder: Path, fingerprint: str, n_wanted: int
) -> KnownVectors:
    """Load what an encoder gave before, as far as looking through it can pay."""
    complete = [
        row
        for row in list_embeddings(store, fingerprint=fingerprint)
        if row.n_done == row.n_rows
    ]
    chosen: list[EmbeddingRow] = []
    left = MAX_LOOK_THROUGH * n_wanted
    for row in sorted(complete, key=lambda row: row.n_rows):
        left -= row.n_rows
        if left >= 0:
            chosen.append(row)
    return KnownVectors(store, folder, chosen)
