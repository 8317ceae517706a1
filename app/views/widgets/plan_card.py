"""The plan of a training: what it will take on this machine, before it starts."""

from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFormLayout, QFrame, QVBoxLayout, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import make_label, restyle
from app.views.words import (
    describe_device,
    format_bytes,
    format_count,
    format_duration,
    format_rate,
)


class Plan(NamedTuple):
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


def read_plan(result: dict[str, Any]) -> Plan:
    """Read the result of plan-training."""
    return Plan(
        time_s=float(result.get("time_s", -1)),
        memory_bytes=int(result.get("memory_bytes", -1)),
        disk_bytes=int(result.get("disk_bytes", -1)),
        n_parameters=int(result.get("n_parameters", -1)),
        device=str(result.get("device", "")),
        precision=str(result.get("precision", "")),
        sentences_per_s=float(result.get("sentences_per_s", -1)),
        notes=tuple(result.get("notes", ())),
    )


def needs_words(plan: Plan) -> str:
    """Say in one line what a plan needs: 4 min 10 s · 0.6 GB memory · 80 MB disk."""
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
        """Say that nothing is known yet."""
        self._show(
            [],
            self.tr(
                "Estimate tries a few steps on this machine, for about two seconds, "
                "and tells time, memory and disk before anything starts."
            ),
        )

    def say(self, text: str, *, is_warning: bool = False) -> None:
        """Say one sentence instead of a plan."""
        self._show([], text, is_warning=is_warning)

    def show_plan(self, plan: Plan) -> None:
        """Show a plan."""
        self._show(self._facts(plan), "\n".join(plan.notes))

    def _facts(self, plan: Plan) -> list[tuple[str, str]]:
        facts: list[tuple[str, str]] = []
        if plan.time_s >= 0:
            facts.append((self.tr("Time"), format_duration(plan.time_s)))
        if plan.sentences_per_s >= 0:
            rate = format_rate(plan.sentences_per_s, self.tr("sentences"))
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
