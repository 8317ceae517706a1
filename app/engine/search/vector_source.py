"""The vectors of a corpus's sentences: known ones are copied, the others encoded."""

from collections.abc import Sequence

import numpy as np

from app.engine.device import halve_until_it_fits
from app.engine.encoders.encoder import Encoder, normalise_rows
from app.engine.project import Project
from app.engine.search.known_vectors import TextHashes, load_known_vectors
from app.engine.store.arrays import FloatArray
from app.engine.store.bulk import read_texts

MAX_BATCH = 20_480  # sentences that the encoder gets at once


class VectorSource:
    """Gives unit vectors and norms for ranges of one corpus.

    Attributes:
        n_reused: sentences whose vector was copied from an equal text's.
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
        self._known = load_known_vectors(
            project, encoder.fingerprint, n_wanted, text_hashes
        )
        self._hashes = text_hashes.of(corpus_id) if len(self._known) else None

    def read(self, start: int, end: int) -> tuple[FloatArray, FloatArray]:
        """Give those of the sentences at the positions start … end - 1.

        Returns:
            unit_vectors: float32 (end - start, d); norms: float32 (end - start,).
        """
        texts = read_texts(self._project.store, self._corpus_id, start, end)
        if self._hashes is None:
            return self._encode(texts)
        places = self._known.find(self._hashes[start:end])
        new = np.nonzero(places < 0)[0]
        unit_vectors = np.empty((len(texts), self._encoder.dim), np.float32)
        norms = np.empty(len(texts), np.float32)
        self._known.copy(places, unit_vectors, norms)
        if len(new):
            unit_vectors[new], norms[new] = self._encode([texts[i] for i in new])
        self.n_reused += len(texts) - len(new)
        return unit_vectors, norms

    def _encode(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Encode texts, in smaller batches once a GPU was too small."""
        encode = self._encoder.encode

        def work(size: int) -> FloatArray:
            starts = range(0, len(texts), size)
            return np.concatenate([encode(texts[i : i + size]) for i in starts])

        vectors, self._batch = halve_until_it_fits(work, self._batch)
        return normalise_rows(vectors)
