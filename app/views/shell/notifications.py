"""Notifications about results, errors and interrupted runs."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton

from app.errors import ErrorInfo
from app.params.training import PlanTraining
from app.protocol.edits.general import DropRun
from app.views.client.runs import RunState
from app.views.shell.job_results import describe_result, name_job
from app.views.widgets.controls import make_button
from app.views.widgets.dialogs import ErrorDialog, copy_text, report_text

if TYPE_CHECKING:
    from app.engine.store.runs import RunRow
    from app.views.shell.main_window import MainWindow

CHANGE = "change"  # topic of what changes and undoing did
# Fields of params that say what a job is about; the others say how it is done.
SUBJECTS = ("files", "file", "corpora", "corpus", "source", "target", "hits", "mining")
RunSubject = tuple[object, ...]


class NotificationController(QObject):
    """Listens to the state and speaks in the window's message bar."""

    def __init__(self, window: "MainWindow"):
        super().__init__(window)
        self._window = window
        self._state = window.state
        self._offered: set[int] = set()
        self._offers: dict[str, set[int]] = {}  # sentences in the bar, of which runs
        self._errors: dict[str, RunSubject] = {}  # sentences in the bar, of what runs
        self._paused: set[int] = set()  # runs that the user paused in this window
        self._device_note = ""
        self._state.notice_posted.connect(self.show_notice)
        self._state.change_told.connect(self.show_change)
        self._state.error_posted.connect(self.show_error)
        self._state.devices_changed.connect(self._on_devices_changed)
        self._state.project_opened.connect(self._on_project_opened)
        self._state.run_finished.connect(self._on_run_finished)
        self._state.run_failed.connect(self._on_run_failed)
        self._state.runs_changed.connect(self.offer_resuming)
        self._state.run_paused.connect(self._on_run_paused)

    def show_notice(self, text: str) -> None:
        """Show a sentence for some seconds."""
        self._window.message_bar.post(text)

    def show_change(self, text: str) -> None:
        """Show what a change did, in the place of what the change before did."""
        self._window.message_bar.post(text, topic=CHANGE)

    def show_error(self, error: ErrorInfo) -> None:
        """Show what went wrong, with Details and Copy behind it."""
        buttons = []
        if error.traceback:
            buttons.append(
                make_button(
                    self.tr("Details"),
                    self.tr("Show the whole report."),
                    lambda: ErrorDialog(error, self._window).open(),
                )
            )
        is_report = error.kind in ("bug", "crash")
        copy = self.tr("Copy report") if is_report else self.tr("Copy")
        buttons.append(
            make_button(
                copy,
                self.tr("Copy what went wrong."),
                lambda: copy_text(report_text(error) if is_report else error.message),
            )
        )
        self._window.message_bar.post(error.message, "error", buttons)

    def offer_resuming(self) -> None:
        """Offer to resume interrupted runs, each once."""
        project = self._state.project
        if project is None or project.is_read_only:
            return
        # A run that was resumed and is cut off once more is offered once more.
        self._offered &= {run.id for run in project.interrupted}
        self._withdraw_offers()
        new = [run for run in project.interrupted if run.id not in self._offered]
        self._offered.update(run.id for run in new)
        if len(new) == 1:
            self._offer_one(new[0])
        elif new:
            words = self.tr("{n} jobs were interrupted and can be resumed.")
            show = make_button(
                self.tr("Show jobs"),
                self.tr("Show the project's runs, to resume or give up."),
                self._window.runs_dock.show,
            )
            self._offer(words.format(n=len(new)), new, [show])

    def _withdraw_offers(self) -> None:
        """Take the offers away of which a run was resumed or given up elsewhere."""
        for text, runs in list(self._offers.items()):
            if not runs <= self._offered:
                self._window.message_bar.withdraw(text)
                self._offered -= self._offers.pop(text)  # the others are offered anew

    def _offer(
        self, text: str, runs: Sequence["RunRow"], buttons: Sequence[QPushButton]
    ) -> None:
        self._window.message_bar.post(text, buttons=buttons)
        self._offers[text] = {run.id for run in runs}

    def _offer_one(self, run: "RunRow") -> None:
        words = self.tr("{job} was interrupted. What it had done is kept.")
        if run.id in self._paused:
            words = self.tr("{job} is paused. What it has done is kept.")
        resume = make_button(
            self.tr("Resume"),
            self.tr("Go on where it was interrupted."),
            lambda: self._state.resume(run),
        )
        give_up = make_button(
            self.tr("Give up"),
            self.tr("Remove what the job left half-done."),
            lambda: self._state.edit(DropRun(run.id)),
        )
        text = words.format(job=self._name_run(run))
        self._offer(text, [run], [resume, give_up])

    def _name_run(self, run: "RunRow") -> str:
        """Name a run: a training by its encoder, any other by its job."""
        name = json.loads(run.params or "{}").get("name")
        if run.task != "train-encoder" or not name:
            return name_job(run.task)
        return self.tr("The training of {name}").format(name=name)

    def _on_run_paused(self, run: RunState) -> None:
        """Show of a run that stopped because it was asked to that it is paused."""
        self._paused.add(run.id)
        self._offered.discard(run.id)
        self.offer_resuming()

    def _on_project_opened(self) -> None:
        self._window.message_bar.clear()
        self._offered.clear()
        self._offers.clear()
        self._errors.clear()
        self._paused.clear()
        self.offer_resuming()

    def _on_devices_changed(self) -> None:
        old, note = self._device_note, self._state.device_note
        self._device_note = note
        if note and note != old:
            self.show_notice(note)

    def _on_run_failed(self, run: RunState, error: ErrorInfo) -> None:
        """Show the newest failure alone of those of one job on one thing."""
        self._withdraw_errors(run)
        self._errors[error.message] = run_subject(run)

    def _withdraw_errors(self, run: RunState) -> None:
        """Take away what an earlier run of the same job on the same thing failed by."""
        subject = run_subject(run)
        for text in [text for text, own in self._errors.items() if own == subject]:
            del self._errors[text]
            self._window.message_bar.withdraw(text)

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        self._withdraw_errors(run)
        if not isinstance(run.params, PlanTraining):  # the form shows what it found
            self.show_notice(describe_result(run.task, result))


def run_subject(run: RunState) -> RunSubject:
    """Return what two runs have in common that do the same with the same things."""
    return (run.task, *(getattr(run.params, name, None) for name in SUBJECTS))
