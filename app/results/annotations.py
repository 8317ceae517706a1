"""Titles, notes, and baseline marks of measurement tables and charts."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from app.results.measurements import Correlated, Probed, Transferred

TASK_TITLES = {
    "probe": "Probing",
    "evaluate-retrieval": "Retrieval",
    "evaluate-tatoeba": "Tatoeba test sets",
    "evaluate-sts": "Textual similarity",
    "evaluate-similarity-of-spaces": "Vector spaces",
    "evaluate-downstream": "Downstream tasks",
    "evaluate-translation": "Translation",
    "correlate-measurements": "Probing and downstream scores",
    "compare-encoders": "Comparison of two encoders",
    "evaluate-transfer": "Transfer between languages",
    "mine-pairs": "Mining",
    "project-map": "Map",
    "train-encoder": "Training",
    "fine-tune-encoder": "Fine-tuning",
    "train-grid": "Comparison of settings",
}

MEASURE_NOTES = {
    "eigen_similarity": "Difference of the neighbour graphs of translations, 0 or "
    "more; lower means more similar (Søgaard et al. 2018).",
    "isotropy": "1 if vectors point equally in all directions, down to 0 (Mu and "
    "Viswanath 2018).",
    "isoscore": "Share of dimensions that are used evenly (Rudman et al. 2022).",
    "mean_cosine": "Mean cosine of two different sentences; 0 in an isotropic space "
    "(Ethayarajh 2019).",
    "hubness": "Skewness of how often each sentence is a neighbour; 0 without hubs "
    "(Radovanović et al. 2010).",
    "alignment": "Mean squared distance of translations; lower is better (Wang and "
    "Isola 2020).",
    "uniformity": "How evenly vectors are distributed on the sphere; lower is better "
    "(Wang and Isola 2020).",
    "distance_of_translations": "Compare with the distance of random pairs.",
    "kept_neighbours": "Share of the nearest neighbours by the first encoder that are "
    "also nearest neighbours by the second, by language of the sentence.",
    "kept_pairs": "Share of mutual nearest neighbours by the first encoder that are "
    "also mutual nearest neighbours by the second; for languages that are not linked.",
    "distance_of_random_pairs": "Distance of sentences to translations of others.",
}
RETRIEVAL_NOTE = (
    "Retrieval error, % (lower is better): share of sentences whose nearest neighbour "
    "is not their translation."
)
PUBLISHED_NOTE = (
    "Shows at most six published systems, those with results on most of these tasks, "
    "from the lowest to the highest. The table has all of them."
)
GRID_NOTE = (
    "For errors and cross-entropy, lower is better; for the other scores, higher "
    "is better."
)
KINDS_NOTE = (
    "Mean test accuracy over the tasks of a kind (Conneau et al. 2018), and over all."
)
PROBING_NOTE = (
    "Test accuracy. Markers show the baselines; the table has two more weightings of "
    "word vectors, and with several encoders the baselines of each."
)
CORRELATION_NOTE = (
    "Spearman’s ρ over {encoders}; * p < 0.05 after correction for {n} tests "
    "({correction})."
)
CORRECTION_SOURCES = {
    "holm": "Holm 1979",
    "benjamini-hochberg": "Benjamini and Hochberg 1995",
}


def task_title(task: str) -> str:
    """Return the title of a task."""
    return TASK_TITLES.get(task, task.replace("-", " ").capitalize())


Marks = dict[str, tuple[float | None, ...]]  # per cent, by name, one per group
P = TypeVar("P", Transferred, Correlated)  # have published scores
B = TypeVar("B", Probed, Transferred)  # have baselines
CLASSIFIERS = {
    "logistic": "logistic regression",
    "mlp": "MLP",
    "nli": "MLP on pairs",
    "relatedness": "relatedness of pairs",
    "centroid": "nearest centroid",
    "knn": "nearest neighbours",
}
BASELINES = {
    "majority": "most frequent class",
    "length": "length only",
    "tfidf": "TF-IDF, naive Bayes",
    "bigrams": "TF-IDF with bigrams, naive Bayes",
    "random_vectors": "random word vectors",
    "word_vectors": "averaged word vectors",
    "idf_vectors": "word vectors by IDF",
    "sif_vectors": "word vectors by SIF",
    "sif_less_component": "word vectors by SIF without first component",
    "untrained": "before training",
    "human": "human (Conneau et al. 2018)",
}
TABLE_BASELINES = ("idf_vectors", "sif_vectors")  # to limit the number of marks
ENCODER_BASELINES = ("random_vectors", "untrained")  # differ from encoder to encoder
MAX_PUBLISHED_SYSTEMS = 6  # from the literature


def baseline_marks(
    rows: Sequence[Probed], group: Callable[[Probed], str], labels: Sequence[str]
) -> Marks:
    """Return the baselines of probes by group.

    Baselines that depend on the encoder are marked only for a single encoder; for
    several encoders only the table shows them, since the marks would overlap.
    """
    encoders = list(dict.fromkeys(row.encoder for row in rows))
    marks: Marks = {}
    for key, title in BASELINES.items():
        is_own = key in ENCODER_BASELINES and len(encoders) > 1
        if key not in TABLE_BASELINES and not is_own:
            marks[title] = _values_of(key, rows, group, labels)
    return {
        name: values
        for name, values in marks.items()
        if any(value is not None for value in values)
    }


def bag_marks(
    rows: Sequence[Transferred], group: Callable[[Transferred], str]
) -> Marks:
    """Return the baselines of averaged word vectors by group."""
    labels = list(dict.fromkeys(map(group, rows)))
    measured = {key for row in rows for key in row.baselines}
    return {
        title: _values_of(key, rows, group, labels)
        for key, title in BASELINES.items()
        if key in measured
    }


def published_marks(rows: Sequence[P], group: Callable[[P], str]) -> Marks:
    """Choose published systems to draw: those with the most tasks.

    From these, a few evenly spaced systems from the lowest to the highest mean.
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
    indices = [round(i * (len(known) - 1) / max(n - 1, 1)) for i in range(n)]
    chosen = [known[index][1] for index in indices]
    return {system: _in_per_cent(scores[system], labels) for system in chosen}


def _values_of(
    key: str,
    rows: Sequence[B],
    group: Callable[[B], str],
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


def name_classifier(classifier: str) -> str:
    """Return the name of a classifier on frozen vectors."""
    # Older versions recorded the classifier of a downstream task as "perceptron (50)".
    return CLASSIFIERS.get(classifier, classifier.replace("perceptron", "MLP"))


def measure_title(measure: str) -> str:
    """Return the title of a measure: kept_neighbours → Kept neighbours."""
    return measure.replace("_", " ").capitalize()
