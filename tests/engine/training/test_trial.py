"""Trials of some steps: what they reckon with."""

import time
from typing import cast

import pytest

from app.engine.runtime.report import Report
from app.engine.training import trial
from app.engine.training.trainer import StepResult, Trainer
from tests.engine.training.making import STATIC


class SlowNowAndThen:
    """A trainer whose steps take known times of a clock of its own."""

    def __init__(self, *times: float):
        self.now = 0.0
        self._times = list(times)

    def make_step(self, *, wants_values: bool) -> StepResult:
        self.now += self._times.pop(0)
        return StepResult("ranking", 1.0, {}, 2, 8)


def test_a_slow_batch_counts_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = SlowNowAndThen(0.25, 0.0625, 0.0625, 0.0625, 0.5625)
    monkeypatch.setattr(time, "perf_counter", lambda: trainer.now)
    step_s, _ = trial._time_step(cast("Trainer", trainer), STATIC, Report())
    assert step_s == 0.75 / 4  # the first one allocates and does not count
