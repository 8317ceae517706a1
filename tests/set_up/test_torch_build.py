"""Which build of torch is installed, and what is said about it."""

from pathlib import Path

import pytest

from app.engine.runtime.nvidia_driver import NvidiaDriver
from installers.set_up import SetUpError
from installers.set_up.torch_build import (
    CPU_INDEX,
    TorchChoice,
    TorchSource,
    describe_driver,
    plan_torch,
)

GPU = NvidiaDriver("NVIDIA RTX 4060", "580.65")


def plan(
    choice: TorchChoice,
    driver: NvidiaDriver | None,
    system: str = "linux",
    *,
    online: bool = True,
    has_own_folder: bool = False,
) -> list[TorchSource]:
    return plan_torch(
        choice,
        driver,
        has_own_folder=has_own_folder,
        reaches=lambda _address: online,
        system=system,
    )


def test_linux_with_a_gpu_takes_the_default_and_says_its_gigabytes() -> None:
    (source,) = plan(TorchChoice(), GPU)
    assert source.options == ()
    assert "CUDA build, about 2.7 GB" in source.description
    assert "--cpu: 190 MB" in source.description


@pytest.mark.parametrize(
    ("choice", "driver"), [(TorchChoice(), None), (TorchChoice(cpu=True), GPU)]
)
def test_linux_without_a_gpu_takes_the_cpu_build(
    choice: TorchChoice, driver: NvidiaDriver | None
) -> None:
    (source,) = plan(choice, driver)
    assert source.options == ("--index-url", CPU_INDEX)
    assert "CPU build, about 190 MB" in source.description


def test_no_cpu_index_leaves_the_default_and_says_what_it_costs() -> None:
    (source,) = plan(TorchChoice(), None, online=False)
    assert source.options == ()
    assert "2.7 GB" in source.description
    assert "--wheels DIR" in source.description


def test_a_cpu_build_that_was_asked_for_is_never_replaced_by_gigabytes() -> None:
    with pytest.raises(SetUpError, match="--torch-index URL"):
        plan(TorchChoice(cpu=True), None, online=False)


def test_pips_own_folder_of_wheels_comes_first() -> None:
    own, _rest = plan(TorchChoice(), None, has_own_folder=True)
    assert own.options == ("--no-index",)


@pytest.mark.parametrize(
    ("system", "size"), [("win32", "120 MB"), ("darwin", "110 MB")]
)
def test_windows_and_macos_take_the_default(system: str, size: str) -> None:
    (source,) = plan(TorchChoice(), GPU, system, online=False)
    assert source.options == ()
    assert size in source.description


def test_a_named_index_is_the_only_one_tried() -> None:
    (source,) = plan(TorchChoice(index="https://example.org/cu130"), None)
    assert source.options == ("--index-url", "https://example.org/cu130")


def test_a_folder_of_wheels_is_the_only_one_tried(tmp_path: Path) -> None:
    (source,) = plan(TorchChoice(wheels=tmp_path), GPU, has_own_folder=True)
    assert source.options == ("--no-index", "--find-links", str(tmp_path))


def test_the_gpu_is_named() -> None:
    assert describe_driver(GPU) == "Found NVIDIA RTX 4060 with driver 580.65."
    assert "No NVIDIA driver" in describe_driver(None)
