"""Limit the memory and the processor time of a process that reads foreign files.

The system enforces the limits where it can (`RLIMIT_DATA` and `RLIMIT_CPU` on Linux). A
thread checks the same figures on every system.
"""

import math
import os
import threading
import time
from typing import Final

import msgspec
import psutil

MB: Final = 1 << 20
OUT_OF_MEMORY, OUT_OF_TIME = 81, 82  # exit codes of a process over its budget
_CHECK_S = 0.2
_RESERVED = 1 << 30  # bytes that libraries reserve but do not use
_SPARE_S = 2  # the thread stops it before the system does, which gives no reason


class Budget(msgspec.Struct, frozen=True):
    """Limits of reading a file.

    Attributes:
        memory: bytes in addition to those of the idle process.
        seconds: processor time of any file.
        seconds_per_mb: additional time for each MB that was read, unpacked.
    """

    memory: int = 1 << 30
    seconds: float = 60.0
    seconds_per_mb: float = 30.0


FILE_BUDGET = Budget()
PREVIEW_BUDGET = Budget(seconds=20.0)


class BudgetMeter:
    """Measures this process and ends it when its budget is used up."""

    def __init__(self, budget: Budget):
        self._process = psutil.Process()
        self._budget = budget
        self._idle_bytes = self._process.memory_info().rss
        self._n_bytes = 0
        self._begun_s = time.process_time()
        threading.Thread(target=self._watch, name="budget", daemon=True).start()

    def begin(self, budget: Budget) -> None:
        """Start a new call with its own time."""
        self._budget, self._n_bytes = budget, 0
        self._begun_s = time.process_time()
        _limit_memory(budget, self._process)
        self._limit_time()

    def count(self, n_bytes: int) -> None:
        """Add bytes that were read; they add time."""
        before = self._n_bytes // MB
        self._n_bytes += n_bytes
        if self._n_bytes // MB > before:
            self._limit_time()

    @property
    def has_grown(self) -> bool:
        """Return whether the process uses so much memory that it should be replaced."""
        return self._process.memory_info().rss > self._idle_bytes + 128 * MB

    def _allowed_s(self) -> float:
        budget = self._budget
        return budget.seconds + budget.seconds_per_mb * self._n_bytes / MB

    def _limit_time(self) -> None:
        end_s = self._begun_s + self._allowed_s() + _SPARE_S
        _set_soft_limit("RLIMIT_CPU", math.ceil(end_s))

    def _watch(self) -> None:
        while True:
            time.sleep(_CHECK_S)
            used = self._process.memory_info().rss - self._idle_bytes
            if used > self._budget.memory:
                os._exit(OUT_OF_MEMORY)
            if time.process_time() - self._begun_s > self._allowed_s():
                os._exit(OUT_OF_TIME)


_meter: BudgetMeter | None = None


def start_meter() -> BudgetMeter:
    """Measure this process from now on."""
    global _meter
    _meter = BudgetMeter(FILE_BUDGET)
    return _meter


def count_bytes(n_bytes: int) -> None:
    """Count bytes of a file; outside of a reader process this does nothing."""
    if _meter is not None:
        _meter.count(n_bytes)


def _limit_memory(budget: Budget, process: psutil.Process) -> None:
    """Limit the private memory, as far as the system can."""
    used = getattr(process.memory_info(), "data", None)  # Linux
    if used is not None:
        _set_soft_limit("RLIMIT_DATA", used + budget.memory + _RESERVED)


def _set_soft_limit(name: str, value: int) -> None:
    try:
        import resource
    except ImportError:
        return  # Windows
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, hard))
