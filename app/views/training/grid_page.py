"""Page of a grid of trainings: chart and table of the results so far."""

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.runs import read_measurements
from app.results.measurement_charts import draw_measurements
from app.results.measurements import GridMeasured
from app.views.client.state import AppState
from app.views.training.page import make_page_head
from app.views.training.runs import TrainingRun, describe_status
from app.views.training.text import DOT, describe_encoder
from app.views.widgets.boxes import make_column
from app.views.widgets.chart_pane import ChartPane
from app.views.widgets.controls import ElidedLabel, make_label, restyle
from app.views.widgets.measurement_table import MeasurementPane
from app.views.widgets.page_layout import make_scroll_area, make_split
from app.views.widgets.theme import GRID


class GridPage(QWidget):
    """Shows a running or past grid.

    Attributes:
        training: the grid; None before the first.
        rows: the grid's trainings with scores.
        results: the table of scores.
    """

    def __init__(
        self, state: AppState, actions: Sequence[QAction], parent: QWidget | None = None
    ):
        """Initialise an empty page with a button for each action."""
        super().__init__(parent)
        self.training: TrainingRun | None = None
        self.rows: list[GridMeasured] = []
        self._state = state
        self._name = ElidedLabel("heading", takes_line=True)
        self._status = make_label("", "secondary")
        self._summary = ElidedLabel("secondary")
        self._problem = make_label("", "warning", wraps=True)
        self.charts = ChartPane(state)
        self.results = MeasurementPane(state, self.tr("All trainings"), "")
        self._lay_out(actions)
        state.row_changed.connect(self._on_row_changed)
        state.run_progressed.connect(self._on_run_progressed)

    def show_training(self, training: TrainingRun) -> None:
        """Show a grid, or update the current one."""
        is_other = self.training is None or self.training.id != training.id
        self.training = training
        self._name.setText(training.name)
        self.results.name = training.name
        self._problem.setText(training.error)
        self._problem.setVisible(bool(training.error))
        self._show_status()
        self._read_rows(is_other=is_other)

    def focus_first(self) -> None:
        """Focus the chart."""
        self.charts.focus_first()

    def _read_rows(self, *, is_other: bool = False) -> None:
        project, training = self._state.project, self.training
        if project is None or training is None:
            return
        found = read_measurements(project.store, training.id)
        rows = [row for row in found if isinstance(row, GridMeasured)]
        if is_other or rows != self.rows:
            self.rows = rows
            self.charts.show_charts(draw_measurements(rows), self.charts.title)
            self.results.show_rows(rows)
        self._show_summary()

    def _show_status(self) -> None:
        training = self.training
        if training is None:
            return
        parts = [describe_status(training.state)]
        if training.run is not None and training.run.has_begun:
            parts.append(training.run.stage)
        self._status.setText(DOT.join(parts))
        is_bad = training.state in ("interrupted", "failed")
        restyle(self._status, "role", "warning" if is_bad else "secondary")

    def _show_summary(self) -> None:
        training = self.training
        n_done = sum(row.is_done for row in self.rows)
        words = self.tr("{done} of {n} trainings measured")
        parts = [words.format(done=n_done, n=len(self.rows))]
        if training is not None and training.params is not None:
            parts.append(describe_encoder(training.params))
        self._summary.setText(DOT.join(parts))

    def _on_row_changed(self, kind: str, row_id: object) -> None:
        shown = self.training.id if self.training is not None else None
        if kind == "measurement" and row_id == shown:
            self._read_rows()

    def _on_run_progressed(self, run: object) -> None:
        if self.training is not None and self.training.run is run:
            self._show_status()

    def _lay_out(self, actions: Sequence[QAction]) -> None:
        head = make_page_head(self._name, self._status, actions)
        split = make_split(
            self.charts,
            self.results,
            sizes=(50 * GRID, 30 * GRID),
            is_vertical=True,
            gap=GRID,
            parent=self,
        )
        area = make_scroll_area(split, self)
        make_column(head, self._summary, self._problem, (area, 1), parent=self)
