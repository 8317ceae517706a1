"""Ctrl+C, SIGTERM: a cancel once the task has begun, an end at once before that."""

import signal

import pytest

from app.cli.terminal import Terminated, interruptible
from app.engine.runtime.report import Report
from app.errors import Cancelled


def test_an_interrupt_before_the_first_step_ends_at_once() -> None:
    with interruptible(Report()), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_the_first_interrupt_cancels_and_the_second_ends() -> None:
    report = Report()
    with interruptible(report):
        report.step("work", 0, 2)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Cancelled):
            report.step("work", 1, 2)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_sigterm_cancels_and_is_told_from_an_interrupt() -> None:
    report = Report()

    def work() -> None:
        with interruptible(report):
            report.step("work", 0, 2)
            signal.raise_signal(signal.SIGTERM)
            assert report.is_cancelled
            report.step("work", 1, 2)

    with pytest.raises(Terminated):
        work()


def test_sigterm_before_the_first_step_ends_at_once() -> None:
    with interruptible(Report()), pytest.raises(Terminated):
        signal.raise_signal(signal.SIGTERM)
