"""Checkpoints of a training: weights, moments and counters in one safetensors file."""

import os
from pathlib import Path

import msgspec
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

KEPT = 2  # files; the older one serves if the newer one is damaged
PATTERN = "checkpoint-*.safetensors"


class TrainingState(msgspec.Struct, frozen=True):
    """Where a training stands after some steps.

    Attributes:
        step: steps done.
        tensors: weights, moments and counters by name.
    """

    step: int
    tensors: dict[str, Tensor]


def save_state(folder: Path, state: TrainingState) -> None:
    """Write a checkpoint under a temporary name, flush, rename; drop old ones."""
    file = folder / f"checkpoint-{state.step:09}.safetensors"
    part = file.with_suffix(".part")
    save_file(state.tensors, part, metadata={"step": str(state.step)})
    with part.open("rb+") as stream:
        os.fsync(stream.fileno())
    part.replace(file)
    for old in sorted(folder.glob(PATTERN))[:-KEPT]:
        old.unlink()


def load_state(folder: Path) -> TrainingState | None:
    """Read the newest checkpoint that is whole; None if there is none."""
    for file in sorted(folder.glob(PATTERN), reverse=True):
        try:
            with safe_open(file, framework="pt") as opened:
                step = int(opened.metadata()["step"])
                names = opened.keys()
                tensors = {name: opened.get_tensor(name) for name in names}
        except (SafetensorError, OSError, KeyError, TypeError, ValueError):
            continue
        return TrainingState(step, tensors)
    return None


def clone_state(state: TrainingState) -> TrainingState:
    """Copy a state, so that training goes on while it is written."""
    return TrainingState(
        state.step, {name: torch.clone(t) for name, t in state.tensors.items()}
    )
