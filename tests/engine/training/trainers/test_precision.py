"""The arithmetic of steps: what is chosen, and that choosing leaves no trace."""

import time
from collections.abc import Callable

import pytest
import torch

from app.engine.training.trainers.precision import (
    Precision,
    choose_precision,
    cpu_has_bfloat16,
    repeatable,
    time_steps,
)
from app.errors import UserError

HAS_BFLOAT16 = "app.engine.training.trainers.precision.cpu_has_bfloat16"


def takes(**seconds: float) -> Callable[[Precision], None]:
    """Make steps that take some seconds in each arithmetic."""

    def make_step(precision: Precision) -> None:
        end = time.perf_counter() + seconds[precision]
        while time.perf_counter() < end:
            pass

    return make_step


@pytest.mark.parametrize(
    ("full_s", "half_s", "expected"),
    [(0.02, 0.01, "bfloat16"), (0.01, 0.02, "float32"), (0.01, 0.0099, "float32")],
)
def test_a_cpu_takes_bfloat16_where_it_is_measured_faster(
    full_s: float, half_s: float, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "app.engine.training.trainers.precision.cpu_has_bfloat16", lambda: True
    )
    trial = takes(float32=full_s, bfloat16=half_s)
    assert choose_precision("auto", "cpu", trial) == expected


def test_without_bfloat16_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "app.engine.training.trainers.precision.cpu_has_bfloat16", lambda: False
    )
    assert choose_precision("auto", "cpu", takes()) == "float32"
    assert choose_precision("bfloat16", "cpu", takes()) == "bfloat16"
    assert isinstance(cpu_has_bfloat16(), bool)


def test_float16_needs_a_gpu() -> None:
    with pytest.raises(UserError, match="needs a CUDA GPU"):
        choose_precision("float16", "cpu", takes())


def test_the_fastest_step_counts() -> None:
    durations = iter([0.05, 0.01, 0.02, 0.02, 0.02])
    step = takes(float32=0)

    def make_step() -> None:
        end = time.perf_counter() + next(durations)
        while time.perf_counter() < end:
            step("float32")

    assert 0.01 <= time_steps(make_step) < 0.02


def test_torchs_generator_is_left_as_it_was() -> None:
    before = torch.get_rng_state()
    with repeatable("cpu"):
        torch.manual_seed(5)
        torch.rand(3)
    assert torch.equal(torch.get_rng_state(), before)
