"""Baselines that average word vectors: the mean, IDF, and SIF with two variants.

The weights are as in `WordBagEncoder`. Frequencies are counted in the training texts
only.
"""

from collections.abc import Iterator

import numpy as np
import torch

from app.arrays import BoolArray, FloatArray
from app.engine.encoders.word_bag import (
    WordStatistics,
    first_component,
    idf_weights,
    sif_weights,
)
from app.engine.probing.bags_of_words import TextWords

MEAN, IDF = "word_vectors", "idf_vectors"
SIF, SIF_LESS_COMPONENT = "sif_vectors", "sif_less_component"


def bags_of_vectors(
    words: TextWords, table: FloatArray, n_train: int
) -> Iterator[tuple[str, FloatArray]]:
    """Average the word vectors of each text in four ways.

    Args:
        words: words of all texts, training texts first.
        table: float32 (v, d); zeros for words without a vector, which are left out.
        n_train: number of training texts, from which weights and first component are
            computed.

    Yields:
        The name of a baseline and float32 (n, d). A text without vectors has zeros.
    """
    statistics = _count(words, n_train)
    yield MEAN, average_vectors(words, table)
    yield IDF, _average_distinct(words, table, idf_weights(statistics))
    vectors = average_vectors(words, table, sif_weights(statistics))
    yield SIF, vectors
    component = first_component([vectors[:n_train]], vectors.shape[1])
    yield SIF_LESS_COMPONENT, vectors - np.outer(vectors @ component, component)


def average_vectors(
    words: TextWords, table: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return the mean vector of each text's words with a vector: float32 (n, d).

    Args:
        table: float32 (v, d), zeros for words without a vector.
        weights: float32 (v,); the weighted sum is still divided by the number of words.
    """
    sums, n_known = _add_vectors(words, table, weights)
    return np.asarray(sums / np.maximum(n_known, 1)[:, None], np.float32)


def _average_distinct(
    words: TextWords, table: FloatArray, weights: FloatArray
) -> FloatArray:
    """Count each word of a text once, and divide by the sum of the weights."""
    once, _ = words.distinct()
    sums, _ = _add_vectors(once, table, weights)
    ones = (table != 0).any(axis=1, keepdims=True).astype(np.float32)
    totals, _ = _add_vectors(once, ones, weights)
    return np.asarray(sums / np.where(totals > 0, totals, 1), np.float32)


def _add_vectors(
    words: TextWords, table: FloatArray, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return the (weighted) sum and the number of each text's known words."""
    is_known: BoolArray = (table != 0).any(axis=1)
    has_vector = is_known[words.ids]
    ids = words.ids[has_vector]
    counts = np.bincount(words.rows[has_vector], minlength=len(words.counts))
    starts = np.cumsum(counts) - counts
    sums: FloatArray = torch.nn.functional.embedding_bag(
        torch.from_numpy(ids),
        torch.from_numpy(table),
        torch.from_numpy(starts),
        mode="sum",
        per_sample_weights=None if weights is None else torch.from_numpy(weights[ids]),
    ).numpy()
    return sums, counts.astype(np.float32)


def _count(words: TextWords, n_train: int) -> WordStatistics:
    train = words.part(0, n_train)
    once, _ = train.distinct()
    return WordStatistics(
        np.bincount(train.ids, minlength=words.n_words),
        np.bincount(once.ids, minlength=words.n_words),
        len(train.ids),
        n_train,
    )
