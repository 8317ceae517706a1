"""Run the trainings of a grid one after another, and record their results."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.runs import read_measurements, write_measurements
from app.errors import UserError
from app.params.grid_cells import GridCell
from app.results.measurements import GridMeasured


def run_cells(
    grid: "GridRecord",
    run_cell: Callable[[int, Report], tuple[str, ...]],
    report: Report,
) -> tuple[str, ...]:
    """Train and measure every cell that is not done; return the notes.

    Args:
        grid: also has what was done before an interruption.
        run_cell: trains, measures and records the cell with a number.
    """
    notes: list[str] = []
    n = len(grid.cells)
    for number in range(n):
        if not grid.rows[number].is_done:
            notes += run_cell(number, CellReport(report, number, grid.cells))
        if report.request == "finish" and number + 1 < n:
            notes.append(f"Finished early, after {number + 1} of {n} trainings.")
            break
    return tuple(dict.fromkeys(notes))


class GridRecord:
    """The rows of a grid, recorded as they change.

    Attributes:
        project: of the encoders.
        cells: the trainings.
        rows: one row per cell, including cells from before an interruption.
    """

    def __init__(self, project: Project, cells: Sequence[GridCell], report: Report):
        self.project, self.cells, self._report = project, cells, report
        known = {row.encoder: row for row in _recorded(project, report.run)}
        if not known:
            _check_names_are_free(project, cells)
        self.rows = [
            known.get(
                cell.params.name,
                GridMeasured(encoder=cell.params.name, varied=cell.varied),
            )
            for cell in cells
        ]
        self._write()

    def replace(self, number: int, row: GridMeasured) -> None:
        """Replace a row and record it."""
        self.rows[number] = row
        self._write()

    def _write(self) -> None:
        run = self._report.run
        if run is not None and not self.project.is_read_only:
            write_measurements(self.project.store, run, self.rows)
            self._report.changed("measurement", run)


class CellReport(Report):
    """Reports progress of the current training; cancels and pauses with the grid."""

    def __init__(self, outer: Report, number: int, cells: Sequence[GridCell]):
        super().__init__(run=outer.run)
        self._outer, self._title = outer, cells[number].title
        self._place = f"Training {number + 1} of {len(cells)}"

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show the step with the number of the training.

        Raises:
            Cancelled: the run was asked to stop.
        """
        self.request = self._outer.request
        self._outer.step(f"{self._place}: {stage}", done, total, note or self._title)

    def metric(self, step: int, **values: float) -> None:
        """Ignore metrics: curves of several trainings would overwrite each other."""

    def changed(self, kind: str, row_id: int) -> None:
        """Show a change of the training in the whole grid."""
        self._outer.changed(kind, row_id)

    @property
    def is_cancelled(self) -> bool:
        """Return whether the run was asked to stop."""
        return self._outer.is_cancelled


def _recorded(project: Project, run: int | None) -> Iterator[GridMeasured]:
    """Read the records of this run from before an interruption."""
    for row in read_measurements(project.store, run) if run is not None else ():
        if isinstance(row, GridMeasured):
            yield row


def _check_names_are_free(project: Project, cells: Sequence[GridCell]) -> None:
    for cell in cells:
        if cell_folder(project, cell).exists():
            raise UserError(
                f"The encoder {cell.params.name} already exists. Choose another name "
                "for the grid."
            )


def cell_folder(project: Project, cell: GridCell) -> Path:
    """Return the folder of a training's encoder."""
    return project.folder / "encoders" / cell.params.name
