"""The best weights of a training by the development metric, in a file of their own."""

from pathlib import Path

import msgspec
from torch import Tensor

from app.engine.training.development import METRIC
from app.engine.training.state import TrainingState, read_state, write_state

FILE = "best.safetensors"


class BestWeights:
    """What was best so far; the file is the record, so a resumed run finds it.

    Attributes:
        step: at which it was measured; None: there is none.
        values: what was measured then (see `Development.measure`).
    """

    def __init__(self, folder: Path):
        self._file = folder / FILE
        state = read_state(self._file)
        self.step = None if state is None else state.step
        self.values: dict[str, float] = {}
        if state is not None:
            self.values = msgspec.json.decode(state.notes["values"])

    def offer(
        self, step: int, values: dict[str, float], weights: dict[str, Tensor]
    ) -> None:
        """Keep these weights if they are better than all before."""
        if self.step is not None and values[METRIC] >= self.values[METRIC]:
            return
        notes = {"values": msgspec.json.encode(values).decode()}
        write_state(self._file, TrainingState(step, weights, notes))
        self.step, self.values = step, values

    def load(self) -> dict[str, Tensor]:
        """Read the best weights (on the CPU)."""
        state = read_state(self._file)
        assert state is not None, "they were written before"
        return state.tensors
