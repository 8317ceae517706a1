"""The message about an idle GPU: when it is shown, and when it is not."""

import os
import stat
import sys
from pathlib import Path

import pytest

from app.engine.runtime import nvidia_driver
from app.engine.runtime.nvidia_driver import (
    NvidiaDriver,
    describe_build,
    find_nvidia_driver,
    installed_cuda,
    is_cpu_build,
    torch_build_note,
)

GPU = NvidiaDriver("NVIDIA RTX 4060", "580.65.06")
posix = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
OLD = NvidiaDriver("NVIDIA GTX 1060", "535.18")


def put_smi(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a stand-in for nvidia-smi on the path."""
    file = folder / "nvidia-smi"
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8", newline="\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_cpu_build_beside_a_gpu_says_how_to_change_it() -> None:
    note = describe_build(GPU, "")
    assert note.startswith("NVIDIA RTX 4060 is not used")
    assert "start.py --torch-index URL" in note
    assert note.count(". ") == 0


def test_a_cuda_build_says_nothing() -> None:
    assert describe_build(GPU, "13.0") == ""
    assert describe_build(NvidiaDriver("an NVIDIA GPU", ""), "13.0") == ""


def test_a_driver_too_old_for_the_build_is_named() -> None:
    note = describe_build(OLD, "13.0")
    assert "driver 535.18 is too old for CUDA 13.0" in note
    assert describe_build(OLD, "12.8") == ""


def test_no_torch_says_nothing() -> None:
    assert describe_build(GPU, None) == ""


def test_the_build_is_read_without_importing_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise SystemExit", "utf-8")
    version = tmp_path / "torch" / "version.py"
    monkeypatch.setattr(nvidia_driver, "find_spec", lambda _name: FakeSpec(version))
    version.write_text("cuda: Optional[str] = None\n", "utf-8")
    assert installed_cuda() == ""
    assert is_cpu_build() == (sys.platform != "darwin")  # there it can use MPS
    version.write_text("__all__ = ['cuda']\ncuda: Optional[str] = '13.0'\n", "utf-8")
    assert installed_cuda() == "13.0"
    assert not is_cpu_build()
    version.write_text("cuda: Optional[str] = None\nhip: str = '6.4.1'\n", "utf-8")
    assert installed_cuda() == ""
    assert not is_cpu_build()


@posix
def test_nvidia_smi_is_asked_for_name_and_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_smi(tmp_path, "echo 'NVIDIA RTX 4060, 580.65.06'; echo 'Other, 1'", monkeypatch)
    assert find_nvidia_driver() == GPU


@posix
def test_a_driver_that_does_not_answer_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_smi(tmp_path, "echo 'NVIDIA-SMI has failed'; exit 9", monkeypatch)
    assert find_nvidia_driver() is None
    assert torch_build_note() == ""


class FakeSpec:
    """What find_spec gives."""

    def __init__(self, version: Path):
        self.origin = str(version.with_name("__init__.py"))
