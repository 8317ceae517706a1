"""Training view: set up, monitor and compare trainings."""

from functools import cached_property
from typing import Any

import msgspec
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.params import Params
from app.params.training.encoder import TrainEncoder
from app.params.training.grid import TrainGrid
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.training.comparison import TrainingComparison
from app.views.training.controller import TrainingController
from app.views.training.grid_dialog import GridDialog
from app.views.training.grid_page import GridPage
from app.views.training.page import TrainingPage
from app.views.training.runs import (
    TRAINING_TYPES,
    BestErrors,
    TrainingCurves,
    TrainingRun,
    list_trainings,
)
from app.views.training.setup import TrainingSetup
from app.views.training.sidebar import TrainingSidebar
from app.views.training.text import DEV_ERROR
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import lay_out_page, make_split
from app.views.widgets.theme import GRID
from app.views.widgets.training_names import free_name, taken_names

LIST_WIDTH = 27 * GRID
REFRESH_MS = 100  # minimum between reads of the list


class TrainingView(QWidget):
    """The training page."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Training")
        self._state = state
        self._starting: RunState | None = None
        self._setup_state: dict[str, Any] = {}
        self._messages = MessageBar(self)
        self.controller = TrainingController(state, self._messages, self)
        self.curves = TrainingCurves(state, self)
        self._best = BestErrors(self.curves)
        self._split = make_split(parent=self)
        self._sidebar = TrainingSidebar(
            (self.controller.new_action, self.controller.translation_action),
            (self.controller.compare_action, self.controller.grid_action),
            self._split,
        )
        self.list = self._sidebar.list
        self._refresh_timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._refresh_timer.timeout.connect(self.refresh)
        self._lay_out()
        self._connect()
        self.refresh()
        self._show_first()

    @cached_property
    def setup(self) -> TrainingSetup:
        """The page for setting up a new training."""
        actions = self.controller.setup_actions
        page = TrainingSetup(self._state, actions, self._right)
        if self._setup_state:
            page.restore_state(self._setup_state)
        page.started.connect(self._on_started)
        self.controller.estimate_requested.connect(page.estimate)
        self.controller.start_requested.connect(page.start)
        self.controller.setup_command_requested.connect(page.copy_command)
        self._state.corpora_changed.connect(page.offer_corpora)
        self._pages.addWidget(page)
        return page

    @cached_property
    def page(self) -> TrainingPage:
        """The page of a training."""
        actions = self.controller.training_actions
        page = TrainingPage(self._state, self.curves, actions, self._right)
        self._pages.addWidget(page)
        return page

    @cached_property
    def grid_page(self) -> GridPage:
        """The page of a grid of trainings."""
        page = GridPage(self._state, self.controller.training_actions)
        self._pages.addWidget(page)
        return page

    @cached_property
    def comparison(self) -> TrainingComparison:
        """The page that compares two trainings."""
        page = TrainingComparison(self._state, self.curves)
        self._pages.addWidget(page)
        return page

    @property
    def shown(self) -> TrainingRun | None:
        """The training whose page is shown; None on the other pages."""
        page = self._pages.currentWidget()
        return page.training if isinstance(page, TrainingPage | GridPage) else None

    def refresh(self) -> None:
        """Reload the trainings and update the page."""
        project = self._state.project
        if project is None:
            return
        trainings = list_trainings(project.store, self._state.runs, self._best)
        self._sidebar.show_trainings(trainings)
        self._show_started(trainings)
        self._update_page(trainings)
        self._refresh_actions()

    def show_ages(self) -> None:
        """Update the ages of listed trainings."""
        self.refresh()

    # --- user actions ---

    def begin_new(self) -> None:
        """Show the page of a new training."""
        self.list.select([])
        self._pages.setCurrentWidget(self.setup)
        self.setup.begin()
        self.setup.focus_first()
        self._refresh_actions()

    def compare(self) -> None:
        """Compare the selected training with the one before it."""
        single = [one for one in self.list.trainings if not one.is_grid]
        ids = [training.id for training in single]
        selected = [one.id for one in self.list.selected if not one.is_grid]
        first = ids.index(selected[0]) if selected else 0
        pair = ids[first : first + 2]
        if len(pair) < 2:
            words = self.tr("There is no earlier training to compare with.")
            self._state.notice_posted.emit(words)
            return
        self.list.select(pair)

    def ask_grid(self, values: TrainEncoder | None = None) -> None:
        """Ask for the settings of a grid, based on these values or on the page."""
        settings = values if values is not None else self._page_settings()
        if settings is None:
            return  # the page shows the invalid value
        name = free_name("comparison", taken_names(self._state))
        own = {"vary": (), **msgspec.structs.asdict(settings), "name": name}
        grid = TrainGrid(**{**own, "out": None})
        GridDialog(self._state, grid, self._start_grid, self).open()

    def _page_settings(self) -> TrainEncoder | None:
        """Return the settings of the current training, or else of the new training."""
        shown = self.shown.params if self.shown is not None else None
        if type(shown) in (TrainEncoder, TrainGrid):
            return shown
        if self._pages.currentWidget() is not self.setup:
            self.setup.begin()
        return self.setup.settings()

    def _start_grid(self, params: Params) -> None:
        self._on_started(self._state.run(params))

    def _on_repeat_requested(self, params: TrainEncoder) -> None:
        if isinstance(params, TrainGrid):
            self.ask_grid(params)
            return
        self.begin_new()
        self.setup.use(params)

    # --- layout ---

    def _lay_out(self) -> None:
        self._right = QWidget(self._split)
        self._pages = QStackedLayout(self._right)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([LIST_WIDTH, 100 * GRID])
        lay_out_page(self, self._messages, self._split)

    def _connect(self) -> None:
        self.list.selection_changed.connect(self._on_selection_changed)
        self.controller.new_requested.connect(self.begin_new)
        self.controller.repeat_requested.connect(self._on_repeat_requested)
        self.controller.compare_requested.connect(self.compare)
        self.controller.grid_requested.connect(self.ask_grid)
        self.controller.training_started.connect(self._on_started)
        self.curves.grown.connect(self._on_curves_grown)
        state = self._state
        state.runs_changed.connect(self._refresh_timer.start)
        state.row_changed.connect(self._on_row_changed)
        for ended in (state.run_finished, state.run_failed):
            ended.connect(self._refresh_timer.start)
        for changed in (state.run_cancelled, state.run_paused, state.run_progressed):
            changed.connect(self._on_run_progressed)

    def _show_first(self) -> None:
        """Show the running training, or else the newest finished one.

        Without trainings, show the setup page.
        """
        trainings = self.list.trainings
        live = [one for one in trainings if one.run]
        finished = [one for one in trainings if one.state == "finished"]
        if first := [*live, *finished, *trainings][:1]:
            self.list.select([first[0].id])
        else:
            self.begin_new()

    # --- events ---

    def _on_selection_changed(self) -> None:
        selected = self.list.selected
        if len(selected) == 1 and selected[0].is_grid:
            self.grid_page.show_training(selected[0])
            self._pages.setCurrentWidget(self.grid_page)
        elif len(selected) == 1:
            self.page.show_training(selected[0])
            self._pages.setCurrentWidget(self.page)
        elif len(selected := [one for one in selected if not one.is_grid]) > 1:
            self.comparison.show_pair(selected[0], selected[-1])
            self._pages.setCurrentWidget(self.comparison)
        self._refresh_actions()

    def _on_curves_grown(self) -> None:
        """Update the lowest error in the list."""
        shown = self.shown
        if shown is None or shown.run is None:
            return
        if shown.best != self.curves.best(shown.id, DEV_ERROR):
            self._refresh_timer.start()

    def _on_started(self, run: RunState) -> None:
        self._starting = run
        self._refresh_timer.start()

    def _on_row_changed(self, kind: str, _id: object) -> None:
        if kind == "run":
            self._refresh_timer.start()

    def _on_run_progressed(self, run: RunState) -> None:
        """Update the list or the actions when a run starts or is being cancelled."""
        if not isinstance(run.params, TRAINING_TYPES):
            return
        known = next((t for t in self.list.trainings if t.id == run.id), None)
        is_new = known is None or known.run is not run or not run.is_open
        if is_new or known is None or known.state not in ("running", "ending"):
            self._refresh_timer.start()
        elif run.is_cancelling:
            self.controller.refresh()

    def _show_started(self, trainings: list[TrainingRun]) -> None:
        """Select a training that was just started as soon as its row exists."""
        run = self._starting
        if run is None or not (run.id or run.end):
            return
        self._starting = None
        if any(training.id == run.id for training in trainings):
            self.list.select([run.id])
            if isinstance(page := self._pages.currentWidget(), TrainingPage | GridPage):
                page.focus_first()

    def _update_page(self, trainings: list[TrainingRun]) -> None:
        """Update the page with the current trainings."""
        by_id = {training.id: training for training in trainings}
        page = self._pages.currentWidget()
        if self.shown is not None and self.shown.id in by_id:
            assert isinstance(page, TrainingPage | GridPage)
            page.show_training(by_id[self.shown.id])
        elif self.shown is not None:  # the training was deleted
            self._show_first()
        elif isinstance(page, TrainingComparison):
            selected = self.list.selected
            if len(selected) > 1:
                self.comparison.show_pair(selected[0], selected[-1])
            else:
                self._show_first()

    def _refresh_actions(self) -> None:
        self.controller.show_page(
            self.shown,
            is_setup=isinstance(self._pages.currentWidget(), TrainingSetup),
            n_trainings=sum(not one.is_grid for one in self.list.trainings),
        )

    # --- interface to the window ---

    def show_run(self, run_id: int) -> None:
        """Show a training."""
        self.refresh()
        if run_id in {training.id for training in self.list.trainings}:
            self.list.select([run_id])

    def save_state(self) -> dict[str, Any]:
        """Return the selection and the settings of the new training."""
        selected = self.list.selected
        names = ", ".join(training.name for training in selected[:2])
        state = {"chosen": [training.id for training in selected], "summary": names}
        if "setup" in self.__dict__:  # otherwise keep the restored state
            self._setup_state = self.setup.save_state()
        return state | {"setup": self._setup_state}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the selection and the settings of the new training."""
        self._setup_state = state.get("setup", {})
        if "setup" in self.__dict__ and self._setup_state:
            self.setup.restore_state(self._setup_state)
        known = {training.id for training in self.list.trainings}
        chosen = [id_ for id_ in state.get("chosen", ()) if id_ in known]
        if chosen:
            self.list.select(chosen)
        elif state.get("chosen") == []:
            self.begin_new()

    def focus_first(self) -> None:
        """Focus the form or the list."""
        if isinstance(self._pages.currentWidget(), TrainingSetup):
            self.setup.focus_first()
        else:
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
