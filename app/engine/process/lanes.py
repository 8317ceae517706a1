"""Two worker threads: one for runs, one for short reads and writes."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable

log = logging.getLogger("engine")


class Job:
    """A job in a lane.

    Attributes:
        work: does the job.
        drop: called instead if a newer job of the same kind arrives first.
        kind: the newest job of a kind replaces older ones; None: none is replaced.
        stop: cancels the job if it is running when a newer one arrives.
    """

    def __init__(
        self,
        work: Callable[[], None],
        *,
        kind: Hashable = None,
        drop: Callable[[], None] | None = None,
        stop: Callable[[], None] | None = None,
    ):
        self.work, self.kind, self.drop, self.stop = work, kind, drop, stop


class Lane:
    """A thread that does one job at a time."""

    def __init__(self, name: str):
        self._jobs: deque[Job] = deque()
        self._current: Job | None = None  # the running job
        self._ready = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a job; an older one of its kind is dropped, or stopped if running."""
        dropped: list[Job] = []
        with self._ready:
            older = self._current
            if job.kind is not None:
                dropped = [old for old in self._jobs if old.kind == job.kind]
                self._jobs = deque(old for old in self._jobs if old.kind != job.kind)
            self._jobs.append(job)
            self._ready.notify()
        if older is not None and older.stop is not None and older.kind == job.kind:
            older.stop()
        for old in dropped:
            if old.drop is not None:
                old.drop()

    def _work(self) -> None:
        while True:
            with self._ready:
                while not self._jobs:
                    self._ready.wait()
                job = self._current = self._jobs.popleft()
            job.work()
            del job  # otherwise it keeps its project alive until the next job
            with self._ready:
                self._current = None
