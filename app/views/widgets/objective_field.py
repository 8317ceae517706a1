"""The objectives of a training with their weights, as a field of a form."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QGridLayout, QWidget

from app.params.training_fields import (
    OBJECTIVES,
    Objective,
    join_objectives,
    split_objectives,
)
from app.views.theme import GRID
from app.views.widgets.controls import describe, make_label
from app.views.widgets.fields import Field

WEIGHTS = (0.01, 100.0)


class ObjectiveField(QWidget):
    """One row an objective: its tick, its weight, what it does."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        words = self._words()
        self._rows: dict[str, tuple[QCheckBox, QDoubleSpinBox]] = {}
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(GRID)
        layout.setVerticalSpacing(4)
        layout.setColumnStretch(2, 1)
        for row, name in enumerate(OBJECTIVES):
            title, what = words[name]
            tick, weight = self._make_row(title, what)
            self._rows[name] = tick, weight
            layout.addWidget(tick, row, 0)
            layout.addWidget(weight, row, 1)
            layout.addWidget(make_label(what, "secondary", wraps=True), row, 2)
        self.setFocusProxy(self._rows[OBJECTIVES[0]][0])
        describe(
            self, self.tr("Objectives"), self.tr("What is learned, one task a step.")
        )
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def read(self) -> list[str]:
        """Give what is ticked, with weights."""
        ticked = [
            Objective(name, round(weight.value(), 4))
            for name, (tick, weight) in self._rows.items()
            if tick.isChecked()
        ]
        return list(join_objectives(ticked))

    def write(self, value: Any) -> None:
        """Tick objectives and set their weights."""
        weights = dict(split_objectives(value or ()))
        for name, (tick, weight) in self._rows.items():
            weight.setValue(weights.get(name, 1.0))
            tick.setChecked(name in weights)

    def as_field(self) -> Field:
        """Give what a form wants of an input."""
        return Field(self, self.read, self.write, lambda f: self.changed.connect(f))

    def _make_row(self, title: str, what: str) -> tuple[QCheckBox, QDoubleSpinBox]:
        tick, weight = QCheckBox(title), QDoubleSpinBox()
        describe(tick, title, what)
        weight.setRange(*WEIGHTS)
        weight.setDecimals(2)
        weight.setSingleStep(0.25)
        weight.setValue(1.0)
        weight.setEnabled(False)
        describe(
            weight,
            self.tr("Weight of {objective}").format(objective=title),
            self.tr("How often this task has its turn, beside the others."),
        )
        tick.toggled.connect(weight.setEnabled)
        tick.toggled.connect(lambda: self.changed.emit())
        weight.valueChanged.connect(lambda: self.changed.emit())
        return tick, weight

    def _words(self) -> dict[str, tuple[str, str]]:
        return {
            "ranking": (
                self.tr("Translation ranking"),
                self.tr("Find the translation among the batch's other sentences."),
            ),
            "translation": (
                self.tr("Translation"),
                self.tr("Write the translation, knowing only the vector (LASER)."),
            ),
            "nli": (
                self.tr("NLI"),
                self.tr("Entailment, contradiction or neither."),
            ),
            "quick-thought": (
                self.tr("Quick thought"),
                self.tr("Find the sentences before and after."),
            ),
            "conversation": (
                self.tr("Conversation"),
                self.tr("Find the response."),
            ),
            "distillation": (
                self.tr("Distillation"),
                self.tr("Take over the space of a stronger encoder."),
            ),
        }
