"""The evaluate view: the list of evaluations and the results of the selected ones."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.results.measurement_charts import draw_measurements
from app.results.measurements import Measurement
from app.results.tables import value_table
from app.views.client.state import AppState
from app.views.evaluate.controller import (
    MEASURE_ACTIONS,
    OTHER_ACTIONS,
    EvaluateController,
    make_actions,
    refresh_actions,
)
from app.views.evaluate.results import (
    Evaluation,
    MeasurementTable,
    describe_evaluation_kind,
    list_evaluations,
    read_result_notes,
    read_result_rows,
)
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.chart_pane import ChartPane
from app.views.widgets.controls import (
    ElidedLabel,
    make_action_button,
    make_button,
    make_label,
    make_menu_button,
)
from app.views.widgets.corpus_choices import linked_pairs
from app.views.widgets.dialogs import ask_path, copy_text
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import pluralize
from app.views.widgets.page_layout import (
    LIST_AND_PAGE,
    add_heading,
    lay_out_page,
    make_scroll_area,
    make_split,
)
from app.views.widgets.pair_set_text import SEPARATOR
from app.views.widgets.table_export import export_table
from app.views.widgets.theme import GRID
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

N_NOTES = 2  # that are shown; the rest stands in the tooltip and in the report
SPLIT_SHARES = (2, 1)  # of the height: charts and table


class ResultsPage(QWidget):
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
            self.rows = read_result_rows(project.store, ids)
            self.charts.show_charts(draw_measurements(self.rows), chart)
            self.table.show_rows(self.rows)
            skipped, notes = read_result_notes(project.store, ids)
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
        self._state.notice_posted.emit(pluralize(len(texts) - 1, one, many))

    def export_to(self, file: Path) -> None:
        """Write every field of every row as a table."""
        export_table(self._state, file, self._all_values())

    def save_state(self) -> dict[str, Any]:
        """Return what is drawn."""
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
            self._facts.setText(SEPARATOR.join([shown[0].facts, number]))
        else:
            kinds = list(
                dict.fromkeys(describe_evaluation_kind(one.task) for one in shown)
            )
            words = self.tr("{n} evaluations side by side")
            self._name.setText(words.format(n=len(shown)))
            self._facts.setText(", ".join(kinds))
        self._name.hint = "\n".join(f"{one.name}: {one.facts}" for one in shown)
        one, many = self.tr("1 row"), self.tr("{n} rows")
        self._count.setText(pluralize(len(self.rows), one, many))

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
        for place, share in enumerate(SPLIT_SHARES):
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
        layout.addWidget(make_scroll_area(self.split), 1)


REFRESHING_KINDS = ("measurement", "run", "corpus")  # kinds of rows that are shown


class EvaluateView(QWidget):
    """The evaluate page.

    Attributes:
        list: the evaluations.
        page: what the chosen ones found.
        quick: measures what needs no file; shown while there is no evaluation.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Evaluate")
        self.state = state
        self._evaluations: list[Evaluation] = []
        self._chart = ""  # that is wanted again
        self.messages = MessageBar()
        self.jobs = EvaluateController(self)
        self._todo = make_actions(self)
        self.list = TwoLineList(
            self.tr("Evaluations"),
            self.tr("Choose one to look at, or several with Ctrl or Shift to compare."),
            takes_several=True,
        )
        self.page = ResultsPage(state, self._todo)
        self.start = self._make_start()
        self._lay_out()
        self.list.choice_changed.connect(self._on_chosen)
        state.kinds_changed.connect(self._on_kinds_changed)
        self.refresh()

    # --- what is asked of the view ---

    def show_runs(self, runs: Sequence[int]) -> None:
        """Show what runs measured."""
        self.refresh()
        self.list.choose_all(runs)

    # --- what is shown ---

    def refresh(self) -> None:
        """Show the list as it is now."""
        project = self.state.project
        if project is None:
            return
        self._evaluations = list_evaluations(project.store)
        rows = [
            TwoLineRow(one.id, one.name, one.facts, one.name)
            for one in self._evaluations
        ]
        self.list.show_rows(rows)
        self._count.setText(f"{len(rows):,}" if rows else "")
        if rows and not self.list.all_chosen:
            self.list.choose_all([rows[0].id])
        self._pages.setCurrentWidget(self.page if rows else self.start)
        self._left.setVisible(bool(rows))
        if not rows:
            self.page.forget()
            self.quick.setVisible(len(linked_pairs(project)) > 1)
        self._refresh_actions()

    def _on_chosen(self) -> None:
        chosen = self.list.all_chosen
        shown = [one for one in self._evaluations if one.id in chosen]
        if shown:
            self.page.show_evaluations(shown, self._chart)
            self._chart = ""
        self._refresh_actions()

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & set(REFRESHING_KINDS):
            self.refresh()

    def _refresh_actions(self) -> None:
        project = self.state.project
        shown = self.page.shown
        refresh_actions(
            self._todo,
            n_shown=len(shown),
            has_params=any(one.params is not None for one in shown),
            can_write=project is not None and not project.is_read_only,
        )

    # --- making ---

    def _make_menu(self) -> QPushButton:
        """Make the button whose menu asks what to measure."""
        hint = self.tr("Choose what to measure of encoders.")
        groups = [
            [self._todo[name] for name in names]
            for names in (MEASURE_ACTIONS, OTHER_ACTIONS)
        ]
        return make_menu_button(self.tr("Evaluate…"), hint, *groups, kind="primary")

    def _make_start(self) -> EmptyState:
        self.quick = make_action_button(self._todo["corpora"])
        return EmptyState(
            self.tr("Measure what encoders know"),
            self.tr(
                "Probe what is in the vectors, measure how often translations find "
                "each other, how similarities follow people's, and how languages' "
                "spaces differ. Each figure has its interval and what to compare it "
                "with; several encoders stand side by side, and a report takes it all "
                "along."
            ),
            [self._make_menu(), self.quick],
            icon="evaluate",
        )

    def _lay_out(self) -> None:
        self._count = make_label("", "secondary")
        self._left = add_heading(
            self.tr("Evaluations"), self.list, self._count, self._make_menu()
        )
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self.start)
        self._pages.addWidget(self.page)
        self.split = make_split(self._left, pages, sizes=LIST_AND_PAGE, growing=1)
        lay_out_page(self, self.messages, self.split)

    # --- what the window asks of a view ---

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self._todo.values())

    def save_state(self) -> dict[str, Any]:
        """Return what is shown."""
        shown = self.page.shown
        return {
            "runs": [one.id for one in shown],
            "split": self.split.sizes(),
            "summary": shown[0].name if shown else "",
            **self.page.save_state(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        sizes = state.get("split")
        if isinstance(sizes, list) and len(sizes) == self.split.count():
            self.split.setSizes(sizes)
        chart, runs = state.get("chart"), state.get("runs")
        self._chart = chart if isinstance(chart, str) else ""
        there = [run for run in runs or () if run in self.list.ids]
        if there == self.list.all_chosen:
            self.page.charts.choose(self._chart)
        elif there:
            self.list.choose_all(there)

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        if self._evaluations:
            self.list.setFocus()
        else:
            self.start.setFocus()
