"""Training view: set up a training, watch it, and compare it with others."""

from functools import cached_property
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.params.flags import command_text
from app.params.training import TrainEncoder
from app.protocol.edits.general import DropRun
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.training.actions import (
    ActionContext,
    make_training_actions,
    refresh_training_actions,
)
from app.views.training.comparison import TrainingComparison
from app.views.training.page import TrainingPage
from app.views.training.runs import (
    BestErrors,
    TrainingCurves,
    TrainingRun,
    list_trainings,
)
from app.views.training.setup import TrainingSetup
from app.views.training.sidebar import TrainingSidebar
from app.views.training.text import DEV_ERROR
from app.views.widgets.dialogs import copy_text
from app.views.widgets.page_layout import make_split
from app.views.widgets.theme import GRID

LIST_WIDTH = 27 * GRID
REFRESH_MS = 100  # the list is read no oftener


class TrainingView(QWidget):
    """The training page."""

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Training")
        self.state = state
        self._starting: RunState | None = None
        self._steered: set[int] = set()
        self._setup_state: dict[str, Any] = {}
        self._todo: dict[str, QAction] = make_training_actions(self)
        self.curves = TrainingCurves(state, self)
        self._best = BestErrors(self.curves)
        self._column = TrainingSidebar(self._todo)
        self.list = self._column.list
        self._refreshing = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._refreshing.timeout.connect(self.refresh)
        self._lay_out()
        self._connect()
        self.refresh()
        self._show_first()

    @cached_property
    def setup(self) -> TrainingSetup:
        """The page of a new training."""
        page = TrainingSetup(self.state, self._todo)
        if self._setup_state:
            page.restore_state(self._setup_state)
        page.started.connect(self._on_started)
        self.state.corpora_changed.connect(page.offer_corpora)
        self._pages.addWidget(page)
        return page

    @cached_property
    def page(self) -> TrainingPage:
        """The page of a training."""
        page = TrainingPage(self.state, self.curves, self._todo)
        self._pages.addWidget(page)
        return page

    @cached_property
    def comparison(self) -> TrainingComparison:
        """The page of two trainings."""
        page = TrainingComparison(self.state, self.curves)
        self._pages.addWidget(page)
        return page

    @property
    def shown(self) -> TrainingRun | None:
        """The training whose page is shown; None on the other pages."""
        page = self._pages.currentWidget()
        return page.training if isinstance(page, TrainingPage) else None

    def refresh(self) -> None:
        """Read the trainings again, and show them as they are now."""
        project = self.state.project
        if project is None:
            return
        trainings = list_trainings(project.store, self.state.runs, self._best)
        self._column.show_trainings(trainings)
        self._steered &= {run.id for run in self.state.runs}
        self._show_started(trainings)
        self._show_again(trainings)
        self._refresh_actions()

    # --- what the user does ---

    def begin_new(self) -> None:
        """Show the page of a new training."""
        self.list.choose([])
        self._pages.setCurrentWidget(self.setup)
        self.setup.begin({training.name for training in self.list.trainings})
        self.setup.focus_first()
        self._refresh_actions()

    def train_again(self) -> None:
        """Begin a new training with the settings of the one that is shown."""
        training = self.shown
        if training is not None and training.params is not None:
            self.begin_new()
            self.setup.use(training.params)

    def estimate(self) -> None:
        """Show what the settings need."""
        self.setup.estimate()

    def start(self) -> None:
        """Start the training that was put together."""
        self.setup.start()

    def copy_command(self) -> None:
        """Copy the command of what is shown."""
        training, project = self.shown, self.state.project
        if training is None:
            self.setup.copy_command()
        elif training.params is not None and project is not None:
            copy_text(command_text(training.params, project.folder))
            self.state.notice_posted.emit(self.tr("The command is copied."))

    def pause(self) -> None:
        """Have the training write a checkpoint and stop."""
        self._steer_shown("pause")

    def finish(self) -> None:
        """Have the training end now with its best checkpoint."""
        self._steer_shown("finish")

    def cancel(self) -> None:
        """Stop the training; when it does not stop, the engine."""
        run = self.shown.run if self.shown is not None else None
        if run is not None and run.may_stop_engine:
            self.state.stop_engine()
        elif run is not None:
            self.state.cancel(run)

    def resume(self) -> None:
        """Go on with an interrupted training."""
        if self.shown is not None:
            self.state.resume(self.shown.row)

    def give_up(self) -> None:
        """Remove what an interrupted training left."""
        if self.shown is not None:
            self.state.edit(DropRun(self.shown.id))

    def compare(self) -> None:
        """Show the chosen training and the one before it on one plot."""
        ids = [training.id for training in self.list.trainings]
        chosen = [training.id for training in self.list.chosen]
        first = ids.index(chosen[0]) if chosen else 0
        pair = ids[first : first + 2]
        if len(pair) < 2:
            words = self.tr("There is no training before this one to compare it with.")
            self.state.notice_posted.emit(words)
            return
        self.list.choose(pair)

    # --- making ---

    def _lay_out(self) -> None:
        right = QWidget()
        self._pages = QStackedLayout(right)
        split = make_split(
            self._column, right, sizes=(LIST_WIDTH, 100 * GRID), growing=1
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.addWidget(split)

    def _connect(self) -> None:
        self.list.choice_changed.connect(self._on_choice_changed)
        self.curves.grown.connect(self._on_curves_grown)
        state = self.state
        state.runs_changed.connect(self._refreshing.start)
        state.row_changed.connect(self._on_row_changed)
        for ended in (state.run_finished, state.run_failed):
            ended.connect(lambda run, _: self._refreshing.start())
        for ended in (state.run_cancelled, state.run_paused, state.run_progressed):
            ended.connect(self._on_run_progressed)

    def _show_first(self) -> None:
        """Show the training that runs, or the page of a new one."""
        live = [training for training in self.list.trainings if training.run]
        if live:
            self.list.choose([live[0].id])
        else:
            self.begin_new()

    # --- what happens ---

    def _on_choice_changed(self) -> None:
        chosen = self.list.chosen
        if len(chosen) == 1:
            self.page.show_training(chosen[0])
            self._pages.setCurrentWidget(self.page)
        elif chosen:
            self.comparison.show_pair(chosen[0], chosen[-1])
            self._pages.setCurrentWidget(self.comparison)
        self._refresh_actions()

    def _on_curves_grown(self) -> None:
        """Show a new lowest error in the list."""
        shown = self.shown
        if shown is None or shown.run is None:
            return
        if shown.best != self.curves.best(shown.id, DEV_ERROR):
            self._refreshing.start()

    def _on_started(self, run: RunState) -> None:
        self._starting = run
        self._refreshing.start()

    def _on_row_changed(self, kind: str, _id: object) -> None:
        if kind == "run":
            self._refreshing.start()

    def _on_run_progressed(self, run: RunState) -> None:
        """Follow what a run says of itself: it has begun, it is being cancelled."""
        if not isinstance(run.params, TrainEncoder):
            return
        known = next((t for t in self.list.trainings if t.id == run.id), None)
        is_new = known is None or known.run is not run or not run.is_open
        if is_new or known is None or known.state not in ("running", "ending"):
            self._refreshing.start()
        elif run.is_cancelling:
            self._refresh_actions()

    def _show_started(self, trainings: list[TrainingRun]) -> None:
        """Show a training that was just started, as soon as it has its row."""
        run = self._starting
        if run is None or not (run.id or run.end):
            return
        self._starting = None
        if any(training.id == run.id for training in trainings):
            self.list.choose([run.id])
            self.page.focus_first()

    def _show_again(self, trainings: list[TrainingRun]) -> None:
        """Show what is on the page as it is now."""
        by_id = {training.id: training for training in trainings}
        if self.shown is not None and self.shown.id in by_id:
            self.page.show_training(by_id[self.shown.id])
        elif isinstance(self._pages.currentWidget(), TrainingComparison):
            chosen = self.list.chosen
            if len(chosen) > 1:
                self.comparison.show_pair(chosen[0], chosen[-1])

    def _steer_shown(self, wish: Any) -> None:
        run = self.shown.run if self.shown is not None else None
        if run is not None:
            self._steered.add(run.id)
            self.state.steer(run, wish)
            self._refresh_actions()

    def _refresh_actions(self) -> None:
        project, shown = self.state.project, self.shown
        now = ActionContext(
            shown,
            is_setup=isinstance(self._pages.currentWidget(), TrainingSetup),
            can_write=project is not None and not project.is_read_only,
            is_steered=shown is not None and shown.id in self._steered,
        )
        refresh_training_actions(self._todo, now)
        self._todo["compare"].setEnabled(len(self.list.trainings) > 1)

    # --- what the window asks of a view ---

    def save_state(self) -> dict[str, Any]:
        """Return what is chosen, and the settings of the new training."""
        chosen = self.list.chosen
        names = ", ".join(training.name for training in chosen[:2])
        state = {"chosen": [training.id for training in chosen], "summary": names}
        if "setup" in self.__dict__:  # else what was restored is kept
            self._setup_state = self.setup.save_state()
        return state | {"setup": self._setup_state}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Choose again what was chosen, with the settings of the new training."""
        self._setup_state = state.get("setup", {})
        if "setup" in self.__dict__ and self._setup_state:
            self.setup.restore_state(self._setup_state)
        known = {training.id for training in self.list.trainings}
        chosen = [id_ for id_ in state.get("chosen", ()) if id_ in known]
        if chosen:
            self.list.choose(chosen)

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        if isinstance(self._pages.currentWidget(), TrainingSetup):
            self.setup.focus_first()
        else:
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
