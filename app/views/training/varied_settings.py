"""Rows of settings with their values in several trainings."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from app.params.grid_cells import (
    JOINT_SIGN,
    OPTION_SIGN,
    Trainable,
    find_option_problem,
)
from app.params.training.encoder import TrainEncoder
from app.protocol.answers.encoders import EncoderInfo
from app.views.training.objectives import ObjectiveSets
from app.views.training.setting_values import (
    JointSettings,
    choose_setting,
    is_number,
    list_values,
    make_setting_box,
    make_value_input,
    offer_settings,
    setting_types,
)
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.fields import Field
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "varied_settings")

FIRST_SETTING = "n_layers"  # is offered first
ALWAYS_USED = "lr"  # offered first if that has no effect
SECOND_SETTING = "dim"  # varies together with the first
N_EMPTY = 2  # empty inputs of a setting without values
NUMBER_WIDTH = 96  # pixels, at a text size of 13 pixels


def varied_help() -> str:
    """Return instructions for entering settings and values."""
    return _tr(
        "Choose a setting and its values. With several settings, every combination is "
        "trained. Settings that change together have a table."
    )


class ValuesInput(QWidget):
    """The values of a setting: checkboxes if there are few, or else inputs."""

    changed = Signal()

    def __init__(self, encoders: Sequence[EncoderInfo] = ()):
        """Initialise without values; `encoders` are names to choose from."""
        super().__init__()
        self._encoders = encoders
        self.boxes: list[QCheckBox] = []
        self.inputs: list[Field] = []
        self._name, self._plain = "", None
        self.objectives = ObjectiveSets()
        self.objectives.hide()
        self.objectives.changed.connect(self.changed)
        self._choices = WrappingRow()
        self._rows = QVBoxLayout()  # text inputs, one per line
        self.add_button = make_button(
            self.tr("Add a value"),
            self.tr("Train with one more value of this setting."),
            self._on_add,
            kind="quiet",
        )
        self.add_button.setProperty("shape", "flush")
        make_column(self.objectives, self._rows, self._choices, parent=self, gap=4)

    @property
    def text(self) -> str:
        """The values in params syntax: 1|3|5."""
        if not self.objectives.isHidden():
            return self.objectives.text
        if self.boxes:
            parts = [box.property("value") for box in self.boxes if box.isChecked()]
        else:
            parts = [field.read() for field in self.inputs]
            if is_number(self._plain) or not any(parts):
                parts = [part for part in parts if part]
        return OPTION_SIGN.join(parts)

    @property
    def numbers(self) -> str:
        """The text if the values are numbers, or else an empty text."""
        return self.text if is_number(self._plain) else ""

    def set_text(self, text: str) -> None:
        """Show values in params syntax."""
        if not self.objectives.isHidden():
            self.objectives.set_text(text)
            return
        parts = [part.strip() for part in text.split(OPTION_SIGN)]
        for box in self.boxes:
            box.setChecked(box.property("value") in parts)
        if not self.boxes:
            self._show_inputs(parts if text else [""] * N_EMPTY)

    def show_type(self, name: str, plain: Any) -> None:
        """Show inputs for the values of a setting."""
        for box in self.boxes:
            box.deleteLater()
        self._name, self._plain = name, plain
        are_objectives = name == "objectives"
        values = list_values(plain)
        self.boxes = [self._make_box(value, name) for value in values]
        self.objectives.setVisible(are_objectives)
        has_inputs = not values and not are_objectives
        self._show_inputs([""] * N_EMPTY if has_inputs else [])
        self.add_button.setVisible(has_inputs)

    def _make_box(self, value: str, name: str) -> QCheckBox:
        box = QCheckBox(choice_title(value, name))
        box.setProperty("value", value)
        describe(box, box.text(), self.tr("Train with this value."))
        box.toggled.connect(self.changed)
        self._choices.addWidget(box)
        return box

    def _show_inputs(self, texts: Sequence[str]) -> None:
        for field in self.inputs:
            field.widget.hide()
            field.widget.deleteLater()
        self._choices.removeWidget(self.add_button)
        self.inputs = [self._add_input(text) for text in texts]
        self._choices.addWidget(self.add_button)
        first = [*self.boxes, *(one.widget for one in self.inputs), self.objectives][0]
        self.setFocusProxy(first)

    def _add_input(self, text: str) -> Field:
        field = make_value_input(self._name, self._plain, self._encoders)
        field.write(text)
        field.watch(self.changed.emit)
        if is_number(self._plain):
            field.widget.setFixedWidth(scaled(NUMBER_WIDTH))
            self._choices.addWidget(field.widget)
        else:
            self._rows.addWidget(field.widget)
        return field

    def _on_add(self) -> None:
        texts = [field.read() for field in self.inputs]
        self._show_inputs([*texts, ""])
        self.inputs[-1].widget.setFocus(Qt.FocusReason.OtherFocusReason)


class VariedRow(QWidget):
    """A row with a setting and its values."""

    changed = Signal()
    removed = Signal()

    def __init__(self, struct: type[Trainable], encoders: Sequence[EncoderInfo] = ()):
        """Initialise a row.

        Args:
            struct: params whose settings vary.
            encoders: names to choose from.
        """
        super().__init__()
        self._struct, self._types = struct, setting_types(struct)
        self.box, self.values = make_setting_box(self._types), ValuesInput(encoders)
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        remove = make_button(
            self.tr("Remove"),
            self.tr("Stop varying this setting."),
            self.removed.emit,
            kind="quiet",
        )
        inner = QHBoxLayout()
        inner.setSpacing(GRID)
        top = Qt.AlignmentFlag.AlignTop
        inner.addWidget(self.box, 0, top)
        inner.addWidget(self.values, 1)
        inner.addWidget(remove, 0, top)
        make_column(inner, self._problem, parent=self, gap=GRID // 2)
        self.setFocusProxy(self.box)
        self.box.currentIndexChanged.connect(self._on_setting_changed)
        self.values.changed.connect(self._on_changed)

    @property
    def problem(self) -> str:
        """What is wrong with a value; empty: nothing."""
        name, texts = self.box.currentData(), self.values.text
        for text in texts.split(OPTION_SIGN) if texts else ():
            if problem := find_option_problem(self._struct, name, text):
                return problem
        return ""

    @property
    def text(self) -> str:
        """The params line: setting=value|value; empty without values."""
        values = self.values.text
        return f"{self.box.currentData()}={values}" if values else ""

    def show_setting(self, name: str, values: str) -> None:
        """Show a setting and values in params syntax."""
        choose_setting(self.box, name)
        self.values.show_type(name, self._types.get(name))
        self.values.set_text(values)
        self._on_changed()

    def offer(self, types: dict[str, Any]) -> None:
        """Offer only these settings; a row without values switches to one of them."""
        if self.box.currentData() not in types and not self.text:
            self.show_setting(_first_of(types), "")
        offer_settings(self.box, types)

    def _on_setting_changed(self) -> None:
        name, kept = self.box.currentData(), self.values.numbers
        self.values.show_type(name, self._types.get(name))
        if kept and is_number(self._types.get(name)):
            self.values.set_text(kept)
        self._on_changed()

    def _on_changed(self) -> None:
        self._problem.setText(self.problem)
        self._problem.setVisible(bool(self._problem.text()))
        self.changed.emit()


def _first_of(types: dict[str, Any]) -> str:
    return FIRST_SETTING if FIRST_SETTING in types else ALWAYS_USED


R = TypeVar("R", VariedRow, JointSettings)


class VariedSettings(QWidget):
    """Rows of settings and their values.

    Attributes:
        rows: rows of a setting, or tables of settings that vary together.
    """

    changed = Signal()

    def __init__(
        self,
        title: str,
        struct: type[Trainable] = TrainEncoder,
        encoders: Sequence[EncoderInfo] = (),
    ):
        """Initialise with one row.

        Args:
            title: name of the input.
            struct: params whose settings vary.
            encoders: names to choose from.
        """
        super().__init__()
        self._struct, self._encoders = struct, encoders
        self._offered = setting_types(struct)
        self.rows: list[VariedRow | JointSettings] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(GRID // 2)
        self.add_button = make_button(
            self.tr("Add a setting"),
            self.tr("Vary one more setting; every combination is trained."),
            self.add_row,
            kind="quiet",
        )
        self.joint_button = make_button(
            self.tr("Add settings that change together"),
            self.tr("Enter combinations of values in a table."),
            self.add_table,
            kind="quiet",
        )
        buttons = WrappingRow()
        for button in (self.add_button, self.joint_button):
            button.setProperty("shape", "flush")
            buttons.addWidget(button)
        make_column(self._column, buttons, parent=self)
        describe(self, title, varied_help())
        self.setToolTip("")
        self.write(())

    def read(self) -> list[str]:
        """Return the params lines of the rows with values."""
        return [row.text for row in self.rows if row.text]

    @property
    def problem(self) -> str:
        """What is wrong with a value; empty: nothing."""
        return next((row.problem for row in self.rows if row.problem), "")

    def write(self, lines: Sequence[str]) -> None:
        """Show settings, or one empty row if there are none."""
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows.clear()
        for text in lines or (f"{FIRST_SETTING}=",):
            names, _, values = text.partition("=")
            if JOINT_SIGN in names:
                self._add(JointSettings(self._struct, self._encoders)).show_settings(
                    names, values
                )
            else:
                self._add(VariedRow(self._struct, self._encoders)).show_setting(
                    names, values
                )
        self.changed.emit()

    def hide_settings(self, names: Collection[str]) -> None:
        """Hide settings that have no effect."""
        types = setting_types(self._struct)
        types = {name: plain for name, plain in types.items() if name not in names}
        if types.keys() == self._offered.keys():
            return
        self._offered = types
        for row in self.rows:
            row.offer(types)

    def add_row(self) -> None:
        """Add a row without values."""
        row = self._add(VariedRow(self._struct, self._encoders))
        row.show_setting(_first_of(self._offered), "")

    def add_table(self) -> None:
        """Add a table of settings that vary together, without values."""
        names = JOINT_SIGN.join((_first_of(self._offered), SECOND_SETTING))
        self._add(JointSettings(self._struct, self._encoders)).show_settings(names, "")

    def _add(self, row: R) -> R:
        row.offer(self._offered)
        row.changed.connect(self.changed)
        row.removed.connect(partial(self._remove, row))
        self._column.addWidget(row)
        self.rows.append(row)
        self.setFocusProxy(self.rows[0])
        return row

    def as_field(self) -> Field:
        """Return an adapter for use in a form."""
        return Field(self, self.read, self.write, lambda f: self.changed.connect(f))

    def _remove(self, row: VariedRow | JointSettings) -> None:
        self.rows.remove(row)
        row.hide()
        row.deleteLater()
        if not self.rows:
            self.add_row()
        self.changed.emit()
