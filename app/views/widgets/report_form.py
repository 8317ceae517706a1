"""Asks where the report of runs goes, and what it is called."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.params import Params, TaskParams
from app.params.reports import MakeReport
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.form import Form
from app.views.widgets.new_file_field import make_new_file_field
from app.views.widgets.task_dialog import TaskDialog


class ReportForm(TaskDialog):
    """The form of a report of the chosen runs."""

    def __init__(
        self,
        state: AppState,
        runs: Sequence[tuple[int, str]],
        run: Callable[[Params], object],
        parent: QWidget,
    ):
        """Make the dialog.

        Args:
            state: of the window.
            runs: ids and names of what is written up.
            run: writes the report.
            parent: the view.
        """
        project = state.project
        stem = project.name if project is not None else "isogloss"
        values = MakeReport(
            runs=tuple(id_ for id_, _ in runs),
            out=_free_name(Path.home() / f"{stem} evaluation.html"),
        )
        note = self.tr("One page that needs nothing else, of: {names}.")
        names = "; ".join(name for _, name in runs)
        super().__init__(
            state,
            MakeReport,
            values,
            skip=("runs",),
            note=note.format(names=names),
            parent=parent,
        )
        self._run = run
        self.setWindowTitle(self.tr("Report"))
        self.resize(80 * GRID, 52 * GRID)

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> Form[TaskParams]:
        """Make a form whose file may be new."""
        hint = self.tr("Choose where the report goes: a file .html.")
        out = make_new_file_field(
            hint, Path.home(), on_chosen=self._take, filters="*.html"
        )
        inputs, titles = {"out": out}, {"out": self.tr("File")}
        return Form(struct, values, skip=skip, inputs=inputs, titles=titles)

    def _take(self, path: Path) -> None:
        """Take a file that was chosen: whether to replace it was asked there."""
        self.form.write({"out": path, "replace": path.exists()})

    def start(self, params: Params) -> None:
        """Write it."""
        self._run(params)


def _free_name(file: Path) -> Path:
    """Number a name that is taken: demo evaluation 2.html."""
    n, free = 1, file
    while free.exists():
        n += 1
        free = file.with_stem(f"{file.stem} {n}")
    return free


__all__ = ["ReportForm"]
