"""Worker threads for the rows of one computation."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from app.engine.encoders.thread_pool import run_parallel
from app.engine.runtime.report import Report
from app.errors import Cancelled

Item = TypeVar("Item")


class Workers(NamedTuple):
    """Workers for many items.

    Attributes:
        run: does the work for each item, in any order.
        report: report that may cancel the work.
    """

    run: Callable[[Callable[[Any], None], Iterable[Any]], None]
    report: Report

    def each(self, work: Callable[[Item], None], items: Iterable[Item]) -> None:
        """Do the work for each item.

        Raises:
            Cancelled: the run was asked to stop.
        """

        def work_unless_cancelled(item: Item) -> None:
            self.go_on()
            work(item)

        self.run(work_unless_cancelled, items)

    def go_on(self) -> None:
        """Check for a cancellation, from any thread.

        Raises:
            Cancelled: the run was asked to stop.
        """
        if self.report.is_cancelled:
            raise Cancelled


@contextmanager
def start_workers(report: Report) -> Iterator[Workers]:
    """Yield workers with one thread each, with torch's own threads disabled."""
    with run_parallel() as run:
        yield Workers(run, report)
