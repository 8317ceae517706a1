"""Run long work of the window in short steps while the event loop is idle."""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer

from app.errors import ResourceError

STEP_SECONDS = 0.015  # of work before returning to the event loop
T = TypeVar("T")


class IdleWorker(QObject):
    """Runs an iterator while the event loop is idle; a new iterator replaces it."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._work: Iterator[None] | None = None
        self._on_failed: Callable[[ResourceError], object] | None = None
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._on_idle)

    @property
    def is_busy(self) -> bool:
        """Return whether work is left."""
        return self._work is not None

    def start(
        self,
        steps: Iterator[T | None],
        on_done: Callable[[T], object],
        on_failed: Callable[[ResourceError], object],
    ) -> None:
        """Start work.

        Args:
            steps: iterator that works for a few milliseconds per item; the last item
                is the result.
            on_done: called with the result, unless other work starts first.
            on_failed: called with an error of the machine, such as a damaged file.
        """
        self._work, self._on_failed = self._run(steps, on_done), on_failed
        self._timer.start()

    def stop(self) -> None:
        """Stop without calling a callback."""
        self._timer.stop()
        self._work = self._on_failed = None

    def _run(
        self, steps: Iterator[T | None], on_done: Callable[[T], object]
    ) -> Iterator[None]:
        result: T | None = None
        for step in steps:
            result = step
            yield
        self.stop()
        assert result is not None, "the last step returns the result"
        on_done(result)

    def _on_idle(self) -> None:
        """Run steps until the time for a turn has passed."""
        work, on_failed, started = self._work, self._on_failed, time.perf_counter()
        while work is not None and time.perf_counter() - started < STEP_SECONDS:
            try:
                next(work)
            except StopIteration:
                return
            except ResourceError as error:
                self.stop()
                if on_failed is not None:
                    on_failed(error)
                return
            except BaseException:
                self.stop()
                raise
