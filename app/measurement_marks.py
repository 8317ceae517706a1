"""What the pictures of measurements set beside the bars: baselines, the literature."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from app.measurements import Correlated, Probed, Transferred

Marks = dict[str, tuple[float | None, ...]]  # per cent, by what it is, a group each
P = TypeVar("P", Transferred, Correlated)  # have what the literature reached
BASELINES = {
    "majority": "most frequent class",
    "length": "length only",
    "tfidf": "TF-IDF, naive Bayes",
    "random_vectors": "random word vectors",
    "untrained": "untrained twin",
}
OF_ENCODER = ("random_vectors", "untrained")  # differ from encoder to encoder
MOST_TWINS = 2  # encoders whose own baselines are drawn: signs are few
MOST_SYSTEMS = 6  # of the literature


def baseline_marks(
    rows: Sequence[Probed], group: Callable[[Probed], str], labels: Sequence[str]
) -> Marks:
    """Give the baselines of probes by group.

    What depends on the encoder is marked for each of two; of more only the tables have
    it, because the mark of one would be read as that of all.
    """
    encoders = list(dict.fromkeys(row.encoder for row in rows))
    marks: Marks = {}
    for key, title in BASELINES.items():
        if key not in OF_ENCODER or len(encoders) == 1:
            marks[title] = _values_of(key, rows, group, labels)
        elif len(encoders) <= MOST_TWINS:
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
    n = min(MOST_SYSTEMS, len(known))
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


__all__ = ["BASELINES", "baseline_marks", "published_marks"]
