"""Probe one encoder on one probing set, with its baselines."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from app.engine.encoders.vector_cache import encode_cached
from app.engine.probing.bags_of_vectors import bags_of_vectors
from app.engine.probing.bags_of_words import TextWords, add_bigrams, number_words
from app.engine.probing.baselines import (
    Labelling,
    bayes_accuracy,
    key_words,
    label_by_words,
    length_accuracy,
    majority_accuracy,
    random_vectors,
)
from app.engine.probing.probes import ProbeFindings, probe_repeatedly, probe_vectors
from app.engine.probing.progress import SubtaskReport
from app.engine.probing.sets import (
    UNSEEN,
    ProbingSet,
    SplitVectors,
    repeated_texts,
    split_vectors,
)
from app.engine.probing.word_vectors import find_word_vectors
from app.engine.runtime.report import Report
from app.engine.statistics import bootstrap_estimate
from app.params.probing import Probe, ProbeName
from app.plurals import count_text
from app.results.measurements import Probed
from app.results.probing_tasks import (
    PUBLISHED_TASKS,
    count_classes,
    human_accuracy,
)

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project

MANY_CLASSES = 100  # minimum to use logistic regression in the protocol (as for WC)
FEW_ROWS = 5  # per class


class PreparedSet:
    """A probing set with data shared by all encoders.

    Attributes:
        probing_set: the task.
        labellings: control tasks, one per seed; empty without controls.
    """

    def __init__(self, probing_set: ProbingSet, params: Probe, report: Report):
        self.probing_set = probing_set
        self.labellings: list[Labelling] = []
        self._params = params
        self._words: TextWords | None = None
        self._shared: dict[str, float] = {}
        self._random: dict[tuple[int, str], float] = {}
        self._averaged: dict[str, dict[str, float]] = {}
        if params.control:
            n_train, n_classes = probing_set.sizes[0], probing_set.n_classes
            keys = key_words(self.words(report), n_train, n_classes)
            self.labellings = [
                label_by_words(probing_set, keys, seed=seed)
                for seed in seeds_of(params)
            ]

    def words(self, report: Report) -> TextWords:
        """Return the numbered words of the texts, computed once."""
        if self._words is None:
            self._words = number_words(self.probing_set.texts, report)
        return self._words

    def shared_baselines(self, report: Report) -> dict[str, float]:
        """Return the baselines without encoder and probe.

        These are: majority, length, tfidf, bigrams, and the published human bound.
        """
        if not self._shared:
            one, words = self.probing_set, self.words(report)
            self._shared = {
                "majority": majority_accuracy(one),
                "length": length_accuracy(one),
                "tfidf": bayes_accuracy(one, words, report),
                "bigrams": bayes_accuracy(one, add_bigrams(words), report),
            }
            human = human_accuracy(one.task, one.language, one.n_classes)
            if human is not None:
                self._shared["human"] = human
        return self._shared

    def averaged_baselines(
        self, classifier: ProbeName, report: Report
    ) -> dict[str, float]:
        """Return the accuracies on averaged word vectors, from a file or learned."""
        if classifier not in self._averaged:
            one, words = self.probing_set, self.words(report)
            n_train, file = one.sizes[0], self._params.word_vectors
            table = find_word_vectors(file, words, n_train, report)
            seeds = seeds_of(self._params)
            found = {}
            for name, vectors in bags_of_vectors(words, table, n_train):
                parts = split_vectors(vectors, one, "word vectors")
                found[name] = probe_repeatedly(
                    [partial(_same, parts)] * len(seeds),
                    one.n_classes,
                    classifier,
                    seeds=seeds,
                    report=report,
                )
            self._averaged[classifier] = found
        return self._averaged[classifier]

    def random_baseline(self, dim: int, classifier: ProbeName, report: Report) -> float:
        """Return the accuracy on bags of random vectors with as many dimensions."""
        known = self._random.get((dim, classifier))
        if known is None:
            words = self.words(report)

            def draw(seed: int) -> SplitVectors:
                vectors = random_vectors(words, dim, seed=seed, report=report)
                return split_vectors(vectors, self.probing_set, "a random table")

            seeds = seeds_of(self._params)
            drawn = [partial(draw, seed) for seed in seeds]
            n_classes = self.probing_set.n_classes
            known = probe_repeatedly(
                drawn, n_classes, classifier, seeds=seeds, report=report
            )
            self._random[dim, classifier] = known
        return known


def seeds_of(params: Probe) -> list[int]:
    """List the seeds of a run."""
    return list(range(1, params.seeds + 1))


def classifiers_of(params: Probe, n_classes: int) -> list[ProbeName]:
    """List the distinct requested probes of a task."""
    names = [
        "logistic" if n_classes >= MANY_CLASSES else one for one in params.classifiers
    ]
    return list(dict.fromkeys(names))


class ProbeExperiment:
    """An experiment with one probing set and one encoder.

    Attributes:
        prepared: the probing set.
        encoder: the encoder to probe.
    """

    def __init__(
        self,
        project: "Project | None",
        prepared: PreparedSet,
        encoder: "Encoder",
        twin_of: "Callable[[int], Encoder | None]",
        params: Probe,
    ):
        """Make an experiment.

        Args:
            project: project that caches vectors; None: no cache.
            twin_of: returns the encoder's untrained twin for a seed, if possible.
        """
        self.prepared, self.encoder = prepared, encoder
        self._project, self._twin_of, self._params = project, twin_of, params
        self._parts: SplitVectors | None = None
        self._twins: list[SplitVectors] | None = None

    def parts(self, report: Report) -> SplitVectors:
        """Return the vectors of the texts, computed once."""
        if self._parts is None:
            self._parts = self._encode(self.encoder, report)
        return self._parts

    def measure(self, classifier: ProbeName, report: SubtaskReport) -> Probed:
        """Train the probe, and measure the requested baselines."""
        probing_set = self.prepared.probing_set
        parts = self.parts(report)
        report.advance()
        findings = probe_vectors(
            parts,
            probing_set.n_classes,
            classifier,
            self.prepared.labellings,
            seeds=seeds_of(self._params),
            report=report,
        )
        report.advance()
        baselines = self._baselines(parts.dim, classifier, report)
        notes = self._notes(classifier, has_twin="untrained" in baselines)
        return _make_row(self.prepared, self.encoder, classifier, findings)(
            baselines=baselines, note=" ".join(notes)
        )

    def _baselines(
        self, dim: int, classifier: ProbeName, report: SubtaskReport
    ) -> dict[str, float]:
        """Measure the requested baselines."""
        if not self._params.baselines:
            return {}
        found = dict(self.prepared.shared_baselines(report))
        found["random_vectors"] = self.prepared.random_baseline(dim, classifier, report)
        found |= self.prepared.averaged_baselines(classifier, report)
        report.advance()
        twins = [partial(_same, one) for one in self.twins(report)]
        if twins:
            n_classes = self.prepared.probing_set.n_classes
            seeds = seeds_of(self._params)
            found["untrained"] = probe_repeatedly(
                twins, n_classes, classifier, seeds=seeds, report=report
            )
        return found

    def twins(self, report: Report) -> list[SplitVectors]:
        """Encode the texts with untrained twins, one per seed; empty: no twin."""
        if self._twins is None:
            found = map(self._twin_of, seeds_of(self._params))
            self._twins = [self._encode(twin, report) for twin in found if twin]
        return self._twins

    def _encode(self, encoder: "Encoder", report: Report) -> SplitVectors:
        probing_set = self.prepared.probing_set
        vectors = encode_cached(
            self._project,
            encoder,
            probing_set.texts,
            report,
            language=probing_set.language,
        )
        return split_vectors(vectors, probing_set, encoder.name)

    def _notes(self, classifier: ProbeName, *, has_twin: bool) -> Iterator[str]:
        """Return a note on the limitations of the result."""
        probing_set = self.prepared.probing_set
        if classifier not in self._params.classifiers:
            yield (
                "Logistic regression replaced the MLP because there are "
                f"{probing_set.n_classes:,} classes."
            )
        n_unseen = int((probing_set.test.classes == UNSEEN).sum())
        if n_unseen:
            yield (
                f"{count_text(n_unseen, 'test row')} with labels that no training row "
                "has: they count as wrong."
            )
        published = PUBLISHED_TASKS.get(probing_set.task)
        if published is not None and probing_set.n_classes < published.n_classes:
            n = count_classes(probing_set.task, probing_set.n_classes)
            yield (
                f"The set has {n} classes of the published task, so the result can't "
                "be compared with published ones."
            )
        n_each = np.bincount(probing_set.train.classes)
        if np.median(n_each) < FEW_ROWS:
            yield (
                f"Half of the {probing_set.n_classes:,} classes have at most "
                f"{int(np.median(n_each))} training rows, so the result says little "
                "about the encoder."
            )
        n_repeated = repeated_texts(probing_set)
        if n_repeated:
            yield (
                f"{count_text(n_repeated, 'test row')} with the same text as a "
                "training row: the result may be too high."
            )
        if self._params.baselines and not has_twin:
            yield (
                f"{self.encoder.name} was not trained here, so the untrained baseline "
                "is missing."
            )


def _same(parts: SplitVectors) -> SplitVectors:
    return parts


def _make_row(
    prepared: PreparedSet,
    encoder: "Encoder",
    classifier: ProbeName,
    findings: ProbeFindings,
) -> "partial[Probed]":
    """Make the row of the findings, without baselines and note."""
    probing_set = prepared.probing_set
    shares = findings.right.mean(axis=0)  # (s, n) -> (n,)
    estimate = bootstrap_estimate(lambda rows: float(shares[rows].mean()), len(shares))
    controls = findings.controls
    control = float(np.mean(controls)) if controls else None
    published = PUBLISHED_TASKS.get(probing_set.task)
    return partial(
        Probed,
        encoder=encoder.name,
        data=probing_set.name,
        task=probing_set.task,
        language=probing_set.language,
        classifier=classifier,
        n=len(shares),
        n_train=probing_set.sizes[0],
        n_classes=probing_set.n_classes,
        n_classes_published=published.n_classes if published else None,
        accuracy=estimate.value,
        accuracy_interval=(estimate.low, estimate.high),
        accuracies=tuple(findings.right.mean(axis=1).tolist()),
        control_accuracy=control,
        selectivity=None if control is None else estimate.value - control,
        settings=findings.settings,
    )
