"""Results page: charts, notes and a table of one or several evaluations."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.results.measurement_charts import draw_measurements
from app.results.measurements import Measurement, Retrieved
from app.views.client.state import AppState
from app.views.evaluate.actions import EvaluationActions
from app.views.evaluate.errors import MeasuredDirection, list_directions
from app.views.evaluate.results import (
    Evaluation,
    describe_evaluation_kind,
    name_languages,
    read_result_notes,
    read_result_rows,
)
from app.views.widgets.adaptive_rows import ActionRow, WrappingRow
from app.views.widgets.boxes import make_column
from app.views.widgets.chart_pane import ChartPane
from app.views.widgets.controls import ElidedLabel, make_label
from app.views.widgets.measurement_table import MeasurementPane
from app.views.widgets.page_layout import make_scroll_area, make_split
from app.views.widgets.pair_set_text import SEPARATOR
from app.views.widgets.theme import GRID

N_NOTES = 3  # shown on the page; tooltip and report contain all
SPLIT_SHARES = (2, 1)  # shares of the height: charts, table


class ResultsPage(QWidget):
    """Shows one evaluation, or several side by side.

    Attributes:
        shown: the evaluations shown.
        directions: retrieval directions whose errors can be listed.
        charts: charts of the results.
        results: table of the results.
        split: splitter with charts above the table.
    """

    errors_requested = Signal(object)  # Direction whose errors to list

    def __init__(
        self, state: AppState, actions: EvaluationActions, parent: QWidget | None = None
    ):
        """Initialise an empty page with buttons for some of the view's actions."""
        super().__init__(parent)
        self._state = state
        self.shown: list[Evaluation] = []
        self.directions: list[MeasuredDirection] = []
        self._cells: dict[tuple[str, str, str], MeasuredDirection] = {}
        self._rows: dict[int, MeasuredDirection] = {}
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary", takes_line=True)
        self._skipped = make_label("", "warning", wraps=True)
        self._notes = make_label("", "secondary", wraps=True)
        self.split = make_split(is_vertical=True, gap=GRID, parent=self)
        self._scroll = make_scroll_area(self.split, self)
        self.charts = ChartPane(state, self.split, fits_content=True)
        self.results = MeasurementPane(
            state, self.tr("All results"), self.tr("measurements"), self.split
        )
        self._actions = ActionRow(self)
        self._actions.set_actions(
            [
                (actions["report"], self.tr("Report…")),
                (actions["errors"], self.tr("Errors…")),
                (actions["difference"], self.tr("Test difference…")),
                (actions["rerun"], self.tr("Run again…")),
                (actions["copy_command"], self.tr("Copy as command")),
            ]
        )
        self.charts.cell_activated.connect(self._on_cell_activated)
        self.results.table.row_activated.connect(self._on_row_activated)
        policy = QSizePolicy.Policy
        self._actions.setSizePolicy(policy.Maximum, policy.Fixed)
        self._lay_out()

    @property
    def notes(self) -> str:
        """Notes on skipped files and on the results."""
        return f"{self._skipped.text()}\n{self._notes.text()}".strip()

    def show_evaluations(self, shown: Sequence[Evaluation], chart: str = "") -> None:
        """Show evaluations, with the chart that has a title, if any."""
        project = self._state.project
        if project is None:
            return
        ids = [one.id for one in shown]
        if ids != [one.id for one in self.shown]:
            rows = read_result_rows(project.store, ids)
            named = name_languages(rows, project.corpora)
            self._show_directions(shown, named)
            self.charts.show_charts(draw_measurements(named), chart)
            self.results.show_rows(rows)
            skipped, notes = read_result_notes(project.store, shown)
            self._show_notes(self._skipped, skipped)
            self._show_notes(self._notes, notes)
            self._scroll.verticalScrollBar().setValue(0)
        self.shown = list(shown)
        self.show_names()

    def show_names(self) -> None:
        """Show the names, facts and current ages of the evaluations."""
        shown = self.shown
        if not shown:
            return
        if len(shown) == 1:
            self._name.setText(shown[0].name)
            number = self.tr("run {n}").format(n=shown[0].id)
            self._facts.setText(SEPARATOR.join([shown[0].facts, number]))
        else:
            kinds = list(
                dict.fromkeys(describe_evaluation_kind(one.task) for one in shown)
            )
            words = self.tr("{n} evaluations")
            self._name.setText(words.format(n=len(shown)))
            self._facts.setText(", ".join(kinds))
        self._name.hint = "\n".join(f"{one.name}: {one.facts}" for one in shown)

    def clear(self) -> None:
        """Clear the page."""
        self.shown, self.directions = [], []
        self.results.show_rows([])

    def focus_first(self) -> None:
        """Set the focus on the chart."""
        self.charts.focus_first()

    def save_state(self) -> dict[str, Any]:
        """Return the current chart."""
        return {"chart": self.charts.title}

    def _show_directions(
        self, shown: Sequence[Evaluation], named: Sequence[Measurement]
    ) -> None:
        """Store the direction of each row and of each cell in a matrix."""
        project = self._state.project
        self.directions = [] if project is None else list_directions(project, shown)
        rows = [row for row in named if isinstance(row, Retrieved)]
        self._cells, self._rows = {}, {}
        if len(rows) == len(self.directions):
            keys = [(row.encoder, row.source, row.target) for row in rows]
            self._cells = dict(zip(keys, self.directions, strict=True))
            indices = [n for n, row in enumerate(named) if isinstance(row, Retrieved)]
            self._rows = dict(zip(indices, self.directions, strict=True))
        hint = self.tr("Double-click a row of the table for its errors.")
        cell_hint = self.tr("Click a cell or double-click a row for its errors.")
        self.charts.hint = hint if self._rows else ""
        self.charts.cell_hint = cell_hint if self._cells else ""

    def _on_cell_activated(self, title: str, row: str, column: str) -> None:
        for (encoder, source, target), direction in self._cells.items():
            if (source, target) == (row, column) and title.endswith(f" · {encoder}"):
                self.errors_requested.emit(direction)
                return

    def _on_row_activated(self, index: int) -> None:
        if index in self._rows:
            self.errors_requested.emit(self._rows[index])

    def _show_notes(self, label: QLabel, notes: Sequence[str]) -> None:
        lines = list(notes)
        if len(notes) > N_NOTES + 1:  # the extra line must replace at least two
            lines = lines[:N_NOTES]
        rest = len(notes) - len(lines)
        if rest:
            words = self.tr("… and {n} more. The report lists all notes.")
            lines.append(words.format(n=rest))
        label.setText("\n".join(lines))
        label.setToolTip("\n".join(notes))
        label.setVisible(bool(notes))

    def _lay_out(self) -> None:
        self.split.setSizes([60 * GRID, 30 * GRID])
        for index, share in enumerate(SPLIT_SHARES):
            self.split.setStretchFactor(index, share)
        policy = QSizePolicy.Policy
        self._actions.setSizePolicy(policy.Maximum, policy.Fixed)
        below_name = WrappingRow(2 * GRID, line_gap=4)
        below_name.addWidget(self._facts)
        below_name.add_stretch()
        below_name.addWidget(self._actions)
        make_column(
            self._name,
            below_name,
            self._skipped,
            self._notes,
            (self._scroll, 1),
            parent=self,
            gap=4,
        )
