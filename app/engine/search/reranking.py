"""Score the nearest sentences again with a slower, better encoder."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from app.arrays import FloatArray
from app.engine.numeric import normalise_rows
from app.engine.search.nearest import NearestSentences
from app.engine.search.session import SearchSession
from app.engine.store.corpora import corpus_of, position_of
from app.engine.store.embeddings import list_embeddings, map_embedding
from app.engine.store.sentences import read_sentences

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

N_RERANKED = 200  # sentences of all languages together


def n_candidates(k: int, n_languages: int) -> int:
    """Return how many sentences of each language are scored again for k hits."""
    return max(k, N_RERANKED // max(n_languages, 1))


def rerank(
    session: SearchSession,
    reranker: "Encoder",
    text: str,
    nearest: Mapping[str, NearestSentences],
    k: int,
) -> dict[str, NearestSentences]:
    """Return the best k sentences of each language by the cosine of another encoder.

    A sentence that was deleted meanwhile is left out.

    Args:
        reranker: its vectors are taken from the project where a corpus has them.
        nearest: candidates by language.
        k: hits of each language at most.
    """
    ids = np.concatenate([found.ids for found in nearest.values()])
    query = normalise_rows(reranker.encode([text]))[0][0]
    vectors = _vectors_of(session, reranker, ids.tolist())
    best: dict[str, NearestSentences] = {}
    for language, found in nearest.items():
        kept = [id_ for id_ in found.ids.tolist() if id_ in vectors]
        scores = np.array([vectors[id_] @ query for id_ in kept], np.float32)
        order = np.lexsort((kept, -scores))[:k]
        best[language] = NearestSentences(
            np.array(kept, np.int64)[order], scores[order]
        )
    return best


def _vectors_of(
    session: SearchSession, reranker: "Encoder", ids: list[int]
) -> dict[int, FloatArray]:
    """Read the stored unit vectors of sentences, and encode the others."""
    project = session.project
    known = list_embeddings(project.store, fingerprint=reranker.fingerprint)
    needed = {corpus_of(id_) for id_ in ids}
    stored = {
        row.corpus_id: map_embedding(project.folder, row)[0]
        for row in known
        if row.corpus_id in needed and row.n_done == row.n_rows
    }
    vectors: dict[int, FloatArray] = {}
    missing = []
    for id_ in ids:
        unit = stored.get(corpus_of(id_))
        if unit is None:
            missing.append(id_)
        else:
            vectors[id_] = unit[position_of(id_)]
    sentences = read_sentences(project.store, missing)
    present = [sentence for sentence in sentences if sentence is not None]
    encoded, _ = normalise_rows(reranker.encode([one.text for one in present]))
    return vectors | {
        sentence.id: vector for sentence, vector in zip(present, encoded, strict=True)
    }
