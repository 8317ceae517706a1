"""Training checkpoints: weights, moments and counters in one safetensors file."""

import os
from pathlib import Path

import msgspec
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from app.errors import ResourceError

KEPT = 2  # files; the older one is used if the newer one is damaged
PATTERN = "checkpoint-*.safetensors"


class TrainingState(msgspec.Struct, frozen=True):
    """State of a training after a number of steps.

    Attributes:
        step: number of steps made.
        tensors: weights, moments and counters by name.
        notes: further state as text, by name.
    """

    step: int
    tensors: dict[str, Tensor]
    notes: dict[str, str] = {}


def save_state(folder: Path, state: TrainingState) -> None:
    """Write a checkpoint under a temporary name, flush, rename; delete old files."""
    write_state(folder / f"checkpoint-{state.step:09}.safetensors", state)
    for old in sorted(folder.glob(PATTERN))[:-KEPT]:
        old.unlink()


def load_state(folder: Path) -> TrainingState | None:
    """Read the newest complete checkpoint; None if there is none."""
    for file in sorted(folder.glob(PATTERN), reverse=True):
        state = read_state(file)
        if state is not None:
            return state
    return None


def write_state(file: Path, state: TrainingState) -> None:
    """Write a state under a temporary name, flush, rename.

    Raises:
        ResourceError: the file can't be written.
    """
    part = file.with_suffix(".part")
    tensors = {name: t.contiguous() for name, t in state.tensors.items()}
    try:
        save_file(tensors, part, metadata={**state.notes, "step": str(state.step)})
    except SafetensorError as error:
        part.unlink(missing_ok=True)  # frees the disk space
        raise ResourceError(
            f"Can't write {file} ({error}). The disk may be full: free some "
            "space and try again."
        ) from error
    with part.open("rb+") as stream:
        os.fsync(stream.fileno())
    part.replace(file)


def read_state(file: Path) -> TrainingState | None:
    """Read a state; None if the file is missing or damaged."""
    try:
        with safe_open(file, framework="pt") as opened:
            notes: dict[str, str] = dict(opened.metadata())
            step = int(notes.pop("step"))
            names = opened.keys()  # a list: the file itself can't be iterated
            tensors = {name: opened.get_tensor(name) for name in names}
    except (SafetensorError, OSError, KeyError, TypeError, ValueError):
        return None
    return TrainingState(step, tensors, notes)
