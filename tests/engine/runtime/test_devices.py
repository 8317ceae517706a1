"""The choice of a device, also on a machine without a GPU."""

import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

from app.engine.runtime import devices
from app.engine.runtime.devices import (
    choose_device,
    describe_devices,
    preferred_device,
    release_free_memory,
    retry_with_smaller_batches,
)
from app.errors import ResourceError, UserError
from app.settings import Settings, save_settings


@pytest.fixture
def two_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "is_cpu_build", lambda: False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.fixture
def no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "is_cpu_build", lambda: False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.mark.usefixtures("two_cards")
@pytest.mark.parametrize(
    ("setting", "device"),
    [("auto", "cuda:0"), ("cuda", "cuda:0"), ("cuda:1", "cuda:1"), ("cpu", "cpu")],
)
def test_setting_chooses_the_device(setting: str, device: str) -> None:
    assert choose_device(setting) == device


@pytest.mark.usefixtures("two_cards")
def test_missing_card_is_named() -> None:
    with pytest.raises(UserError, match=r"no device cuda:2.*2 CUDA devices"):
        choose_device("cuda:2")


@pytest.mark.usefixtures("no_card")
def test_without_a_card_auto_is_the_cpu() -> None:
    assert choose_device("auto") == "cpu"
    assert describe_devices()[0].startswith("cpu")


def test_a_cpu_build_of_torch_is_not_imported_to_find_the_cpu() -> None:
    code = """
import sys
from app.engine.runtime import devices
devices.is_cpu_build = lambda: True
assert devices.choose_device("auto") == "cpu"
assert [text.partition(" ")[0] for text in devices.describe_devices()] == ["cpu"]
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.usefixtures("no_card")
@pytest.mark.parametrize("setting", ["cuda", "mps", "gpu", "cuda:x", ""])
def test_device_that_is_not_there_is_a_users_error(setting: str) -> None:
    with pytest.raises(UserError):
        choose_device(setting)


@pytest.mark.usefixtures("no_card")
def test_lost_card_of_the_settings_gives_way_to_the_cpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    save_settings(Settings(device="cuda:1"), tmp_path / "settings.json")
    assert preferred_device() == "cpu"


def test_out_of_memory_halves_the_batch() -> None:
    tried: list[int] = []

    def work(batch_size: int) -> str:
        tried.append(batch_size)
        if batch_size > 20:
            raise torch.OutOfMemoryError
        return "done"

    assert retry_with_smaller_batches(work, 100) == ("done", 12)
    assert tried == [100, 50, 25, 12]


def test_batch_of_one_that_does_not_fit_is_a_resource_error() -> None:
    def work(batch_size: int) -> None:
        raise torch.OutOfMemoryError

    with pytest.raises(ResourceError, match="batch of 1"):
        retry_with_smaller_batches(work, 4)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_free_memory_between_blocks_in_use_is_released() -> None:
    process = psutil.Process()
    blocks = [np.ones(8_000) for _ in range(2_000)]  # 128 MB
    full = process.memory_info().rss
    blocks = blocks[::50]
    release_free_memory()
    assert full - process.memory_info().rss > 80e6
    assert sum(block.sum() for block in blocks) == 8_000 * len(blocks)
