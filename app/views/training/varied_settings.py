"""Rows of a setting and the values that it takes in several trainings."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, get_args, get_origin

import msgspec
from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.params.grid_cells import (
    ITEM_SIGN,
    JOINT_SIGN,
    OPTION_SIGN,
    Trainable,
    setting_title,
    varied_fields,
)
from app.params.training.encoder import TrainEncoder
from app.views.training.objectives import ObjectiveSets
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.controls import describe, make_button
from app.views.widgets.fields import Field, field_facts
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "varied_settings")

FIRST_SETTING = "n_layers"  # is offered first
SHOWN_SIGN = ";"  # between two values in the window


def varied_help() -> str:
    """Return how settings and values are entered."""
    return _tr(
        "Choose a setting and its values. Separate values by semicolons: 1; 3; 5. "
        "With several settings, every combination is trained."
    )


class ValuesInput(QWidget):
    """The values of a setting: boxes to check if it has few, else a line of text."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.boxes: list[QCheckBox] = []
        self.line = QLineEdit()
        self._is_number = False
        self.line.textChanged.connect(self.changed)
        self.objectives = ObjectiveSets()
        self.objectives.hide()
        self.objectives.changed.connect(self.changed)
        self._choices = WrappingRow()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.line)
        layout.addWidget(self.objectives)
        layout.addLayout(self._choices)
        self.setFocusProxy(self.line)

    @property
    def text(self) -> str:
        """The values as params have them: 1|3|5."""
        if not self.objectives.isHidden():
            return self.objectives.text
        if self.boxes:
            parts = [box.property("value") for box in self.boxes if box.isChecked()]
        else:
            signs = SHOWN_SIGN + OPTION_SIGN + (ITEM_SIGN if self._is_number else "")
            parts = re.split(f"[{re.escape(signs)}]", self.line.text().strip())
            if self._is_number:
                parts = [part for part in parts if part.strip()]
        return OPTION_SIGN.join(part.strip() for part in parts)

    def set_text(self, text: str) -> None:
        """Show values as params have them."""
        if not self.objectives.isHidden():
            self.objectives.set_text(text)
            return
        parts = [part.strip() for part in text.split(OPTION_SIGN)]
        for box in self.boxes:
            box.setChecked(box.property("value") in parts)
        self.line.setText(f"{SHOWN_SIGN} ".join(parts))

    def show_type(self, plain: Any, name: str = "") -> None:
        """Offer the values of a type; None: of settings that change together."""
        for box in self.boxes:
            box.deleteLater()
        values = get_args(plain) if get_origin(plain) is Literal else ()
        if plain is bool:
            values = ("yes", "no")
        self.boxes = [self._make_box(value, name) for value in values]
        self._is_number = plain in (int, float)
        are_objectives = name == "objectives"
        self.objectives.setVisible(are_objectives)
        self.line.setVisible(not values and not are_objectives)
        first = self.objectives if are_objectives else self.line
        self.setFocusProxy(self.boxes[0] if self.boxes else first)
        self._describe_line(plain)

    def _make_box(self, value: str, name: str) -> QCheckBox:
        box = QCheckBox(choice_title(value, name))
        box.setProperty("value", value)
        describe(box, box.text(), self.tr("Train with this value."))
        box.toggled.connect(self.changed)
        self._choices.addWidget(box)
        return box

    def _describe_line(self, plain: Any) -> None:
        example, hint = "1; 3; 5", self.tr("Values, separated by semicolons.")
        if plain is None:
            example = "1 & 128; 3 & 256"
            hint = self.tr(
                "Values of the settings that change together, joined by &; the next "
                "ones after a semicolon."
            )
        elif get_origin(plain) is tuple:
            example = self.tr("one, two; one, three")
            hint = self.tr(
                "Lists, separated by semicolons. The items of a list are separated by "
                "commas."
            )
        elif not self._is_number:
            example = self.tr("one; two")
        describe(self.line, self.tr("Values"), hint)
        self.line.setPlaceholderText(self.tr("Example: {text}").format(text=example))


class VariedRow(QWidget):
    """A setting and its values."""

    changed = Signal()
    removed = Signal()

    def __init__(self, types: dict[str, Any]):
        """Make a row; `types`: of the settings to choose from."""
        super().__init__()
        self._types = types
        self.box, self.values = QComboBox(), ValuesInput()
        for name in sorted(types, key=setting_title):
            self.box.addItem(setting_title(name), name)
        describe(self.box, self.tr("Setting"), self.tr("The setting that varies."))
        remove = make_button(
            self.tr("Remove"),
            self.tr("Stop varying this setting."),
            self.removed.emit,
            kind="quiet",
        )
        inner = QHBoxLayout(self)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(GRID)
        top = Qt.AlignmentFlag.AlignTop
        inner.addWidget(self.box, 0, top)
        inner.addWidget(self.values, 1)
        inner.addWidget(remove, 0, top)
        self.setFocusProxy(self.box)
        self.box.currentIndexChanged.connect(self._on_setting_changed)
        self.values.changed.connect(self.changed)

    @property
    def text(self) -> str:
        """The line of params: setting=value|value; empty without a value."""
        values = self.values.text
        return f"{self.box.currentData()}={values}" if values else ""

    def show_setting(self, fields: str, values: str) -> None:
        """Show a setting, or several that change together, and the values."""
        if self.box.findData(fields) < 0:
            titles = [setting_title(one.strip()) for one in fields.split(JOINT_SIGN)]
            self.box.addItem(f" {JOINT_SIGN} ".join(titles), fields)
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(fields))
        self.values.show_type(self._types.get(fields), fields)
        self.values.set_text(values)

    def _on_setting_changed(self) -> None:
        name = self.box.currentData()
        self.values.show_type(self._types.get(name), name)
        self.changed.emit()


class VariedSettings(QWidget):
    """Rows of settings and their values.

    Attributes:
        rows: one for each setting, or for several that change together.
    """

    changed = Signal()

    def __init__(self, title: str, struct: type[Trainable] = TrainEncoder):
        """Make one row.

        Args:
            title: name of the input.
            struct: params whose settings vary.
        """
        super().__init__()
        varied = set(varied_fields(struct))
        facts = map(field_facts, msgspec.structs.fields(struct))
        self._types = {one.name: one.plain for one in facts if one.name in varied}
        self.rows: list[VariedRow] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(GRID // 2)
        self.add_button = make_button(
            self.tr("Add a setting"),
            self.tr("Vary one more setting; every combination is trained."),
            self.add_row,
            kind="quiet",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(self._column)
        layout.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)
        describe(self, title, varied_help())
        self.setToolTip("")
        self.write(())

    def read(self) -> list[str]:
        """Return a line for each row that has values."""
        return [row.text for row in self.rows if row.text]

    def write(self, lines: Sequence[str]) -> None:
        """Show these settings; one empty row if there are none."""
        for row in self.rows:
            row.deleteLater()
        self.rows.clear()
        for text in lines or (f"{FIRST_SETTING}=",):
            fields, _, values = text.partition("=")
            self.add_row()
            self.rows[-1].show_setting(fields, values)
        self.changed.emit()

    def add_row(self) -> None:
        """Add an empty row."""
        row = VariedRow(self._types)
        row.show_setting(FIRST_SETTING, "")
        row.changed.connect(self.changed)
        row.removed.connect(partial(self._remove, row))
        self._column.addWidget(row)
        self.rows.append(row)
        self.setFocusProxy(self.rows[0])

    def as_field(self) -> Field:
        """Return the widget as an input of a form."""
        return Field(self, self.read, self.write, lambda f: self.changed.connect(f))

    def _remove(self, row: VariedRow) -> None:
        self.rows.remove(row)
        row.deleteLater()
        if not self.rows:
            self.add_row()
        self.changed.emit()
