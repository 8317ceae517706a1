"""Report the progress and curves of a run, and raise `Cancelled` on request."""

import threading
import time
from collections.abc import Callable
from typing import Literal, Protocol

from app.errors import Cancelled

SteerRequest = Literal["pause", "finish"]


class ReportSink(Protocol):
    """Where a report goes: the socket, the terminal, or nowhere."""

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        """Show that `done` of `total` items of a stage are done; total 0 = unknown."""

    def metric(self, step: int, values: dict[str, float]) -> None:
        """Add one point to each named curve."""

    def changed(self, kind: str, row_id: int) -> None:
        """Show that a commit changed the row `row_id` of table `kind`."""


class SilentSink:
    """A sink that ignores everything."""

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        """Drop it."""

    def metric(self, step: int, values: dict[str, float]) -> None:
        """Drop it."""

    def changed(self, kind: str, row_id: int) -> None:
        """Drop it."""


class Report:
    """A run's report: throttles progress to 20 a second, raises Cancelled when asked.

    Attributes:
        run: id of the row in table `run` that this report belongs to; None outside one.
        begun: time.monotonic() at the beginning of the run.
        position: what the last step showed: done and total.
        saved_at: done and total of the last checkpoint; None: the run has saved none.
        on_saved: called after each checkpoint; None: no call.
        request: "pause" (save everything and raise Paused), "finish" (end now with the
            current state) or None (continue); only some tasks support it.
    """

    INTERVAL_S = 0.05

    def __init__(self, sink: ReportSink | None = None, *, run: int | None = None):
        self.run = run
        self.begun = time.monotonic()
        self.position = (0, 0)
        self.saved_at: tuple[int, int] | None = None
        self.on_saved: Callable[[], object] | None = None
        self.request: SteerRequest | None = None
        self._sink: ReportSink = sink or SilentSink()
        self._cancelled = threading.Event()
        self._last = 0.0
        self._stage = ""

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show how far a stage is.

        Raises:
            Cancelled: the run was asked to stop.
        """
        if self._cancelled.is_set():
            raise Cancelled
        now, self.position = time.monotonic(), (done, total)
        is_final = total > 0 and done >= total
        if stage != self._stage or is_final or now - self._last >= self.INTERVAL_S:
            self._stage, self._last = stage, now
            self._sink.progress(stage, done, total, note)

    def metric(self, step: int, **values: float) -> None:
        """Add one point to each named curve."""
        self._sink.metric(step, values)

    def changed(self, kind: str, row_id: int) -> None:
        """Show that a commit changed the row `row_id` of table `kind`."""
        self._sink.changed(kind, row_id)

    def saved(self, done: int, total: int) -> None:
        """Record that a checkpoint was saved."""
        self.saved_at = done, total
        if self.on_saved is not None:
            self.on_saved()

    def cancel(self) -> None:
        """Ask the run to stop at its next step (any thread)."""
        self._cancelled.set()

    @property
    def has_begun(self) -> bool:
        """Return whether a step was reported; from then on the next one can cancel."""
        return bool(self._stage)

    @property
    def is_cancelled(self) -> bool:
        """Return whether the run was asked to stop (for waits on child processes)."""
        return self._cancelled.is_set()


class InnerReport(Report):
    """The report of the work inside one step of a loop: shows the step, and ends it.

    A cancel can thus stop a long step, and the bar of the loop stays.
    """

    def __init__(
        self,
        outer: Report,
        stage: str,
        done: int,
        total: int,
        *,
        size: int = 0,
        note: str = "",
    ):
        """Show a step of a loop.

        Args:
            done: of the loop, when the step begins.
            size: what the step adds to `done`, shown as far as the work inside is; 0:
                the bar does not move during the step.
        """
        super().__init__(run=outer.run)
        self._outer, self._place = outer, (stage, done, total)
        self._size, self._note = size, note

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show the step of the loop again.

        Raises:
            Cancelled: the run was asked to stop.
        """
        name, before, whole = self._place
        inside = self._size * done // total if total else 0
        self._outer.step(name, before + inside, whole, self._note)
