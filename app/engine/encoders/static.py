"""The static encoder: learned vectors of pieces and of bigrams of pieces, summed."""

import os
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch.nn import functional

from app.engine.device import halve_until_it_fits
from app.engine.encoders.pooling import FloatArray, table_rows
from app.engine.text.vocabulary import Vocabulary

CHUNK_TEXTS = 32_768
CHUNK_CHARACTERS = 2_000_000


class StaticEncoder:
    """An encoder without context: the vector of a text is a sum of table rows.

    Attributes:
        name, dim, fingerprint: see `Encoder`.
    """

    def __init__(
        self,
        table: FloatArray,
        vocabulary: Vocabulary,
        *,
        name: str = "",
        fingerprint: str = "",
        device: str = "cpu",
    ):
        self.name = name
        self.fingerprint = fingerprint
        self.dim = int(table.shape[1])
        self._vocabulary = vocabulary
        self._n_bigrams = len(table) - vocabulary.n_pieces
        self._table = torch.from_numpy(table).to(device)
        self._n_threads = os.cpu_count() or 1

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Give one vector for each text: float32 (n, d), zero without a known piece."""
        runs = list(split_texts(texts))
        if len(runs) == 1:
            return self._encode_run(texts)
        vectors = np.empty((len(texts), self.dim), np.float32)
        for start, end in runs:
            vectors[start:end] = self._encode_run(texts[start:end])
        return vectors

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Give the share of the texts' pieces that are unknown (0…1)."""
        return self._vocabulary.unknown_share(texts)

    def _encode_run(self, texts: Sequence[str]) -> FloatArray:
        """Encode a run of texts, in smaller ones if the GPU's memory is too small."""

        def encode_by(size: int) -> FloatArray:
            if size >= len(texts):
                return self._encode_chunk(texts)
            firsts = range(0, len(texts), size)
            return np.concatenate(
                [self._encode_chunk(texts[i : i + size]) for i in firsts]
            )

        vectors, _ = halve_until_it_fits(encode_by, len(texts))
        return vectors

    def _encode_chunk(self, texts: Sequence[str]) -> FloatArray:
        """Encode texts that fit in memory together."""
        piece_ids, lengths = self._vocabulary.tokenise(texts, n_threads=self._n_threads)
        rows, starts = table_rows(
            piece_ids,
            lengths,
            n_pieces=self._vocabulary.n_pieces,
            n_bigrams=self._n_bigrams,
            space_id=self._vocabulary.space_id,
        )
        device = self._table.device
        with torch.inference_mode():
            sums = functional.embedding_bag(
                torch.from_numpy(rows).to(device),
                self._table,
                torch.from_numpy(starts.astype(np.int32)).to(device),
                mode="sum",
            )
        vectors: FloatArray = sums.cpu().numpy()
        return vectors


def split_texts(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Cut texts into runs [start, end) of bounded number and bounded characters."""
    start, n_characters = 0, 0
    for i, text in enumerate(texts):
        n_characters += len(text)
        if i + 1 - start >= CHUNK_TEXTS or n_characters >= CHUNK_CHARACTERS:
            yield start, i + 1
            start, n_characters = i + 1, 0
    if start < len(texts):
        yield start, len(texts)
