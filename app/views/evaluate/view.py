"""Evaluate view: the list of evaluations and the results of the selected ones."""

from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QStackedLayout, QWidget

from app.views.client.state import AppState
from app.views.evaluate.actions import MENU_GROUPS, make_evaluation_actions
from app.views.evaluate.controller import EvaluateController
from app.views.evaluate.page import ResultsPage
from app.views.widgets.controls import make_action_button, make_label, make_menu_button
from app.views.widgets.corpus_choices import linked_pairs
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import (
    LIST_AND_PAGE,
    add_heading,
    lay_out_page,
    make_split,
)
from app.views.widgets.two_line_list import TwoLineList


class EvaluateView(QWidget):
    """The evaluate view.

    Attributes:
        controller: reads the evaluations and runs the actions.
        list: list of the evaluations.
        page: page with the results of the selected evaluations.
        empty_state: shown while there is no evaluation.
        corpora_button: button that evaluates linked corpora; hidden if there are none.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Evaluate")
        self.state = state
        self.messages = MessageBar(self)
        self.split = make_split(parent=self)
        pages = QWidget(self.split)
        self._pages = QStackedLayout(pages)
        self._actions = make_evaluation_actions(self)
        self.list = TwoLineList(
            self.tr("Evaluations"),
            self.tr("Select an evaluation, or several with Ctrl or Shift to compare."),
            takes_several=True,
            is_newest_first=True,
        )
        self.page = ResultsPage(state, self._actions, pages)
        self.corpora_button = make_action_button(self._actions["corpora"])
        self.empty_state = self._make_empty_state()
        self._lay_out()
        self.controller = EvaluateController(
            state, self.list, self.page, self.messages, self._actions, self
        )
        self.controller.list_changed.connect(self._on_list_changed)
        self.controller.refresh()

    def _on_list_changed(self) -> None:
        n, project = len(self.controller.evaluations), self.state.project
        self._count.setText(f"{n:,}" if n else "")
        self._pages.setCurrentWidget(self.page if n else self.empty_state)
        self._left.setVisible(n > 0)
        if not n and project is not None:
            self.corpora_button.setVisible(len(linked_pairs(project)) > 1)

    def _make_menu(self) -> QPushButton:
        """Create the button with the menu of evaluations."""
        hint = self.tr("Choose what to evaluate.")
        groups = [[self._actions[name] for name in names] for names in MENU_GROUPS]
        return make_menu_button(self.tr("Evaluate…"), hint, *groups, kind="primary")

    def _make_empty_state(self) -> EmptyState:
        return EmptyState(
            self.tr("Measure what encoders know"),
            self.tr(
                "Probe which properties vectors contain, measure how often "
                "translations are found, how well similarities match human scores, "
                "and how languages' vector spaces differ. All results have confidence "
                "intervals and baselines. You can compare encoders and write a report."
            ),
            [self._make_menu(), self.corpora_button],
            icon="evaluate",
        )

    def _lay_out(self) -> None:
        self._count = make_label("", "secondary")
        self._left = add_heading(
            self.tr("Evaluations"), self.list, self._count, self._make_menu()
        )
        self._pages.addWidget(self.empty_state)
        self._pages.addWidget(self.page)
        self.split.insertWidget(0, self._left)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes(list(LIST_AND_PAGE))
        lay_out_page(self, self.messages, self.split)

    # --- what the window calls ---

    def refresh(self) -> None:
        """Show the evaluations of the project."""
        self.controller.refresh()

    def show_run(self, run_id: int) -> None:
        """Show an evaluation."""
        self.refresh()
        if run_id in self.list.ids:
            self.list.choose_all([run_id])

    def evaluate_encoder(self, name: str) -> None:
        """Ask how to evaluate an encoder."""
        self.controller.evaluate_encoder(name)

    def show_ages(self) -> None:
        """Update the ages of listed evaluations."""
        self.refresh()

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self._actions.values())

    def save_state(self) -> dict[str, Any]:
        """Return the state of the view."""
        shown = self.page.shown
        return {
            "runs": [one.id for one in shown],
            "split": self.split.sizes(),
            "summary": shown[0].name if shown else "",
            **self.page.save_state(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        sizes = state.get("split")
        if isinstance(sizes, list) and len(sizes) == self.split.count():
            self.split.setSizes(sizes)
        chart, runs = state.get("chart"), state.get("runs")
        title = chart if isinstance(chart, str) else ""
        self.controller.show_chart(title, runs or ())

    def focus_first(self) -> None:
        """Set the focus on the first control to use."""
        if self.controller.evaluations:
            self.list.setFocus()
        else:
            self.empty_state.setFocus()
