"""Spans of a document: every one to k adjacent sentences, joined and encoded."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.arrays import FloatArray
from app.engine.encoders.encoder import Encoder
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.store.pairs.texts import join_sentences

FIRST_BLOCK, MIN_BLOCK, MAX_BLOCK = 64, 16, 8_192  # texts
BLOCK_S = 0.4  # target time of a block, so that cancelling is quick


class Spans(NamedTuple):
    """The spans of one document of n sentences.

    Attributes:
        vectors: float32 (k, n, d), rows of length 1, or zero if the encoder knows no
            part of the text. [a - 1, i] belongs to the a sentences that end with i;
            zero if there are fewer than a.
    """

    vectors: FloatArray

    @property
    def n(self) -> int:
        """Return the number of sentences."""
        return int(self.vectors.shape[1])

    @property
    def k(self) -> int:
        """Return the number of sentences in the longest spans."""
        return int(self.vectors.shape[0])

    def mean(self) -> FloatArray:
        """Return the mean of all spans: float32 (d,)."""
        k, n, _ = self.vectors.shape
        n_spans = sum(max(n - a, 0) for a in range(k))
        total = self.vectors.sum(axis=(0, 1), dtype=np.float64)  # (k, n, d) -> (d,)
        mean: FloatArray = (total / max(n_spans, 1)).astype(np.float32)
        return mean


def encode_spans(
    encoder: Encoder,
    texts: Sequence[str],
    language: str,
    k: int,
    report: Report,
    stage: str,
) -> Spans:
    """Join every 1 to k consecutive sentences, and encode them.

    Args:
        encoder: encodes the joined texts.
        texts: n sentences in the order of the document.
        language: of the sentences; determines how they are joined.
        k: sentences of the longest spans.
        stage: name of this step in the report.
    """
    n = len(texts)
    sizes = np.repeat(np.arange(1, k + 1), np.maximum(n - np.arange(k), 0))
    ends = np.concatenate([np.arange(a, n + 1) for a in range(1, k + 1)])
    vectors = np.zeros((k, n, encoder.dim), np.float32)
    start, size = 0, FIRST_BLOCK
    while start < len(ends):
        report.step(stage, start, len(ends))
        begun = time.monotonic()
        own_sizes, own_ends = sizes[start : start + size], ends[start : start + size]
        joined = [
            join_sentences(texts[end - a : end], language)
            for a, end in zip(own_sizes.tolist(), own_ends.tolist(), strict=True)
        ]
        unit_vectors, _ = normalise_rows(encoder.encode(joined))
        vectors[own_sizes - 1, own_ends - 1] = unit_vectors
        start += len(joined)
        wanted = int(len(joined) * BLOCK_S / max(time.monotonic() - begun, 1e-3))
        size = min(max(wanted, MIN_BLOCK), 4 * len(joined), MAX_BLOCK)
    report.step(stage, len(ends), len(ends))
    return Spans(vectors)


def halve(spans: Spans) -> Spans:
    """Join each two adjacent sentences: the mean of their vectors, of length 1.

    Returns:
        Spans with k = 1 of ⌈n / 2⌉ sentences.
    """
    singles = spans.vectors[0]
    n_even = len(singles) // 2 * 2
    shape = (n_even // 2, 2, singles.shape[1])
    pairs = singles[:n_even].reshape(shape)  # (n, d) -> (n / 2, 2, d)
    means = np.concatenate([pairs.sum(axis=1), singles[n_even:]])
    unit_vectors, _ = normalise_rows(means)
    return Spans(unit_vectors[None])
