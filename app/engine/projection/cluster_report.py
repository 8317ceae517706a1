"""What is told of clusters: their size, words, languages and typical sentences."""

import msgspec
import numpy as np
from sqlalchemy import Engine

from app.engine.projection.clusters import Clusters
from app.engine.projection.facts import Coded, texts_of
from app.engine.projection.points import IdArray
from app.engine.projection.words import count_sentences, mark_groups
from app.engine.report import Report

STAGE = "read clusters"
MAX_READ = 1_000  # sentences of a cluster whose words are counted
N_WORDS, N_LANGUAGES = 10, 10  # told of each cluster


class ClusterReport(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster of a map; its number is its place in the list.

    Attributes:
        n: sentences.
        sentences: ids of the most typical ones, the most typical first.
        words: that mark it against the other clusters, the most marking first.
        languages: sentences of its most frequent languages, by stored code.
    """

    n: int
    sentences: list[int]
    words: list[str]
    languages: dict[str, int]


def describe_clusters(
    store: Engine, ids: IdArray, clusters: Clusters, languages: Coded, report: Report
) -> list[ClusterReport]:
    """Describe clusters; the words are counted in up to 1,000 sentences of each.

    Args:
        store: where the texts are.
        ids: int64 (n,), of the sentences.
        clusters: of them.
        languages: of them.
        report: is told of each cluster.
    """
    order = np.argsort(clusters.of_points, kind="stable")
    ends = np.cumsum(clusters.sizes)
    members = np.split(order, ends[:-1])
    counted = []
    for number, places in enumerate(members):
        report.step(STAGE, number, len(members))
        read = places[:: -(-len(places) // MAX_READ)]
        counted.append(count_sentences(texts_of(store, ids[read])))
    marked = mark_groups(counted, N_WORDS)
    report.step(STAGE, len(members), len(members))
    return [
        ClusterReport(
            n=len(places),
            sentences=ids[typical].tolist(),
            words=[word.word for word in words],
            languages=dict(languages.counts(places)[:N_LANGUAGES]),
        )
        for places, typical, words in zip(
            members, clusters.typical, marked, strict=True
        )
    ]
