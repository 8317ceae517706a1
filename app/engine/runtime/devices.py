"""Choose and describe the compute device: CUDA, MPS or CPU."""

import ctypes
import logging
import os
import re
from collections.abc import Callable
from typing import TypeVar

from app.engine.runtime.nvidia_driver import is_cpu_build
from app.errors import ResourceError, UserError
from app.paths import settings_file
from app.settings import load_settings

Result = TypeVar("Result")
log = logging.getLogger("engine")

AUTO = "auto"
_SETTING = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


def choose_device(setting: str = AUTO) -> str:
    """Choose a torch device.

    Args:
        setting: auto (CUDA, else MPS, else CPU), cpu, mps, cuda or cuda:1.

    Returns:
        The device as torch writes it; cuda always with its number.

    Raises:
        UserError: the setting is invalid, or names a device that doesn't exist.
    """
    if not _SETTING.fullmatch(setting):
        raise UserError(
            f"There is no device {setting!r}. Choose auto, cpu, mps, cuda or cuda:1."
        )
    n_cuda, has_mps = _count_gpus()
    if setting == AUTO:
        return "cuda:0" if n_cuda else "mps" if has_mps else "cpu"
    if setting == "mps" and not has_mps:
        raise UserError("This machine has no device mps. Choose auto or cpu.")
    if setting.startswith("cuda"):
        number = int(setting.partition(":")[2] or 0)
        if number >= n_cuda:
            there = f"{n_cuda} CUDA devices" if n_cuda else "no CUDA device"
            raise UserError(
                f"There is no device {setting}: torch finds {there}. Choose auto or "
                "cpu."
            )
        return f"cuda:{number}"
    return setting


def _count_gpus() -> tuple[int, bool]:
    """Return the number of CUDA devices and whether there is MPS."""
    if is_cpu_build():
        return 0, False
    import torch

    n_cuda = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return n_cuda, torch.backends.mps.is_available()


def preferred_device() -> str:
    """Choose the device in the user's settings, or the CPU if it is missing."""
    setting = load_settings(settings_file()).device
    try:
        return choose_device(setting)
    except UserError as error:
        log.warning("%s The CPU is used instead.", error)
        return "cpu"


def describe_devices() -> list[str]:
    """Describe the available devices, one text each, best first."""
    n_cuda, has_mps = _count_gpus()
    texts = []
    if n_cuda:
        import torch

        for i in range(n_cuda):
            size_gb = torch.cuda.get_device_properties(i).total_memory / 1e9
            texts.append(
                f"cuda:{i} {torch.cuda.get_device_name(i)}, {size_gb:.0f}\u00a0GB"
            )
    if has_mps:
        texts.append("mps Apple GPU")
    texts.append(f"cpu {os.cpu_count() or 1} threads")
    return texts


def retry_with_smaller_batches(
    work: Callable[[int], Result], batch_size: int
) -> tuple[Result, int]:
    """Call `work(batch_size)`, with half the batch each time the GPU is too small.

    Returns:
        The result of `work`, and the batch size that fitted.

    Raises:
        ResourceError: not even one item fits.
    """
    import torch

    while True:
        try:
            return work(batch_size), batch_size
        except torch.OutOfMemoryError as error:
            if batch_size <= 1:
                raise ResourceError(
                    f"The GPU's memory is too small for a batch of {batch_size}. "
                    "Close other programs, or choose the device cpu."
                ) from error
        batch_size //= 2
        _empty_cache()
        log.warning("out of GPU memory: continuing with batches of %d", batch_size)


def _empty_cache() -> None:
    """Free the memory of a failed batch."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def release_free_memory() -> None:
    """Return freed memory to the system, where the C library is glibc.

    glibc keeps what batches of different sizes have freed: a training of translation
    models grew from 0.5 to over 1 GB in a few thousand steps.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name != "nt" else None
    if trim is not None:
        trim(0)
