"""Classify view: label, train classifiers, test them in other languages, apply them."""

from typing import Any

from PySide6.QtWidgets import QWidget

from app.views.classify.actions import ClassifyActions
from app.views.classify.controller import ClassifierController
from app.views.classify.steps import ClassifySteps
from app.views.classify.transfer_controller import TransferController
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column
from app.views.widgets.message_bar import MessageBar

# Kinds of rows that affect the view.
WATCHED_KINDS = ("classifier", "prediction", "corpus", "subcorpus")


class ClassifyView(QWidget):
    """The classify page.

    Attributes:
        messages: messages of the view, above the steps.
        steps: labels, training, transfer and predictions.
        classifiers: runs the actions on labels, classifiers and predictions.
        tests: runs the actions on transfer tests.
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
        self._connect()  # last, so that actions are updated only once

    def refresh(self) -> None:
        """Update the view."""
        if self.state.project is not None:
            self.state.labels.need()
            self.steps.refresh()
            self._update_actions()

    def show_ages(self) -> None:
        """Update the ages of listed items."""
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

    # --- protocol of views ---

    def save_state(self) -> dict[str, Any]:
        """Return the state of the view."""
        return self.steps.save_state()

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        self.steps.restore_state(state)

    def focus_first(self) -> None:
        """Set the focus on the first control to use."""
        self.steps.current.focus_first()
