"""Inputs for weighted objectives of one or several trainings."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QVBoxLayout,
    QWidget,
)

from app.params.grid_cells import ITEM_SIGN, OPTION_SIGN
from app.params.training.fields import (
    OBJECTIVES,
    WeightedObjective,
    join_objectives,
    split_objectives,
)
from app.views.training.text import name_objectives, objective_texts
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import (
    fit_dialog,
    lay_out_buttons,
    lay_out_dialog,
)
from app.views.widgets.fields import Field
from app.views.widgets.float_box import FloatBox
from app.views.widgets.theme import GRID

WEIGHT_RANGE = (0.01, 100.0)
SIZE = (88 * GRID, 52 * GRID)  # of the dialog


class ObjectiveField(QWidget):
    """A row per objective: checkbox, weight and description."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        texts = objective_texts()
        self._rows: dict[str, tuple[QCheckBox, FloatBox]] = {}
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(GRID)
        layout.setVerticalSpacing(4)
        layout.setColumnStretch(2, 1)
        for row, name in enumerate(OBJECTIVES):
            title, hint = texts[name]
            box, weight = self._make_row(title, hint)
            self._rows[name] = box, weight
            layout.addWidget(box, row, 0)
            layout.addWidget(weight, row, 1)
            layout.addWidget(make_label(hint, "secondary", wraps=True), row, 2)
        self.setFocusProxy(self._rows[OBJECTIVES[0]][0])
        describe(
            self,
            self.tr("Objectives"),
            self.tr("Each step trains one of the objectives."),
        )
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def read(self) -> list[str]:
        """Return the selected objectives with weights."""
        checked = [
            WeightedObjective(name, round(weight.value(), 4))
            for name, (box, weight) in self._rows.items()
            if box.isChecked()
        ]
        return list(join_objectives(checked))

    def write(self, value: Any) -> None:
        """Select objectives and set their weights."""
        weights = dict(split_objectives(value or ()))
        for name, (box, weight) in self._rows.items():
            weight.setValue(weights.get(name, 1.0))
            box.setChecked(name in weights)

    def as_field(self) -> Field:
        """Return an adapter for use in a form."""
        return Field(self, self.read, self.write, lambda f: self.changed.connect(f))

    def _make_row(self, title: str, hint: str) -> tuple[QCheckBox, FloatBox]:
        box, weight = QCheckBox(title), FloatBox(*WEIGHT_RANGE)
        describe(box, title, hint)
        weight.limit()
        weight.setValue(1.0)
        weight.setEnabled(False)
        describe(
            weight,
            self.tr("Weight of {objective}").format(objective=title),
            self.tr("How often this objective is trained, relative to the others."),
        )
        box.toggled.connect(weight.setEnabled)
        box.toggled.connect(lambda: self.changed.emit())
        weight.valueChanged.connect(lambda: self.changed.emit())
        return box, weight


class ObjectiveSets(QWidget):
    """Objectives of several trainings; each set is chosen in a dialog."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.sets: list[tuple[str, ...]] = []
        self._rows: list[QWidget] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(0)
        self.add_button = make_button(
            self.tr("Add objectives…"),
            self.tr("Choose the objectives of one more training."),
            partial(self._ask, (), self._add),
        )
        left = Qt.AlignmentFlag.AlignLeft
        make_column(self._column, (self.add_button, 0, left), parent=self, gap=4)
        self.setFocusProxy(self.add_button)

    @property
    def text(self) -> str:
        """The sets in params syntax: translation|translation,nli:2."""
        return OPTION_SIGN.join(ITEM_SIGN.join(one) for one in self.sets)

    def set_text(self, text: str) -> None:
        """Show sets in params syntax."""
        parts = [part for part in text.split(OPTION_SIGN) if part.strip()]
        self._show([tuple(part.split(ITEM_SIGN)) for part in parts])

    def _show(self, sets: Sequence[tuple[str, ...]]) -> None:
        self.sets = list(sets)
        for row in self._rows:
            row.hide()
            row.deleteLater()
        self._rows = [self._make_row(index) for index in range(len(self.sets))]
        for row in self._rows:
            self._column.addWidget(row)
        self.changed.emit()

    def _make_row(self, index: int) -> QWidget:
        title, row = name_objectives(self.sets[index]), QWidget()
        change = make_button(
            self.tr("Change…"),
            self.tr("Choose objectives other than {names}.").format(names=title),
            lambda: self._ask(self.sets[index], partial(self._replace, index)),
            kind="quiet",
        )
        remove = make_button(
            self.tr("Remove"),
            self.tr("Do not train with {names}.").format(names=title),
            lambda: self._show([*self.sets[:index], *self.sets[index + 1 :]]),
            kind="quiet",
        )
        make_row((make_label(title, wraps=True), 1), change, remove, parent=row)
        return row

    def _ask(self, chosen: Sequence[str], use: Callable[[list[str]], object]) -> None:
        ObjectivesDialog(chosen, use, self.window()).open()

    def _add(self, chosen: list[str]) -> None:
        self._show([*self.sets, tuple(chosen)])

    def _replace(self, index: int, chosen: list[str]) -> None:
        self._show([*self.sets[:index], tuple(chosen), *self.sets[index + 1 :]])


class ObjectivesDialog(QDialog):
    """Asks for the objectives of a training.

    Attributes:
        field: the objectives.
        use_button: applies the objectives.
    """

    def __init__(
        self,
        chosen: Sequence[str],
        use: Callable[[list[str]], object],
        parent: QWidget,
    ):
        """Initialise; `use` receives the objectives."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Objectives"))
        self.field, self._use = ObjectiveField(), use
        self.use_button = make_button(
            self.tr("Use objectives"),
            self.tr("Train with these objectives."),
            self._on_use,
            kind="primary",
        )
        self.field.changed.connect(self._on_changed)
        self.field.write(chosen)
        self._on_changed()
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(self.windowTitle(), "heading"))
        layout.addWidget(self.field)
        layout.addStretch()
        layout.addLayout(lay_out_buttons(self, self.use_button))
        fit_dialog(self, *SIZE)

    def _on_changed(self) -> None:
        self.use_button.setEnabled(bool(self.field.read()))

    def _on_use(self) -> None:
        self._use(self.field.read())
        self.accept()
