"""Batches side by side on the processors, each on one thread.

torch shares one operation among threads that wait for each other after each; with small
batches, or while other programs run, much of the time is waiting. Batches avoid it.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import torch

Item = TypeVar("Item")


class BatchThreads:
    """Threads that each compute by themselves; made on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def run(self, work: Callable[[Item], None], items: Iterable[Item]) -> None:
        """Do the work for each item, in any order; the first error is raised."""
        tasks = list(items)
        n_threads = torch.get_num_threads()
        if n_threads < 2 or len(tasks) < 2:
            for task in tasks:
                work(task)
            return
        with self._lock:
            if self._pool is None:
                self._pool = _make_pool(n_threads)
        for _ in self._pool.map(work, tasks):
            pass


@contextmanager
def run_parallel() -> Iterator[
    Callable[[Callable[[Item], None], Iterable[Item]], None]
]:
    """Return what does work for items side by side, each on one thread, for a while.

    Meanwhile the calling thread has one thread of torch's too: many small operations
    in a row are then not shared among threads either.
    """
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)  # new threads have as many
    pool = ThreadPoolExecutor(n_threads, "side")

    def run(work: Callable[[Item], None], items: Iterable[Item]) -> None:
        tasks = list(items)
        if n_threads == 1 or len(tasks) == 1:
            for task in tasks:
                work(task)
            return
        for _ in pool.map(work, tasks):
            pass

    try:
        yield run
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(n_threads)


def _make_pool(n_threads: int) -> ThreadPoolExecutor:
    """Start threads on which torch uses no further ones."""
    started = threading.Barrier(n_threads)

    def settle(_: int) -> None:
        torch.get_num_threads()  # sets this thread up; later it would undo the next
        torch.set_num_threads(1)
        started.wait()  # so that each thread is given one of the calls

    pool = ThreadPoolExecutor(n_threads, "encoder")
    list(pool.map(settle, range(n_threads)))
    torch.set_num_threads(n_threads)  # applies to this thread and to new ones
    return pool
