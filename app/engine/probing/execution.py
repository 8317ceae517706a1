"""Worker threads and progress reports for parts of a probing run."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from app.engine.encoders.thread_pool import run_parallel
from app.engine.runtime.report import Report
from app.errors import Cancelled

Item = TypeVar("Item")


class Workers(NamedTuple):
    """What does work for many items.

    Attributes:
        run: does it for each item, in any order.
        report: may end it.
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
        """Look whether there is a cancel, from any thread.

        Raises:
            Cancelled: the run was asked to stop.
        """
        if self.report.is_cancelled:
            raise Cancelled


@contextmanager
def start_workers(report: Report) -> Iterator[Workers]:
    """Return workers with a thread each; torch's own threads rest meanwhile."""
    with run_parallel() as run:
        yield Workers(run, report)


class SubtaskReport(Report):
    """Shows the whole run's progress whatever the part is doing; cancels with it.

    Attributes:
        run: of the whole.
    """

    def __init__(self, whole: Report, *, first: int, last: int, total: int, name: str):
        """Begin a part.

        Args:
            whole: what is told.
            first: steps of the whole that are done before the part.
            last: steps that are done after it.
            total: steps of the whole.
            name: of the part, shown beside.
        """
        super().__init__(run=whole.run)
        self._whole, self._name = whole, name
        self._done, self._last_one, self._total = first, last - 1, total

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show how far the whole is.

        Raises:
            Cancelled: the run was asked to stop.
        """
        text = f"{self._name}: {note or stage}"
        self._whole.step("Probing", self._done, self._total, text)

    @property
    def is_cancelled(self) -> bool:
        """Return whether the run was asked to stop."""
        return self._whole.is_cancelled

    def advance(self) -> None:
        """Count one step of the whole, but not those of the next part."""
        self._done = min(self._done + 1, self._last_one)

    def metric(self, step: int, **values: float) -> None:
        """Drop it: a part has no curve of its own."""
