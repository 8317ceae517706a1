"""Checkpoints of a training: whole or not at all."""

from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError

from app.engine.training.trainers import state as module
from app.engine.training.trainers.state import (
    KEPT,
    TrainingState,
    load_state,
    save_state,
)
from app.errors import ResourceError


def state(step: int) -> TrainingState:
    return TrainingState(step, {"table": torch.full((3, 2), float(step))})


def test_the_newest_checkpoint_is_read_back(tmp_path: Path) -> None:
    save_state(tmp_path, state(5))
    save_state(tmp_path, state(12))
    loaded = load_state(tmp_path)
    assert loaded is not None
    assert loaded.step == 12
    assert loaded.tensors["table"].tolist() == [[12.0] * 2] * 3


def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path: Path) -> None:
    save_state(tmp_path, state(5))
    save_state(tmp_path, state(12))
    newest = sorted(tmp_path.glob("*.safetensors"))[-1]
    newest.write_bytes(newest.read_bytes()[:40])
    loaded = load_state(tmp_path)
    assert loaded is not None
    assert loaded.step == 5


def test_without_a_checkpoint_there_is_no_state(tmp_path: Path) -> None:
    assert load_state(tmp_path) is None


def test_notes_are_kept_beside_the_tensors(tmp_path: Path) -> None:
    noted = TrainingState(3, {"table": torch.zeros(1)}, {"meter": '{"loss": [0.1, 1]}'})
    save_state(tmp_path, noted)
    loaded = load_state(tmp_path)
    assert loaded is not None
    assert (loaded.step, loaded.notes) == (3, noted.notes)


def test_a_checkpoint_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="Can't write"):
        save_state(tmp_path / "gone", state(1))


def test_old_checkpoints_are_dropped(tmp_path: Path) -> None:
    for step in range(5):
        save_state(tmp_path, state(step))
    assert len(list(tmp_path.iterdir())) == KEPT


def test_what_did_not_fit_on_the_disk_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(_: object, file: Path, **__: object) -> None:
        file.write_bytes(b"half")
        raise SafetensorError("No space left on device")

    monkeypatch.setattr(module, "save_file", fill)
    with pytest.raises(ResourceError, match="free some space"):
        save_state(tmp_path, state(5))
    assert list(tmp_path.iterdir()) == []
