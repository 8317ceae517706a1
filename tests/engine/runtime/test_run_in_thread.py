"""Work that cannot be interrupted is waited for, unless the run is cancelled."""

import threading

import pytest

from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.errors import Cancelled, UserError


def test_the_result_comes_back() -> None:
    assert run_in_thread(lambda: 3, Report(), "add") == 3


def test_an_error_comes_back() -> None:
    def refuse() -> None:
        raise UserError("no")

    with pytest.raises(UserError, match="no"):
        run_in_thread(refuse, Report(), "refuse")


def test_a_cancel_does_not_wait_for_the_work() -> None:
    report, may_end = Report(), threading.Event()

    def work() -> None:
        report.cancel()
        assert may_end.wait(60)

    with pytest.raises(Cancelled):
        run_in_thread(work, report, "work")
    may_end.set()
