"""Runs: their params, their progress, and the registry of open ones."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.errors import ErrorInfo
from app.params import Params, command_name, params_from_json
from app.params.base import TaskParams
from app.protocol import commands, events
from app.protocol.base import OPENING
from app.protocol.events import Event, Progress
from app.results.jobs import read_unfinished
from app.views.client.engine_client import EngineClient

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from app.engine.store.runs import RunRow

P = TypeVar("P", bound=TaskParams)
R = TypeVar("R")


def read_run_params(store: "Engine", run_id: int | None) -> Any:
    """Return the params of a run; None without a run or if another version made it."""
    from app.engine.store.runs import read_run

    run = read_run(store, run_id) if run_id is not None else None
    return read_params(run.params) if run is not None else None


def read_params(text: str) -> Any:
    """Read the params of a run; None if another version made it."""
    try:
        return params_from_json(text)
    except msgspec.MsgspecError:
        return None


def can_resume(run: "RunRow") -> bool:
    """Return whether a stopped run can continue from its checkpoint."""
    if run.state != "cancelled":
        return run.state == "interrupted"
    if read_unfinished(run.result).n_total > 0:  # it has a checkpoint
        return True
    params = read_params(run.params)
    return params is not None and (params.keeps_parts or params.continues)


def finished_runs(
    store: "Engine", task: type[P], decode: Callable[[str], R], limit: int
) -> Iterator[tuple["RunRow", P, R]]:
    """Yield the finished runs of a task with their params and result, newest first.

    Runs made by another version are left out.

    Args:
        decode: decodes a result; raises an error of msgspec if it can't.
        limit: maximum number of runs to read.
    """
    from app.engine.store.runs import list_runs

    for row in list_runs(store, task=command_name(task), limit=limit):
        params = read_params(row.params)
        if row.state != "finished" or not isinstance(params, task):
            continue
        try:
            result = decode(row.result)
        except msgspec.MsgspecError:
            continue
        yield row, params, result


RunEnd = Literal["finished", "failed", "cancelled", "paused"]
WINDOW_S = 8.0  # the rate is computed over this time
FIRST_ESTIMATE_S = 1.0  # no remaining time is shown earlier


class RunState:
    """State of a run from its request to its end.

    Attributes:
        id: row in table `run`; 0 until the engine accepts the run, and while opening.
        task: the task's name, as on the command line.
        end: how the run ended; None while it is open.
        is_cancelling: whether the run was asked to stop.
        may_stop_engine: whether to offer to stop the engine: no stop within 5 s.
        correct: reopens the dialog that started the run; None without a dialog.
        is_error_shown: whether the reopened dialog shows the error.
    """

    def __init__(self, params: TaskParams | None, *, resume: int | None = None):
        self.params = params
        self.task = command_name(type(params)) if params is not None else "open"
        self.id = resume or 0
        self.ticket = 0
        self.stage, self.note, self.device = "", "", ""
        self.done = self.total = self.memory = 0
        self.end: RunEnd | None = None
        self.result: object = {}
        self.error: ErrorInfo | None = None
        self.is_cancelling = False
        self.may_stop_engine = False
        self.correct: Callable[[], None] | None = None
        self.is_error_shown = False
        self._points: deque[tuple[float, int]] = deque()
        self._begin = 0.0, 0  # time and items at the first report of the stage

    @property
    def is_open(self) -> bool:
        """Return whether the run has not ended."""
        return self.end is None

    @property
    def has_begun(self) -> bool:
        """Return whether the run has reported progress, so is not just queued."""
        return bool(self.stage)

    def note_progress(self, event: Progress, *, now: float | None = None) -> None:
        """Apply a progress event; a new stage starts a new estimate."""
        now = time.monotonic() if now is None else now
        if event.stage != self.stage or event.done < self.done:
            self._points.clear()
            self._begin = now, event.done
        self.stage, self.note = event.stage, event.note
        self.done, self.total = event.done, event.total
        self.memory = event.memory or self.memory
        self.device = event.device or self.device
        self._points.append((now, event.done))
        while len(self._points) > 2 and now - self._points[1][0] > WINDOW_S:
            self._points.popleft()

    @property
    def rate(self) -> float:
        """Items per second over the last seconds of the stage; 0 if not known yet."""
        if len(self._points) < 2:
            return 0.0
        (first, before), (last, after) = self._points[0], self._points[-1]
        return (after - before) / (last - first) if last > first else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Remaining seconds of the stage; None if not known.

        If no item was finished in the last seconds, use the rate of the whole stage.
        """
        if self.total <= 0 or not self._points:
            return None
        now, (begun, before) = self._points[-1][0], self._begin
        if now - begun < FIRST_ESTIMATE_S or self.done <= before:
            return None
        rate = self.rate or (self.done - before) / (now - begun)
        return max(self.total - self.done, 0) / rate

    def finish(self, end: RunEnd) -> None:
        """Record how the run ended."""
        self.end = end
        self.is_cancelling = self.may_stop_engine = False


def is_resumable(run: RunState, error: ErrorInfo) -> bool:
    """Return whether to offer to resume a failed run."""
    return error.kind == "crash" and bool(run.id)


CANCEL_PATIENCE_MS = 5_000  # after which "Stop engine" is offered


class RunRegistry(QObject):
    """Tracks every run from its request to its end.

    Attributes:
        runs: open runs, in the order of their requests.
        opening: the project being opened (the demo is built then), or None.
    """

    changed = Signal()
    started = Signal(object)  # RunState of a requested run
    progressed = Signal(object)  # RunState
    finished = Signal(object, object)  # RunState, result dict
    failed = Signal(object, object)  # RunState, ErrorInfo
    cancelled = Signal(object)  # RunState
    paused = Signal(object)  # RunState
    metric_added = Signal(object, int, object)  # RunState, step, values

    def __init__(self, client: EngineClient, parent: QObject):
        super().__init__(parent)
        self.runs: list[RunState] = []
        self.opening: RunState | None = None
        self._client = client

    def start(
        self, params: Params, resume: int | None, project: Path | None
    ) -> RunState:
        """Queue a task in the project of a folder."""
        run = RunState(params, resume=resume)
        run.ticket = self._client.next_ticket()
        self.runs.append(run)
        self.changed.emit()
        self.started.emit(run)
        self._client.send(commands.Run(run.ticket, params, resume, project))
        return run

    def begin_opening(self) -> RunState:
        """Track the opening of a project as a run."""
        self.opening = RunState(None)
        self.opening.ticket = self._client.next_ticket()
        return self.opening

    def end_opening(self, end: RunEnd) -> bool:
        """End the opening; return whether the user cancelled it."""
        opening, self.opening = self.opening, None
        if opening is None:
            return False
        was_cancelled = opening.is_cancelling
        opening.finish(end)
        return was_cancelled

    def cancel(self, run: RunState) -> None:
        """Ask a run to stop; after 5 s, offer to stop the engine."""
        if not run.is_open or run.is_cancelling:
            return
        run.is_cancelling = True
        if run.id or run is self.opening:
            self._client.send(commands.Cancel(run.id))
        QTimer.singleShot(CANCEL_PATIENCE_MS, self, lambda: self._offer_stop(run))
        self.progressed.emit(run)

    def steer(self, run: RunState, request: Literal["pause", "finish"]) -> None:
        """Ask a training run to pause, or to finish now with its current result."""
        if run.is_open and run.id:
            self._client.send(commands.Steer(run.id, request))

    def take(self, event: Event) -> None:
        """Apply an event to its run."""
        match event:
            case events.Accepted():
                self._take_accepted(event)
            case events.Progress() | events.Metric():
                self._take_report(event)
            case (
                events.Finished()
                | events.Failed()
                | events.Cancelled()
                | events.Paused()
            ):
                self._take_end(event)

    def refuse(self, ticket: int, error: ErrorInfo) -> bool:
        """End a run that was rejected; return whether the ticket belongs to a run."""
        run = next((run for run in self.runs if run.ticket == ticket), None)
        if run is not None:
            self._fail(run, error)
        return run is not None

    def _take_accepted(self, event: events.Accepted) -> None:
        for run in self.runs:
            if run.ticket == event.ticket:
                run.id = event.run
                if run.is_cancelling:  # requested before the run had its id
                    self._client.send(commands.Cancel(run.id))
                self.changed.emit()

    def _take_report(self, event: events.Progress | events.Metric) -> None:
        run = self._find(event.run)
        if run is None:
            return
        if isinstance(event, events.Metric):
            self.metric_added.emit(run, event.step, event.values)
            return
        run.note_progress(event)
        self.progressed.emit(run)

    def _take_end(
        self,
        event: (events.Finished | events.Failed | events.Cancelled | events.Paused),
    ) -> None:
        run = next((run for run in self.runs if run.id == event.run), None)
        if run is None:
            return
        if isinstance(event, events.Failed):
            self._fail(run, event.error)
        elif isinstance(event, events.Finished):
            run.result = event.result
            self._end(run, "finished")
            self.finished.emit(run, event.result)
        elif isinstance(event, events.Paused):
            self._end(run, "paused")
            self.paused.emit(run)
        else:
            self._end(run, "cancelled")
            self.cancelled.emit(run)

    def _find(self, run_id: int) -> RunState | None:
        if run_id == OPENING:
            return self.opening
        return next((run for run in self.runs if run.id == run_id), None)

    def _fail(self, run: RunState, error: ErrorInfo) -> None:
        run.error = error
        self._end(run, "failed")
        self.failed.emit(run, error)

    def _end(self, run: RunState, end: RunEnd) -> None:
        run.finish(end)
        self.runs = [other for other in self.runs if other is not run]
        self.changed.emit()

    def _offer_stop(self, run: RunState) -> None:
        if run.is_cancelling:
            run.may_stop_engine = True
            self.progressed.emit(run)
