"""Word vectors from co-occurrence counts: PPMI, reduced by singular values.

Levy, Goldberg and Dagan 2015, "Improving Distributional Similarity with Lessons Learned
from Word Embeddings", section 3: positive pointwise mutual information with smoothed
context frequencies, and U √S of its truncated singular value decomposition. From a few
million words, these vectors map between languages far better than those of skip-gram.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import LinearOperator, svds

from app.arrays import BoolArray, DoubleArray, FloatArray, IntArray
from app.engine.runtime.report import Report
from app.engine.wordvectors.table import WordVectors
from app.engine.wordvectors.training import TrainedVectors
from app.engine.wordvectors.word_file import (
    WordFile,
    frequent_words,
    iterate_blocks,
    write_words,
)

NEAR_STAGE = "Counting words near each other"
REDUCING_STAGE = "Reducing the dimensions"
MAX_CONTEXTS = 20_000  # context words
SMOOTHING = 0.75  # exponent of the context frequencies (Levy et al. 2015, section 3.2)


class CountVectorOptions(NamedTuple):
    """Options of vectors from counts.

    Attributes:
        dim: dimensions; columns of zeros fill them if there are too few words.
        window: words on each side; the next word counts 1, the last one 1 / window.
        min_count: occurrences that a word needs; 0: by the size of the text.
        seed: of the first vector of the decomposition.
    """

    dim: int
    window: int
    min_count: int
    seed: int


def count_vectors(
    texts: Iterable[str], language: str, options: CountVectorOptions, report: Report
) -> TrainedVectors:
    """Compute the vectors of the words that are frequent enough (see `train_vectors`).

    Raises:
        UserError: the texts contain no word that is frequent enough.
        Cancelled: the run was asked to stop.
    """
    with write_words(texts, language, options.min_count, report) as split:
        words = frequent_words(split, report)
        split.check_any(len(words))
        counts = _count_near(split, words, options.window, report)
    vectors = reduce_counts(counts, options.dim, options.seed, report)
    table = WordVectors(tuple(words), vectors, language)
    has_vector: BoolArray = (vectors != 0).any(axis=1)  # not words without company
    table = table.select(has_vector)
    split.check_any(len(table.words))
    return TrainedVectors(table, split.n_tokens, split.min_count)


def positive_information(counts: csr_array) -> csr_array:
    """Return max(0, log p(w, c) / (p(w) p'(c))) of words and contexts: (v, c).

    p' is the frequency of a context to the power of 0.75, scaled to the sum 1.
    """
    cells = counts.tocoo()
    rows, columns = cells.coords
    contexts = np.asarray(counts.sum(axis=0)) ** SMOOTHING
    odds = cells.data / (
        np.asarray(counts.sum(axis=1))[rows] * contexts[columns] / contexts.sum()
    )
    values = np.log(odds)
    kept = values > 0
    return csr_array(
        (values[kept].astype(np.float32), (rows[kept], columns[kept])),
        shape=counts.shape,
    )


def reduce_counts(counts: csr_array, dim: int, seed: int, report: Report) -> FloatArray:
    """Return U √S of the positive information of counts: float32 (v, dim)."""
    information = positive_information(counts)
    n, n_contexts = information.shape
    vectors = np.zeros((n, dim), np.float32)
    k = min(dim, n - 1, n_contexts - 1)
    if k < 1 or not information.nnz:
        return vectors
    transposed = information.T.tocsr()

    def multiply(matrix: csr_array, one: DoubleArray) -> DoubleArray:
        report.step(REDUCING_STAGE, 0, 0)  # may end the decomposition
        found: DoubleArray = matrix @ one
        return found

    operator = LinearOperator(
        information.shape,
        matvec=lambda one: multiply(information, one),
        rmatvec=lambda one: multiply(transposed, one),
        dtype=np.float32,
    )
    start = np.random.default_rng(seed).standard_normal(min(n, n_contexts))
    left, sizes, _ = svds(operator, k=k, v0=start)
    order = np.argsort(-sizes)
    vectors[:, :k] = left[:, order] * np.sqrt(np.maximum(sizes[order], 0))
    return vectors


def _count_near(
    split: WordFile, words: list[str], window: int, report: Report
) -> csr_array:
    """Count how often contexts are near words: float64 (v, c)."""
    row_of = {word: row for row, word in enumerate(words)}
    n, n_contexts = len(words), min(len(words), MAX_CONTEXTS)
    counts = csr_array((n, n_contexts))
    n_read = 0
    for lines in iterate_blocks(split.file):
        ids: IntArray = np.array(
            [row_of.get(word, -1) for line in lines for word in line], np.int64
        )
        texts = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
        for distance in range(1, window + 1):
            report.step(NEAR_STAGE, n_read, split.n_tokens)
            weight = (window + 1 - distance) / window
            near = _pairs_at(ids, texts, distance, n_contexts)
            data: NDArray[np.float64] = np.full(len(near[0]), weight)
            counts = counts + coo_array((data, near), shape=counts.shape).tocsr()
        n_read += len(ids)
    return counts


def _pairs_at(
    ids: IntArray, texts: IntArray, distance: int, n_contexts: int
) -> tuple[IntArray, IntArray]:
    """Return words and their contexts on both sides, at a distance."""
    one, other = ids[:-distance], ids[distance:]
    is_near = (texts[:-distance] == texts[distance:]) & (one >= 0) & (other >= 0)
    rows = np.concatenate([one[is_near], other[is_near]])
    columns = np.concatenate([other[is_near], one[is_near]])
    is_context = columns < n_contexts
    return rows[is_context], columns[is_context]
