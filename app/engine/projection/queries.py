"""Answer queries about maps: selections, similarities and comparisons."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from app.arrays import FloatArray, IdArray
from app.engine.project.project import Project
from app.engine.projection.comparison import compare_projections
from app.engine.projection.distinctive_words import (
    count_word_sentences,
    find_distinctive_words,
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
from app.protocol.base import reply
from app.protocol.queries.maps import (
    CompareProjectionsQuery,
    MapQuery,
    SelectionQuery,
    SimilarityQuery,
)

BLOCK = 65_536  # sentences at a time


def find_similarities(project: Project, query: SimilarityQuery) -> FloatArray:
    """Return the cosine of every sentence of a map with one: float32 (n,), −1…1.

    Returns:
        In the order of the map's ids; NaN where the corpus is gone.

    Raises:
        UserError: the map, the sentence or vectors are gone.
    """
    shown = open_map(project, query.projection)
    if query.sentence not in existing_ids(shown, shown.ids):
        raise UserError(f"The sentence is not on the map {shown.row.name}.")
    own = map_vectors(project, shown, np.array([query.sentence], np.int64))[0]  # (d,)
    values = np.full(len(shown.ids), np.nan, np.float32)
    for start in range(0, len(shown.ids), BLOCK):
        ids = existing_ids(shown, shown.ids[start : start + BLOCK])
        if len(ids):
            places = np.searchsorted(shown.ids, ids)
            values[places] = (map_vectors(project, shown, ids) @ own).numpy()
    return values


MAX_READ = 5_000  # sentences of a side whose words are counted
MAX_AVERAGED = 50_000  # vectors whose mean is taken
MAX_VALUES_LISTED = 50  # languages, corpora, classes and clusters
SEED = 1


def describe_selection(desk: SearchSession, query: SelectionQuery) -> dict[str, Any]:
    """Answer a `SelectionQuery`.

    Raises:
        UserError: the map is gone, or none of the sentences is on it.
    """
    shown = open_map(desk.project, query.projection)
    chosen = existing_ids(shown, np.intersect1d(shown.ids, _requested_ids(query)))
    if not len(chosen):
        raise UserError(f"None of the chosen sentences is on the map {shown.row.name}.")
    places = np.searchsorted(shown.ids, chosen)
    store = desk.project.store
    corpora = Counter(corpus_of(int(one)) for one in chosen.tolist())
    clusters = Counter(shown.clusters[places].tolist())
    languages = read_point_languages(store, shown.corpora, chosen)
    return {
        "n": len(chosen),
        "languages": [
            list(pair) for pair in languages.counts(slice(None))[:MAX_VALUES_LISTED]
        ],
        "corpora": _most_frequent(corpora),
        "classes": _most_frequent(_classes(desk, shown, chosen)),
        "clusters": _most_frequent(clusters),
        "words": _distinctive_words(desk, shown, chosen, query.n_words),
        "typical": _typical(desk, shown, chosen, query.n_typical),
    }


def _requested_ids(query: SelectionQuery) -> IdArray:
    if query.file is None:
        return np.array(query.sentences, np.int64)
    ids = map_array(Path(query.file))
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise UserError(f"{query.file.name} holds no ids of sentences: choose again.")
    return np.asarray(ids, np.int64)


def _most_frequent(counts: "Counter[Any]") -> list[list[Any]]:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [list(pair) for pair in ordered[:MAX_VALUES_LISTED]]


def _classes(desk: SearchSession, shown: StoredMap, chosen: IdArray) -> "Counter[str]":
    """Count the labels; the empty one stands for none."""
    counts: Counter[str] = Counter()
    for corpus in shown.corpora:
        first, end = np.searchsorted(
            chosen, [first_sentence_id(corpus.id), first_sentence_id(corpus.id + 1)]
        )
        if first == end:
            continue
        labels = read_corpus_labels(desk.project.store, corpus.id)
        positions = (chosen[first:end] - first_sentence_id(corpus.id)).tolist()
        counts.update(labels.get(position, "") for position in positions)
    return counts


def _distinctive_words(
    desk: SearchSession, shown: StoredMap, chosen: IdArray, n_words: int
) -> list[dict[str, Any]]:
    """Find the words that mark the chosen sentences against the others on the map."""
    if not n_words:
        return []
    others = existing_ids(shown, np.setdiff1d(shown.ids, chosen, assume_unique=True))
    draw = np.random.default_rng(SEED)
    own, rest = (
        count_word_sentences(
            read_point_texts(desk.project.store, _sample(ids, MAX_READ, draw))
        )
        for ids in (chosen, others)
    )
    return [
        {
            "word": word.word,
            "z": round(word.z, 3),
            "n": word.n,
            "n_others": word.n_others,
        }
        for word in find_distinctive_words(own, rest, n_words)
    ]


def _typical(
    desk: SearchSession, shown: StoredMap, chosen: IdArray, n: int
) -> list[int]:
    """Find the sentences nearest to the mean of the chosen ones."""
    if not n:
        return []
    some = _sample(chosen, MAX_AVERAGED, np.random.default_rng(SEED))
    vectors = map_vectors(desk.project, shown, some)
    scores = vectors @ vectors.mean(dim=0)  # (m, d) x (d,) -> (m,)
    order = scores.argsort(descending=True, stable=True)[:n]
    typical: list[int] = some[order.numpy()].tolist()
    return typical


def _sample(ids: IdArray, most: int, draw: np.random.Generator) -> IdArray:
    """Draw at most so many ids, in their order."""
    if len(ids) <= most:
        return ids
    return np.sort(draw.choice(ids, most, replace=False))


def answer_map_query(desk: SearchSession, query: MapQuery) -> object:
    """Answer a short read about maps.

    Raises:
        UserError: what the query names is not there.
    """
    match query:
        case SelectionQuery():
            return reply(query, describe_selection(desk, query))
        case SimilarityQuery():
            values = find_similarities(desk.project, query)
            return reply(query, {"file": desk.share_array(values)})
        case CompareProjectionsQuery():
            found = compare_projections(desk.project, query)
            return reply(
                query,
                {
                    "file": desk.share_array(found.ids),
                    "n": len(found.ids),
                    "shares": desk.share_array(found.shares),
                    "k": found.k,
                    "n_shared": found.n_shared,
                    "kept": found.kept.value,
                    "low": found.kept.low,
                    "high": found.kept.high,
                    "is_sample": len(found.ids) < found.n_shared,
                },
            )
