"""Two lanes: one thread for runs, one for short reads and writes."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable

log = logging.getLogger("engine")


class Job:
    """A piece of work in a lane.

    Attributes:
        work: what to do.
        drop: what to do instead when a newer job of the same kind came.
        kind: the latest of a kind wins; None: every one is done.
    """

    def __init__(
        self,
        work: Callable[[], None],
        *,
        kind: Hashable = None,
        drop: Callable[[], None] | None = None,
    ):
        self.work, self.kind, self.drop = work, kind, drop


class Lane:
    """A thread that does one job after the other."""

    def __init__(self, name: str):
        self._jobs: deque[Job] = deque()
        self._ready = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a job; a waiting job of the same kind is dropped for it."""
        dropped: list[Job] = []
        with self._ready:
            if job.kind is not None:
                dropped = [old for old in self._jobs if old.kind == job.kind]
                self._jobs = deque(old for old in self._jobs if old.kind != job.kind)
            self._jobs.append(job)
            self._ready.notify()
        for old in dropped:
            if old.drop is not None:
                old.drop()

    def _work(self) -> None:
        while True:
            with self._ready:
                while not self._jobs:
                    self._ready.wait()
                job = self._jobs.popleft()
            job.work()
