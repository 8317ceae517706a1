"""Runs of a report and their charts."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import select

from app.engine.store import schema
from app.engine.store.classifiers import read_transfer
from app.engine.store.pairs.sets import PairSetRow, list_pair_sets
from app.engine.store.projections import ProjectionRow, read_projections
from app.engine.store.runs import read_measurements, read_metric_page
from app.errors import UserError
from app.params import params_from_json
from app.params.base import TaskParams
from app.results.charts import PER_CENT, Bar, BarChart, Chart, LineChart
from app.results.measurement_charts import draw_measurements
from app.results.measurements import Measurement
from app.results.tables import join_runs
from app.results.transfer import LanguageDetails

if TYPE_CHECKING:
    from app.engine.project.project import Project

MAX_CURVE_POINTS = 400  # per curve
MERGES = (1, 2, 3, 4, 5)  # bins merged into one, for enough pairs per bin
RATE = "_per_s"  # name suffix of curves of speed, which is not a result


class ReportedRun(NamedTuple):
    """A run in a report; times in seconds since 1970."""

    id: int
    task: str
    params: TaskParams
    device: str
    versions: dict[str, str]
    result: dict[str, Any]
    started_at: float
    ended_at: float | None
    rows: list[Measurement]
    details: list[LanguageDetails]


def read_run(project: "Project", run: int) -> ReportedRun:
    """Read a run and its measurements.

    Raises:
        UserError: the run does not exist, did not finish, or is from another version.
    """
    query = select(schema.run).where(schema.run.c.id == run)
    with project.store.connect() as connection:
        row = connection.execute(query).first()
    if row is None:
        raise UserError(f"{project.folder.name} has no run {run}.")
    if row.state != "finished":
        raise UserError(f"Run {run} is {row.state}. A report needs finished runs.")
    try:
        params = params_from_json(row.params)
    except msgspec.ValidationError as error:
        raise UserError(
            f"Run {run} was made by another version, whose settings can't be read "
            f"({error}). Run it again."
        ) from error
    return ReportedRun(
        row.id,
        row.task,
        params,
        row.device,
        json.loads(row.versions),
        json.loads(row.result or "{}"),
        row.started_at,
        row.ended_at,
        read_measurements(project.store, run),
        read_transfer(project.store, run),
    )


def draw_runs(project: "Project", runs: Sequence[ReportedRun]) -> list[Chart]:
    """Draw the results of runs, with measurements of several runs in one chart."""
    charts = draw_measurements(join_runs({run.id: run.rows for run in runs}))
    for run in runs:
        if run.details:
            charts.append(_chart_of_transfer(run))
        charts += [_chart_of_mining(one) for one in list_minings_of_run(project, run)]
        charts += _curves_of(project, run)
    return charts


def list_minings_of_run(project: "Project", run: ReportedRun) -> list[PairSetRow]:
    """Read the pair sets of a run."""
    return [one for one in list_pair_sets(project.store) if one.run_id == run.id]


def list_maps_of_run(project: "Project", run: ReportedRun) -> list[ProjectionRow]:
    """Read the maps of a run."""
    return [one for one in read_projections(project.store) if one.run_id == run.id]


def _chart_of_transfer(run: ReportedRun) -> BarChart:
    scores = [one.score for one in run.details]
    bars = [Bar(*(100 * v for v in (s.accuracy, *s.accuracy_interval))) for s in scores]
    return BarChart(
        f"Run {run.id} · accuracy by language",
        PER_CENT,
        tuple(one.name for one in run.details),
        {"accuracy": tuple(bars)},
        {
            "macro-F1": tuple(100 * s.macro_f1 for s in scores),
            "most frequent class": tuple(100 * s.majority for s in scores),
        },
    )


def _chart_of_mining(mined: PairSetRow) -> LineChart:
    """Draw a histogram of pair scores, merging bins if there are few pairs."""
    scores = mined.report.get("scores") or {}
    counts = scores.get("counts") or []
    width = next((w for w in MERGES if sum(counts) >= (len(counts) / w) ** 2), 6)
    merged = [sum(counts[at : at + width]) for at in range(0, len(counts), width)]
    low, high = scores.get("low", 0.0), scores.get("high", 0.0)
    step = (high - low) / max(len(merged), 1)
    ends = [low + index * step for index in range(len(merged) + 1)]
    points = [(low, 0.0)]
    for index, n in enumerate(merged):
        points += [(ends[index], float(n)), (ends[index + 1], float(n))]
    line = (*points, (ends[-1], 0.0))
    title = f"{mined.name} · scores of the pairs"
    return LineChart(title, "score", "pairs", {"pairs": line})


def _curves_of(project: "Project", run: ReportedRun) -> Iterator[LineChart]:
    """Draw the curves of a run, grouped by measure, such as dev.error.

    Speeds are left out, and curves that equal another curve of the same measure, such
    as the mean over a single language.
    """
    curves: dict[str, list[tuple[float, float]]] = defaultdict(list)
    page = read_metric_page(project.store, run.id)
    while page:
        for point in page:
            if point.value is not None:
                curves[point.name].append((point.step, point.value))
        page = read_metric_page(project.store, run.id, page[-1])
    measures: dict[str, dict[str, tuple[tuple[float, float], ...]]] = defaultdict(dict)
    for name, points in curves.items():
        step = -(-len(points) // MAX_CURVE_POINTS)
        line, of_measure = tuple(points[::step]), measures[_measure_of(name)]
        is_shown = len(line) > 1 and not name.endswith(RATE)
        if is_shown and line not in of_measure.values():
            of_measure[name] = line
    for name, lines in measures.items():
        if lines:
            yield LineChart(f"Run {run.id} · {name}", "step", name, lines)


def _measure_of(curve: str) -> str:
    """Return the measure of a curve: dev.error for `dev.error.<language>`."""
    return ".".join(curve.split(".")[:2])
