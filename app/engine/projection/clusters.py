"""Cluster vectors with k-means, and describe the clusters.

Spherical k-means (Dhillon and Modha 2001, "Concept decompositions for large sparse text
data using clustering", section 3.1): vectors and centroids have length 1. Centroids are
found on a sample and refined in two passes over all vectors.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from sqlalchemy import Engine
from torch import Tensor

from app.arrays import IdArray
from app.engine.mining.exact_search import ExactSide
from app.engine.projection.distinctive_words import (
    count_words_by_language,
    find_distinctive_words,
    find_function_words,
    find_words_of_groups,
    leave_out,
)
from app.engine.projection.points import (
    CodedNames,
    iterate_blocks,
    read_point_texts,
    select_vectors,
)
from app.engine.runtime.report import Report

STAGE = "Finding clusters"
MAX_AUTO = 40  # clusters, if no number is specified
SAMPLE = 32_768  # vectors for finding centroids
N_ROUNDS, N_PASSES = 25, 2  # over the sample, and over all
N_TYPICAL = 10  # typical sentences per cluster

_WordsByLanguage = dict[str, Counter[str]]


class Clusters(NamedTuple):
    """Clusters of n vectors, largest first.

    Attributes:
        of_points: int32 (n,), indices into `centroids`.
        centroids: float32 (c, d), rows of length 1.
        typical: int64 (≤ N_TYPICAL,) for each cluster, indices of the vectors nearest
            to the centroid, nearest first.
    """

    of_points: NDArray[np.int32]
    centroids: Tensor
    typical: list[IdArray]

    @property
    def sizes(self) -> list[int]:
        """Return the number of vectors of each cluster."""
        counts = np.bincount(self.of_points, minlength=len(self.centroids))
        sizes: list[int] = counts.tolist()
        return sizes


def auto_clusters(n: int) -> int:
    """Choose a number of clusters: the square root of n / 2 (Mardia et al. 1979)."""
    return max(1, min(MAX_AUTO, round(math.sqrt(n / 2))))


def find_clusters(
    side: ExactSide, n_clusters: int, *, seed: int, report: Report
) -> Clusters:
    """Find clusters; fewer if there are fewer distinct vectors.

    Args:
        side: n vectors of length 1.
        n_clusters: number of clusters, at least 1.
        seed: seed of the sample and the initial centroids.
    """
    draw = np.random.default_rng(seed)
    n_sample = min(SAMPLE, len(side))
    indices = np.sort(draw.choice(len(side), n_sample, replace=False))
    sample = select_vectors(side, indices)
    centroids = _first_centroids(sample, n_clusters, draw)
    total = N_ROUNDS + N_PASSES + 1
    for turn in range(N_ROUNDS):
        report.step(STAGE, turn, total)
        moved = _Sums(centroids)
        moved.add(sample)
        centroids, before = moved.centroids(), centroids
        if torch.equal(centroids, before):
            break
    for turn in range(N_PASSES if len(side) > n_sample else 0):
        moved = _Sums(centroids)
        for _, vectors in iterate_blocks(side):
            report.step(STAGE, N_ROUNDS + turn, total)
            moved.add(vectors)
        centroids = moved.centroids()
    found = _assign(side, centroids, report)
    report.step(STAGE, total, total)
    return found


def _first_centroids(sample: Tensor, k: int, draw: np.random.Generator) -> Tensor:
    """Draw distant vectors with k-means++ (Arthur and Vassilvitskii 2007)."""
    chosen = [int(draw.integers(len(sample)))]
    distances = torch.full((len(sample),), torch.inf)
    while len(chosen) < k:
        nearest = 1 - sample @ sample[chosen[-1]]  # (n, d) x (d,) -> (n,)
        distances = torch.minimum(distances, nearest.clamp_min_(0))
        weights = distances.double().numpy()
        weights[weights < 1e-6] = 0  # equal to a selected vector
        if not weights.any():
            break
        chosen.append(int(draw.choice(len(sample), p=weights / weights.sum())))
    return sample[chosen].clone()


class _Sums:
    """Sums of the vectors of each cluster during a pass."""

    def __init__(self, centroids: Tensor):
        self._centroids = centroids
        self._sums = torch.zeros_like(centroids)

    def add(self, vectors: Tensor) -> None:
        """Add each vector (b, d) to the cluster of its nearest centroid."""
        nearest = (vectors @ self._centroids.T).argmax(dim=1)  # (b, c) -> (b,)
        is_in = torch.nn.functional.one_hot(nearest, len(self._centroids)).float()
        self._sums += is_in.T @ vectors  # (c, b) x (b, d)

    def centroids(self) -> Tensor:
        """Return the mean directions; the centroid of an empty cluster is unchanged."""
        lengths = self._sums.norm(dim=1, keepdim=True)
        moved = self._sums / lengths.clamp_min(1e-12)
        return torch.where(lengths > 1e-12, moved, self._centroids)


def _assign(side: ExactSide, centroids: Tensor, report: Report) -> Clusters:
    """Assign vectors to clusters, drop empty clusters, and sort them by size."""
    of_points = np.empty(len(side), np.int32)
    cosines = np.empty(len(side), np.float32)
    for start, vectors in iterate_blocks(side):
        report.step(STAGE, N_ROUNDS + N_PASSES, N_ROUNDS + N_PASSES + 1)
        best = (vectors @ centroids.T).max(dim=1)  # (b, c) -> (b,)
        of_points[start : start + len(vectors)] = best.indices.numpy()
        cosines[start : start + len(vectors)] = best.values.numpy()
    sizes = np.bincount(of_points, minlength=len(centroids))
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    new_places = np.empty(len(sizes), np.int32)
    new_places[order] = np.arange(len(order))
    of_points = new_places[of_points]
    by_cluster = np.lexsort((-cosines, of_points))
    ends = np.cumsum(sizes[order])
    typical = [
        by_cluster[end - size : end][:N_TYPICAL]
        for end, size in zip(ends.tolist(), sizes[order].tolist(), strict=True)
    ]
    return Clusters(of_points, centroids[torch.from_numpy(order)], typical)


DESCRIPTION_STAGE = "Describing clusters"
MAX_READ = 1_000  # sentences per cluster whose words are counted
N_WORDS, N_LANGUAGES = 10, 10  # per cluster
ENOUGH_WORDS = 2  # of a language, to name a cluster in it: so many are on the map


class ClusterReport(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster of a map, whose number is its index in the list.

    Attributes:
        n: number of sentences.
        sentences: ids of the most typical sentences, most typical first.
        words: words that distinguish the cluster, most distinctive first, of one
            language if a language has enough.
        languages: number of sentences of the most frequent languages, by stored code.
    """

    n: int
    sentences: list[int]
    words: list[str]
    languages: dict[str, int]


def describe_clusters(
    store: Engine,
    ids: IdArray,
    clusters: Clusters,
    languages: CodedNames,
    report: Report,
) -> list[ClusterReport]:
    """Describe clusters, with words counted in up to 1,000 sentences of each.

    The words of a cluster are of one language, without function words.

    Args:
        ids: int64 (n,), sentence ids.
    """
    order = np.argsort(clusters.of_points, kind="stable")
    ends = np.cumsum(clusters.sizes)
    members = np.split(order, ends[:-1])
    n_read: list[Counter[str]] = []  # number of sentences per language
    counted: list[_WordsByLanguage] = []
    for number, indices in enumerate(members):
        report.step(DESCRIPTION_STAGE, number, len(members))
        read = indices[:: -(-len(indices) // MAX_READ)]
        spoken = [languages.names[code] for code in languages.codes[read].tolist()]
        texts = read_point_texts(store, ids[read])
        counted.append(count_words_by_language(texts, spoken))
        n_read.append(Counter(spoken))
    marked = _find_words(counted, n_read)
    report.step(DESCRIPTION_STAGE, len(members), len(members))
    return [
        ClusterReport(
            n=len(indices),
            sentences=ids[typical].tolist(),
            words=words,
            languages=dict(languages.counts(indices)[:N_LANGUAGES]),
        )
        for indices, typical, words in zip(
            members, clusters.typical, marked, strict=True
        )
    ]


def _find_words(
    groups: Sequence[_WordsByLanguage], n_sentences: Sequence[Counter[str]]
) -> list[list[str]]:
    """Find the distinctive words of each group, all in one language.

    This is the language of more than half of the sentences, even with a single word, or
    else the group's most frequent language with enough words. If no language has
    enough, words of all languages are used; if there are none, words that occur in one
    sentence.

    Args:
        groups: number of sentences of each group that contain a word.
        n_sentences: number of sentences of each language in each group.
    """
    totals = sum(n_sentences, Counter[str]())
    contents: dict[str, list[Counter[str]]] = {}
    marked: dict[str, list[list[str]]] = {}
    for code in totals:
        own = [group.get(code, Counter[str]()) for group in groups]
        whole = sum(own, Counter[str]())
        left_out = find_function_words(whole, totals[code], code)
        contents[code] = [leave_out(counts, left_out) for counts in own]
        found = find_words_of_groups(contents[code], N_WORDS)
        marked[code] = [[one.word for one in words] for words in found]
    named = []
    for number, spoken in enumerate(n_sentences):
        codes = sorted(spoken, key=lambda code: (-spoken[code], -totals[code]))
        lists = [marked[code][number] for code in codes]
        if 2 * spoken[codes[0]] > spoken.total():
            main = lists[0] or _rare_words(contents, number, codes[:1])
            lists = [main] if main else lists
        enough = [words for words in lists if len(words) >= ENOUGH_WORDS]
        chosen = [*enough, list(chain.from_iterable(lists))[:N_WORDS]][0]
        named.append(chosen or _rare_words(contents, number, codes))
    return named


def _rare_words(
    contents: dict[str, list[Counter[str]]], number: int, codes: Sequence[str]
) -> list[str]:
    """Return words in one sentence of a group, in the first language with any."""
    for code in codes:
        own = contents[code][number]
        others = sum(contents[code], Counter[str]()) - own
        found = find_distinctive_words(own, others, N_WORDS, least=1)
        if found:
            return [one.word for one in found]
    return []
