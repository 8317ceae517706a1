"""The mine view: pair sets and evaluations of mining."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.engine.store.pairs.sets import PairSetRow, pair_set_of
from app.views.client.state import AppState
from app.views.mining.controller import MiningController
from app.views.mining.evaluations import (
    MiningEvaluation,
    describe_evaluation,
    list_evaluations,
)
from app.views.mining.page import MiningPage
from app.views.mining.sidebar import JudgedCounter, MiningSidebar
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import make_action_button, make_button
from app.views.widgets.corpus_choices import suggest_sides
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import lay_out_page, make_split
from app.views.widgets.pair_set_text import describe_pair_set_size
from app.views.widgets.theme import GRID
from app.views.widgets.two_line_list import TwoLineRow
from app.views.widgets.view_protocol import ReadingRequest

if TYPE_CHECKING:
    from app.views.mining.evaluation_page import EvaluationPage


class MiningEmptyState(QWidget):
    """The page of a project without pairs.

    Attributes:
        quick_button: starts mining with default settings.
    """

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Initialise; `actions` are the view's actions by name."""
        super().__init__(parent)
        self._state = state
        self.quick_button = make_button(
            self.tr("Mine"),
            self.tr("Mine these corpora with the default settings."),
            actions["mine_suggested"].trigger,
            kind="primary",
        )
        self._mine = make_action_button(actions["mine"])
        self._page = EmptyState("", "", [self.quick_button, self._mine], icon="mining")
        make_column(self._page, parent=self)

    @property
    def words(self) -> tuple[str, str]:
        """The heading and the text."""
        return self._page.words

    def refresh(self) -> None:
        """Show the corpora available for mining, or that mining is running."""
        project = self._state.project
        if project is None:
            return
        sides = suggest_sides(project, is_new=True)
        self.quick_button.setVisible(sides is not None)
        if sides is not None:
            names = " – ".join(side.name for side in sides)
            self.quick_button.setText(self.tr("Mine {names}").format(names=names))
            self.quick_button.setAccessibleName(self.quick_button.text())
        is_busy = any(run.task == "mine-pairs" for run in self._state.runs)
        self.quick_button.setEnabled(not is_busy and not project.is_read_only)
        heading = self.tr("No pairs yet")
        text = self.tr(
            "Mining finds sentences of two corpora that are translations of each "
            "other, and scores each pair."
        )
        if not project.corpora:
            text = self.tr("Mining compares corpora. Import texts first.")
        if is_busy:
            heading = self.tr("Mining…")
            text = self.tr("Progress is shown below. The pairs will appear here.")
        self._page.set_words(heading, text)

    def focus_first(self) -> None:
        """Set the focus on the button."""
        button = self._mine if self.quick_button.isHidden() else self.quick_button
        button.setFocus(Qt.FocusReason.OtherFocusReason)


LIST_WIDTH = 27 * GRID


class MiningView(QWidget):
    """The mine page."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Mine")
        self.state = state
        self._pending_set: int | None = None  # to show as soon as it is listed
        self._evaluations: list[MiningEvaluation] = []
        self._restored: dict[str, Any] = {}
        self.messages = MessageBar(self)
        self._split = make_split(parent=self)
        right = QWidget(self._split)
        self._pages = QStackedLayout(right)
        self.page = MiningPage(state, right)
        state.inspectable_made.emit(self.page)
        self.controller = MiningController(state, self.page, self.messages, self)
        self.page.add_actions(self.controller.actions)
        self.judged_counter = JudgedCounter(state, self)
        self.sidebar = MiningSidebar(self.controller.actions)
        self.start_page = MiningEmptyState(state, self.controller.actions, right)
        self._lay_out()
        self._connect()
        self.refresh()

    @cached_property
    def evaluation_page(self) -> "EvaluationPage":
        """The page of an evaluation, created on first use."""
        from app.views.mining.evaluation_page import EvaluationPage

        page = EvaluationPage(self.state, self.controller.actions["copy_command"])
        self._pages.addWidget(page)
        return page

    @property
    def row(self) -> PairSetRow | None:
        """The pair set shown, or None."""
        shown = self._pages.currentWidget()
        return self.page.row if shown is self.page else None

    def reading_request(self) -> ReadingRequest | None:
        """Return the sentences of the selected pair."""
        found = self.page.pairs.table.current_pair if self.row is not None else None
        if found is None:
            return None
        return ReadingRequest(found.pair.source_id, (found.pair.target_id,))

    @property
    def evaluation(self) -> MiningEvaluation | None:
        """The evaluation shown, or None."""
        shown = self._pages.currentWidget()
        if shown in (self.page, self.start_page):
            return None
        return self.evaluation_page.shown

    def show_mining(self, mining_id: int | None) -> None:
        """Show a pair set; None keeps the current one."""
        if mining_id is not None and not self.sidebar.minings.choose(mining_id):
            self._pending_set = mining_id

    def score_parallel_text(self) -> None:
        """Ask in which linked corpora to find incorrect pairs."""
        self.controller.ask_for_wrong_pairs()

    # --- content ---

    def refresh(self) -> None:
        """Update the lists."""
        project = self.state.project
        if project is None:
            return
        minings = project.minings
        self.judged_counter.count()
        self._evaluations = list_evaluations(project.store)
        self.sidebar.show_evaluations(
            [
                TwoLineRow(one.id, one.name, describe_evaluation(one))
                for one in self._evaluations
            ]
        )
        has_shown = self.row is not None or self.evaluation is not None
        self._select_existing(minings)
        self._refresh_actions()
        if not has_shown:  # selected automatically
            self.controller.gate.accept_shown()

    def show_ages(self) -> None:
        """Update the ages of listed items."""
        self.refresh()

    def _select_existing(self, minings: list[PairSetRow]) -> None:
        """Show the selected item if it still exists, or else the first."""
        by_id = {row.id: row for row in minings}
        ids = {one.id for one in self._evaluations}
        shown, pending = self.page.row, self._pending_set
        if pending in by_id and self.sidebar.minings.choose(pending):
            self._pending_set = None
            return
        if self.evaluation is not None and self.evaluation.id in ids:
            return
        if shown is not None and shown.id in by_id and self.row is not None:
            self.page.show_mining(by_id[shown.id])
        elif minings:
            found = [row for row in minings if row.kind != "aligned"]  # shown in Align
            self.sidebar.minings.choose(None)
            self.sidebar.minings.choose((found or minings)[0].id)
        elif self._evaluations:
            self.sidebar.evaluations.choose(self._evaluations[0].id)
        else:
            self._pages.setCurrentWidget(self.start_page)
            self.start_page.refresh()

    def _refresh_actions(self) -> None:
        self.controller.show(self.row or self.evaluation)

    # --- slots ---

    def _on_mining_chosen(self) -> None:
        chosen = self.sidebar.minings.chosen
        rows = self.state.minings
        row = next((one for one in rows if one.id == chosen), None)
        if row is None:
            return
        self.sidebar.evaluations.choose(None)
        self._pages.setCurrentWidget(self.page)
        self.page.show_mining(row)
        if self._restored.get("mining") == row.id:
            self.page.restore_state(self._restored.get("page", {}))
        self._restored = {}
        self._refresh_actions()

    def _on_evaluation_chosen(self) -> None:
        chosen = self.sidebar.evaluations.chosen
        one = next((one for one in self._evaluations if one.id == chosen), None)
        if one is None:
            return
        self.sidebar.minings.choose(None)
        self.evaluation_page.show_evaluation(one)
        self._pages.setCurrentWidget(self.evaluation_page)
        self._refresh_actions()

    def _on_evaluation_made(self, run_id: int) -> None:
        self.refresh()
        self.sidebar.evaluations.choose(run_id)

    def _on_row_changed(self, kind: str, row_id: object) -> None:
        if self.isVisible():
            self.judged_counter.follow(kind, row_id)

    def _on_judged_counted(self) -> None:
        """Update the shares of judged pairs in the list."""
        counts = self.judged_counter.counts
        self.sidebar.show_minings(
            [
                TwoLineRow(
                    row.id, row.name, describe_pair_set_size(row, counts.get(row.id))
                )
                for row in self.state.minings
            ]
        )

    def _on_counts_changed(self) -> None:
        row, counts = self.page.row, self.page.pairs.counts
        if row is not None and counts is not None:
            self.judged_counter.set_count(row.id, sum(counts.values()))

    def _on_pair_opened(self, pair_id: int) -> None:
        self.state.view_requests.review_requested.emit(pair_set_of(pair_id), pair_id)

    # --- layout ---

    def _lay_out(self) -> None:
        for page in (self.start_page, self.page):
            self._pages.addWidget(page)
        self._split.insertWidget(0, self.sidebar)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([LIST_WIDTH, 100 * GRID])
        lay_out_page(self, self.messages, self._split)

    def _connect(self) -> None:
        self.judged_counter.changed.connect(self._on_judged_counted)
        self.sidebar.minings.choice_changed.connect(self._on_mining_chosen)
        self.sidebar.evaluations.choice_changed.connect(self._on_evaluation_chosen)
        self.page.pairs.counts_changed.connect(self._on_counts_changed)
        self.page.pair_opened.connect(self._on_pair_opened)
        self.controller.pair_set_made.connect(self.show_mining)
        self.controller.evaluation_made.connect(self._on_evaluation_made)
        state = self.state
        state.minings_changed.connect(self.refresh)
        state.runs_changed.connect(self._on_runs_changed)
        state.row_changed.connect(self._on_row_changed)

    def _on_runs_changed(self) -> None:
        if self._pages.currentWidget() is self.start_page:
            self.start_page.refresh()

    # --- protocol of views ---

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self.controller.actions.values())

    def save_state(self) -> dict[str, Any]:
        """Return the state of the view."""
        row, one = self.row, self.evaluation
        if row is None and one is None:
            return dict(self._restored)
        state: dict[str, Any] = {"summary": row.name if row else ""}
        if row is not None:
            state |= {"mining": row.id, "page": self.page.save_state()}
        if one is not None:
            state |= {"evaluation": one.id, "summary": one.name}
        return state

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        self._restored = state
        if not self.sidebar.evaluations.choose(state.get("evaluation")):
            wanted = state.get("mining")
            if self.sidebar.minings.chosen == wanted and self.row is not None:
                self.page.restore_state(state.get("page", {}))
            elif isinstance(wanted, int):
                self.sidebar.minings.choose(wanted)

    def focus_first(self) -> None:
        """Set the focus on the first control to use."""
        shown = self._pages.currentWidget()
        if shown is self.page:
            self.page.focus_first()
        elif self.evaluation is not None:
            self.evaluation_page.focus_first()
        else:
            self.start_page.focus_first()

    def showEvent(self, event: QShowEvent) -> None:
        """Update the counts after judgements in another view."""
        super().showEvent(event)
        self.judged_counter.count_soon()
