"""The ten probing tasks as published, and averages over kinds of tasks.

Conneau, Kruszewski, Lample, Barrault and Baroni 2018, "What you can cram into a single
vector", section 2 and table 2.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import msgspec

from app.results.measurements import Probed

TaskKind = Literal["surface", "syntactic", "semantic"]


class PublishedTask(NamedTuple):
    """A task of the published suite.

    Attributes:
        stem: stem of its file names, without language.
        kind: surface, syntactic or semantic information.
        n_classes: number of classes in the English sets.
        human: accuracy of people, or share of correct automatic labels, 0…1.
    """

    stem: str
    kind: TaskKind
    n_classes: int
    human: float


PUBLISHED_TASKS: dict[str, PublishedTask] = {
    "SentLen": PublishedTask("sentence_length", "surface", 6, 1.0),
    "WC": PublishedTask("word_content", "surface", 1_000, 1.0),
    "TreeDepth": PublishedTask("tree_depth", "syntactic", 8, 0.84),
    "TopConst": PublishedTask("top_constituents", "syntactic", 20, 0.84),
    "BShift": PublishedTask("bigram_shift", "syntactic", 2, 0.98),
    "Tense": PublishedTask("past_present", "semantic", 2, 0.85),
    "SubjNum": PublishedTask("subj_number", "semantic", 2, 0.88),
    "ObjNum": PublishedTask("obj_number", "semantic", 2, 0.865),
    "SOMO": PublishedTask("odd_man_out", "semantic", 2, 0.812),
    "CoordInv": PublishedTask("coordination_inversion", "semantic", 2, 0.85),
}
KINDS: tuple[TaskKind, ...] = ("surface", "syntactic", "semantic")
HUMAN_LANGUAGE = "en"  # of the sentences judged by people


class ProbingAverage(msgspec.Struct, frozen=True):
    """The mean accuracy of an encoder over the tasks of a kind.

    Attributes:
        kind: surface, syntactic, semantic, or all.
        tasks: names of the tasks that were measured.
        accuracy: plain mean, 0…1.
    """

    encoder: str
    classifier: str
    language: str
    kind: str
    tasks: tuple[str, ...]
    accuracy: float


def count_classes(task: str, n: int) -> str:
    """Format a number of classes: "5 of 6" if the published task has more."""
    published = PUBLISHED_TASKS.get(task)
    if published is None or n >= published.n_classes:
        return f"{n:,}"
    return f"{n:,} of {published.n_classes:,}"


def human_accuracy(task: str, language: str, n_classes: int) -> float | None:
    """Return the published human bound; None for other sentences or classes."""
    published = PUBLISHED_TASKS.get(task)
    if published is None or language not in ("", HUMAN_LANGUAGE):
        return None
    return published.human if n_classes == published.n_classes else None


def average_by_kind(rows: Iterable[Probed]) -> Iterator[ProbingAverage]:
    """Average accuracies over the surface, syntactic and semantic tasks, and over all.

    Tasks outside the published suite are left out; so is an average of all kinds over a
    single task. A task that was measured on several files counts once, with its mean.
    """
    groups: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    for row in rows:
        if row.task in PUBLISHED_TASKS:
            tasks = groups.setdefault((row.encoder, row.classifier, row.language), {})
            tasks.setdefault(row.task, []).append(row.accuracy)
    for key, tasks in groups.items():
        means = {name: sum(found) / len(found) for name, found in tasks.items()}
        for kind in (*KINDS, "all"):
            names = tuple(
                name
                for name, published in PUBLISHED_TASKS.items()
                if name in means and kind in (published.kind, "all")
            )
            if len(names) > (kind == "all"):
                accuracy = sum(means[name] for name in names) / len(names)
                yield ProbingAverage(*key, kind, names, accuracy)
