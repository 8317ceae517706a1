"""Suggest sentences to label next: uncertain ones that differ from each other."""

import numpy as np

from app.arrays import FloatArray, IntArray
from app.engine.classify.predictions import (
    PredictedSentences,
    find_classifier_by_id,
    read_predictions,
)
from app.engine.project.project import Project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.embeddings import (
    find_embedding,
    is_embedding_complete,
    map_embedding,
)
from app.engine.store.labels import read_corpus_labels
from app.errors import UserError
from app.protocol.answers.classify import SuggestedSentence
from app.protocol.queries.classify import SuggestQuery

N_CANDIDATES = 2_000  # most uncertain sentences, from which diverse ones are selected


def suggest_sentences(
    project: Project, query: SuggestQuery
) -> tuple[SuggestedSentence, ...]:
    """Select sentences to label next, most useful first.

    Sentences are ranked by a mean of the classifier's uncertainty and the distance from
    the sentences already selected (as in the greedy k-centre algorithm, Sener and
    Savarese 2018). If a corpus has no stored vectors, only the uncertainty is used.

    Raises:
        UserError: the classifier no longer exists, or has not classified any unlabelled
            sentences.
    """
    row = find_classifier_by_id(project, query.classifier)
    found = []
    for part in read_predictions(project, row.id, query.corpora, query.subcorpora):
        labels = read_corpus_labels(project.store, part.corpus.id)
        positions = np.fromiter(labels, np.int64, len(labels))
        is_free = ~np.isin(part.ids, positions + first_sentence_id(part.corpus.id))
        unsure = np.nonzero(is_free)[0]
        unsure = unsure[np.argsort(part.probabilities[unsure], kind="stable")]
        found.append((part, unsure[:N_CANDIDATES]))
    ids = np.concatenate([part.ids[rows] for part, rows in found] or [_NONE])
    if not len(ids):
        raise UserError(
            f"{row.name} has classified no unlabelled sentences. Classify a corpus "
            "that has some first."
        )
    sure = np.concatenate([part.probabilities[rows] for part, rows in found])
    classes = np.concatenate([part.classes[rows] for part, rows in found])
    vectors = _vectors(project, row.fingerprint, found)
    chosen = choose_diverse(1 - sure, vectors, query.n, query.diversity)
    return tuple(
        SuggestedSentence(
            sentence=int(ids[index]),
            predicted=row.classes[classes[index]] if row.classes else "",
            probability=round(float(sure[index]), 6),
        )
        for index in chosen
    )


def choose_diverse(
    unsure: FloatArray, vectors: FloatArray | None, n: int, diversity: float
) -> list[int]:
    """Select n rows one by one: uncertain rows, distant from rows already selected.

    Args:
        unsure: float32 (m,), 0…1.
        vectors: float32 (m, d), rows of length 1; None: unknown.
        n: number of rows.
        diversity: weight of the distance, 0…1.
    """
    n = min(n, len(unsure))
    if vectors is None or not diversity:
        return [int(row) for row in np.argsort(-unsure, kind="stable")[:n]]
    nearest = np.full(len(unsure), -1.0, np.float32)  # cosine with a selected row
    is_free = np.ones(len(unsure), np.bool_)
    spread = unsure / max(float(unsure.max()), 1e-6)
    chosen: list[int] = []
    for _ in range(n):
        ranks = (1 - diversity) * spread + diversity * (1 - nearest) / 2
        index = int(np.where(is_free, ranks, -np.inf).argmax())
        chosen.append(index)
        is_free[index] = False
        nearest = np.maximum(nearest, vectors @ vectors[index])
    return chosen


_NONE = np.empty(0, np.int64)


def _vectors(
    project: Project,
    fingerprint: str,
    found: list[tuple[PredictedSentences, IntArray]],
) -> FloatArray | None:
    """Read the vectors of candidates; None if a corpus has no stored vectors."""
    parts = []
    for part, rows in found:
        embedding = find_embedding(project.store, part.corpus.id, fingerprint)
        if embedding is None or not is_embedding_complete(project.folder, embedding):
            return None
        unit_vectors, _, _ = map_embedding(project.folder, embedding)
        positions = part.ids[rows] - first_sentence_id(part.corpus.id)
        parts.append(np.asarray(unit_vectors[positions]))
    return np.concatenate(parts)
