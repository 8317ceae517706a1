"""Progress on stderr; conversion of Ctrl+C and SIGTERM into a cancel request."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from app.engine.runtime.report import Report
from app.errors import Cancelled


class Terminated(KeyboardInterrupt):
    """The command was ended by SIGTERM, from `kill` or a shutdown."""


class TerminalSink:
    """Shows progress and metrics on stderr: one updated line, or a line every 2 s."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._started: dict[str, float] = {}
        self._shown_at = 0.0

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        """Show the stage, progress and rate."""
        now = time.monotonic()
        started = self._started.setdefault(stage, now)
        is_final = total > 0 and done >= total
        if not is_final and now - self._shown_at < (0.1 if self._is_terminal else 2.0):
            return
        self._shown_at = now
        rate = done / (now - started) if now > started else 0.0
        of = f" of {total:,}" if total else ""
        speed = f"{rate:,.0f}/s" if rate >= 1 or not done else f"{60 * rate:.1f}/min"
        left = f" · {_time_left((total - done) / rate)}" if rate and total else ""
        line = f"{stage}: {done:,}{of} · {speed}{left} {note}".rstrip()
        if self._is_terminal:
            line = f"\r\x1b[K{line}" + ("\n" if is_final else "")
            print(line, end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def metric(self, step: int, values: dict[str, float]) -> None:
        """Show a point of each curve."""
        points = " ".join(f"{name} {value:.4f}" for name, value in values.items())
        print(f"step {step}: {points}", file=sys.stderr, flush=True)

    def changed(self, kind: str, row_id: int) -> None:
        """Ignore changes."""


def _time_left(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f}\u00a0s left"
    return f"{seconds / 60:.0f}\u00a0min left"


@contextmanager
def terminable() -> Iterator[None]:
    """Convert SIGTERM into `Terminated`, so that a command ends cleanly."""

    def _on_terminate(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    old = signal.signal(signal.SIGTERM, _on_terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old)


@contextmanager
def interruptible(report: Report) -> Iterator[None]:
    """Convert the first Ctrl+C or SIGTERM into a cancel; a second one ends at once.

    A signal before the first step, while torch is imported, also ends at once.

    Raises:
        Terminated: after SIGTERM.
    """
    ends = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}
    got: list[int] = []

    def _on_signal(number: int, _frame: FrameType | None) -> None:
        got.append(number)
        if report.is_cancelled or not report.has_begun:
            raise ends[signal.Signals(number)]
        report.cancel()

    old = {number: signal.signal(number, _on_signal) for number in ends}
    try:
        yield
    except Cancelled as error:
        if got and got[0] == signal.SIGTERM:
            raise Terminated from error
        raise
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
