"""Evaluate: what encoders know and how good their spaces are: pictures, tables."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QStackedLayout, QWidget

from app.views.evaluate_actions import FURTHER, MEASURES, make_actions, refresh_actions
from app.views.evaluate_jobs import EvaluateJobs
from app.views.measured import Evaluation, list_evaluations
from app.views.mining_sides import linked_pairs
from app.views.panels.evaluated_page import EvaluatedPage
from app.views.state import AppState
from app.views.widgets.controls import make_action_button, make_label, make_menu_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.splits import LIST_AND_PAGE, fill_page, make_split, put_heading
from app.views.widgets.two_lines import TwoLineList, TwoLines

CHANGES = ("measurement", "run", "corpus")  # kinds of rows that are shown


class ProbingView(QWidget):
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
        self.jobs = EvaluateJobs(self)
        self._todo = make_actions(self)
        self.list = TwoLineList(
            self.tr("Evaluations"),
            self.tr("Choose one to look at, or several with Ctrl or Shift to compare."),
            takes_several=True,
        )
        self.page = EvaluatedPage(state, self._todo)
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
            TwoLines(one.id, one.name, one.facts, one.name) for one in self._evaluations
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
        if kinds & set(CHANGES):
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
        groups = [[self._todo[name] for name in names] for names in (MEASURES, FURTHER)]
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
        self._left = put_heading(
            self.tr("Evaluations"), self.list, self._count, self._make_menu()
        )
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self.start)
        self._pages.addWidget(self.page)
        self.split = make_split(self._left, pages, sizes=LIST_AND_PAGE, growing=1)
        fill_page(self, self.messages, self.split)

    # --- what the window asks of a view ---

    def actions(self) -> list[QAction]:
        """Give the view's actions."""
        return list(self._todo.values())

    def save_state(self) -> dict[str, Any]:
        """Give what is shown."""
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
