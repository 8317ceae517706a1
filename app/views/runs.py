"""A run as the window follows it: stage, rate, time left, how it ended."""

import time
from collections import deque
from typing import Any, Literal

from app.errors import ErrorInfo
from app.messages import Progress
from app.params import TaskParams, command_name

RunEnd = Literal["finished", "failed", "cancelled", "paused"]
WINDOW_S = 8.0  # the rate is taken over this much of the past
FIRST_ESTIMATE_S = 1.0  # no time left is told before


class RunState:
    """A run from its queuing to its end.

    Attributes:
        id: row in table `run`; 0 until the engine accepted it (and while opening).
        task: the task's name, as the command line writes it.
        end: how it ended; None while it is open.
        is_cancelling: it was asked to stop.
        may_stop_engine: it did not stop within 5 s, so stopping the engine is offered.
    """

    def __init__(self, params: TaskParams | None, *, resume: int | None = None):
        self.params = params
        self.task = command_name(type(params)) if params is not None else "open"
        self.id = resume or 0
        self.ticket = 0
        self.stage, self.note, self.device = "", "", ""
        self.done = self.total = self.memory = 0
        self.end: RunEnd | None = None
        self.result: dict[str, Any] = {}
        self.error: ErrorInfo | None = None
        self.is_cancelling = False
        self.may_stop_engine = False
        self._points: deque[tuple[float, int]] = deque()

    @property
    def is_open(self) -> bool:
        """Tell whether the run has not ended."""
        return self.end is None

    @property
    def has_begun(self) -> bool:
        """Tell whether the run has reported something (it is not only queued)."""
        return bool(self.stage)

    def note_progress(self, event: Progress, *, now: float | None = None) -> None:
        """Take a progress event over; a new stage begins a new estimate."""
        now = time.monotonic() if now is None else now
        if event.stage != self.stage or event.done < self.done:
            self._points.clear()
        self.stage, self.note = event.stage, event.note
        self.done, self.total = event.done, event.total
        self.memory = event.memory or self.memory
        self.device = event.device or self.device
        self._points.append((now, event.done))
        while len(self._points) > 2 and now - self._points[1][0] > WINDOW_S:
            self._points.popleft()

    @property
    def rate(self) -> float:
        """Items a second of the stage over the last seconds; 0 = not known yet."""
        if len(self._points) < 2:
            return 0.0
        (first, before), (last, after) = self._points[0], self._points[-1]
        return (after - before) / (last - first) if last > first else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the stage is done; None = not known."""
        if self.total <= 0 or self.rate <= 0:
            return None
        if self._points[-1][0] - self._points[0][0] < FIRST_ESTIMATE_S:
            return None
        return max(self.total - self.done, 0) / self.rate

    def finish(self, end: RunEnd) -> None:
        """Note how it ended."""
        self.end = end
        self.is_cancelling = self.may_stop_engine = False
