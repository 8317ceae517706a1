"""Training runs of the project, stored and running, with their curves."""

import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from sqlalchemy import Engine

from app.engine.store.runs import (
    MetricRow,
    RunRow,
    list_runs,
    read_lowest_metric,
    read_metric_page,
)
from app.errors import ErrorInfo
from app.params import command_name
from app.params.training import TrainEncoder
from app.views.client.runs import RunState, read_params
from app.views.client.state import AppState
from app.views.training.text import DEV_ERROR
from app.views.widgets.curve_plot import CurveSet

MAX_CACHED_RUNS = 6  # runs whose curves are kept
N_PAGE = 2_000  # points read in one pause of the window, some ten milliseconds
REDRAW_MS = 250  # views draw no oftener
FINAL_READ_MS = 2_000  # the engine writes its points at least every second


class TrainingCurves(QObject):
    """Keeps the curves of the runs that are looked at."""

    grown = Signal()  # some curve is another now; at most four times a second

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self._state = state
        self._books: OrderedDict[int, CurveSet] = OrderedDict()
        self._places: dict[int, MetricRow | None] = {}  # last point read of each run
        self._reading = QTimer(self, interval=0)
        self._reading.timeout.connect(self._on_pause)
        self._telling = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._telling.timeout.connect(self.grown)
        state.metric_added.connect(self._on_metric_added)
        for ended in (state.run_finished, state.run_failed):
            ended.connect(lambda run, _: self._read_again(run))
        for ended in (state.run_cancelled, state.run_paused):
            ended.connect(self._read_again)

    @property
    def is_reading(self) -> bool:
        """Return whether points are still being read."""
        return self._reading.isActive()

    def book(self, run_id: int) -> CurveSet:
        """Return the curves of a run; they fill while they are read."""
        if run_id not in self._books:
            self._books[run_id] = CurveSet()
            self._read(run_id)
            if any(run.id == run_id for run in self._state.runs):
                # The newest points were told already, and are not in the store yet.
                QTimer.singleShot(FINAL_READ_MS, self, lambda: self._read(run_id))
            self._forget_old()
        self._books.move_to_end(run_id)
        return self._books[run_id]

    def best(self, run_id: int, name: str) -> float | None:
        """Return the lowest value of a curve of a run that is looked at, else None."""
        is_whole = run_id in self._books and run_id not in self._places
        found = self._books[run_id].best(name) if is_whole else None
        return found[1] if found is not None else None

    def _read(self, run_id: int) -> None:
        if run_id not in self._books:
            return
        self._places[run_id] = None
        self._reading.start()

    def _read_again(self, run: RunState) -> None:
        """Take over the points that were not in the store when it was read."""
        self._read(run.id)

    def _forget_old(self) -> None:
        live = {run.id for run in self._state.runs}
        old = [run_id for run_id in self._books if run_id not in live]
        for run_id in old[: max(len(self._books) - MAX_CACHED_RUNS, 0)]:
            self._drop([run_id])

    def _drop(self, run_ids: Iterable[int]) -> None:
        for run_id in run_ids:
            del self._books[run_id]
            self._places.pop(run_id, None)

    def _on_pause(self) -> None:
        project = self._state.project
        if not self._places or project is None:
            self._reading.stop()
            return
        run_id, place = next(iter(self._places.items()))
        rows = read_metric_page(project.store, run_id, place, n=N_PAGE)
        book = self._books[run_id]
        for row in rows:
            book.add(row.step, {row.name: row.value})
        if len(rows) == N_PAGE:
            self._places[run_id] = rows[-1]
        else:
            del self._places[run_id]
        self._tell()

    def _on_metric_added(
        self, run: RunState, step: int, values: dict[str, float | None]
    ) -> None:
        if isinstance(run.params, TrainEncoder):
            self.book(run.id).add(step, values)
            self._tell()

    def _tell(self) -> None:
        if not self._telling.isActive():
            self._telling.start()


RunStatus = Literal[
    "waiting", "running", "ending", "interrupted", "finished", "failed", "cancelled"
]
RESULT_ERROR = "development_error"  # of the weights that were kept
TRAINING_TASK = command_name(TrainEncoder)


class TrainingRun(NamedTuple):
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
    state: RunStatus
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
        """Return the lowest mean error of a training."""
        drawn = self._curves.best(row.id, DEV_ERROR)
        if drawn is not None:
            return drawn
        key = row.id, row.ended_at
        if key not in self._known or row.ended_at is None:
            found = read_lowest_metric(store, row.id, DEV_ERROR)
            self._known[key] = found.value if found is not None else None
        return self._known[key]


def list_trainings(
    store: Engine, runs: Sequence[RunState], best: BestErrors
) -> list[TrainingRun]:
    """List the project's trainings, the newest first."""
    open_runs = {run.id: run for run in runs if isinstance(run.params, TrainEncoder)}
    trainings = []
    for row in list_runs(store, task=TRAINING_TASK):
        run = open_runs.get(row.id)
        params, measured = _read_params(row), _as_dict(row.result).get(RESULT_ERROR)
        state = _find_state(row, run)
        lowest = measured if measured is not None else best.of(store, row)
        trainings.append(TrainingRun(row, params, state, lowest, run))
    return trainings


def describe_status(state: RunStatus) -> str:
    """Return what a training does."""
    return {
        "waiting": _tr("waiting"),
        "running": _tr("running"),
        "ending": _tr("ending…"),
        "interrupted": _tr("interrupted"),
        "finished": _tr("finished"),
        "failed": _tr("failed"),
        "cancelled": _tr("cancelled"),
    }[state]


def _find_state(row: RunRow, run: RunState | None) -> RunStatus:
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
