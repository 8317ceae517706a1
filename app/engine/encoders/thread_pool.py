"""Parallel batches, each on one thread.

torch splits each operation over threads, which wait for each other after the operation;
with small batches, or while other programs run, threads wait most of the time. Parallel
batches avoid this.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import torch

Item = TypeVar("Item")


class BatchThreads:
    """Threads that compute independently; started on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def run(self, work: Callable[[Item], None], items: Iterable[Item]) -> None:
        """Do the work for each item, in any order; raise the first error."""
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
    """Yield a function that does work for items in parallel, one thread per item.

    Within the block, the calling thread also uses one torch thread, so that its many
    small operations are not split over threads.
    """
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)  # inherited by new threads
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
    """Start threads in which torch uses no further threads."""
    started = threading.Barrier(n_threads)

    def settle(_: int) -> None:
        torch.get_num_threads()  # sets this thread up; later it would undo the next
        torch.set_num_threads(1)
        started.wait()  # so that each thread gets one of the calls

    pool = ThreadPoolExecutor(n_threads, "encoder")
    list(pool.map(settle, range(n_threads)))
    torch.set_num_threads(n_threads)  # applies to this thread and to new threads
    return pool
