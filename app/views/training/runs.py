"""Stored and running trainings of the project, with their curves."""

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
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
from app.params.training.encoder import TrainEncoder
from app.params.training.fine_tuning import FineTuneEncoder
from app.params.training.grid import TrainGrid
from app.params.translation import TrainTranslation, TrainTranslationGrid
from app.results.jobs import UNFINISHED, UnfinishedRun, read_unfinished
from app.results.training import ErrorChange
from app.views.client.runs import RunState, read_params
from app.views.client.state import AppState
from app.views.training.text import DEV_ERROR, Measure, measure_of
from app.views.widgets.curve_plot import CurveSet
from app.views.widgets.record_rows import read_json
from app.views.widgets.training_names import TRAINING_TASKS

_tr = partial(QCoreApplication.translate, "training")

MAX_CACHED_RUNS = 6  # finished runs with cached curves
N_PAGE = 2_000  # points read per idle event, about ten milliseconds
REDRAW_MS = 250  # minimum between redraws
FINAL_READ_MS = 2_000  # the engine writes points at least every second


class TrainingCurves(QObject):
    """Reads and caches the curves of the displayed runs."""

    grown = Signal()  # a curve changed; at most four times per second

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self._state = state
        self._curves: OrderedDict[int, CurveSet] = OrderedDict()
        self._unread: dict[int, MetricRow | None] = {}  # last point read, by run
        # Newest step of each resumed run since resuming; None: no step yet.
        self._resumed: dict[int, int | None] = {}
        self._read_timer = QTimer(self, interval=0)
        self._read_timer.timeout.connect(self._read_page)
        self._notify_timer = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._notify_timer.timeout.connect(self.grown)
        state.run_started.connect(self._on_run_started)
        state.metric_added.connect(self._on_metric_added)
        for ended in (state.run_finished, state.run_failed):
            ended.connect(self._on_run_ended)
        for ended in (state.run_cancelled, state.run_paused):
            ended.connect(self._on_run_ended)

    @property
    def is_reading(self) -> bool:
        """Return whether points are still being read."""
        return self._read_timer.isActive()

    def curves(self, run_id: int) -> CurveSet:
        """Return the curves of a run, which grow while they are read."""
        if run_id not in self._curves:
            self._curves[run_id] = CurveSet()
            self._read(run_id)
            if any(run.id == run_id for run in self._state.runs):
                # The newest points were signalled but may not be in the store yet.
                QTimer.singleShot(FINAL_READ_MS, self, lambda: self._read(run_id))
            self._drop_old()
        self._curves.move_to_end(run_id)
        return self._curves[run_id]

    def best(self, run_id: int, name: str) -> float | None:
        """Return the lowest value of a curve after training started.

        Returns None until the curve is completely read.
        """
        is_whole = run_id in self._curves and run_id not in self._unread
        found = self._curves[run_id].best(name, first_step=1) if is_whole else None
        return found[1] if found is not None else None

    def _read(self, run_id: int) -> None:
        if run_id not in self._curves:
            return
        self._unread[run_id] = None
        self._read_timer.start()

    def _on_run_started(self, run: RunState) -> None:
        if run.id:
            self._resumed[run.id] = None

    def _on_run_ended(self, run: RunState, _result: object = None) -> None:
        """Read the points that were not yet in the store."""
        self._resumed.pop(run.id, None)
        self._read(run.id)

    def _drop_old(self) -> None:
        live = {run.id for run in self._state.runs}
        old = [run_id for run_id in self._curves if run_id not in live]
        for run_id in old[: max(len(self._curves) - MAX_CACHED_RUNS, 0)]:
            del self._curves[run_id]
            self._unread.pop(run_id, None)

    def _read_page(self) -> None:
        project = self._state.project
        if not self._unread or project is None:
            self._read_timer.stop()
            return
        run_id, last = next(iter(self._unread.items()))
        rows = read_metric_page(project.store, run_id, last, n=N_PAGE)
        curves, newest = self._curves[run_id], self._resumed.get(run_id)
        for row in rows:
            if newest is None or row.step <= newest:  # from before the run was resumed
                curves.add(row.step, {row.name: row.value})
        if len(rows) == N_PAGE:
            self._unread[run_id] = rows[-1]
        else:
            del self._unread[run_id]
        self._notify()

    def _on_metric_added(
        self, run: RunState, step: int, values: dict[str, float | None]
    ) -> None:
        if not isinstance(run.params, TRAINING_TYPES):
            return
        curves = self.curves(run.id)
        if run.id in self._resumed:  # at a checkpoint, before the last point
            newest = self._resumed[run.id]
            if newest is None:
                curves.forget_after(step)
            self._resumed[run.id] = max(step, newest or 0)
        curves.add(step, values)
        self._notify()

    def _notify(self) -> None:
        if not self._notify_timer.isActive():
            self._notify_timer.start()


RunStatus = Literal[
    "waiting",
    "running",
    "ending",
    "paused",
    "interrupted",
    "finished",
    "failed",
    "cancelled",
]
STOPPED: tuple[RunStatus, ...] = ("paused", "interrupted", "cancelled")
RESULT_ERROR = "development_error"  # at the saved weights
TRAINING_TYPES = (TrainEncoder, TrainTranslation)
GRID_TASKS = (command_name(TrainGrid), command_name(TrainTranslationGrid))
ENCODER_PARAMS = (TrainEncoder, TrainGrid, FineTuneEncoder)


class TrainingRun(NamedTuple):
    """A training, or a grid of trainings.

    Attributes:
        row: the record of the run.
        params: the settings; None for a translation model, or if another version of
            Isogloss made the training.
        translation: settings of a translation model; None for an encoder.
        state: the status.
        best: lowest error on the development pairs, mean over languages, 0…1; None if
            not measured after the first step.
        run: the open run; None if it has ended.
    """

    row: RunRow
    params: TrainEncoder | None
    state: RunStatus
    best: float | None
    run: RunState | None
    translation: TrainTranslation | None = None

    @property
    def id(self) -> int:
        """Id of the row in table `run`."""
        return self.row.id

    @property
    def name(self) -> str:
        """Name of the encoder."""
        settings = self.params or self.translation
        return settings.name if settings else f"{self.row.task} {self.row.id}"

    @property
    def measure(self) -> Measure:
        """The measure on the development pairs."""
        return measure_of(self.translation)

    @property
    def is_grid(self) -> bool:
        """Return whether it is a grid."""
        return self.row.task in GRID_TASKS

    @property
    def changes(self) -> tuple[ErrorChange, ...]:
        """Errors before and after; empty if it did not start from an encoder."""
        found = self.result.get("changes", ())
        return msgspec.convert(found, tuple[ErrorChange, ...])

    @property
    def held_out(self) -> dict[str, int]:
        """Number of development pairs by language; empty if not recorded."""
        counts = self.result.get("counts", ())
        found = {one["language"]: one.get("n_development", 0) for one in counts}
        return {language: n for language, n in found.items() if n}

    @property
    def kept_step(self) -> int | None:
        """The step whose weights were saved; None if not finished."""
        step = self.result.get("kept_step")
        return step if isinstance(step, int) else None

    @property
    def can_resume(self) -> bool:
        """Return whether it can continue; a cancelled grid keeps finished trainings."""
        is_cancelled_grid = self.is_grid and self.state == "cancelled"
        return self.may_have_checkpoint or is_cancelled_grid

    @property
    def may_have_checkpoint(self) -> bool:
        """Return whether it has a checkpoint, or may have one."""
        is_kept = self.state == "cancelled" and self.unfinished.n_total > 0
        return self.is_interrupted or is_kept

    @property
    def is_interrupted(self) -> bool:
        """Return whether it was paused or interrupted and can continue."""
        return self.state in ("paused", "interrupted")

    @property
    def unfinished(self) -> UnfinishedRun:
        """The point of pausing or cancelling, and the duration of earlier runs."""
        return read_unfinished(self.row.result)

    @property
    def result(self) -> dict[str, Any]:
        """The result; empty until it is finished."""
        values = read_json(self.row.result)
        values.pop(UNFINISHED, None)
        return values

    @property
    def folder(self) -> Path | None:
        """Folder of the trained encoder; None until the training is finished."""
        folder = self.result.get("folder")
        return Path(str(folder)) if folder else None

    @property
    def versions(self) -> dict[str, Any]:
        """Versions of the packages used."""
        return read_json(self.row.versions)

    @property
    def error(self) -> str:
        """The error message; empty if the training did not fail."""
        if not self.row.error:
            return ""
        try:
            return msgspec.json.decode(self.row.error, type=ErrorInfo).message
        except msgspec.MsgspecError:
            return self.row.error

    @property
    def elapsed_s(self) -> float:
        """Total seconds of all runs, without pauses."""
        total = self.result.get("elapsed_s")
        if isinstance(total, int | float):
            return float(total)
        return self.row.elapsed_s


class BestErrors:
    """Cache of the lowest errors of finished trainings."""

    def __init__(self, curves: TrainingCurves) -> None:
        """Initialise an empty cache; `curves` are of the displayed trainings."""
        self._curves = curves
        self._cache: dict[tuple[int, float | None], float | None] = {}

    def of(self, store: Engine, row: RunRow) -> float | None:
        """Return the lowest mean error of a training."""
        shown = self._curves.best(row.id, DEV_ERROR)
        if shown is not None:
            return shown
        key = row.id, row.ended_at
        if key not in self._cache or row.ended_at is None:
            found = read_lowest_metric(store, row.id, DEV_ERROR, first_step=1)
            self._cache[key] = found.value if found is not None else None
        return self._cache[key]


def list_trainings(
    store: Engine, runs: Sequence[RunState], best: BestErrors
) -> list[TrainingRun]:
    """List the project's trainings, the newest first."""
    open_runs = {run.id: run for run in runs if isinstance(run.params, TRAINING_TYPES)}
    trainings = []
    rows = [row for task in TRAINING_TASKS for row in list_runs(store, task=task)]
    for row in sorted(rows, key=lambda row: -row.id):
        run = open_runs.get(row.id)
        params, measured = _read_params(row), read_json(row.result).get(RESULT_ERROR)
        state = _find_status(row, run)
        lowest = measured if measured is not None else best.of(store, row)
        settings = read_params(row.params)
        translation = settings if isinstance(settings, TrainTranslation) else None
        trainings.append(TrainingRun(row, params, state, lowest, run, translation))
    return trainings


def describe_status(state: RunStatus) -> str:
    """Return the display text of a status."""
    return {
        "waiting": _tr("waiting"),
        "running": _tr("running"),
        "ending": _tr("ending…"),
        "paused": _tr("paused"),
        "interrupted": _tr("interrupted"),
        "finished": _tr("finished"),
        "failed": _tr("failed"),
        "cancelled": _tr("cancelled"),
    }[state]


def _find_status(row: RunRow, run: RunState | None) -> RunStatus:
    if run is not None:
        if run.is_cancelling:
            return "ending"
        return "running" if run.has_begun else "waiting"
    match row.state:
        case "finished" | "failed" | "cancelled":
            return row.state
        case _:  # the engine stopped during the run; the row is not updated yet
            return "paused" if read_unfinished(row.result).is_paused else "interrupted"


def _read_params(row: RunRow) -> TrainEncoder | None:
    params = read_params(row.params)
    return params if type(params) in ENCODER_PARAMS else None
