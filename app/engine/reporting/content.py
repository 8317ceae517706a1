"""What a report says of a run: settings, data, versions, figures, curves."""

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import select

from app.charts import Bar, BarChart, Chart, LineChart
from app.engine.run_files import read_files
from app.engine.store import schema
from app.engine.store.measurement_rows import read_measurements
from app.engine.store.metric_rows import read_metric_page
from app.engine.store.transfer_rows import read_transfer
from app.errors import UserError
from app.measurement_charts import charts_of
from app.measurement_tables import flatten, join_runs
from app.measurements import Correlated, Measurement, Transferred
from app.params import TaskParams, encode_hook, params_from_json
from app.transfer import LanguageDetails

if TYPE_CHECKING:
    from app.engine.project import Project

MOST_POINTS = 400  # of a curve
RATE = "_per_s"  # how the names of curves end that show speed, which is no result


class Table(NamedTuple):
    """A table of a report.

    Attributes:
        numeric: places of the columns that hold numbers.
    """

    title: str
    head: list[str]
    rows: list[list[str]]
    numeric: frozenset[int] = frozenset()


class ReportedRun(NamedTuple):
    """A run, as a report needs it; times in seconds since 1970."""

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
    """Read a run and what it measured.

    Raises:
        UserError: there is no such run, it did not finish, or is of another Isogloss.
    """
    query = select(schema.run).where(schema.run.c.id == run)
    with project.store.connect() as connection:
        row = connection.execute(query).first()
    if row is None:
        raise UserError(f"{project.folder.name} has no run {run}.")
    if row.state != "finished":
        raise UserError(f"Run {run} is {row.state}: a report needs one that finished.")
    try:
        params = params_from_json(row.params)
    except msgspec.ValidationError as error:
        raise UserError(
            f"Run {run} was made by another Isogloss, whose settings this one cannot "
            f"read ({error}): run it again."
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
    """Draw what runs measured, several runs of measurements in the same pictures."""
    charts = charts_of(join_runs({run.id: run.rows for run in runs}))
    for run in runs:
        if run.details:
            charts.append(_chart_of_transfer(run))
        charts += _curves_of(project, run)
    return charts


def _chart_of_transfer(run: ReportedRun) -> BarChart:
    scores = [one.score for one in run.details]
    bars = [Bar(*(100 * v for v in (s.accuracy, *s.accuracy_interval))) for s in scores]
    return BarChart(
        f"Run {run.id} · accuracy by language",
        "per cent",
        tuple(one.name for one in run.details),
        {"accuracy": tuple(bars)},
        {
            "macro-F1": tuple(100 * s.macro_f1 for s in scores),
            "most frequent class": tuple(100 * s.majority for s in scores),
        },
    )


def _curves_of(project: "Project", run: ReportedRun) -> Iterator[LineChart]:
    """Draw the curves of a run: those of one measure, such as dev.error, together.

    Speeds are left out, and a curve that is the same as another one of its measure: of
    a single language the mean is that language's.
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
        step = -(-len(points) // MOST_POINTS)
        line, of_measure = tuple(points[::step]), measures[_measure_of(name)]
        is_shown = len(line) > 1 and not name.endswith(RATE)
        if is_shown and line not in of_measure.values():
            of_measure[name] = line
    for name, lines in measures.items():
        if lines:
            yield LineChart(f"Run {run.id} · {name}", "step", name, lines)


def _measure_of(curve: str) -> str:
    """Name the measure of a curve: that of `dev.error.<language>` is dev.error."""
    return ".".join(curve.split(".")[:2])


def tables_of(project: "Project", run: ReportedRun) -> Iterator[Table]:
    """Give the tables of a run: figures, then settings, data and versions."""
    kinds = dict.fromkeys(type(row) for row in run.rows)
    for kind in kinds:
        yield table_of_rows("Figures", [r for r in run.rows if type(r) is kind])
    if published := _table_of_published(run.rows):
        yield published
    if run.details:
        scores = [
            {"language": one.name, **msgspec.to_builtins(one.score)}
            for one in run.details
        ]
        yield _table_of_dicts("Figures", scores)
    plain = [
        [name, _cell(value)]
        for name, value in run.result.items()
        if isinstance(value, (str, int, float)) and not isinstance(value, bool)
    ]
    if plain and not run.rows:
        yield Table("Result", ["", "value"], plain)
    settings = msgspec.to_builtins(run.params, enc_hook=encode_hook)
    used = [[k, _cell(v)] for k, v in settings.items() if v not in ("", [], None)]
    yield Table("Settings", ["setting", "value"], used)
    if files := read_files(project.store, run.id):
        rows = [[name, sha256] for name, sha256 in files.items()]
        yield Table("Files", ["file", "SHA-256"], rows)
    machine = {**run.versions, "device": run.device or "cpu", **_times(run)}
    yield Table("Versions", ["", "value"], [[k, str(v)] for k, v in machine.items()])


def table_of_rows(title: str, rows: Sequence[Measurement]) -> Table:
    """Give a table of measurements of one kind: a column for each field in use."""
    plain = [msgspec.to_builtins(row) for row in rows]
    for row in plain:
        del row["kind"]
        row.pop("published", None)  # has a table of its own
    return _table_of_dicts(title, plain)


def _table_of_published(rows: Sequence[Measurement]) -> Table | None:
    """Set what the literature reached beside what was measured: a system a row."""
    measured = [
        r for r in rows if isinstance(r, Transferred | Correlated) and r.published
    ]
    if not measured:
        return None
    found: dict[str, dict[str, Any]] = {"measured": {"system": "measured here"}}
    for row in measured:
        if isinstance(row, Correlated):
            column, ours = f"{row.first} (Pearson's r of −arccos)", row.pearson
        else:
            column, ours = f"{row.data} ({row.metric})", row.score
        found["measured"][column] = ours
        for system, score in row.published.items():
            cells = found.setdefault(system, {"system": system})
            cells[column] = f"{score:.4g} ({ours - score:+.3f})".replace("-", "−")
    return _table_of_dicts("Published figures, and ours less theirs", [*found.values()])


def _table_of_dicts(title: str, rows: Sequence[dict[str, Any]]) -> Table:
    """Give a table of mappings; intervals and mappings inside become columns."""
    flat = [dict(flatten(row)) for row in rows]
    head = list(dict.fromkeys(name for row in flat for name in row))
    numeric = {
        place
        for place, name in enumerate(head)
        if all(not isinstance(row.get(name), str) for row in flat)
    }
    cells = [[_cell(row.get(name)) for name in head] for row in flat]
    return Table(title, [n.replace("_", " ") for n in head], cells, frozenset(numeric))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if type(value) is int else str(value)


def _times(run: ReportedRun) -> dict[str, str]:
    begun = time.strftime("%Y-%m-%d %H:%M", time.gmtime(run.started_at))
    took = f"{run.ended_at - run.started_at:.1f} s" if run.ended_at else ""
    return {"started": f"{begun} UTC", "took": took}
