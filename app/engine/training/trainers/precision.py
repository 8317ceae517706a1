"""Precision of training steps: float32, or half precision if safe and faster."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import torch

from app.errors import UserError

Precision = Literal["float32", "bfloat16", "float16"]
Wanted = Literal["auto", "float32", "bfloat16", "float16"]

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
WORTH = 0.9  # bfloat16 must take at most this share of float32's time on a CPU
TRIAL_S = 1.5  # per format, after which the current step is completed
TRIAL_STEPS = 5  # the first steps warm up


def choose_precision(
    wanted: Wanted, device: str, make_trial_step: Callable[[Precision], None]
) -> Precision:
    """Choose the floating-point format of a training's steps.

    CUDA uses bfloat16 if the GPU supports it, else float16 with scaled losses
    (Micikevicius et al. 2018); a CPU with bfloat16 uses it if a short trial is faster;
    otherwise float32 is used.

    Args:
        wanted: precision requested in the params.
        make_trial_step: makes a forward and backward pass without side effects.

    Raises:
        UserError: float16 was requested without a GPU.
    """
    kind = torch.device(device).type
    if wanted == "float16" and kind != "cuda":
        raise UserError("Precision float16 needs a CUDA GPU. Choose auto or float32.")
    if wanted != "auto":
        return wanted
    if kind == "cuda":
        has_bfloat16 = torch.cuda.is_bf16_supported(including_emulation=False)
        return "bfloat16" if has_bfloat16 else "float16"
    if kind != "cpu" or not cpu_has_bfloat16():
        return "float32"
    full_s = time_steps(lambda: make_trial_step("float32"))
    half_s = time_steps(lambda: make_trial_step("bfloat16"))
    return "bfloat16" if half_s < WORTH * full_s else "float32"


def cpu_has_bfloat16() -> bool:
    """Return whether the CPU has instructions to multiply bfloat16."""
    if not torch.backends.mkldnn.is_available():
        return False
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def time_steps(make_step: Callable[[], None]) -> float:
    """Return the seconds of the fastest of a few steps; slow steps run once."""
    times: list[float] = []
    while len(times) < TRIAL_STEPS and sum(times) < TRIAL_S:
        begun = time.perf_counter()
        make_step()
        times.append(time.perf_counter() - begun)
    return min(times)


@contextmanager
def repeatable(device: str) -> Iterator[None]:
    """Make steps reproducible, and restore torch's generators afterwards.

    On the CPU, steps are reproducible with the same number of threads. On CUDA,
    deterministic algorithms are used if PyTorch has them; otherwise (PyTorch then
    warns), a resumed curve may differ in its last digits. The tests check the losses of
    ten steps on CUDA to a relative tolerance of 0.001.
    """
    if not device.startswith("cuda"):
        with torch.random.fork_rng(devices=[]):
            yield
        return
    # cuBLAS reads this variable when it initialises the device
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    before = torch.are_deterministic_algorithms_enabled()
    warned = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        with torch.random.fork_rng(devices=[torch.device(device)]):
            yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=warned)
