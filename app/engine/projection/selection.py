"""What marks the sentences that were chosen on a map."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from app.engine.projection.facts import languages_of, texts_of
from app.engine.projection.points import IdArray
from app.engine.projection.shown import ShownMap, map_vectors, open_map, still_there
from app.engine.projection.words import count_sentences, marking_words
from app.engine.search.desk import SearchDesk
from app.engine.store.arrays import map_array
from app.engine.store.label_rows import read_corpus_labels
from app.engine.store.rows import corpus_of, first_id
from app.errors import UserError
from app.map_questions import SelectionQuery

MAX_READ = 5_000  # sentences of a side whose words are counted
MAX_MEANT = 50_000  # vectors whose mean is taken
MAX_TOLD = 50  # languages, corpora, classes and clusters
SEED = 1


def describe_selection(desk: SearchDesk, query: SelectionQuery) -> dict[str, Any]:
    """Answer a `SelectionQuery`.

    Raises:
        UserError: the map is gone, or none of the sentences is on it.
    """
    shown = open_map(desk.project, query.projection)
    chosen = still_there(shown, np.intersect1d(shown.ids, _asked(query)))
    if not len(chosen):
        raise UserError(f"None of the chosen sentences is on the map {shown.row.name}.")
    places = np.searchsorted(shown.ids, chosen)
    store = desk.project.store
    corpora = Counter(corpus_of(int(one)) for one in chosen.tolist())
    clusters = Counter(shown.clusters[places].tolist())
    languages = languages_of(store, shown.corpora, chosen)
    return {
        "n": len(chosen),
        "languages": [list(pair) for pair in languages.counts(slice(None))[:MAX_TOLD]],
        "corpora": _told(corpora),
        "classes": _told(_classes(desk, shown, chosen)),
        "clusters": _told(clusters),
        "words": _words(desk, shown, chosen, query.n_words),
        "typical": _typical(desk, shown, chosen, query.n_typical),
    }


def _asked(query: SelectionQuery) -> IdArray:
    if query.file is None:
        return np.array(query.sentences, np.int64)
    ids = map_array(Path(query.file))
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise UserError(f"{query.file.name} holds no ids of sentences: choose again.")
    return np.asarray(ids, np.int64)


def _told(counts: "Counter[Any]") -> list[list[Any]]:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [list(pair) for pair in ordered[:MAX_TOLD]]


def _classes(desk: SearchDesk, shown: ShownMap, chosen: IdArray) -> "Counter[str]":
    """Count the labels; the empty one stands for none."""
    counts: Counter[str] = Counter()
    for corpus in shown.corpora:
        first, end = np.searchsorted(
            chosen, [first_id(corpus.id), first_id(corpus.id + 1)]
        )
        if first == end:
            continue
        labels = read_corpus_labels(desk.project.store, corpus.id)
        positions = (chosen[first:end] - first_id(corpus.id)).tolist()
        counts.update(labels.get(position, "") for position in positions)
    return counts


def _words(
    desk: SearchDesk, shown: ShownMap, chosen: IdArray, n_words: int
) -> list[dict[str, Any]]:
    """Find the words that mark the chosen sentences against the others on the map."""
    if not n_words:
        return []
    others = still_there(shown, np.setdiff1d(shown.ids, chosen, assume_unique=True))
    draw = np.random.default_rng(SEED)
    own, rest = (
        count_sentences(texts_of(desk.project.store, _some(ids, MAX_READ, draw)))
        for ids in (chosen, others)
    )
    return [
        {
            "word": word.word,
            "z": round(word.z, 3),
            "n": word.n,
            "n_others": word.n_others,
        }
        for word in marking_words(own, rest, n_words)
    ]


def _typical(desk: SearchDesk, shown: ShownMap, chosen: IdArray, n: int) -> list[int]:
    """Find the sentences nearest to the mean of the chosen ones."""
    if not n:
        return []
    some = _some(chosen, MAX_MEANT, np.random.default_rng(SEED))
    vectors = map_vectors(desk.project, shown, some)
    scores = vectors @ vectors.mean(dim=0)  # (m, d) x (d,) -> (m,)
    order = scores.argsort(descending=True, stable=True)[:n]
    typical: list[int] = some[order.numpy()].tolist()
    return typical


def _some(ids: IdArray, most: int, draw: np.random.Generator) -> IdArray:
    """Draw at most so many ids, in their order."""
    if len(ids) <= most:
        return ids
    return np.sort(draw.choice(ids, most, replace=False))
