"""Evaluate a map by sentences: retrieval by weighted means, and word by word.

Lample et al. 2018, "Word Translation Without Parallel Data", section 3.1: a sentence is
the mean of its words' vectors, weighted by inverse document frequency. Word by word,
each word is replaced by its best translation.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.arrays import FloatArray, IdArray
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.words.tokenizer import fold_word, tokenize_texts
from app.engine.wordvectors.retrieval import (
    measure_neighbourhoods,
    rank_targets,
    target_penalties,
)
from app.engine.wordvectors.spaces import WordSpace
from app.engine.wordvectors.table import WordLookup
from app.languages import elides
from app.params.word_vectors import RetrievalName

KS = (1, 5, 10)


class SplitSentences(NamedTuple):
    """Sentences as words.

    Attributes:
        words: of n sentences, case-folded, without punctuation.
        rows: of each sentence, the row of each word; -1: it has no vector.
    """

    words: list[list[str]]
    rows: list[list[int]]

    @property
    def coverage(self) -> float:
        """Return the share of words that have a vector, 0…1."""
        found = [row >= 0 for rows in self.rows for row in rows]
        return sum(found) / max(len(found), 1)


def split_sentences(
    texts: Sequence[str], language: str, lookup: WordLookup
) -> SplitSentences:
    """Split texts into words as all word lists do, and find their vectors."""
    words: list[list[str]] = [[] for _ in texts]
    spans = tokenize_texts(texts, np.array([elides(language)]))
    indices = np.searchsorted(spans.offsets, spans.begins, "right") - 1
    for index, word in zip(indices.tolist(), spans.words(), strict=True):
        words[index].append(fold_word(word))
    rows = [
        [-1 if (row := lookup.find(word)) is None else row for word in sentence]
        for sentence in words
    ]
    return SplitSentences(words, rows)


def sentence_vectors(sentences: SplitSentences, vectors: FloatArray) -> FloatArray:
    """Return the means of words' vectors, weighted by IDF: unit rows float32 (n, d).

    A word of a sentence counts once, with the weight max(1, log10(n / sentences that
    contain it)), as in the code of MUSE. A sentence without vectors is zero.

    Args:
        sentences: n sentences; the frequencies are theirs.
        vectors: float32 (m, d), of the rows.
    """
    sets = [np.unique([row for row in rows if row >= 0]) for rows in sentences.rows]
    counts = np.zeros(len(vectors))
    for one in sets:
        counts[one.astype(np.int64)] += 1
    weights = np.maximum(1, np.log10(len(sets) / np.maximum(counts, 1)))
    means = np.zeros((len(sets), vectors.shape[1]), np.float32)
    for index, one in enumerate(sets):
        if len(one):
            ids = one.astype(np.int64)
            means[index] = np.average(vectors[ids], axis=0, weights=weights[ids])
    return normalise_rows(means)[0]


def retrieval_precision(
    queries: FloatArray, others: FloatArray, method: RetrievalName, report: Report
) -> tuple[float, float, float]:
    """Return how often row i is among the best 1, 5 and 10 rows for query i.

    Args:
        queries: float32 (n, d), unit rows; a zero row is a miss.
        others: float32 (n, d).
        method: how rows are ranked.
    """
    near = measure_neighbourhoods(queries, others, report)
    found = rank_targets(queries, others, target_penalties(near, method), 10, method)
    own = np.arange(len(queries))[:, None]
    is_known = np.abs(queries).sum(axis=1) > 0
    is_right = np.equal(found.rows, own) & is_known[:, None]  # (n, 10)
    one, five, ten = (float(is_right[:, :k].any(axis=1).mean()) for k in KS)
    return one, five, ten


def translate_words(
    space: WordSpace, sentences: SplitSentences, method: RetrievalName
) -> list[str]:
    """Replace each word by its best translation; words without a vector are copied."""
    known = [row for one in sentences.rows for row in one if row >= 0]
    rows: IdArray = np.unique(np.array(known, np.int64))
    best: dict[int, str] = {}
    if len(rows):
        found = space.rank_rows(rows, 1, method).rows[:, 0]
        best = {
            row: space.target.words[target]
            for row, target in zip(rows.tolist(), found.tolist(), strict=True)
        }
    return [
        " ".join(best.get(row, word) for word, row in zip(words, row_ids, strict=True))
        for words, row_ids in zip(sentences.words, sentences.rows, strict=True)
    ]
