"""Compare mined pairs with a slow reference of LASER's mine_bitexts.

Artetxe and Schwenk 2019, "Margin-based Parallel Corpus Mining with Multilingual
Sentence Embeddings", section 3: ratio margin over k neighbours, candidates of both
directions by falling score, each sentence at most once.
"""

import numpy as np

from app.arrays import FloatArray
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.embeddings import list_embeddings, map_embedding
from app.engine.store.pairs.sets import read_pair_integers, read_scores
from app.engine.store.sentences import read_texts
from app.engine.tasks.mine_pairs import mine_pairs
from app.params.mining import MinePairs
from tests.peers.agreement import Agreement, Peers, agree

K = 4


def compare_mining(peers: Peers) -> Agreement:
    """Compare the pairs of two samples, and their scores."""
    project = peers.project
    params = MinePairs(source="en", target="de", k=K, margin="ratio", retrieval="max")
    mined = mine_pairs(project, params, Report())
    ids = [
        read_pair_integers(project.store, mined.mining, column)
        for column in ("source_id", "target_id")
    ]
    scores = read_scores(project.store, mined.mining)
    sides = [_distinct(project, name) for name in ("en", "de")]
    wanted = mine(sides[0][1], sides[1][1])
    own = {
        (int(source), int(target)): float(score)
        for source, target, score in zip(*ids, scores, strict=True)
    }
    other = {
        (sides[0][0][i], sides[1][0][j]): score for (i, j), score in wanted.items()
    }
    shared = own.keys() & other.keys()
    worst = max((abs(own[pair] - other[pair]) for pair in shared), default=1.0)
    figures = (
        f"{len(shared):,} of {len(other):,} pairs, largest difference of scores "
        f"{worst:.0e}"
    )
    return agree(own.keys() == other.keys() and worst < 1e-4, figures)


def _distinct(project: Project, name: str) -> tuple[list[int], FloatArray]:
    """Return ids and vectors of the sentences of a corpus, each text once."""
    (corpus,) = [one for one in list_corpora(project.store) if one.name == name]
    (row,) = [o for o in list_embeddings(project.store) if o.corpus_id == corpus.id]
    texts = read_texts(project.store, corpus.id, 0, corpus.n_sentences)
    first: dict[str, int] = {}
    for index, text in enumerate(texts):
        first.setdefault(text, index)
    indices = list(first.values())
    vectors = np.asarray(map_embedding(project.folder, row)[0])[indices]
    return [first_sentence_id(corpus.id) + index for index in indices], vectors


def mine(sources: FloatArray, targets: FloatArray) -> dict[tuple[int, int], float]:
    """Mine pairs with loops: positions (source, target) and their ratio margin."""
    cosines = sources.astype(np.float64) @ targets.T.astype(np.float64)
    source_means = np.sort(cosines, axis=1)[:, -K:].mean(axis=1)
    target_means = np.sort(cosines, axis=0)[-K:].mean(axis=0)
    candidates = []
    margins = cosines / ((source_means[:, None] + target_means) / 2)
    for i in range(len(sources)):
        nearest = np.argsort(-cosines[i])[:K]
        j = max(nearest, key=lambda j: margins[i, j])
        candidates.append((margins[i, j], i, int(j)))
    for j in range(len(targets)):
        nearest = np.argsort(-cosines[:, j])[:K]
        i = max(nearest, key=lambda i: margins[i, j])
        candidates.append((margins[i, j], int(i), j))
    taken: dict[tuple[int, int], float] = {}
    used_sources: set[int] = set()
    used_targets: set[int] = set()
    for score, i, j in sorted(candidates, key=lambda one: -one[0]):
        if i not in used_sources and j not in used_targets:
            used_sources.add(i)
            used_targets.add(j)
            taken[i, j] = float(score)
    return taken
