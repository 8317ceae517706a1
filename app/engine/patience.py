"""Wait for work that cannot be interrupted, and meet a cancel all the same."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from app.engine.report import Report

POLL_S = 0.1
Result = TypeVar("Result")


def wait_for(work: Callable[[], Result], report: Report, stage: str) -> Result:
    """Do in another thread what takes seconds without a step: sorts, reads of a corpus.

    Args:
        work: must write nothing: after a cancel it goes on to its end, unseen.
        report: shows the stage with the elapsed time.
        stage: what is shown.

    Raises:
        Cancelled: the run was asked to stop.
        Exception: what `work` raised.
    """
    task = _Task(work)
    begun = time.monotonic()
    while True:
        report.step(stage, 0, 0, f"{time.monotonic() - begun:.0f} s")
        if task.is_done.wait(POLL_S):
            return task.result()


class _Task(Generic[Result]):
    """Work in a thread that keeps no process alive."""

    def __init__(self, work: Callable[[], Result]):
        self.is_done = threading.Event()
        self._work = work
        self._found: list[Result] = []
        self._error: Exception | None = None
        threading.Thread(target=self._run, name="patience", daemon=True).start()

    def result(self) -> Result:
        """Give what the work gave, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._found[0]

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except Exception as error:  # noqa: BLE001 - no error leaves a thread: result() raises it
            self._error = error
        self.is_done.set()
