"""Tables of a report: results, comparison of encoders, settings, files, versions."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from app.engine.project.runs import read_files
from app.engine.projection.points import read_point_texts
from app.engine.reporting.runs import ReportedRun, list_maps_of_run
from app.engine.store.projections import ProjectionRow
from app.number_format import MINUS, format_score
from app.params import encode_hook
from app.results.measurements import (
    Correlated,
    Measurement,
    Probed,
    Retrieved,
    SpaceMeasured,
    Transferred,
    name_set_languages,
)
from app.results.tables import EMPTY_CELL, IDENTITY, Cell, cell_of, cells_of

if TYPE_CHECKING:
    from app.engine.project.project import Project

MANY_ROWS = 40  # longer tables come last
EMPTY_VALUES: tuple[object, ...] = ("", [], (), None)  # omitted settings


class Table(NamedTuple):
    """A table of a report.

    Attributes:
        numeric: indices of numeric columns.
        note: a sentence above the table on values common to all rows.
        is_long: the table comes after short tables.
    """

    title: str
    head: list[str]
    rows: list[list[str]]
    numeric: frozenset[int] = frozenset()
    note: str = ""

    @property
    def is_long(self) -> bool:
        """Return whether the table has too many rows to come first."""
        return len(self.rows) > MANY_ROWS


def tables_of(project: "Project", run: ReportedRun) -> Iterator[Table]:
    """Return the tables of a run: results, then settings, data and versions."""
    for kind in dict.fromkeys(type(row) for row in run.rows):
        yield table_of_rows([row for row in run.rows if type(row) is kind])
    if published := _table_of_published(run.rows):
        yield published
    if run.details:
        yield _table_of_transfer(run)
    for row in list_maps_of_run(project, run):
        yield from _table_of_clusters(project, row)
    plain = [
        [_words(name), _cell(value)]
        for name, value in run.result.items()
        if isinstance(value, str | int | float)
        and not isinstance(value, bool)
        and value not in EMPTY_VALUES
    ]
    if plain and not run.rows:
        yield Table("Result", ["", "value"], plain)
    settings = msgspec.to_builtins(run.params, enc_hook=encode_hook)
    used = [[_words(k), _cell(v)] for k, v in settings.items() if v not in EMPTY_VALUES]
    yield Table("Settings", ["setting", "value"], used)
    if files := read_files(project.store, run.id):
        rows = [[name, sha256] for name, sha256 in files.items()]
        yield Table("Files", ["file", "SHA-256"], rows)
    machine = {**run.versions, "device": run.device or "cpu", **_times(run)}
    yield Table("Versions", ["", "value"], [[k, str(v)] for k, v in machine.items()])


def table_of_rows(rows: Sequence[Measurement]) -> Table:
    """Return the figures of one kind as shown in the window.

    Values that are equal in all rows are in the note above; published results have a
    separate table.
    """
    shown = map(_without_published, name_set_languages(rows))
    return make_table("Figures", [dict(cells_of(row)) for row in shown])


def make_table(title: str, rows: Sequence[Mapping[str, Cell]]) -> Table:
    """Make a table of cells by heading, with a note on values that all rows share."""
    used = {name for row in rows for name, cell in row.items() if cell.text}
    names = [n for n in dict.fromkeys(n for row in rows for n in row) if n in used]
    columns = {name: [row.get(name, EMPTY_CELL) for row in rows] for name in names}
    same = [name for name, cells in columns.items() if _is_constant(cells)]
    head = [name for name in names if name not in same] or names
    numeric = frozenset(
        index
        for index, name in enumerate(head)
        if not any(isinstance(cell.value, str) for cell in columns[name])
    )
    cells = [[row.get(name, EMPTY_CELL).text for name in head] for row in rows]
    note = "; ".join(f"{name}: {columns[name][0].text}" for name in same)
    return Table(title, head, cells, numeric, f"In all rows: {note}." if note else "")


def _is_constant(cells: Sequence[Cell]) -> bool:
    """Return whether all cells are equal and not measured figures."""
    is_figure = any(isinstance(cell.value, float) for cell in cells)
    return len(cells) > 1 and not is_figure and len({one.text for one in cells}) == 1


def _without_published(row: Measurement) -> Measurement:
    if isinstance(row, Transferred | Correlated):
        return msgspec.structs.replace(row, published={})
    return row


def _table_of_published(rows: Sequence[Measurement]) -> Table | None:
    """Return a table of published and measured results, with a row per system."""
    measured = [
        r for r in rows if isinstance(r, Transferred | Correlated) and r.published
    ]
    if not measured:
        return None
    head, found = ["system"], {"": ["measured here"]}
    for index, row in enumerate(measured, 1):
        column, ours, unit = _figure_of(row)
        head.append(f"{column}, {unit}")
        scale = 100 if unit == PER_CENT else 1
        places = 1 if unit == PER_CENT else 3
        found[""].append(format_score(scale * ours, places))
        for system, score in row.published.items():
            cells = found.setdefault(system, [system])
            cells += [""] * (index - len(cells))
            by = f"{scale * (ours - score):+.{places}f}".replace("-", MINUS)
            cells.append(f"{format_score(scale * score, places)} ({by})")
    full = [cells + [""] * (len(head) - len(cells)) for cells in found.values()]
    numeric = frozenset(range(1, len(head)))
    return Table("Published results, and the difference to ours", head, full, numeric)


PER_CENT, PEARSON = "%", "r of −arccos"


def _figure_of(row: Transferred | Correlated) -> tuple[str, float, str]:
    """Return a row's name, value and unit."""
    if isinstance(row, Correlated):
        return row.first, row.pearson, PEARSON
    return f"{row.data} ({row.metric})", row.score, PER_CENT


def _table_of_transfer(run: ReportedRun) -> Table:
    """Return the figures of a classifier by language, rates in per cent."""
    rows = []
    for one in run.details:
        cells = {"language": Cell(one.name, one.name)}
        score = msgspec.to_builtins(one.score)
        for name, value in score.items():
            if isinstance(value, int):
                cells[_words(name)] = Cell(f"{value:,}", value)
            elif isinstance(value, float):
                ends = score.get(f"{name}_interval") or ()
                interval = " – ".join(f"{100 * end:.1f}" for end in ends)
                text = f"{100 * value:.1f}" + (f" ({interval})" if interval else "")
                cells[f"{_words(name)}, %"] = Cell(text, value)
        rows.append(cells)
    return make_table("Figures", rows)


def _table_of_clusters(project: "Project", row: ProjectionRow) -> Iterator[Table]:
    """Return a table of a map's clusters, numbered as in its picture."""
    clusters: list[dict[str, Any]] = msgspec.json.decode(row.report).get("clusters", [])
    if not clusters:
        return
    typical = np.array([one["sentences"][0] for one in clusters], np.int64)
    head = ["", "sentences", "languages", "keywords", "most typical"]
    cells = []
    for number, (one, text) in enumerate(
        zip(clusters, read_point_texts(project.store, typical), strict=True), 1
    ):
        languages = ", ".join(f"{code} {n:,}" for code, n in one["languages"].items())
        words = ", ".join(one["words"])
        cells.append([str(number), f"{one['n']:,}", languages, words, text])
    yield Table("Clusters", head, cells, frozenset((0, 1)))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(str(one) or "the default" for one in value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _times(run: ReportedRun) -> dict[str, str]:
    begun = time.strftime("%Y-%m-%d %H:%M", time.gmtime(run.started_at))
    took = f"{run.ended_at - run.started_at:.1f}\u00a0s" if run.ended_at else ""
    return {"started": f"{begun} UTC", "took": took}


FIGURES: dict[type[Measurement], str] = {  # compared figure of each kind
    Probed: "accuracy",
    Retrieved: "error",
    Correlated: "pearson",
    SpaceMeasured: "value",
    Transferred: "score",
}


def comparison_tables(rows: Sequence[Measurement]) -> Iterator[Table]:
    """Return a table for each kind of measurement with several encoders.

    Long tables are left out: charts and the tables of each run contain the figures.
    """
    for kind, figure in FIGURES.items():
        of_kind = [row for row in name_set_languages(rows) if type(row) is kind]
        if len({row.encoder for row in of_kind}) < 2:
            continue
        lines: dict[tuple[str, ...], dict[str, Cell]] = {}
        title = figure
        for row in of_kind:
            what = [cell_of(row, name) for name in IDENTITY if hasattr(row, name)]
            line = lines.setdefault(tuple(cell.text for _, cell in what), dict(what))
            title, line[row.encoder] = cell_of(row, figure)
        table = make_table(f"Comparison: {title}", [*lines.values()])
        if not table.is_long:
            yield table
