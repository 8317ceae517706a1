"""Plan of a training: request the estimated time, memory and disk, and show them."""

from typing import Any, NamedTuple

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QFrame, QVBoxLayout, QWidget

from app.errors import ErrorInfo
from app.params import build_params, params_to_json
from app.params.training import PlanTraining, TrainEncoder
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.controls import make_label, restyle
from app.views.widgets.number_format import (
    describe_device,
    format_bytes,
    format_count,
    format_duration,
    format_throughput,
)
from app.views.widgets.theme import GRID


class TrainingPlan(NamedTuple):
    """What plan-training found; a number below 0 is not known.

    Attributes:
        time_s: seconds to the last step.
        memory_bytes, disk_bytes: of the engine, and of the project's folder.
        n_parameters: of the encoder with what trains it.
        device, precision: what computes, and how.
        sentences_per_s: rate of the trial.
        notes: what else is to be known, in sentences.
    """

    time_s: float
    memory_bytes: int
    disk_bytes: int
    n_parameters: int
    device: str
    precision: str
    sentences_per_s: float
    notes: tuple[str, ...]


def read_plan(result: dict[str, Any]) -> TrainingPlan:
    """Read the result of plan-training."""
    return TrainingPlan(
        time_s=float(result.get("time_s", -1)),
        memory_bytes=int(result.get("memory_bytes", -1)),
        disk_bytes=int(result.get("disk_bytes", -1)),
        n_parameters=int(result.get("n_parameters", -1)),
        device=str(result.get("device", "")),
        precision=str(result.get("precision", "")),
        sentences_per_s=float(result.get("sentences_per_s", -1)),
        notes=tuple(result.get("notes", ())),
    )


def describe_resources(plan: TrainingPlan) -> str:
    """Return in one line what a plan needs: 4 min 10 s · 0.6 GB memory · 80 MB disk."""
    parts = []
    if plan.time_s >= 0:
        parts.append(format_duration(plan.time_s))
    if plan.memory_bytes >= 0:
        parts.append(_tr("{n} memory").format(n=format_bytes(plan.memory_bytes)))
    if plan.disk_bytes >= 0:
        parts.append(_tr("{n} disk").format(n=format_bytes(plan.disk_bytes)))
    return " · ".join(parts)


class PlanCard(QFrame):
    """Shows a plan, or why there is none yet."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self._text = make_label("", "secondary", wraps=True)
        self._rows = QWidget()
        self._form = QFormLayout(self._rows)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(2 * GRID)
        self._form.setVerticalSpacing(6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(make_label(self.tr("What it needs"), "section"))
        layout.addWidget(self._rows)
        layout.addWidget(self._text)
        self.forget()

    @property
    def text(self) -> str:
        """Everything the card says, for a screen reader and for tests."""
        return self.accessibleName()

    def forget(self) -> None:
        """Show that nothing is known yet."""
        self._show(
            [],
            self.tr(
                "Estimate tries a few steps on this machine, for about two seconds, "
                "and tells time, memory and disk before anything starts."
            ),
        )

    def say(self, text: str, *, is_warning: bool = False) -> None:
        """Show one sentence instead of a plan."""
        self._show([], text, is_warning=is_warning)

    def show_plan(self, plan: TrainingPlan) -> None:
        """Show a plan."""
        self._show(self._facts(plan), "\n".join(plan.notes))

    def _facts(self, plan: TrainingPlan) -> list[tuple[str, str]]:
        facts: list[tuple[str, str]] = []
        if plan.time_s >= 0:
            facts.append((self.tr("Time"), format_duration(plan.time_s)))
        if plan.sentences_per_s >= 0:
            rate = format_throughput(plan.sentences_per_s, self.tr("sentences"))
            facts.append((self.tr("Rate"), rate))
        for title, size in (
            (self.tr("Memory"), plan.memory_bytes),
            (self.tr("Disk"), plan.disk_bytes),
        ):
            if size >= 0:
                facts.append((title, format_bytes(size)))
        if plan.n_parameters >= 0:
            facts.append((self.tr("Parameters"), format_count(plan.n_parameters)))
        if plan.device:
            facts.append((self.tr("Device"), describe_device(plan.device)))
        if plan.precision:
            facts.append((self.tr("Precision"), plan.precision))
        return facts

    def _show(
        self, facts: list[tuple[str, str]], text: str, *, is_warning: bool = False
    ) -> None:
        while self._form.rowCount():
            self._form.removeRow(0)
        for title, value in facts:
            label = make_label(value, wraps=True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._form.addRow(make_label(title, "secondary"), label)
        self._rows.setVisible(bool(facts))
        self._text.setText(text)
        self._text.setVisible(bool(text))
        restyle(self._text, "role", "warning" if is_warning else "secondary")
        said = [f"{title} {value}" for title, value in facts]
        self.setAccessibleName(", ".join([*said, text] if text else said))


def _tr(text: str) -> str:
    return QCoreApplication.translate("PlanCard", text)


IGNORED_FIELDS = {"name": "-", "out": None}  # a plan is the same whatever these are


class PendingPlan(NamedTuple):
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
        self._plans: dict[str, TrainingPlan] = {}
        self._wanted: list[PendingPlan] = []
        state.run_finished.connect(self._on_run_finished)
        state.run_failed.connect(self._on_run_failed)
        state.run_cancelled.connect(lambda run: self._end(run, self.tr("Cancelled.")))

    def known(self, params: TrainEncoder) -> TrainingPlan | None:
        """Return the plan of these settings if it was made."""
        return self._plans.get(_record(params))

    def ask(self, params: TrainEncoder, preset: str = "") -> None:
        """Have a plan made; planned or refused follows."""
        known, record = self.known(params), _record(params)
        if known is not None:
            self.planned.emit(preset, known)
            return
        values = msgspec.structs.asdict(params)
        plan = build_params(PlanTraining, _without_none(values))
        self._wanted.append(PendingPlan(self._state.run(plan), record, preset))

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

    def _take(self, run: RunState) -> PendingPlan | None:
        found = next((wanted for wanted in self._wanted if wanted.run is run), None)
        if found is not None:
            self._wanted.remove(found)
        return found


def _record(params: TrainEncoder) -> str:
    return params_to_json(msgspec.structs.replace(params, **IGNORED_FIELDS))


def _without_none(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
