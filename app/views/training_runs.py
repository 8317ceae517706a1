"""Trainings as the window knows them: the record in the store, and what runs now."""

import time
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store.metric_rows import read_lowest
from app.engine.store.rows import RunRow, list_runs
from app.errors import ErrorInfo
from app.params import command_name
from app.params.training import TrainEncoder
from app.views.past_params import read_params
from app.views.runs import RunState
from app.views.training_curves import TrainingCurves
from app.views.training_words import DEV

State = Literal[
    "waiting", "running", "ending", "interrupted", "finished", "failed", "cancelled"
]
RESULT_ERROR = "development_error"  # of the weights that were kept
TASK = command_name(TrainEncoder)


class Training(NamedTuple):
    """One training.

    Attributes:
        row: its record.
        params: its settings; None when another version made it.
        state: what it does.
        best: lowest retrieval error, mean over languages, 0…1; None: not measured.
        run: the run that is open; None when none is.
    """

    row: RunRow
    params: TrainEncoder | None
    state: State
    best: float | None
    run: RunState | None

    @property
    def id(self) -> int:
        """Id of its row in table `run`."""
        return self.row.id

    @property
    def name(self) -> str:
        """Name of the encoder."""
        return self.params.name if self.params else f"{self.row.task} {self.row.id}"

    @property
    def result(self) -> dict[str, Any]:
        """What it gave; empty until it is finished."""
        return _as_dict(self.row.result)

    @property
    def versions(self) -> dict[str, Any]:
        """What it was made with."""
        return _as_dict(self.row.versions)

    @property
    def error(self) -> str:
        """Why it failed, in a sentence; empty if it did not."""
        if not self.row.error:
            return ""
        try:
            return msgspec.json.decode(self.row.error, type=ErrorInfo).message
        except msgspec.MsgspecError:
            return self.row.error

    @property
    def took_s(self) -> float:
        """Seconds from its start to its end, or to now."""
        is_open = self.run is not None or self.row.ended_at is None
        end = time.time() if is_open else self.row.ended_at
        return max((end or 0.0) - self.row.started_at, 0.0)


class BestErrors:
    """The lowest errors of trainings, read once of those that have ended."""

    def __init__(self, curves: TrainingCurves) -> None:
        """Know the errors; `curves`: of the trainings that are looked at."""
        self._curves = curves
        self._known: dict[tuple[int, float | None], float | None] = {}

    def of(self, store: Engine, row: RunRow) -> float | None:
        """Give the lowest mean error of a training."""
        drawn = self._curves.best(row.id, DEV)
        if drawn is not None:
            return drawn
        key = row.id, row.ended_at
        if key not in self._known or row.ended_at is None:
            found = read_lowest(store, row.id, DEV)
            self._known[key] = found.value if found is not None else None
        return self._known[key]


def list_trainings(
    store: Engine, runs: Sequence[RunState], best: BestErrors
) -> list[Training]:
    """List the project's trainings, the newest first."""
    open_runs = {run.id: run for run in runs if isinstance(run.params, TrainEncoder)}
    trainings = []
    for row in list_runs(store, task=TASK):
        run = open_runs.get(row.id)
        params, measured = _read_params(row), _as_dict(row.result).get(RESULT_ERROR)
        state = _find_state(row, run)
        lowest = measured if measured is not None else best.of(store, row)
        trainings.append(Training(row, params, state, lowest, run))
    return trainings


def state_words(state: State) -> str:
    """Say what a training does."""
    return {
        "waiting": _tr("waiting"),
        "running": _tr("running"),
        "ending": _tr("ending…"),
        "interrupted": _tr("interrupted"),
        "finished": _tr("finished"),
        "failed": _tr("failed"),
        "cancelled": _tr("cancelled"),
    }[state]


def _find_state(row: RunRow, run: RunState | None) -> State:
    if run is not None:
        if run.is_cancelling:
            return "ending"
        return "running" if run.has_begun else "waiting"
    match row.state:
        case "finished" | "failed" | "cancelled":
            return row.state
        case _:  # the engine ended in the middle, and has not said so yet
            return "interrupted"


def _read_params(row: RunRow) -> TrainEncoder | None:
    params = read_params(row.params)
    return params if type(params) is TrainEncoder else None


def _as_dict(text: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text or "{}")
    except msgspec.MsgspecError:
        return {}
    return value if isinstance(value, dict) else {}


def _tr(text: str) -> str:
    return QCoreApplication.translate("training", text)
