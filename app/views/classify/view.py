"""Classify view: label, train a classifier, test it in other languages, apply it."""

from typing import Any

from PySide6.QtWidgets import QWidget

from app.views.classify.actions import ClassifyActions
from app.views.classify.controller import ClassifierController
from app.views.classify.steps import ClassifySteps
from app.views.classify.transfer_controller import TransferController
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column
from app.views.widgets.message_bar import MessageBar

# Kinds of rows that are shown.
WATCHED_KINDS = ("classifier", "prediction", "corpus", "subcorpus")


class ClassifyView(QWidget):
    """The classify page.

    Attributes:
        messages: news of this view, above the steps.
        steps: labels, training, transfer and predictions.
        classifiers: does what the actions on labels, classifiers and predictions ask.
        tests: does what the actions on transfer tests ask.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Classify")
        self.state = state
        self.messages = MessageBar(self)
        actions = ClassifyActions(self)
        self.steps = steps = ClassifySteps(state, actions, self)
        self.classifiers = ClassifierController(state, actions, steps, self.messages)
        self.tests = TransferController(state, actions, steps)
        make_column(self.messages, (steps, 1), parent=self, gap=0)
        self.refresh()
        self._connect()  # last: the actions are updated once, not for each selection

    def refresh(self) -> None:
        """Show the project as it is now."""
        if self.state.project is not None:
            self.state.labels.need()
            self.steps.refresh()
            self._update_actions()

    def show_ages(self) -> None:
        """Show the ages of what is listed as they are now."""
        self.refresh()

    def _update_actions(self) -> None:
        self.classifiers.update_actions()
        self.tests.update_actions()

    def _connect(self) -> None:
        state, steps = self.state, self.steps
        steps.shown_changed.connect(self._update_actions)
        steps.completed.connect(self._update_actions)
        steps.place_requested.connect(state.view_requests.place_requested)
        state.labels.changed.connect(self._on_runs_changed)
        state.runs_changed.connect(self._on_runs_changed)
        state.kinds_changed.connect(self._on_kinds_changed)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & set(WATCHED_KINDS):
            self.refresh()

    def _on_runs_changed(self) -> None:
        if self.steps.transfer.shown is None:
            self.steps.transfer.refresh()
        self._update_actions()

    # --- what the window asks of a view ---

    def save_state(self) -> dict[str, Any]:
        """Return what is shown."""
        return self.steps.save_state()

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        self.steps.restore_state(state)

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        self.steps.current.focus_first()
