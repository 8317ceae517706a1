"""What evaluations found: charts, notes, the table of all figures."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.measurement_charts import charts_of
from app.measurement_tables import value_table
from app.measurements import Measurement
from app.views.measured import Evaluation, kind_words, read_notes, read_rows
from app.views.mining_words import DOT
from app.views.panels.chart_pane import ChartPane
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.action_row import ActionRow
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.dialogs import ask_path, copy_text
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.measurement_table import MeasurementTable
from app.views.widgets.scrolled import make_scrolled
from app.views.widgets.splits import make_split
from app.views.widgets.tsv import export_table
from app.views.words import count_words

N_NOTES = 2  # that are shown; the rest stands in the tooltip and in the report
SHARES = (2, 1)  # of the height: charts and table


class EvaluatedPage(QWidget):
    """Shows one evaluation, or several side by side.

    Attributes:
        shown: the evaluations.
        rows: what they measured.
        charts: the pictures of it.
        table: the figures.
    """

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty page; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.shown: list[Evaluation] = []
        self.rows: list[Measurement] = []
        self._name, self._facts = ElidedLabel("heading"), ElidedLabel("secondary")
        self._skipped = make_label("", "warning", wraps=True)
        self._notes = make_label("", "secondary", wraps=True)
        self.charts = ChartPane(state)
        self.table = MeasurementTable()
        copying = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.table)
        copying.setContext(Qt.ShortcutContext.WidgetShortcut)
        copying.activated.connect(self.copy_rows)
        self._actions = ActionRow()
        self._actions.set_actions(
            [
                (actions["report"], self.tr("Report…")),
                (actions["again"], self.tr("Run again…")),
                (actions["copy"], self.tr("Copy as command")),
            ]
        )
        policy = QSizePolicy.Policy
        self._actions.setSizePolicy(policy.Maximum, policy.Fixed)
        self._count = make_label("", "secondary")
        self._lay_out()

    @property
    def notes(self) -> str:
        """What is said of skipped files, and of the figures."""
        return f"{self._skipped.text()}\n{self._notes.text()}".strip()

    def show_evaluations(self, shown: Sequence[Evaluation], chart: str = "") -> None:
        """Show evaluations; `chart`: title of the picture that is wanted."""
        project = self._state.project
        if project is None:
            return
        ids = [one.id for one in shown]
        if ids != [one.id for one in self.shown]:
            self.rows = read_rows(project.store, ids)
            self.charts.show_charts(charts_of(self.rows), chart)
            self.table.show_rows(self.rows)
            skipped, notes = read_notes(project.store, ids)
            self._show_notes(self._skipped, skipped)
            self._show_notes(self._notes, notes)
        self.shown = list(shown)
        self._show_names()

    def forget(self) -> None:
        """Show nothing."""
        self.shown, self.rows = [], []

    def focus_first(self) -> None:
        """Put the keyboard on the chart."""
        self.charts.focus_first()

    def copy_rows(self) -> None:
        """Copy the chosen rows of the table, else all, with their headings."""
        texts = self.table.texts(chosen=True)
        copy_text("\n".join("\t".join(row) for row in texts))
        one, many = self.tr("1 row is copied."), self.tr("{n} rows are copied.")
        self._state.notice_posted.emit(count_words(len(texts) - 1, one, many))

    def export_to(self, file: Path) -> None:
        """Write every field of every row as a table."""
        export_table(self._state, file, self._all_values())

    def save_state(self) -> dict[str, Any]:
        """Give what is drawn."""
        return {"chart": self.charts.title}

    def _all_values(self) -> Iterator[Sequence[str]]:
        head, rows = value_table(self.rows)
        yield head
        yield from rows

    def _show_names(self) -> None:
        shown = self.shown
        if len(shown) == 1:
            self._name.setText(shown[0].name)
            number = self.tr("run {n}").format(n=shown[0].id)
            self._facts.setText(DOT.join([shown[0].facts, number]))
        else:
            kinds = list(dict.fromkeys(kind_words(one.task) for one in shown))
            words = self.tr("{n} evaluations side by side")
            self._name.setText(words.format(n=len(shown)))
            self._facts.setText(", ".join(kinds))
        self._name.hint = "\n".join(f"{one.name}: {one.facts}" for one in shown)
        one, many = self.tr("1 row"), self.tr("{n} rows")
        self._count.setText(count_words(len(self.rows), one, many))

    def _show_notes(self, label: QLabel, notes: Sequence[str]) -> None:
        lines = list(notes[:N_NOTES])
        rest = len(notes) - len(lines)
        if rest:
            words = self.tr("… and {n} more: the report lists them all.")
            lines.append(words.format(n=rest))
        label.setText("\n".join(lines))
        label.setToolTip("\n".join(notes))
        label.setVisible(bool(notes))

    def _ask_export(self) -> None:
        ask_path(
            self.window(),
            self.tr("Export the table"),
            self.export_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / "measurements.tsv",
            filters=self.tr("Tab-separated (*.tsv);;Comma-separated (*.csv)"),
        )

    def _lay_out(self) -> None:
        copy = make_button(
            self.tr("Copy"),
            self.tr("Copy the chosen rows, else all, to paste into a spreadsheet."),
            self.copy_rows,
            kind="quiet",
        )
        export = make_button(
            self.tr("Export table…"),
            self.tr("Write every field of every row to a tab-separated file."),
            self._ask_export,
            kind="quiet",
        )
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(make_label(self.tr("All figures"), "section"))
        head.addWidget(self._count, 1)
        head.addWidget(copy)
        head.addWidget(export)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        self.split = make_split(
            self.charts,
            below,
            sizes=(60 * GRID, 30 * GRID),
            is_vertical=True,
            gap=GRID,
        )
        for place, share in enumerate(SHARES):
            self.split.setStretchFactor(place, share)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._name)
        below_name = QHBoxLayout()
        below_name.setSpacing(2 * GRID)
        below_name.addWidget(self._facts, 1)
        below_name.addWidget(self._actions)
        layout.addLayout(below_name)
        layout.addWidget(self._skipped)
        layout.addWidget(self._notes)
        layout.addWidget(make_scrolled(self.split), 1)
