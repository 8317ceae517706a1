"""Mining view: sets of sentence pairs and their evaluations."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.engine.store.pairs.sets import PairSetRow, pair_set_of
from app.params.mining import EvaluateMining, MinePairs, ScorePairs
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.mining.controller import (
    MiningController,
    make_mining_actions,
    refresh_mining_actions,
)
from app.views.mining.evaluations import (
    Evaluation,
    describe_evaluation,
    list_evaluations,
)
from app.views.mining.page import MiningPage
from app.views.mining.sidebar import JudgedCounter, MiningSidebar
from app.views.widgets.controls import make_action_button, make_button
from app.views.widgets.corpus_choices import suggest_sides
from app.views.widgets.dialogs import copy_text
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import lay_out_page, make_split
from app.views.widgets.pair_set_text import describe_pair_set_size
from app.views.widgets.theme import GRID
from app.views.widgets.two_line_list import TwoLineRow

if TYPE_CHECKING:
    from app.views.mining.evaluation_page import EvaluationPage


class MiningEmptyState(QWidget):
    """An empty page with a button that mines at once.

    Attributes:
        quick: the button.
    """

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make the page; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.quick = make_button(
            self.tr("Mine"),
            self.tr("Mine these two with the usual settings."),
            actions["mine_suggested"].trigger,
            kind="primary",
        )
        mine = make_action_button(actions["mine"])
        self._page = EmptyState("", "", [self.quick, mine], icon="mining")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._page)

    @property
    def words(self) -> tuple[str, str]:
        """Heading and text."""
        return self._page.words

    def refresh(self) -> None:
        """Show what can be mined now, or that it is being mined."""
        project = self._state.project
        if project is None:
            return
        sides = suggest_sides(project)
        self.quick.setVisible(sides is not None)
        if sides is not None:
            names = " – ".join(side.name for side in sides)
            self.quick.setText(self.tr("Mine {names}").format(names=names))
            self.quick.setAccessibleName(self.quick.text())
        is_busy = any(run.task == "mine-pairs" for run in self._state.runs)
        self.quick.setEnabled(not is_busy and not project.is_read_only)
        heading = self.tr("No pairs yet")
        text = self.tr(
            "Mining finds sentences of two corpora that are translations of each "
            "other, and scores how sure each pair is."
        )
        if not project.corpora:
            text = self.tr("Mining compares corpora: import texts first.")
        if is_busy:
            heading = self.tr("Mining…")
            text = self.tr("The bar below says how far it is. The pairs come here.")
        self._page.set_words(heading, text)

    def focus_first(self) -> None:
        """Put the keyboard on the button."""
        self.quick.setFocus(Qt.FocusReason.OtherFocusReason)


LIST_WIDTH = 27 * GRID
MINING_TASKS = (MinePairs, ScorePairs)


class MiningView(QWidget):
    """The mine page."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Mine")
        self.state = state
        self._expected: list[RunState] = []  # what they make is shown
        self._wanted: int | None = None  # a set that is shown as soon as it is there
        self._evaluations: list[Evaluation] = []
        self._restored: dict[str, Any] = {}
        self.messages = MessageBar()
        self.jobs = MiningController(self)
        self.shares = JudgedCounter(state, self)
        self._todo = make_mining_actions(self)
        self.page = MiningPage(state, self._todo)
        self.column = MiningSidebar(self._todo)
        self.start = MiningEmptyState(state, self._todo)
        self._lay_out()
        self._connect()
        self.refresh()

    @cached_property
    def evaluations(self) -> "EvaluationPage":
        """The page of an evaluation; made when the first one is shown."""
        from app.views.mining.evaluation_page import EvaluationPage

        page = EvaluationPage(self.state, self._todo["copy"])
        self._pages.addWidget(page)
        return page

    @property
    def row(self) -> PairSetRow | None:
        """The set of pairs that is shown."""
        shown = self._pages.currentWidget()
        return self.page.row if shown is self.page else None

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation that is shown."""
        shown = self._pages.currentWidget()
        if shown in (self.page, self.start):
            return None
        return self.evaluations.shown

    # --- what is asked of the view ---

    def show_mining(self, mining_id: int | None) -> None:
        """Show a set of pairs; None: the one that is shown already."""
        if mining_id is not None and not self.column.minings.choose(mining_id):
            self._wanted = mining_id

    def expect(self, run: RunState) -> None:
        """Show what a run makes, when it has made it."""
        self._expected.append(run)

    def review(self) -> None:
        """Judge the pairs that are shown, from the current one on."""
        if self.row is not None:
            pair = self.page.pairs.table.current_id
            self.state.review_wanted.emit(self.row.id, pair)

    def copy_pair(self) -> None:
        """Copy both texts of the current pair."""
        found = self.page.pairs.table.current_pair
        if found is not None:
            copy_text(f"{found.source.text}\t{found.target.text}")
            self.state.notice_posted.emit(self.tr("The pair is copied."))

    # --- what is shown ---

    def refresh(self) -> None:
        """Show the lists as they are now."""
        project = self.state.project
        if project is None:
            return
        minings = project.minings
        self.shares.count()
        self._evaluations = list_evaluations(project.store)
        self.column.show_evaluations(
            [
                TwoLineRow(one.id, one.name, describe_evaluation(one))
                for one in self._evaluations
            ]
        )
        self._show_what_is_there(minings)
        self._refresh_actions()

    def _show_what_is_there(self, minings: list[PairSetRow]) -> None:
        """Show what is chosen, else the first; what is gone is shown no more."""
        by_id = {row.id: row for row in minings}
        ids = {one.id for one in self._evaluations}
        shown, wanted = self.page.row, self._wanted
        if wanted in by_id and self.column.minings.choose(wanted):
            self._wanted = None
            return
        if self.evaluation is not None and self.evaluation.id in ids:
            return
        if shown is not None and shown.id in by_id and self.row is not None:
            self.page.show_mining(by_id[shown.id])
        elif minings:
            self.column.minings.choose(None)
            self.column.minings.choose(minings[0].id)
        elif self._evaluations:
            self.column.evaluations.choose(self._evaluations[0].id)
        else:
            self._pages.setCurrentWidget(self.start)
            self.start.refresh()

    def _refresh_actions(self) -> None:
        project = self.state.project
        n_corpora = len(project.corpora) if project is not None else 0
        can_write = project is not None and not project.is_read_only
        refresh_mining_actions(
            self._todo, self.row, can_write=can_write, n_corpora=n_corpora
        )
        if self.evaluation is not None:
            self._todo["copy"].setEnabled(True)

    # --- what happens ---

    def _on_mining_chosen(self) -> None:
        project, chosen = self.state.project, self.column.minings.chosen
        rows = project.minings if project is not None else []
        row = next((one for one in rows if one.id == chosen), None)
        if row is None:
            return
        self.column.evaluations.choose(None)
        self._pages.setCurrentWidget(self.page)
        self.page.show_mining(row)
        if self._restored.get("mining") == row.id:
            self.page.restore_state(self._restored.get("page", {}))
        self._restored = {}
        self._refresh_actions()

    def _on_evaluation_chosen(self) -> None:
        chosen = self.column.evaluations.chosen
        one = next((one for one in self._evaluations if one.id == chosen), None)
        if one is None:
            return
        self.column.minings.choose(None)
        self.evaluations.show_evaluation(one)
        self._pages.setCurrentWidget(self.evaluations)
        self._refresh_actions()

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        if isinstance(run.params, EvaluateMining):
            self.refresh()
            self.column.evaluations.choose(run.id)
        elif isinstance(run.params, MINING_TASKS) and isinstance(
            result.get("mining"), int
        ):
            is_expected = run in self._expected or isinstance(run.params, ScorePairs)
            self._expected = [one for one in self._expected if one is not run]
            if is_expected:
                self.show_mining(result["mining"])

    def _on_row_changed(self, kind: str, row_id: object) -> None:
        if self.isVisible():
            self.shares.follow(kind, row_id)

    def _on_shares_changed(self) -> None:
        """Show the list with the share of each set that is judged."""
        project, counts = self.state.project, self.shares.counts
        self.column.show_minings(
            [
                TwoLineRow(
                    row.id, row.name, describe_pair_set_size(row, counts.get(row.id))
                )
                for row in (project.minings if project is not None else ())
            ]
        )

    def _on_counts_told(self) -> None:
        row, counts = self.page.row, self.page.pairs.counts
        if row is not None and counts is not None:
            self.shares.take(row.id, sum(counts.values()))

    def _on_pair_opened(self, pair_id: int) -> None:
        self.state.review_wanted.emit(pair_set_of(pair_id), pair_id)

    # --- making ---

    def _lay_out(self) -> None:
        right = QWidget()
        self._pages = QStackedLayout(right)
        for page in (self.start, self.page):
            self._pages.addWidget(page)
        split = make_split(
            self.column, right, sizes=(LIST_WIDTH, 100 * GRID), growing=1
        )
        lay_out_page(self, self.messages, split)

    def _connect(self) -> None:
        self.shares.changed.connect(self._on_shares_changed)
        self.column.minings.choice_changed.connect(self._on_mining_chosen)
        self.column.evaluations.choice_changed.connect(self._on_evaluation_chosen)
        self.page.pairs.counts_changed.connect(self._on_counts_told)
        self.page.pair_opened.connect(self._on_pair_opened)
        self.page.recipe_wanted.connect(self.jobs.mine_with)
        state = self.state
        state.minings_changed.connect(self.refresh)
        state.runs_changed.connect(self._on_runs_changed)
        state.run_finished.connect(self._on_run_finished)
        state.row_changed.connect(self._on_row_changed)

    def _on_runs_changed(self) -> None:
        if self._pages.currentWidget() is self.start:
            self.start.refresh()

    # --- what the window asks of a view ---

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self._todo.values())

    def save_state(self) -> dict[str, Any]:
        """Return what is shown."""
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
        """Show again what was shown."""
        self._restored = state
        if not self.column.evaluations.choose(state.get("evaluation")):
            wanted = state.get("mining")
            if self.column.minings.chosen == wanted and self.row is not None:
                self.page.restore_state(state.get("page", {}))
            elif isinstance(wanted, int):
                self.column.minings.choose(wanted)

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        shown = self._pages.currentWidget()
        if shown is self.page:
            self.page.focus_first()
        elif self.evaluation is not None:
            self.evaluations.focus_first()
        else:
            self.start.focus_first()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was judged while another view was on the screen."""
        super().showEvent(event)
        self.shares.count_soon()
