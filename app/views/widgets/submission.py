"""Closing a dialog when its job starts, and showing it again if the job fails."""

import time
from collections.abc import Callable
from functools import partial

import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QDialog

from app.errors import ErrorInfo
from app.views.client.runs import RunState, is_resumable
from app.views.client.state import AppState

START_S = 10.0  # a job that fails within this time failed at its start


class Submission(QObject):
    """Hides a dialog while its runs and edits are open, so that no input is lost.

    If one of them is refused or fails at its start, the dialog opens again with its
    input and the error. If a run fails later, or while another dialog is open, the
    error message has a button that opens the dialog. A run that a crash interrupted
    is resumed, not started again.
    """

    def __init__(
        self, dialog: QDialog, state: AppState, show_error: Callable[[str], object]
    ):
        """Watch the runs and edits of a dialog.

        Args:
            dialog: hidden by `submit`, deleted when all has succeeded.
        """
        super().__init__(dialog)
        self._dialog, self._state, self._show_error = dialog, state, show_error
        self._runs: list[RunState] = []
        self._edits: set[int] = set()  # tickets
        self._is_starting, self._has_failed, self._start_time = False, False, 0.0
        state.run_started.connect(self._on_run_started)
        state.run_failed.connect(self._on_run_failed)
        for ended in (state.run_finished, state.run_cancelled, state.run_paused):
            ended.connect(self._on_run_ended)
        state.changes.started.connect(self._on_edit_started)
        state.changes.ended.connect(self._on_edit_ended)
        state.project_opened.connect(self._on_project_changed)
        state.project_closed.connect(self._on_project_changed)

    def submit(self, start: Callable[[], object]) -> None:
        """Call a function that starts runs or edits, and close the dialog."""
        self._runs, self._edits, self._has_failed = [], set(), False
        self._is_starting, self._start_time = True, time.monotonic()
        try:
            start()
        finally:
            self._is_starting = False
        self._dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        self._dialog.accept()
        self._delete_if_done()

    def show_again(self, message: str) -> None:
        """Show the dialog with its input and an error."""
        if not shiboken6.isValid(self._dialog):  # of another project
            return
        self._dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._dialog.open()
        self._show_error(message)

    def _on_run_started(self, run: RunState) -> None:
        if self._is_starting:
            self._runs.append(run)

    def _on_edit_started(self, ticket: int) -> None:
        if self._is_starting:
            self._edits.add(ticket)

    def _on_run_failed(self, run: RunState, error: ErrorInfo) -> None:
        if run not in self._runs:
            return
        self._runs.remove(run)
        if is_resumable(run, error):  # starting it again would do its work twice
            self._delete_if_done()
            return
        self._has_failed = True
        run.is_error_shown = self._show_if_early(error)
        if not run.is_error_shown:
            run.correct = partial(self.show_again, error.message)

    def _on_edit_ended(self, ticket: int, error: ErrorInfo | None) -> None:
        if ticket not in self._edits:
            return
        self._edits.remove(ticket)
        if error is None or not self._show_if_early(error):
            self._delete_if_done()

    def _on_run_ended(self, run: RunState) -> None:
        if run in self._runs:
            self._runs.remove(run)
            self._delete_if_done()

    def _on_project_changed(self) -> None:
        if self._dialog.isHidden():
            self._dialog.deleteLater()

    def _show_if_early(self, error: ErrorInfo) -> bool:
        """Show the dialog if the job failed at its start; returns whether it did."""
        modal = QApplication.activeModalWidget()
        is_free = modal is None or modal.isAncestorOf(self._dialog)
        if time.monotonic() - self._start_time > START_S or not is_free:
            return False
        self.show_again(error.message)
        return True

    def _delete_if_done(self) -> None:
        is_done = not (self._runs or self._edits or self._has_failed)
        if is_done and self._dialog.isHidden():
            self._dialog.deleteLater()
