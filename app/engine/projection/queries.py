"""Answers to queries about maps: selections, similarities and comparisons."""

from collections import Counter
from pathlib import Path
from typing import TypeVar

import numpy as np
from sqlalchemy import Engine

from app.arrays import FloatArray, IdArray
from app.engine.project.project import Project
from app.engine.projection.comparison import compare_projections
from app.engine.projection.distinctive_words import (
    count_words_by_language,
    find_distinctive_words,
    find_listed_words,
    leave_out,
)
from app.engine.projection.points import read_point_languages, read_point_texts
from app.engine.projection.stored_map import (
    StoredMap,
    existing_ids,
    map_vectors,
    open_map,
)
from app.engine.search.session import SearchSession
from app.engine.store.arrays import map_array
from app.engine.store.corpora import corpus_of, first_sentence_id
from app.engine.store.labels import read_corpus_labels
from app.errors import UserError
from app.protocol.answers.maps import (
    ComparisonAnswer,
    SelectionAnswer,
    SelectionWord,
    SimilarityAnswer,
)
from app.protocol.base import reply
from app.protocol.queries.maps import (
    CompareProjectionsQuery,
    MapQuery,
    SelectionQuery,
    SimilarityQuery,
)

BLOCK = 65_536  # sentences
MAX_READ = 5_000  # sentences per side whose words are counted
MAX_AVERAGED = 50_000  # maximum vectors to average
MAX_VALUES_LISTED = 50  # languages, corpora, classes and clusters
SEED = 1

C = TypeVar("C", int, str)


def answer_map_query(session: SearchSession, query: MapQuery) -> object:
    """Return the answer to a query about maps.

    Raises:
        UserError: an object in the query does not exist.
    """
    match query:
        case SelectionQuery():
            return reply(query, describe_selection(session, query))
        case SimilarityQuery():
            values = compute_similarities(session.project, query)
            return reply(query, SimilarityAnswer(session.share_array(values)))
        case CompareProjectionsQuery():
            found = compare_projections(session.project, query)
            answer = ComparisonAnswer(
                ids_file=session.share_array(found.ids),
                shares_file=session.share_array(found.shares),
                n=len(found.ids),
                k=found.k,
                n_shared=found.n_shared,
                mean=found.mean.value,
                low=found.mean.low,
                high=found.mean.high,
            )
            return reply(query, answer)


def describe_selection(
    session: SearchSession, query: SelectionQuery
) -> SelectionAnswer:
    """Describe how selected sentences differ from the other sentences on a map.

    Raises:
        UserError: the map was deleted, or none of the sentences is on it.
    """
    shown = open_map(session.project, query.projection)
    selected = existing_ids(shown, np.intersect1d(shown.ids, _requested_ids(query)))
    if not len(selected):
        raise UserError(
            f"None of the selected sentences is on the map {shown.row.name}."
        )
    store = session.project.store
    clusters = shown.clusters[np.searchsorted(shown.ids, selected)]
    languages = read_point_languages(store, shown.corpora, selected)
    return SelectionAnswer(
        n=len(selected),
        languages=languages.counts(slice(None))[:MAX_VALUES_LISTED],
        corpora=_most_frequent(Counter(map(corpus_of, selected.tolist()))),
        classes=_most_frequent(_count_classes(store, shown, selected)),
        clusters=_most_frequent(Counter(clusters.tolist())),
        words=_distinctive_words(store, shown, selected, query.n_words),
        typical=_typical(session.project, shown, selected, query.n_typical),
    )


def _requested_ids(query: SelectionQuery) -> IdArray:
    if query.file is None:
        return np.array(query.sentences, np.int64)
    ids = map_array(Path(query.file))
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise UserError(
            f"{query.file.name} doesn't contain sentence ids: select again."
        )
    return np.asarray(ids, np.int64)


def _most_frequent(counts: "Counter[C]") -> list[tuple[C, int]]:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ordered[:MAX_VALUES_LISTED]


def _count_classes(
    store: Engine, shown: StoredMap, selected: IdArray
) -> "Counter[str]":
    """Count the labels; "" counts the sentences without one."""
    counts: Counter[str] = Counter()
    for corpus in shown.corpora:
        start = first_sentence_id(corpus.id)
        bounds = np.searchsorted(selected, [start, first_sentence_id(corpus.id + 1)])
        positions = (selected[slice(*bounds)] - start).tolist()
        if positions:
            labels = read_corpus_labels(store, corpus.id)
            counts.update(labels.get(position, "") for position in positions)
    return counts


def _distinctive_words(
    store: Engine, shown: StoredMap, selected: IdArray, n_words: int
) -> list[SelectionWord]:
    """Return the words that distinguish the selection from the rest of the map.

    Listed function words are left out.
    """
    if not n_words:
        return []
    others = existing_ids(shown, np.setdiff1d(shown.ids, selected, assume_unique=True))
    draw = np.random.default_rng(SEED)
    own, rest = (
        _count_content_words(store, shown, _sample(ids, MAX_READ, draw))
        for ids in (selected, others)
    )
    return [
        SelectionWord(word=one.word, z=round(one.z, 3), n=one.n, n_others=one.n_others)
        for one in find_distinctive_words(own, rest, n_words)
    ]


def _count_content_words(store: Engine, shown: StoredMap, ids: IdArray) -> Counter[str]:
    languages = read_point_languages(store, shown.corpora, ids)
    spoken = [languages.names[code] for code in languages.codes.tolist()]
    counts: Counter[str] = Counter()
    texts = read_point_texts(store, ids)
    for language, own in count_words_by_language(texts, spoken).items():
        counts.update(leave_out(own, find_listed_words(own, language)))
    return counts


def _typical(
    project: Project, shown: StoredMap, selected: IdArray, n: int
) -> list[int]:
    """Return the sentences nearest to the mean of the selection."""
    if not n:
        return []
    sample = _sample(selected, MAX_AVERAGED, np.random.default_rng(SEED))
    vectors = map_vectors(project, shown, sample)
    scores = vectors @ vectors.mean(dim=0)  # (m, d) x (d,) -> (m,)
    order = scores.argsort(descending=True, stable=True)[:n]
    typical: list[int] = sample[order.numpy()].tolist()
    return typical


def _sample(ids: IdArray, size: int, draw: np.random.Generator) -> IdArray:
    """Draw at most `size` ids, in ascending order."""
    if len(ids) <= size:
        return ids
    return np.sort(draw.choice(ids, size, replace=False))


def compute_similarities(project: Project, query: SimilarityQuery) -> FloatArray:
    """Return the cosine of each sentence of a map to one sentence: float32 (n,), −1…1.

    Returns:
        In the order of the map's ids; NaN if the corpus was removed.

    Raises:
        UserError: the map, the sentence or vectors were removed.
    """
    shown = open_map(project, query.projection)
    if query.sentence not in existing_ids(shown, shown.ids):
        raise UserError(f"The sentence is not on the map {shown.row.name}.")
    own = map_vectors(project, shown, np.array([query.sentence], np.int64))[0]  # (d,)
    values = np.full(len(shown.ids), np.nan, np.float32)
    for start in range(0, len(shown.ids), BLOCK):
        ids = existing_ids(shown, shown.ids[start : start + BLOCK])
        if len(ids):
            indices = np.searchsorted(shown.ids, ids)
            values[indices] = (map_vectors(project, shown, ids) @ own).numpy()
    return values
