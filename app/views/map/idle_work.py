"""Run long work of the window in short steps while the event loop is idle."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject, QTimer

from app.errors import ResourceError

STEP_SECONDS = 0.015  # seconds of work before the window has its turn


class IdleWorker(QObject):
    """Goes through steps in the pauses of the window; new ones end those before."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._steps: Iterator[Any] | None = None
        self._on_done: Callable[[Any], object] | None = None
        self._on_failed: Callable[[ResourceError], object] | None = None
        self._last: Any = None
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._on_pause)

    @property
    def is_busy(self) -> bool:
        """Return whether there is work left."""
        return self._steps is not None

    def begin(
        self,
        steps: Iterator[Any],
        on_done: Callable[[Any], object],
        on_failed: Callable[[ResourceError], object],
    ) -> None:
        """Begin work.

        Args:
            steps: one bit of work each; the last value is the result.
            on_done: called with the result, unless other work comes before.
            on_failed: called with what is wrong with the machine, such as a file that
                is damaged.
        """
        self._steps, self._on_done, self._on_failed = steps, on_done, on_failed
        self._timer.start()

    def stop(self) -> None:
        """Give the work up."""
        self._timer.stop()
        self._steps = self._on_done = self._on_failed = self._last = None

    def _on_pause(self) -> None:
        """Do as many steps as there is time for; a failed one ends the work."""
        steps, started = self._steps, time.perf_counter()
        assert steps is not None, "the timer runs only while there is work"
        while time.perf_counter() - started < STEP_SECONDS:
            try:
                self._last = next(steps)
            except StopIteration:
                on_done, last = self._on_done, self._last
                self.stop()
                if on_done is not None:
                    on_done(last)
                return
            except ResourceError as error:
                on_failed = self._on_failed
                self.stop()
                if on_failed is not None:
                    on_failed(error)
                return
            except BaseException:
                self.stop()
                raise
