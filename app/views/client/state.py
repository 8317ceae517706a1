"""State of the window: the only receiver of engine events."""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.errors import ErrorInfo, UserError
from app.params import Params
from app.params.base import output_of
from app.protocol import commands, events
from app.protocol.base import A, BaseQuery
from app.protocol.edits import Change
from app.protocol.events import Event
from app.settings import Settings, load_settings, merge_settings, save_settings
from app.views.client.encoders import EncoderStore
from app.views.client.engine_client import EngineClient, EngineRestarter
from app.views.client.labels import LabelStore
from app.views.client.project_reader import ProjectReader
from app.views.client.requests import (
    AnswerCallback,
    EditCallback,
    EditQueue,
    RequestTracker,
    folder_of,
)
from app.views.client.runs import RunRegistry, RunState, is_resumable, read_params
from app.views.client.thresholds import PairThresholds
from app.views.client.view_requests import ViewRequests

if TYPE_CHECKING:
    from app.engine.store.corpora import CorpusRow
    from app.engine.store.pairs.sets import PairSetRow
    from app.engine.store.runs import RunRow


RELOAD_MS = 60


class ChangeBatch(QObject):
    """Collects the kinds of rows that changed; `due` reports them after RELOAD_MS."""

    due = Signal(object)  # set of kinds

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._kinds: set[str] = set()
        self._timer = QTimer(self, singleShot=True, interval=RELOAD_MS)
        self._timer.timeout.connect(self._on_timeout)

    def note(self, kind: str) -> None:
        """Record a change."""
        self._kinds.add(kind)
        if not self._timer.isActive():
            self._timer.start()

    def _on_timeout(self) -> None:
        kinds, self._kinds = self._kinds, set()
        self.due.emit(kinds)


log = logging.getLogger("window")


class AppState(QObject):
    """State of the window; views call its methods and connect to its signals.

    Attributes:
        project: the open project; None when none is open.
        last_opened: the last project the user tried to open, even if opening failed.
        selection: id of the selected sentence, or None.
        devices: names of the devices; empty until the engine has found them.
        device: name of the selected device.
        changes: the queue of edits, with undo and redo.
        encoders: the encoders of the project and their language coverage.
        labels: the classes of the project and their keys; labels sentences.
        thresholds: the lowest score shown of each pair set.
        view_requests: requests to show another feature.
    """

    project_opened = Signal()
    project_closed = Signal()
    project_renamed = Signal(Path, Path)  # old and new folder
    engine_reopened = Signal()  # a restarted engine opened the project
    project_opening_changed = Signal()
    corpora_changed = Signal()
    embeddings_changed = Signal()
    row_changed = Signal(str, object)  # kind, id (64 bits): a commit changed the row
    runs_changed = Signal()
    run_started = Signal(object)  # RunState: the command was sent
    run_progressed = Signal(object)  # RunState
    run_finished = Signal(object, object)  # RunState, values of the result
    run_failed = Signal(object, object)  # RunState, ErrorInfo
    run_cancelled = Signal(object)  # RunState
    run_paused = Signal(object)  # RunState
    metric_added = Signal(object, int, object)  # RunState, step, values
    selection_changed = Signal(object)  # id or None
    page_changed = Signal()  # the view shows other sentences around the selected one
    inspectable_made = Signal(object)  # QWidget that is inspected next to the inspector
    kinds_changed = Signal(object)  # set of kinds of rows, shortly after they changed
    texts_changed = Signal()  # the text of a sentence changed
    minings_changed = Signal()  # a pair set was added, removed or renamed
    devices_changed = Signal()
    settings_changed = Signal()
    undo_changed = Signal()  # the next change to undo or redo changed
    notice_posted = Signal(str)  # about the last action; replaces older notices
    condition_found = Signal(str)  # about the project or the machine; not urgent
    newer_encoder_found = Signal(str)  # name of the encoder
    file_written = Signal(Path, str)  # exported file, a sentence about it
    request_answered = Signal(object)  # a query or edit that succeeded
    edit_reported = Signal(str)  # what an edit did; replaces older reports
    error_posted = Signal(object)  # ErrorInfo
    log_added = Signal(str, str, str)  # level, logger, text

    def __init__(
        self,
        client: EngineClient,
        settings: Settings | None = None,
        *,
        settings_path: Path | None = None,
        parent: QObject | None = None,
    ):
        super().__init__(parent)
        self.client = client
        self.settings = settings or Settings()
        self.project: ProjectReader | None = None
        self.last_opened: Path | None = None
        self.selection: int | None = None
        self.devices: list[str] = []
        self.device, self.device_note = "", ""
        self._settings_path = settings_path
        self._renaming_error: ErrorInfo | None = None  # shown after reopening
        self._has_lost_run = False  # lost when the engine stopped
        self._restart = EngineRestarter(client, self)
        self._requests = RequestTracker(
            client, self._current_project, self._on_request_answered
        )
        self._run_registry = RunRegistry(client, self)
        self.changes = EditQueue(self._requests, self._current_project, self)
        self._batch = ChangeBatch(self)
        self._batch.due.connect(self._on_changes_due)
        self.encoders = EncoderStore(self._requests, self._current_project, self)
        self.labels = LabelStore(
            self._requests, self.changes, self._current_project, self
        )
        self.thresholds = PairThresholds(self)
        self.view_requests = ViewRequests(self)
        self._connect_parts()
        client.event_received.connect(self._on_event_received)
        client.engine_stopped.connect(self._on_engine_stopped)
        client.log_received.connect(self._on_log_received)

    # --- projects ---

    @property
    def can_write(self) -> bool:
        """Return whether a project is open and can be changed."""
        return self.project is not None and not self.project.is_read_only

    @property
    def corpora(self) -> "list[CorpusRow]":
        """The corpora of the open project."""
        return self.project.corpora if self.project is not None else []

    @property
    def minings(self) -> "list[PairSetRow]":
        """The pair sets of the open project."""
        return self.project.minings if self.project is not None else []

    @property
    def opening(self) -> RunState | None:
        """The project being opened (the demo is built then), or None."""
        return self._run_registry.opening

    def open_project(
        self,
        path: Path,
        mode: Literal["open", "create", "demo", "samples", "copy"] = "open",
        source: Path | None = None,
    ) -> None:
        """Open a project; project_opened or error_posted follows.

        The engine closes the current project first. Before that, views send unsaved
        changes on `project_opening_changed`.
        """
        if self._run_registry.opening is not None:
            return
        self.client.reopen = None
        self.last_opened = path
        opening = self._begin_opening()
        self.client.send(
            commands.OpenProject(opening.ticket, path.absolute(), mode, source)
        )

    def close_project(self) -> None:
        """Close the project; project_closed follows."""
        self._close_then(lambda: None, self.error_posted.emit)

    def rename_project(self, folder: Path, target: Path) -> None:
        """Rename a project's folder; project_renamed or error_posted follows.

        The open project is closed first, since Windows can't rename a folder with open
        files, and reopened afterwards, even if the renaming fails.
        """
        if self._run_registry.opening is not None:
            return
        if self.project is None or self.project.folder != folder:
            self._send_renaming(folder, target, self._post_any)
            return
        opening = self._begin_opening()

        def _reopen(error: ErrorInfo | None) -> None:
            self._renaming_error = error
            path = target if target.is_dir() and not folder.is_dir() else folder
            self.last_opened = path
            self.client.send(commands.OpenProject(opening.ticket, path))

        def _stay(error: ErrorInfo) -> None:
            self._run_registry.end_opening("failed")
            self.project_opening_changed.emit()
            self.error_posted.emit(error)

        self._close_then(lambda: self._send_renaming(folder, target, _reopen), _stay)

    def _begin_opening(self) -> RunState:
        """Let the views save their changes before the project closes."""
        self._renaming_error = None
        opening = self._run_registry.begin_opening()
        self.project_opening_changed.emit()
        return opening

    def _close_then(
        self,
        on_closed: Callable[[], object],
        on_refused: Callable[[ErrorInfo], object],
    ) -> None:
        def _on_answer(value: ErrorInfo | None) -> None:
            if isinstance(value, ErrorInfo) and value.kind != "crash":
                on_refused(value)
            else:
                self._forget_project()
                on_closed()

        self._requests.send(commands.CloseProject, _on_answer, answer_type=type(None))

    def _send_renaming(
        self,
        folder: Path,
        target: Path,
        on_answer: Callable[[ErrorInfo | None], object],
    ) -> None:
        def _on_answer(error: ErrorInfo | None) -> None:
            if error is None:
                self.project_renamed.emit(folder, target)
            on_answer(error)

        self._requests.send(
            lambda ticket: commands.RenameProject(ticket, folder, target),
            _on_answer,
            answer_type=type(None),
        )

    def _post_any(self, error: ErrorInfo | None) -> None:
        if error is not None:
            self.post(error)

    # --- runs ---

    @property
    def runs(self) -> list[RunState]:
        """Open runs, in the order of their requests."""
        return self._run_registry.runs

    @property
    def is_busy(self) -> bool:
        """Return whether a run is open or queued."""
        return bool(self._run_registry.runs)

    def run(self, params: Params, resume: int | None = None) -> RunState:
        """Queue a task; return the RunState that its signals send."""
        return self._run_registry.start(params, resume, folder_of(self.project))

    def steer(self, run: RunState, request: Literal["pause", "finish"]) -> None:
        """Ask a training run to pause, or to finish now with its current result."""
        self._run_registry.steer(run, request)

    def resume(self, row: "RunRow") -> None:
        """Resume an interrupted run if this version can read its params."""
        params = read_params(row.params)
        if params is not None:
            self.run(params, row.id)
            return
        words = self.tr(
            "Another version of Isogloss started {task}, so it can't be resumed. "
            "Delete it in Runs, and start it again."
        )
        self.post(ErrorInfo("user", words.format(task=row.task)))

    def cancel(self, run: RunState) -> None:
        """Ask a run to stop; after 5 s, offer to stop the engine."""
        self._run_registry.cancel(run)

    def stop_engine(self) -> None:
        """Kill the engine: the last step of cancelling."""
        self.client.kill(
            self.tr(
                "The engine was stopped. Your saved work is safe. You can continue "
                "working."
            )
        )

    # --- questions and changes ---

    def ask(self, query: BaseQuery[A], callback: AnswerCallback[A]) -> None:
        """Send a query; the callback receives its typed answer, or an ErrorInfo.

        The newest query of a kind wins: an older one gets the error kind "superseded".
        """
        self._requests.ask(query, callback)

    def edit(self, change: Change, callback: EditCallback | None = None) -> None:
        """Send an edit; without a callback, an error is shown in the window."""
        self.changes.edit(change, callback)

    def undo(self) -> None:
        """Undo the last edit."""
        self.changes.undo()

    def redo(self) -> None:
        """Redo the last undone edit."""
        self.changes.redo()

    def post(self, error: ErrorInfo) -> None:
        """Show an error; a crash of the engine is shown only by engine_stopped."""
        if error.kind not in ("crash", "superseded"):
            self.error_posted.emit(error)

    def select_sentence(self, sentence_id: int | None) -> None:
        """Select a sentence: the inspector shows it."""
        if sentence_id != self.selection:
            self.selection = sentence_id
            self.selection_changed.emit(sentence_id)

    def change_settings(self, settings: Settings) -> None:
        """Apply and save new settings; restart an idle engine if needed.

        Changes that another window has saved since then are kept.
        """
        old = self.settings
        if self._settings_path is not None:
            with suppress(UserError):  # a damaged file is replaced
                saved = load_settings(self._settings_path)
                if self._settings_path.exists():
                    settings = merge_settings(old, settings, saved)
            save_settings(settings, self._settings_path)
        self.settings = settings
        if old.device != settings.device:
            self._restart_for_device()
        self.settings_changed.emit()

    # --- events ---

    def _on_event_received(self, event: Event) -> None:
        match event:
            case events.Changed():
                self._batch.note(event.kind)
                self.row_changed.emit(event.kind, event.id)
            case events.Opened():
                self._take_opened(event)
            case events.Answer():
                self.changes.settle(event.ticket, event.value)
                self._requests.settle(event.ticket, event.value)
            case events.Refused():
                self._take_refused(event)
            case events.Devices():
                self.devices, self.device = event.devices, event.chosen
                self.device_note = event.note
                self.devices_changed.emit()
            case events.Log():
                self.log_added.emit(event.level, event.logger, event.text)
            case _:
                self._run_registry.take(event)

    def _on_changes_due(self, kinds: set[str]) -> None:
        if self.project is None:
            return
        self.project.reload(kinds)
        if "document" in kinds:
            self.undo_changed.emit()  # a table of fields is one step to undo
        if kinds & {"corpus", "subcorpus"}:
            self.corpora_changed.emit()
        chosen = self.selection if "corpus" in kinds else None
        if chosen is not None and not self.project.has(chosen):
            self.select_sentence(None)
        if kinds & {"corpus", "embedding"}:
            self.embeddings_changed.emit()
        if kinds & {"corpus", "mining"}:
            self.minings_changed.emit()
        if "sentence" in kinds:
            self.texts_changed.emit()
        self.kinds_changed.emit(kinds)
        if "run" in kinds:
            self.runs_changed.emit()
        self.undo_changed.emit()

    def _take_opened(self, event: events.Opened) -> None:
        is_reopened = self.opening is None or event.ticket != self.opening.ticket
        if not is_reopened:
            self._forget_project()  # no view of it may read the data of the new one
        elif self.project is not None:
            self.project.close()
        self.project = ProjectReader(event.path, is_read_only=event.is_read_only)
        self.client.reopen = commands.OpenProject(event.ticket, event.path)
        if is_reopened:
            self.engine_reopened.emit()
            self.runs_changed.emit()
            return
        self._run_registry.end_opening("finished")
        self.project_opening_changed.emit()
        self._restart_parts()
        self.project_opened.emit()
        for notice in event.notices:
            self.condition_found.emit(notice)
        if event.newer_encoder:
            self.newer_encoder_found.emit(event.newer_encoder)
        error, self._renaming_error = self._renaming_error, None
        self._post_any(error)

    def _take_refused(self, event: events.Refused) -> None:
        if event.ticket is None:  # no callback: show the error
            self.post(event.error)
            return
        self.changes.settle(event.ticket, event.error)
        if self._requests.settle(event.ticket, event.error):
            return
        if self._run_registry.refuse(event.ticket, event.error):
            return
        reopen = self.client.reopen
        is_reopen = reopen is not None and reopen.ticket == event.ticket
        if is_reopen and event.error.kind == "crash":
            return  # the next command opens the project again
        if is_reopen or (self.opening and self.opening.ticket == event.ticket):
            was_cancelled = self._run_registry.end_opening("failed")
            self.project_opening_changed.emit()
            if was_cancelled:
                self.notice_posted.emit(self.tr("The project was not opened."))
            else:
                self.post(event.error)
            if not self.runs:  # the engine closes the old project before the new one
                self._forget_project()

    def _on_engine_stopped(self, reason: str) -> None:
        if reason:
            details = "\n".join(self.client.last_lines)
            self.error_posted.emit(ErrorInfo("crash", reason, details))
        has_lost_run, self._has_lost_run = self._has_lost_run, False
        if has_lost_run and self.client.reopen is not None:
            self.client.start()  # so that the run can be resumed

    def _on_log_received(self, line: str) -> None:
        self.log_added.emit("INFO", "engine", line)

    # --- private ---

    def _connect_parts(self) -> None:
        """Connect the signals of the parts to those of the state, and vice versa."""
        runs, edits = self._run_registry, self.changes
        runs.changed.connect(self.runs_changed)
        runs.started.connect(self.run_started)
        runs.progressed.connect(self.run_progressed)
        runs.finished.connect(self._on_run_finished)
        runs.failed.connect(self._on_run_failed)
        runs.cancelled.connect(self.run_cancelled)
        runs.paused.connect(self.run_paused)
        runs.metric_added.connect(self.metric_added)
        edits.undo_changed.connect(self.undo_changed)
        edits.reverted.connect(self.edit_reported)
        edits.refused.connect(self.post)
        edits.held_back.connect(self.notice_posted)
        self.encoders.failed.connect(self.post)
        self.encoders.changed.connect(self._on_encoders_changed)
        labels = self.labels
        labels.notice_posted.connect(self.notice_posted)
        labels.edit_reported.connect(self.edit_reported)
        labels.failed.connect(self.error_posted)
        labels.keys_changed.connect(self._on_class_keys_changed)
        self.row_changed.connect(self._on_row_changed)
        self.file_written.connect(self._on_file_written)
        self.corpora_changed.connect(labels.on_corpora_changed)

    def _on_encoders_changed(self) -> None:
        """Update the encoded corpora: only vectors of the encoder in use count."""
        card = self.encoders.in_use
        if self.project is None or card is None:
            return
        if card.fingerprint != self.project.fingerprint:
            self.project.fingerprint = card.fingerprint
            self.embeddings_changed.emit()

    def _on_request_answered(self, command: commands.Command) -> None:
        match command:
            case commands.Ask():
                self.request_answered.emit(command.query)
            case commands.Edit():
                self.request_answered.emit(command.change)
            case _:
                pass

    def _on_run_finished(self, run: RunState, result: object) -> None:
        self.encoders.on_run_finished(run.task)
        if (out := output_of(run.params)) is not None:
            self._on_file_written(out)
        self.run_finished.emit(run, result)

    def _on_file_written(self, file: Path, _words: str = "") -> None:
        """Remember the folder for the next export."""
        folder = str(file.absolute().parent)
        if folder != self.settings.export_folder:
            settings = msgspec.structs.replace(self.settings, export_folder=folder)
            self.change_settings(settings)

    def _on_run_failed(self, run: RunState, error: ErrorInfo) -> None:
        self._has_lost_run |= is_resumable(run, error)
        self.run_failed.emit(run, error)
        is_clear = error.kind in ("user", "resource")  # others have a report
        if not (run.is_error_shown and is_clear):
            self.post(error)

    def _on_row_changed(self, kind: str, _id: object) -> None:
        self.encoders.on_row_changed(kind)
        self.labels.on_row_changed(kind)

    def _on_class_keys_changed(self, classes: tuple[str, ...]) -> None:
        if self.project is not None:
            keys = {**self.settings.class_keys, str(self.project.folder): classes}
            self.change_settings(
                msgspec.structs.replace(self.settings, class_keys=keys)
            )

    def _current_project(self) -> ProjectReader | None:
        return self.project

    def _restart_parts(self) -> None:
        """Restart the parts that depend on the project for a new one, or for none."""
        folder = str(self.project.folder) if self.project is not None else ""
        self.changes.hold(False)
        self.labels.restart(self.settings.class_keys.get(folder, ()))
        self.encoders.restart()
        self.thresholds.restore({})

    def _forget_project(self) -> None:
        if self.project is None:
            return
        self.project.close()
        self.project, self.client.reopen = None, None
        self.selection = None
        self._restart_parts()
        self.project_closed.emit()

    def _restart_for_device(self) -> None:
        if self.is_busy:
            self.notice_posted.emit(
                self.tr("The new device is used when the engine restarts.")
            )
        else:
            self._restart.begin()
