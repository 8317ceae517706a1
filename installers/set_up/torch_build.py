"""Choice of the torch build: its source for pip, and its size."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.engine.runtime.nvidia_driver import NvidiaDriver
from installers.set_up import SetUpError

# PyTorch's index of builds for Linux without CUDA; used on Linux only.
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
# Measured download sizes for torch 2.13.0.
SIZES = {
    "cpu": "190 MB",
    "cuda": "2.7 GB with NVIDIA's libraries",
    "win32": "120 MB",
    "darwin": "110 MB",
}


@dataclass(frozen=True)
class TorchChoice:
    """The user's choice of torch; by default, the build that suits the machine.

    Attributes:
        cpu: the CPU build, even if there is a GPU.
        index: address of an index with the requested build; empty: none.
        wheels: folder of wheels to install from, without a network.
    """

    cpu: bool = False
    index: str = ""
    wheels: Path | None = None


@dataclass(frozen=True)
class TorchSource:
    """A source of torch: options for pip, and a description."""

    options: tuple[str, ...]
    description: str


def plan_torch(
    choice: TorchChoice,
    driver: NvidiaDriver | None,
    *,
    has_own_folder: bool,
    reaches: Callable[[str], bool],
    system: str = sys.platform,
) -> list[TorchSource]:
    """List the sources of torch, best first, to try until one works.

    Args:
        choice: the user's choice.
        driver: NVIDIA driver of this machine.
        has_own_folder: pip is configured with its own folder of wheels.
        reaches: returns whether an address is reachable.
        system: `sys.platform`.

    Raises:
        SetUpError: the CPU build was requested, but its index can't be reached.
    """
    if choice.wheels is not None:
        options = ("--no-index", "--find-links", str(choice.wheels))
        return [TorchSource(options, f"the build in {choice.wheels}")]
    if choice.index:
        size = f"a CUDA build is about {SIZES['cuda']}"
        text = f"the build that {choice.index} gives ({size})"
        return [TorchSource(("--index-url", choice.index), text)]
    own = [TorchSource(("--no-index",), "the build in pip's own folder of wheels")]
    rest = [_default(choice, driver, reaches, system)]
    return own + rest if has_own_folder else rest


def _default(
    choice: TorchChoice,
    driver: NvidiaDriver | None,
    reaches: Callable[[str], bool],
    system: str,
) -> TorchSource:
    if system != "linux":
        size = SIZES.get(system, SIZES["cpu"])
        kind = "for CPU and Apple GPU" if system == "darwin" else "for the CPU"
        return TorchSource((), f"the default build {kind}, about {size}")
    if driver is not None and not choice.cpu:
        text = f"the CUDA build, about {SIZES['cuda']} (--cpu: {SIZES['cpu']})"
        return TorchSource((), text)
    if reaches(CPU_INDEX):
        text = f"the CPU build, about {SIZES['cpu']}"
        return TorchSource(("--index-url", CPU_INDEX), text)
    if choice.cpu:
        raise SetUpError(
            f"The index of CPU builds ({CPU_INDEX}) can't be reached: give another "
            "with --torch-index URL, or a folder with --wheels DIR."
        )
    return TorchSource(
        (),
        f"the default build, about {SIZES['cuda']} that only a GPU needs, because the "
        f"index of CPU builds ({CPU_INDEX}) can't be reached; Ctrl+C stops it, and "
        "--torch-index URL or --wheels DIR takes a smaller build",
    )


def describe_driver(driver: NvidiaDriver | None) -> str:
    """Return a description of the GPU."""
    if driver is None:
        return "No NVIDIA driver was found: torch will compute on the CPU."
    version = f" with driver {driver.version}" if driver.version else ""
    return f"Found {driver.gpu}{version}."
