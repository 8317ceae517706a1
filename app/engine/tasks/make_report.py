"""Task: write runs as one self-contained HTML page."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import msgspec
from markupsafe import Markup

from app import VERSION
from app.engine.reporting.map_picture import draw_map
from app.engine.reporting.methods import describe_method
from app.engine.reporting.runs import (
    ReportedRun,
    draw_runs,
    list_maps_of_run,
    list_minings_of_run,
    read_run,
)
from app.engine.reporting.svg import draw
from app.engine.reporting.tables import comparison_tables, tables_of
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.text.writers.output import OutputFiles
from app.errors import UserError
from app.params.base import TaskParams
from app.params.flags import command_text, name_encoders
from app.params.projects import MakeReport
from app.paths import resource_dir
from app.results.annotations import task_title
from app.results.run_names import describe_objects
from app.results.tables import join_runs
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.project.project import Project


class MakeReportResult(TaskResult, frozen=True):
    """The written report."""

    file: Path
    runs: tuple[int, ...]
    n_pictures: int


def make_report(
    project: "Project", params: MakeReport, report: Report
) -> MakeReportResult:
    """Write a report on runs: charts, methods, tables, data and versions.

    Raises:
        UserError: a run does not exist or is not finished, or the file can't be
            written.
    """
    if params.out.suffix.lower() not in (".html", ".htm"):
        raise UserError(f"{params.out.name}: the file name must end in .html.")
    runs = []
    for done, run in enumerate(dict.fromkeys(params.runs)):
        report.step("Reading runs", done, len(params.runs))
        runs.append(read_run(project, run))
    pictures = [*_pictures(project, runs)]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resource_dir() / "report"), autoescape=True
    )
    page = environment.get_template("report.html").render(
        title=params.title or _title(runs),
        project=project.folder.stem,
        version=VERSION,
        made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        pictures=pictures,
        comparisons=[*comparison_tables(join_runs({run.id: run.rows for run in runs}))],
        runs=[_describe(project, run) for run in runs],
    )
    with OutputFiles(replace=params.replace) as files:
        files.open(params.out).write(page.encode())
        files.commit()
    return MakeReportResult(
        params.out,
        tuple(run.id for run in runs),
        len(pictures),
        message=f"Report saved to {params.out}.",
    )


def _pictures(
    project: "Project", runs: Sequence[ReportedRun]
) -> Iterator[dict[str, Any]]:
    for chart in draw_runs(project, runs):
        svg = Markup(draw(chart))
        yield {"title": chart.title, "note": chart.note, "svg": svg}
    for run in runs:
        for row in list_maps_of_run(project, run):
            made = draw_map(project.folder, row)
            yield made._asdict() | {"svg": Markup(made.svg)}


def _describe(project: "Project", run: ReportedRun) -> dict[str, Any]:
    notes = [*(run.result.get("failures") or ()), *(run.result.get("notes") or ())]
    return {
        "id": run.id,
        "title": _title_run(run, project),
        "method": describe_method(_with_names(run.params, project), run.rows),
        "notes": [note for note in notes if isinstance(note, str)],
        "tables": list(tables_of(project, run)),
        "command": command_text(
            name_encoders(run.params, _list_encoders(project, run)), project.folder
        ),
    }


def _list_encoders(project: "Project", run: ReportedRun) -> list[str]:
    """Return the names of the encoders that a run recorded."""
    if isinstance(several := run.result.get("encoders"), list):
        return several
    found = [row.encoder for row in run.rows]
    found += [row.encoder for row in list_minings_of_run(project, run)]
    training = run.result.get("training")
    for one in (run.result, training if isinstance(training, dict) else {}):
        found += [name] if isinstance(name := one.get("encoder"), str) else []
    return [*dict.fromkeys(filter(None, found))]


def _with_names(params: TaskParams, project: "Project") -> TaskParams:
    """Replace corpus ids, which the window sends for mining, by names."""
    corpora = {str(row.id): row.name for row in list_corpora(project.store)}
    sides = [side for side in ("source", "target") if hasattr(params, side)]
    names = {side: getattr(params, side) for side in sides}
    return msgspec.structs.replace(
        params, **{side: corpora.get(name, name) for side, name in names.items()}
    )


def _title_run(run: ReportedRun, project: "Project") -> str:
    """Return a run's title: its task, input and encoder."""
    encoder = run.result.get("encoder") or ""
    if isinstance(training := run.result.get("training"), dict):
        encoder = training.get("encoder") or encoder
    corpora = {str(row.id): row.name for row in list_corpora(project.store)}
    known = encoder if isinstance(encoder, str) else ""
    objects = describe_objects(run.params, corpora, encoder=known)
    return ": ".join(filter(None, (task_title(run.task), objects)))


def _title(runs: list[ReportedRun]) -> str:
    return ", ".join(dict.fromkeys(task_title(run.task) for run in runs))
