"""Trials of some steps: what they reckon with."""

import time
from typing import cast

import pytest

from app.engine.runtime.report import Report
from app.engine.training import trial
from app.engine.training.trainers.trainer import StepResult, Trainer
from tests.engine.training.making import STATIC


class SlowNowAndThen:
    """A trainer whose steps take known times of a clock of its own."""

    def __init__(self, *times: float):
        self.now = 0.0
        self.update_s = 0.0
        self._times = list(times)

    def make_step(self, *, wants_values: bool) -> StepResult:
        step_s = self._times.pop(0)
        self.now += step_s
        self.update_s = step_s / 2
        return StepResult("ranking", 1.0, {}, 2, 8)


def test_a_slow_batch_counts_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = SlowNowAndThen(0.25, 0.0625, 0.0625, 0.0625, 0.5625)
    monkeypatch.setattr(time, "perf_counter", lambda: trainer.now)
    timed = trial._time_step(cast("Trainer", trainer), STATIC, Report())
    # The first one allocates and does not count. Half of a step is its update: also
    # where the last update alone takes longer than a mean step.
    assert timed[:2] == (0.75 / 8, 0.75 / 8)


def test_the_work_folder_has_the_checkpoints_that_there_is_time_for() -> None:
    tried = trial.Trial(1.0, 8, 80, 0.1, 0.1, 10**9, 1_000, "float32", ())
    for training_s, n_checkpoints in ((19, 0), (20, 1), (59, 2), (6_000, 3)):
        n_bytes = 1_000 * (4 + 12 * n_checkpoints)  # the best weights, and states
        assert tried.work_bytes(training_s, interval_s=20) == n_bytes
    assert tried.saved_bytes("int4") == 500
