"""The report of nested work: it shows the outer step, and forwards its cancel."""

import pytest

from app.engine.runtime.report import InnerReport, Report, SilentSink
from app.errors import Cancelled


class Listing(SilentSink):
    """Lists the progress."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, int]] = []

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        self.seen.append((stage, done, total))


def test_what_is_inside_shows_the_step_around_it() -> None:
    sink = Listing()
    outer = Report(sink, run=7)
    inner = InnerReport(InnerReport(outer, "folds", 2, 10), "penalties", 1, 8)
    inner.step("training", 40, 0)
    assert sink.seen == [("folds", 2, 10)]
    assert inner.run == 7


def test_a_cancel_of_the_outer_ends_what_is_inside() -> None:
    outer = Report()
    outer.cancel()
    with pytest.raises(Cancelled):
        InnerReport(outer, "folds", 2, 10).step("training", 0, 0)
