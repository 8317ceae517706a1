"""Plan of a training: request and show the estimated time, memory and disk."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QFrame, QHBoxLayout, QWidget

from app.errors import ErrorInfo
from app.params import build_params, params_to_json
from app.params.training.encoder import PlanTraining, TrainEncoder
from app.params.translation import PlanTranslation, TrainTranslation
from app.results.training import TrainingPlan
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import make_button, make_label, restyle
from app.views.widgets.number_format import (
    describe_device,
    format_bytes,
    format_count,
    format_duration,
    format_throughput,
)
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "PlanCard")


def describe_resources(plan: TrainingPlan) -> str:
    """Summarise a plan in one line.

    Example: 4 min 10 s · 0.6 GB memory · 80 MB disk, then 12 MB (the final encoder).
    """
    return " · ".join(
        [
            format_duration(plan.time_s),
            _tr("{n} memory").format(n=format_bytes(plan.memory_bytes)),
            _tr("{n} disk, then {saved}").format(
                n=format_bytes(plan.disk_bytes), saved=format_bytes(plan.saved_bytes)
            ),
        ]
    )


class PlanCard(QFrame):
    """A card that shows a plan, or the reason why there is none."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self._text = make_label("", "secondary", wraps=True)
        self._rows = QWidget()
        self._form = QFormLayout(self._rows)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(2 * GRID)
        self._form.setVerticalSpacing(6)
        make_column(
            make_label(self.tr("Estimated resources"), "section"),
            self._rows,
            self._text,
            parent=self,
            margins=2 * GRID,
        )
        self.clear()

    @property
    def text(self) -> str:
        """The full text of the card, for screen readers and tests."""
        return self.accessibleName()

    def clear(self) -> None:
        """Show how to create a plan."""
        self._show(
            [],
            self.tr(
                "Estimate tries a few steps on this machine for a few seconds, "
                "and shows time, memory and disk space before you start."
            ),
        )

    def show_text(self, text: str, *, is_warning: bool = False) -> None:
        """Show a sentence instead of a plan."""
        self._show([], text, is_warning=is_warning)

    def show_plan(self, plan: TrainingPlan) -> None:
        """Show a plan."""
        self._show(self._facts(plan), "\n".join(plan.notes))

    def _facts(self, plan: TrainingPlan) -> list[tuple[str, str]]:
        rate = format_throughput(plan.sentences_per_s, self.tr("sentences"))
        return [
            (self.tr("Time"), format_duration(plan.time_s)),
            (self.tr("Rate"), rate),
            (self.tr("Memory"), format_bytes(plan.memory_bytes)),
            (self.tr("Disk while training"), format_bytes(plan.disk_bytes)),
            (self.tr("Disk for the encoder"), format_bytes(plan.saved_bytes)),
            (self.tr("Parameters"), format_count(plan.n_parameters)),
            (self.tr("Device"), describe_device(plan.device)),
            (self.tr("Precision"), plan.precision),
        ]

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
        texts = [f"{title} {value}" for title, value in facts]
        self.setAccessibleName(", ".join([*texts, text] if text else texts))


Trainable = TrainEncoder | TrainTranslation
MAX_TRIED = 8  # trainings of a grid to try, a few seconds each
IGNORED_FIELDS = {"name": "-", "out": None}  # don't affect a plan


class PendingPlan(NamedTuple):
    """A plan being computed.

    Attributes:
        run: the task.
        key: identifies the settings.
        preset: the planned preset; empty for the form.
    """

    run: RunState
    key: str
    preset: str


class TrainingPlanner(QObject):
    """Requests and caches plans by settings."""

    progressed = Signal(str, str)  # preset, description
    planned = Signal(str, object)  # preset, TrainingPlan
    failed = Signal(str, str)  # preset, reason

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self._state = state
        self._plans: dict[str, TrainingPlan] = {}
        self._pending: list[PendingPlan] = []
        state.run_progressed.connect(self._on_run_progressed)
        state.run_finished.connect(self._on_run_finished)
        state.run_failed.connect(self._on_run_failed)
        state.run_cancelled.connect(self._on_run_cancelled)

    def known(self, params: Trainable) -> TrainingPlan | None:
        """Return the cached plan for these settings, or None."""
        return self._plans.get(_key(params))

    def request(self, params: Trainable, preset: str = "") -> None:
        """Request a plan; emits `progressed`, and then `planned` or `failed`."""
        known, key = self.known(params), _key(params)
        if known is not None:
            self.planned.emit(preset, known)
            return
        values = msgspec.structs.asdict(params)
        is_translation = isinstance(params, TrainTranslation)
        struct = PlanTranslation if is_translation else PlanTraining
        plan = build_params(struct, _without_none(values))
        waits = self._state.is_busy
        self._pending.append(PendingPlan(self._state.run(plan), key, preset))
        words = _tr("Waiting for other jobs…") if waits else _tr("Trying a few steps…")
        self.progressed.emit(preset, words)

    def _on_run_progressed(self, run: RunState) -> None:
        for pending in self._pending:
            if pending.run is run and run.has_begun:
                self.progressed.emit(pending.preset, _tr("Trying a few steps…"))

    def _on_run_finished(self, run: RunState, result: object) -> None:
        pending = self._pop(run)
        if pending is not None:
            plan = msgspec.convert(result, TrainingPlan)
            self._plans[pending.key] = plan
            self.planned.emit(pending.preset, plan)

    def _on_run_failed(self, run: RunState, error: ErrorInfo) -> None:
        self._fail(run, error.message)

    def _on_run_cancelled(self, run: RunState) -> None:
        self._fail(run, self.tr("Cancelled."))

    def _fail(self, run: RunState, reason: str) -> None:
        pending = self._pop(run)
        if pending is not None:
            self.failed.emit(pending.preset, reason)

    def _pop(self, run: RunState) -> PendingPlan | None:
        found = next((pending for pending in self._pending if pending.run is run), None)
        if found is not None:
            self._pending.remove(found)
        return found


def _key(params: Trainable) -> str:
    return params_to_json(msgspec.structs.replace(params, **IGNORED_FIELDS))


def _without_none(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


class EstimateRow(QWidget):
    """A button that estimates one or more trainings, and a text with the result."""

    failed = Signal(str)  # reason
    estimated = Signal()  # the text is complete and may have several lines

    def __init__(
        self, state: AppState, list_trainings: Callable[[], Sequence[Trainable]]
    ):
        """Initialise.

        Args:
            list_trainings: returns the trainings to estimate; empty on invalid values.
        """
        super().__init__()
        self._list_trainings = list_trainings
        self._n_trainings = 0
        self._plans: dict[str, TrainingPlan | None] = {}  # by training tried
        self._planner = TrainingPlanner(state, self)
        self._planner.progressed.connect(self._on_progressed)
        self._planner.planned.connect(self._on_planned)
        self._planner.failed.connect(self._on_failed)
        self.button = make_button(
            self.tr("Estimate"),
            self.tr("Try a few steps to estimate time, memory and disk space."),
            self.estimate,
        )
        self._text = make_label("", "secondary", wraps=True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._text, 1)

    @property
    def text(self) -> str:
        """The estimate, the progress, or an empty text."""
        return self._text.text()

    def clear(self) -> None:
        """Discard the estimate after the settings change."""
        self._plans.clear()
        self._text.clear()

    def estimate(self) -> None:
        """Try all trainings, or a sample if there are many."""
        trainings = self._list_trainings()
        self._n_trainings = len(trainings)
        step = max(len(trainings) / MAX_TRIED, 1)
        n_tried = min(len(trainings), MAX_TRIED)
        tried = {str(n): trainings[int(n * step)] for n in range(n_tried)}
        self._plans = dict.fromkeys(tried)
        for key, params in tried.items():
            self._planner.request(params, key)

    def _on_progressed(self, key: str, text: str) -> None:
        if key in self._plans:
            self._text.setText(text)

    def _on_planned(self, key: str, plan: TrainingPlan) -> None:
        if key not in self._plans:
            return
        self._plans[key] = plan
        plans = [one for one in self._plans.values() if one is not None]
        if len(plans) == len(self._plans):
            self._text.setText(self._describe(plans))
            self.estimated.emit()

    def _describe(self, plans: Sequence[TrainingPlan]) -> str:
        notes = dict.fromkeys(note for plan in plans for note in plan.notes)
        n = self._n_trainings
        text = describe_resources(_add_plans(plans, n))
        if n > 1:
            text = _tr("{n} trainings: {resources}").format(
                n=format_count(n), resources=text
            )
        if n > len(plans):
            words = _tr("Estimated from {n} of the trainings.")
            text += f"\n{words.format(n=len(plans))}"
        return "\n".join((text, *notes))

    def _on_failed(self, key: str, reason: str) -> None:
        if key in self._plans:
            self.clear()
            self.failed.emit(reason)


def _add_plans(plans: Sequence[TrainingPlan], n_trainings: int) -> TrainingPlan:
    """Return the total resources of trainings that run sequentially.

    The plans cover some or all trainings.
    """
    factor = n_trainings / len(plans)
    saved_bytes = round(factor * sum(one.saved_bytes for one in plans))
    work_bytes = max(one.disk_bytes for one in plans)  # deleted after each training
    return msgspec.structs.replace(
        plans[0],
        time_s=factor * sum(one.time_s for one in plans),
        disk_bytes=work_bytes if n_trainings == 1 else work_bytes + saved_bytes,
        saved_bytes=saved_bytes,
        memory_bytes=max(one.memory_bytes for one in plans),
    )
