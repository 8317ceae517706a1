"""Report in one sentence that a CPU build of torch leaves an NVIDIA GPU idle.

Standard library only: `start.py` reads it before anything is installed.
"""

import ctypes.util
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

SMI_PLACES = ("/usr/lib/wsl/lib/nvidia-smi", r"C:\Windows\System32\nvidia-smi.exe")
SMI_TIMEOUT_S = 20
# NVIDIA, CUDA toolkit release notes, table "CUDA Toolkit and Minimum Required Driver
# Version for CUDA Minor Version Compatibility": the driver's major by CUDA's major.
DRIVER_FOR_CUDA = {11: 450, 12: 525, 13: 580}


@dataclass(frozen=True)
class NvidiaDriver:
    """The driver of an NVIDIA GPU.

    Attributes:
        gpu: name of the first GPU; "an NVIDIA GPU" if unknown.
        version: version of the driver; empty if unknown.
    """

    gpu: str
    version: str

    def is_enough_for(self, cuda: str) -> bool:
        """Return whether it can run a build for this CUDA ("13.0"); yes if unknown."""
        needed = DRIVER_FOR_CUDA.get(int(cuda.split(".")[0]), 0)
        major = self.version.split(".")[0]
        return not major.isdigit() or int(major) >= needed


def find_nvidia_driver() -> NvidiaDriver | None:
    """Find the driver of an NVIDIA GPU by `nvidia-smi`, else by its library."""
    smi = shutil.which("nvidia-smi") or next(
        (place for place in SMI_PLACES if Path(place).is_file()), None
    )
    if smi is not None:
        return _ask_smi(smi)
    if sys.platform == "darwin":
        return None
    library = "nvcuda" if sys.platform == "win32" else "cuda"
    return NvidiaDriver("an NVIDIA GPU", "") if _has_library(library) else None


def torch_build_note() -> str:
    """Return why the GPU isn't used and how to change it; empty when all is well."""
    driver = find_nvidia_driver()
    return "" if driver is None else describe_build(driver, installed_cuda())


def describe_build(driver: NvidiaDriver, cuda: str | None) -> str:
    """Return what a torch build (for a CUDA version, "" = CPU) means for a driver."""
    start = "py start.py" if sys.platform == "win32" else "python3 start.py"
    if cuda == "":
        return (
            f"{driver.gpu} is not used, because this torch is a CPU build: run "
            f"'{start} --torch-index URL' with the address for CUDA from PyTorch's "
            "page “Get started”, then open Isogloss again."
        )
    if cuda and not driver.is_enough_for(cuda):
        return (
            f"{driver.gpu} is not used, because its driver {driver.version} is too old "
            f"for CUDA {cuda}, which this torch is built for: update the driver."
        )
    return ""


def installed_cuda() -> str | None:
    """Read the CUDA version of the installed torch without importing it.

    Returns:
        "13.0", "" for a build without CUDA, or None where no torch is installed.
    """
    versions = _versions_of_torch()
    return None if versions is None else versions.get("cuda", "")


def is_cpu_build() -> bool:
    """Return whether the installed torch can use nothing but the CPU.

    It is not imported for that: an import takes a second and 100 MB.
    """
    if sys.platform == "darwin":
        return False  # its builds can use MPS
    versions = _versions_of_torch()
    return versions is not None and not versions


def _versions_of_torch() -> dict[str, str] | None:
    """Read what the installed torch is built for: {"cuda": "13.0"}; None: no torch."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    text = Path(spec.origin).with_name("version.py").read_text(encoding="utf-8")
    pattern = r"^(cuda|hip|xpu)\b[^=\n]*=\s*['\"]([^'\"]+)"
    return dict(re.findall(pattern, text, re.MULTILINE))


def _ask_smi(smi: str) -> NvidiaDriver | None:
    question = ["--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(
            [smi, *question], capture_output=True, text=True, timeout=SMI_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = answer.stdout.strip().splitlines()
    if answer.returncode or not lines or "," not in lines[0]:
        return None
    name, _, version = lines[0].rpartition(",")
    return NvidiaDriver(name.strip(), version.strip())


def _has_library(name: str) -> bool:
    return ctypes.util.find_library(name) is not None
