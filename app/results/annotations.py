"""Titles, notes, and baseline marks of measurement tables and charts."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from app.results.measurements import Correlated, Probed, Transferred

TASK_TITLES = {
    "probe": "Probing",
    "evaluate-retrieval": "Retrieval",
    "evaluate-sts": "Similarity of texts",
    "evaluate-similarity-of-spaces": "Spaces",
    "evaluate-downstream": "Downstream tasks",
    "correlate-measurements": "Probing against downstream scores",
    "compare-encoders": "Two encoders",
    "evaluate-transfer": "Transfer between languages",
    "mine-pairs": "Mining",
    "project-map": "Map",
    "train-encoder": "Training",
}

MEASURE_NOTES = {
    "eigen_similarity": "How far the neighbour graphs of translations differ, 0 and "
    "up; the lower, the more alike (Søgaard et al. 2018).",
    "isotropy": "1 where the vectors point alike in all directions, 0 where they do "
    "not (Mu and Viswanath 2018).",
    "isoscore": "Share of the dimensions that are used alike (Rudman et al. 2022).",
    "mean_cosine": "Mean cosine of two different sentences; 0 in a space that is alike "
    "in all directions (Ethayarajh 2019).",
    "hubness": "Skewness of how often each sentence is a neighbour; 0 where none is a "
    "hub (Radovanović et al. 2010).",
    "alignment": "Mean squared distance of translations; the lower, the better (Wang "
    "and Isola 2020).",
    "uniformity": "How evenly the vectors lie on the sphere; the lower, the better "
    "(Wang and Isola 2020).",
    "distance_of_translations": "To be seen beside the distance of random pairs.",
    "kept_neighbours": "Share of the nearest neighbours by the first encoder that are "
    "among the nearest by the second; by the language of the sentence asked.",
    "kept_pairs": "Share of the pairs that are the nearest of each other by the first "
    "encoder and are so by the second; of languages that are not linked.",
    "distance_of_random_pairs": "Of sentences with the translation of another one.",
}
RETRIEVAL_NOTE = (
    "Share of sentences whose nearest neighbour is not their translation: the lower, "
    "the better."
)
PUBLISHED_NOTE = (
    "Of the systems of the literature that did most of these tasks at most six are "
    "drawn, from the lowest to the highest; the table of figures has all."
)
PROBING_NOTE = "Accuracy on the test rows; what it is worth, the signs show."
CORRELATION_NOTE = (
    "Spearman’s ρ over {encoders}; * where p is below 0.05 after correction for {n} "
    "tests ({correction})."
)
CORRECTION_SOURCES = {
    "holm": "Holm 1979",
    "benjamini-hochberg": "Benjamini and Hochberg 1995",
}


def task_title(task: str) -> str:
    """Return what a task measures, or does."""
    return TASK_TITLES.get(task, task.replace("-", " ").capitalize())


Marks = dict[str, tuple[float | None, ...]]  # per cent, by what it is, a group each
P = TypeVar("P", Transferred, Correlated)  # have what the literature reached
BASELINES = {
    "majority": "most frequent class",
    "length": "length only",
    "tfidf": "TF-IDF, naive Bayes",
    "random_vectors": "random word vectors",
    "untrained": "untrained twin",
}
ENCODER_BASELINES = ("random_vectors", "untrained")  # differ from encoder to encoder
MAX_ENCODERS_WITH_BASELINES = 2  # encoders whose own baselines are drawn: signs are few
MAX_PUBLISHED_SYSTEMS = 6  # of the literature


def baseline_marks(
    rows: Sequence[Probed], group: Callable[[Probed], str], labels: Sequence[str]
) -> Marks:
    """Return the baselines of probes by group.

    What depends on the encoder is marked for each of two; of more only the tables have
    it, because the mark of one would be read as that of all.
    """
    encoders = list(dict.fromkeys(row.encoder for row in rows))
    marks: Marks = {}
    for key, title in BASELINES.items():
        if key not in ENCODER_BASELINES or len(encoders) == 1:
            marks[title] = _values_of(key, rows, group, labels)
        elif len(encoders) <= MAX_ENCODERS_WITH_BASELINES:
            for encoder in encoders:
                own = [row for row in rows if row.encoder == encoder]
                name = f"{title} ({encoder})"
                marks[name] = _values_of(key, own, group, labels)
    return {
        name: values
        for name, values in marks.items()
        if any(value is not None for value in values)
    }


def published_marks(rows: Sequence[P], group: Callable[[P], str]) -> Marks:
    """Choose systems of the literature to be drawn: those of the most tasks.

    Of these a few, from the lowest mean to the highest, that lie evenly apart.
    """
    labels = list(dict.fromkeys(map(group, rows)))
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        for system, score in row.published.items():
            scores.setdefault(system, {})[group(row)] = score
    most = max(map(len, scores.values()), default=0)
    known = sorted(
        (sum(found.values()), system)
        for system, found in scores.items()
        if len(found) == most
    )
    n = min(MAX_PUBLISHED_SYSTEMS, len(known))
    places = [round(i * (len(known) - 1) / max(n - 1, 1)) for i in range(n)]
    chosen = [known[place][1] for place in places]
    return {system: _in_per_cent(scores[system], labels) for system in chosen}


def _values_of(
    key: str,
    rows: Sequence[Probed],
    group: Callable[[Probed], str],
    labels: Sequence[str],
) -> tuple[float | None, ...]:
    found: dict[str, float] = {}
    for row in rows:
        if key in row.baselines:
            found.setdefault(group(row), row.baselines[key])
    return _in_per_cent(found, labels)


def _in_per_cent(
    found: Mapping[str, float], labels: Sequence[str]
) -> tuple[float | None, ...]:
    return tuple(100 * found[label] if label in found else None for label in labels)
