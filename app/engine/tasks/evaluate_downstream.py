"""Task: train and test classifiers on frozen vectors with SentEval's protocols."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from app.engine.classify.features import raw_vectors_of, vectors_of
from app.engine.encoders.registry import load_encoder
from app.engine.evaluation.bag_baselines import measure_bags
from app.engine.evaluation.batch import FaultTolerantBatch
from app.engine.evaluation.downstream import SuiteContext, measure_set
from app.engine.evaluation.downstream_sets import DownstreamSet, read_sets
from app.engine.evaluation.published_results import read_published
from app.engine.evaluation.recording import DIGITS, record_measurements
from app.engine.runtime.report import Report
from app.errors import UserError
from app.params.evaluation import EvaluateDownstream
from app.plurals import count_text
from app.results.measurements import Transferred

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.project.project import Project


class DownstreamAverages(msgspec.Struct, frozen=True):
    """Averages over the tasks scored by accuracy; rates 0…1.

    Attributes:
        macro: plain mean of the development accuracies (Conneau et al. 2017).
        micro: mean of the development accuracies, weighted by development rows.
        test: plain mean of the test accuracies.
    """

    n_tasks: int
    macro: float
    micro: float
    test: float


class EvaluateDownstreamResult(msgspec.Struct, frozen=True):
    """Downstream scores; rates 0…1, correlations -1…1.

    Attributes:
        results: a row for each task and metric.
        averages: null if no task is scored by accuracy.
        differences: score minus the published score, by task, metric and system.
        failures: a sentence for each task that could not be measured.
        notes: sentences on limitations of the figures.
    """

    results: tuple[Transferred, ...]
    averages: DownstreamAverages | None
    differences: dict[str, dict[str, dict[str, float]]]
    failures: tuple[str, ...]
    notes: tuple[str, ...]


def evaluate_downstream(
    project: "Project | None", params: EvaluateDownstream, report: Report
) -> EvaluateDownstreamResult:
    """Measure every task; continue with the next task after one that fails.

    Raises:
        UserError: no task could be measured, or names do not match.
    """
    if (
        params.lowest is not None
        and params.highest is not None
        and params.lowest >= params.highest
    ):
        raise UserError(
            f"The lowest score, {params.lowest:g}, is not below the highest score, "
            f"{params.highest:g}."
        )
    reading = FaultTolerantBatch(
        "Reading tasks", len(params.data + params.scores), report
    )
    sets = read_sets(params, reading)
    reading.check_any(sets)
    encoder = load_encoder(params.encoder, project.folder if project else None)
    context = SuiteContext(encoder.name, params, read_published())
    batch = FaultTolerantBatch("Measuring tasks", len(sets), report)
    rows: list[Transferred] = []
    for one in sets:
        measure = partial(_measure, project, encoder, one, context, report)
        rows += batch.try_one(one.name, measure) or []
    batch.check_any(rows)
    record_measurements(project, rows, report)
    return EvaluateDownstreamResult(
        tuple(rows),
        _average([row for row in rows if row.metric == "accuracy"]),
        _differences(rows),
        tuple(reading.failures + batch.failures),
        tuple(note for one in sets for note in _notes(one, params)),
    )


def _measure(
    project: "Project | None",
    encoder: "Encoder",
    one: DownstreamSet,
    context: SuiteContext,
    report: Report,
) -> list[Transferred]:
    language = context.params.language
    make = vectors_of if context.params.normalised else raw_vectors_of
    vectors = [
        make(project, encoder, part._replace(file_language=language), report)
        for part in one.parts
    ]
    rows = measure_set(one, vectors, context, report)
    if not context.params.baselines:
        return rows
    scores = measure_bags(one, context, report)
    return [
        msgspec.structs.replace(row, baselines=scores.get(row.metric, {}))
        for row in rows
    ]


def _average(rows: list[Transferred]) -> DownstreamAverages | None:
    """Average the tasks scored by accuracy."""
    if not rows:
        return None
    development = np.array([row.development for row in rows])
    sizes = np.array([row.n_development for row in rows])
    return DownstreamAverages(
        len(rows),
        round(float(development.mean()), DIGITS),
        round(float(development @ sizes / sizes.sum()), DIGITS),
        round(float(np.mean([row.score for row in rows])), DIGITS),
    )


def _differences(rows: list[Transferred]) -> dict[str, dict[str, dict[str, float]]]:
    """Compare with published results, if there are any for the task."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        if row.published:
            found.setdefault(row.data, {})[row.metric] = {
                system: round(row.score - score, DIGITS)
                for system, score in row.published.items()
            }
    return found


def _notes(one: DownstreamSet, params: EvaluateDownstream) -> Iterator[str]:
    """Return notes on the bounds of scores, and on tasks that were left out."""
    if one.gives_scores and None in (params.lowest, params.highest):
        lowest, highest = one.bounds
        yield f"{one.name}: the data have scores from {lowest:g} to {highest:g}."
    for part in one.parts:
        reasons = [
            f"{count_text(n, 'row')} without {what}"
            for n, what in ((part.n_unlabelled, "a label"), (part.n_empty, "a text"))
            if n
        ]
        if reasons:
            yield f"{part.source}: {' and '.join(reasons)} were skipped."
