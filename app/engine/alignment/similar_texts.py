"""Find a text and its translation by the vectors of their sentences.

Nothing is encoded, and at most `N_BLOCKS * BLOCK_SAMPLE` vectors of a corpus are read.
"""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.numeric import normalise_rows
from app.engine.project.project import Project
from app.engine.store.corpora import CorpusRow, list_corpora
from app.engine.store.embeddings import (
    is_embedding_complete,
    list_embeddings,
    map_embedding,
)
from app.engine.store.pairs.sets import aligned_corpora, list_pair_sets
from app.engine.store.sentences import list_linked_corpora
from app.languages import primary_language
from app.protocol.answers.pairs import SimilarTexts
from app.protocol.queries.pairs import SimilarTextsQuery

N_BLOCKS, BLOCK_SAMPLE = 64, 64
WINDOW = N_BLOCKS // 8  # blocks before and after the same place of the other text
MIN_SENTENCES = 8  # with fewer, unrelated texts reach 0.11
# Texts that translate each other had at least 0.16 from 10 sentences on, and 0.3 to 0.6
# from 200 on; unrelated texts, and the same sentences in another order, at most 0.08.
MIN_SIMILARITY = 0.1


def find_similar_texts(project: Project, query: SimilarTextsQuery) -> SimilarTexts:
    """Find the two most similar texts of different languages, not linked or aligned."""
    texts = _read_texts(project, query)
    aligned = aligned_corpora(list_pair_sets(project.store))
    scored = [
        (measure_similarity(source_blocks, target_blocks), source, target)
        for (source, source_blocks), (target, target_blocks) in combinations(texts, 2)
        if primary_language(source.language) != primary_language(target.language)
        and {source.id, target.id} not in aligned
    ]
    scored.sort(key=lambda one: -one[0])
    for similarity, source, target in scored:
        if similarity < MIN_SIMILARITY:
            break
        if target.id not in list_linked_corpora(project.store, source):
            return SimilarTexts(source.id, target.id)
    return SimilarTexts()


def measure_similarity(source_blocks: FloatArray, target_blocks: FloatArray) -> float:
    """Measure how much more alike two texts are at the same places than elsewhere.

    With the cosine c(i, j) of block i of the source and block j of the target, k blocks
    and the window w, it is the mean over i of

        max_{|j - i| <= w} c(i, j) - max_{|j - i - k/2| <= w} c(i, j)

    where the second j is taken modulo k: what blocks reach that are half a text away.
    The same content in the same order is high; the same topic or style alone is not.

    Args:
        source_blocks: float32 (k, d), of `average_blocks`.
        target_blocks: float32 (k, d).
    """
    cosines = source_blocks @ target_blocks.T  # (k, k)
    k = len(cosines)
    near = np.arange(k)[:, None] + np.arange(-WINDOW, WINDOW + 1)  # (k, 2w + 1)
    far = (near + k // 2) % k
    best_near = np.take_along_axis(cosines, near.clip(0, k - 1), axis=1).max(axis=1)
    best_far = np.take_along_axis(cosines, far, axis=1).max(axis=1)
    return float((best_near - best_far).mean())


def average_blocks(unit_vectors: NDArray[np.floating[Any]]) -> FloatArray:
    """Cut a text into blocks of equal length and average the vectors of each.

    Of a longer block, the sentences in its middle are read. A text with fewer sentences
    than blocks repeats them. The mean of the blocks, which is that of the language and
    of the whole text, is subtracted.

    Args:
        unit_vectors: float16 or float32 (n, d), n > 0.

    Returns:
        float32 (N_BLOCKS, d), of length 1.
    """
    n = len(unit_vectors)
    begins = n * np.arange(N_BLOCKS) // N_BLOCKS
    ends = np.maximum(n * np.arange(1, N_BLOCKS + 1) // N_BLOCKS, begins + 1)
    begins = np.maximum(begins, (begins + ends - BLOCK_SAMPLE) // 2)
    ends = np.minimum(ends, begins + BLOCK_SAMPLE)
    places = zip(begins.tolist(), ends.tolist(), strict=True)
    blocks = np.stack(
        [
            unit_vectors[begin:end].mean(axis=0, dtype=np.float32)
            for begin, end in places
        ]
    )
    return normalise_rows(blocks - blocks.mean(axis=0))[0]


def _read_texts(
    project: Project, query: SimilarTextsQuery
) -> list[tuple[CorpusRow, FloatArray]]:
    """Return the corpora with vectors, and their blocks, in the order of the query."""
    corpora = {row.id: row for row in list_corpora(project.store)}
    listed = list_embeddings(project.store, fingerprint=query.fingerprint)
    embeddings = {row.corpus_id: row for row in listed}
    return [
        (
            corpora[id_],
            average_blocks(map_embedding(project.folder, embeddings[id_])[1]),
        )
        for id_ in query.corpora
        if id_ in corpora
        and id_ in embeddings
        and embeddings[id_].n_rows >= MIN_SENTENCES
        and is_embedding_complete(project.folder, embeddings[id_])
    ]
