"""Plans of trainings: asks the engine for them, and keeps them by their settings."""

from typing import Any, NamedTuple

import msgspec
from PySide6.QtCore import QObject, Signal

from app.errors import ErrorInfo
from app.params import build_params, params_to_json
from app.params.training import PlanTraining, TrainEncoder
from app.views.runs import RunState
from app.views.state import AppState
from app.views.widgets.plan_card import Plan, read_plan

IRRELEVANT = {"name": "-", "out": None}  # a plan is the same whatever these are


class Wanted(NamedTuple):
    """A plan on its way, and the preset that it is of (empty: of the form)."""

    run: RunState
    record: str
    preset: str


class TrainingPlanner(QObject):
    """Knows what trainings would need."""

    planned = Signal(str, object)  # preset, Plan
    refused = Signal(str, str)  # preset, why

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self._state = state
        self._plans: dict[str, Plan] = {}
        self._wanted: list[Wanted] = []
        state.run_finished.connect(self._on_run_finished)
        state.run_failed.connect(self._on_run_failed)
        state.run_cancelled.connect(lambda run: self._end(run, self.tr("Cancelled.")))

    def known(self, params: TrainEncoder) -> Plan | None:
        """Give the plan of these settings if it was made."""
        return self._plans.get(_record(params))

    def ask(self, params: TrainEncoder, preset: str = "") -> None:
        """Have a plan made; planned or refused follows."""
        known, record = self.known(params), _record(params)
        if known is not None:
            self.planned.emit(preset, known)
            return
        values = msgspec.structs.asdict(params)
        plan = build_params(PlanTraining, _without_none(values))
        self._wanted.append(Wanted(self._state.run(plan), record, preset))

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        wanted = self._take(run)
        if wanted is not None:
            plan = self._plans[wanted.record] = read_plan(result)
            self.planned.emit(wanted.preset, plan)

    def _on_run_failed(self, run: RunState, error: ErrorInfo) -> None:
        self._end(run, error.message)

    def _end(self, run: RunState, why: str) -> None:
        wanted = self._take(run)
        if wanted is not None:
            self.refused.emit(wanted.preset, why)

    def _take(self, run: RunState) -> Wanted | None:
        found = next((wanted for wanted in self._wanted if wanted.run is run), None)
        if found is not None:
            self._wanted.remove(found)
        return found


def _record(params: TrainEncoder) -> str:
    return params_to_json(msgspec.structs.replace(params, **IRRELEVANT))


def _without_none(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
