"""The steps of the classify view as tabs: labels, training, transfer, predictions."""

from typing import Any, cast

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.engine.store.labels import list_labelled
from app.views.classify.actions import ClassifyActions
from app.views.classify.classifier_page import ClassifierStep
from app.views.classify.labels import LabelsStep
from app.views.classify.predictions import PredictionStep
from app.views.classify.transfer.page import TransferStep
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column, make_tabs
from app.views.widgets.classifiers import TrainedClassifier
from app.views.widgets.theme import GRID

Step = LabelsStep | ClassifierStep | TransferStep | PredictionStep
STEPS = (LabelsStep, ClassifierStep, TransferStep, PredictionStep)
NAMES = ("labels", "training", "board", "use")  # of tabs, in saved sessions
BOARD = 2  # initial tab if labels exist
PAUSE_MS = 100  # lets the window repaint between steps


class ClassifySteps(QWidget):
    """Tabs of the steps, created on first use or one by one when idle.

    Attributes:
        is_complete: whether all steps have been created.
    """

    shown_changed = Signal()  # the step or its content changed
    place_requested = Signal(object)  # id of a sentence
    train_requested = Signal(object)  # TrainClassifier
    completed = Signal()

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state, self._actions = state, actions
        self._made: dict[int, Step] = {}  # by tab
        self._saved: dict[int, dict[str, Any]] = {}  # state of steps to create, by tab
        self.is_complete = False
        self._boxes: list[QVBoxLayout] = []
        self._tabs = make_tabs(self)
        make_column(self._tabs, parent=self)
        self._add_tab(self.tr("1  Labels"), self.tr("Label sentences."))
        self._add_tab(self.tr("2  Train"), self.tr("Train classifiers."))
        hint = self.tr("Test classifiers on other languages.")
        self._add_tab(self.tr("3  Transfer board"), hint)
        self._add_tab(self.tr("Use"), self.tr("Browse predictions."))
        project = state.project
        has_labels = project is not None and bool(list_labelled(project.store))
        has_texts = bool(state.corpora)
        self._tabs.setCurrentIndex(BOARD if has_labels or not has_texts else 0)
        self._tabs.currentChanged.connect(self._on_tab_changed)
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self._make_next)
        state.destroyed.connect(self._timer.stop)  # steps need it

    @property
    def labels(self) -> LabelsStep:
        """The labels step."""
        return cast("LabelsStep", self._step(0))

    @property
    def training(self) -> ClassifierStep:
        """The training step."""
        return cast("ClassifierStep", self._step(1))

    @property
    def transfer(self) -> TransferStep:
        """The transfer step."""
        return cast("TransferStep", self._step(2))

    @property
    def predictions(self) -> PredictionStep:
        """The predictions step."""
        return cast("PredictionStep", self._step(3))

    @property
    def tab(self) -> int:
        """Index of the current step."""
        return self._tabs.currentIndex()

    @property
    def current(self) -> Step:
        """The current step."""
        return self._step(self.tab)

    @property
    def current_classifier(self) -> TrainedClassifier | None:
        """The classifier selected in the current step, or else the newest."""
        is_used = self.current is self.predictions
        shown = self.predictions.chosen if is_used else self.training.shown
        return shown or next(iter(self.training.classifiers), None)

    @property
    def previous_classifier(self) -> TrainedClassifier | None:
        """The newest older classifier applied to a corpus of the current classifier."""
        one = self.predictions.shown
        if one is None:
            return None
        return next(
            (
                other
                for other in self.training.classifiers
                if other.row.id < one.row.id and set(other.corpora) & set(one.corpora)
            ),
            None,
        )

    def show_step(self, step: Step) -> None:
        """Show a step."""
        tab = next(tab for tab, made in self._made.items() if made is step)
        self._tabs.setCurrentIndex(tab)

    def refresh(self) -> None:
        """Update all steps."""
        made_before = sorted(self._made)
        self._step(self._tabs.currentIndex())  # a new step shows the current project
        for tab in made_before:
            self._refresh_step(tab)
        if not self.is_complete:
            self._timer.start()

    def save_state(self) -> dict[str, Any]:
        """Return the state of the steps."""
        state: dict[str, Any] = {"tab": self._tabs.currentIndex()}
        for tab, name in enumerate(NAMES):
            made = self._made.get(tab)
            state[name] = made.save_state() if made else self._saved.get(tab, {})
        test = self.transfer.shown
        return state | {"summary": test.name if test is not None else ""}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        for tab, name in enumerate(NAMES):
            self._saved[tab] = state.get(name, {})
            if tab in self._made:
                self._made[tab].restore_state(self._saved[tab])
        if isinstance(state.get("tab"), int):
            self._tabs.setCurrentIndex(state["tab"])

    def _step(self, tab: int) -> Step:
        if tab in self._made:
            return self._made[tab]
        # Create the step in its tab, because reparenting restyles a widget.
        page = self._tabs.widget(tab)
        step = STEPS[tab](self._state, self._actions, page)
        self._made[tab] = step
        self._boxes[tab].addWidget(step)
        step.shown_changed.connect(self.shown_changed)
        if isinstance(step, ClassifierStep):
            step.train_requested.connect(self.train_requested)
        else:
            step.place_requested.connect(self.place_requested)
        self._refresh_step(tab)
        step.restore_state(self._saved.get(tab, {}))
        return step

    def _refresh_step(self, tab: int) -> None:
        step = self._made[tab]
        if isinstance(step, PredictionStep):
            step.refresh(self.training.classifiers)
        else:
            step.refresh()

    def _on_tab_changed(self, tab: int) -> None:
        step = self._step(tab)
        if self.isVisible():  # else another view owns the selection
            # Not for errors in the board: their card shows the sentence, and the
            # inspector would hide the errors.
            sentence = None
            if isinstance(step, LabelsStep | PredictionStep):
                sentence = step.sentence
            self._state.select_sentence(sentence)
        self.shown_changed.emit()

    def _make_next(self) -> None:
        missing = [tab for tab in range(len(STEPS)) if tab not in self._made]
        if missing:
            self._step(missing[0])
            return
        self._timer.stop()
        self.is_complete = True
        self.completed.emit()

    def _add_tab(self, title: str, hint: str) -> None:
        page = QWidget(self._tabs)
        self._tabs.setTabToolTip(self._tabs.addTab(page, title), hint)
        box = QVBoxLayout(page)
        box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        self._boxes.append(box)

    def showEvent(self, event: QShowEvent) -> None:
        """Restart the delay, so that the view is drawn before creating another step."""
        super().showEvent(event)
        if self._timer.isActive():
            self._timer.start()
