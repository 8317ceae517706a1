"""The static encoder: learned vectors of pieces, bigrams and n-grams, summed."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from app.engine.device import halve_until_it_fits
from app.engine.encoders.ngrams import Romaniser, distinct_words, ngram_rows, table_rows
from app.engine.encoders.pooling import FloatArray, IdArray
from app.engine.text.piece_counts import PieceCounts
from app.engine.text.vocabulary import Vocabulary

CHUNK_TEXTS = 32_768
CHUNK_CHARACTERS = 2_000_000


class NgramTable(NamedTuple):
    """The last `n_rows` rows of a table: hashed n-grams of words in Latin letters."""

    romaniser: Romaniser
    n_rows: int


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
        ngrams: NgramTable | None = None,
        name: str = "",
        fingerprint: str = "",
        device: str = "cpu",
    ):
        self.name = name
        self.fingerprint = fingerprint
        self.dim = int(table.shape[1])
        self._vocabulary = vocabulary
        self._ngrams = ngrams
        self._n_bigrams = len(table) - vocabulary.n_pieces
        if ngrams is not None:
            self._n_bigrams -= ngrams.n_rows
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

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces of each text, and those that are unknown."""
        return self._vocabulary.count_pieces(texts)

    @property
    def romaniser(self) -> Romaniser | None:
        """What writes words in letters; None: there are no n-grams."""
        return None if self._ngrams is None else self._ngrams.romaniser

    def parts(self, text: str) -> tuple[list[str], FloatArray, FloatArray]:
        """Give what a text's vector is the sum of.

        Returns:
            The names of its t pieces; float32 (t, d), each piece's row and half of each
            bigram that it is in; float32 (w, d), the n-grams of each word. All rows are
            zero if no piece is known.
        """
        piece_ids, lengths = self._vocabulary.tokenise([text])
        rows, _ = table_rows(
            piece_ids,
            lengths,
            n_pieces=self._vocabulary.n_pieces,
            n_bigrams=self._n_bigrams,
            space_id=self._vocabulary.space_id,
        )
        vectors = self._table[torch.from_numpy(rows).long()]
        if self._n_bigrams:
            pieces, bigrams = vectors[0::2], vectors[1::2] / 2
            vectors = pieces + bigrams
            vectors[1:] += bigrams[:-1]
        words = self._table[:0]
        if self._ngrams is not None and len(rows):
            is_heard = vectors.sum(dim=0).any()
            words = is_heard * self._word_vectors(text, self._ngrams)
        names = self._vocabulary.names(text)
        return names, vectors.cpu().numpy(), words.cpu().numpy()

    def _word_vectors(self, text: str, ngrams: NgramTable) -> Tensor:
        """Sum the n-grams of each word of a text: (w, d)."""
        words = ngrams.romaniser.split([text])
        rows, counts = ngram_rows(words, ngrams.n_rows)
        table = self._table[len(self._table) - ngrams.n_rows :]
        return self._sum(rows, np.cumsum(counts) - counts, table)

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
        with torch.inference_mode():
            sums = self._sum(rows, starts, self._table)
            if self._ngrams is not None:
                is_heard = sums.any(dim=1, keepdim=True)  # (n, d) -> (n, 1)
                sums += is_heard * self._sum_words(texts, self._ngrams)
        vectors: FloatArray = sums.cpu().numpy()
        return vectors

    def _sum_words(self, texts: Sequence[str], ngrams: NgramTable) -> Tensor:
        """Sum the n-grams of each text's words: (n, d); each word is summed once."""
        words = ngrams.romaniser.split(texts)
        distinct, word_ids = distinct_words(words)
        rows, counts = ngram_rows(distinct, ngrams.n_rows)
        table = self._table[len(self._table) - ngrams.n_rows :]
        vectors = self._sum(rows, np.cumsum(counts) - counts, table)
        ends = np.cumsum(words.lengths, dtype=np.int64)
        return self._sum(word_ids.astype(np.int32), ends - words.lengths, vectors)

    def _sum(self, rows: IdArray, starts: NDArray[np.int64], table: Tensor) -> Tensor:
        """Sum the rows of each bag: (rows, d) -> (bags, d)."""
        return functional.embedding_bag(
            torch.from_numpy(rows).to(table.device),
            table,
            torch.from_numpy(starts.astype(np.int32)).to(table.device),
            mode="sum",
        )


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
