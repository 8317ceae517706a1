"""Word vectors for the baseline of averaged word vectors, from a file or learned.

Learned vectors factor the positive pointwise mutual information of words that occur
near each other (Levy and Goldberg 2014, "Neural word embedding as implicit matrix
factorization", section 5): U √S of the truncated singular value decomposition.
"""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from app.arrays import FloatArray, IntArray
from app.engine.probing.bags_of_words import TextWords
from app.engine.runtime.report import Report
from app.engine.wordvectors.reader import read_vector_file
from app.engine.wordvectors.table import WordLookup
from app.errors import UserError

DIMENSIONS = 100  # of learned vectors
WINDOW = 5  # words on each side
MIN_COUNT = 2  # training texts that contain a word with a vector
STAGE = "Reading word vectors"


def find_word_vectors(
    file: Path | None, words: TextWords, n_train: int, report: Report
) -> FloatArray:
    """Read the vectors of the texts' words from a file, or learn vectors.

    Returns:
        float32 (v, d), zeros for words without a vector.
    """
    if file is None:
        return learn_word_vectors(words, n_train, report)
    return read_word_vectors(file, words.names, report)


def read_word_vectors(file: Path, words: tuple[str, ...], report: Report) -> FloatArray:
    """Read the vectors of some words from a file of word vectors.

    Args:
        file: see `read_vector_file`.
        words: case-folded words.

    Returns:
        float32 (v, d), zeros for words that are not in the file.

    Raises:
        UserError: the file has no word vectors, or none of these words.
    """
    found = read_vector_file(file, report).table
    lookup = WordLookup(found.words)
    rows = [lookup.find(word) for word in words]
    known = [index for index, row in enumerate(rows) if row is not None]
    if not known:
        raise UserError(
            f"{file} has a vector for none of the {len(words):,} words of the texts. "
            "Use word vectors of the same language."
        )
    table = np.zeros((len(words), found.dim), np.float32)
    table[known] = found.vectors[[row for row in rows if row is not None]]
    return table


def learn_word_vectors(words: TextWords, n_train: int, report: Report) -> FloatArray:
    """Learn word vectors from the training texts (the first texts).

    Returns:
        float32 (v, d); d is 100, or less if there are few words. Words in fewer than
        two training texts have zeros.
    """
    report.step(STAGE, 0, 1)
    train = words.part(0, n_train)
    n_texts = np.bincount(train.distinct()[0].ids, minlength=words.n_words)
    kept = np.flatnonzero(n_texts >= MIN_COUNT)
    table = np.zeros((words.n_words, DIMENSIONS), np.float32)
    if len(kept) < 3:
        return table
    columns = np.full(words.n_words, -1)
    columns[kept] = np.arange(len(kept))
    information = _mutual_information(columns[train.ids], train.rows, len(kept))
    if not information.nnz:  # such as texts of a single word
        return table
    k = min(DIMENSIONS, len(kept) - 1)
    start = np.ones(len(kept))  # for reproducible vectors
    left, sizes, _ = svds(information, k=k, v0=start)
    table[kept, :k] = (left * np.sqrt(sizes))[:, ::-1]
    report.step(STAGE, 1, 1)
    return table


def _mutual_information(ids: IntArray, texts: IntArray, n: int) -> csr_array:
    """Return max(0, log p(a, b) / p(a) p(b)) of words within a window: (n, n)."""
    counts = csr_array((n, n))
    for distance in range(1, WINDOW + 1):
        one, other = ids[:-distance], ids[distance:]
        is_near = (texts[:-distance] == texts[distance:]) & (one >= 0) & (other >= 0)
        cells = (one[is_near], other[is_near])
        counts = counts + csr_array((np.ones(len(cells[0])), cells), shape=(n, n))
    both = (counts + counts.T).tocoo()
    totals = both.sum(axis=0)
    rows, columns = both.coords
    odds = both.data * totals.sum() / (totals[rows] * totals[columns])
    return csr_array((np.maximum(np.log(odds), 0), (rows, columns)), shape=(n, n))
