"""Inputs for a value of a setting, and a table of settings that vary together."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QPushButton, QWidget

from app.params.grid_cells import (
    ITEM_SIGN,
    JOINT_SIGN,
    OPTION_SIGN,
    Trainable,
    find_option_problem,
    setting_title,
    varied_fields,
)
from app.protocol.answers.encoders import EncoderInfo
from app.views.training.objectives import ObjectivesDialog
from app.views.training.text import name_objectives
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.fields import (
    Field,
    FieldFacts,
    field_facts,
    make_choice,
    make_choice_box,
    make_field,
    make_languages_input,
    make_text_list,
    replace_choices,
)
from app.views.widgets.file_list import FileList
from app.views.widgets.pair_weights import PairWeights
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "setting_values")

SWITCH_VALUES = ("yes", "no")
ENCODER_FIELDS = ("initial", "base", "coarse_encoder", "teacher")


def setting_types(struct: type[Trainable]) -> dict[str, Any]:
    """Return the types of settings that can vary, by name."""
    varied = set(varied_fields(struct))
    facts = map(field_facts, msgspec.structs.fields(struct))
    return {one.name: one.plain for one in facts if one.name in varied}


def is_number(plain: Any) -> bool:
    """Return whether a setting is a number."""
    return plain in (int, float)


def list_values(plain: Any) -> tuple[str, ...]:
    """Return the possible values of a setting; empty if there are many."""
    if plain is bool:
        return SWITCH_VALUES
    return get_args(plain) if get_origin(plain) is Literal else ()


def make_setting_box(types: dict[str, Any]) -> QComboBox:
    """Create a combo box of settings by title."""
    box = QComboBox()
    for name in sorted(types, key=setting_title):
        box.addItem(setting_title(name), name)
    describe(box, _tr("Setting"), _tr("The setting that varies."))
    return box


def offer_settings(box: QComboBox, types: dict[str, Any]) -> None:
    """Replace the settings in a combo box without a signal, keeping the selection."""
    chosen = box.currentData()
    choices = [(setting_title(name), name) for name in sorted(types, key=setting_title)]
    replace_choices(box, choices)
    choose_setting(box, chosen)


def choose_setting(box: QComboBox, name: str) -> None:
    """Select a setting without a signal; add it if it is from another version."""
    with QSignalBlocker(box):
        if box.findData(name) < 0:
            box.addItem(setting_title(name), name)
        box.setCurrentIndex(box.findData(name))


def encoder_choices(
    name: str, encoders: Sequence[EncoderInfo]
) -> list[tuple[str, str]]:
    """Return title and value of the encoders allowed for a setting."""
    usable = [one for one in encoders if _is_usable(name, one)]
    empty = {
        "initial": _tr("Random weights"),
        "coarse_encoder": _tr("Same architecture, trained first"),
    }
    first = empty.get(name, _tr("Bundled encoder"))
    return [(first, ""), *((one.name, one.name) for one in usable)]


def _is_usable(name: str, encoder: EncoderInfo) -> bool:
    """Return whether an encoder is allowed for a setting."""
    match name:
        case "initial":
            return encoder.is_trainable
        case "base":
            return encoder.architecture == "static"
        case _:
            return encoder.architecture != "vectors"  # it must be able to encode texts


def make_value_input(
    name: str, plain: Any, encoders: Sequence[EncoderInfo] = ()
) -> Field:
    """Create an input for a value, which is read and written as text.

    Args:
        encoders: names to choose from; if empty, the name is typed.
    """
    if name == "objectives":
        button = ObjectivesButton()
        return Field(
            button, lambda: button.text_value, button.show_value, button.changed.connect
        )
    values = list_values(plain)
    if get_args(plain)[:1] == (Path,):
        files = FileList(setting_title(name), _tr("Files of one training."))
        return Field(
            files,
            lambda: ITEM_SIGN.join(files.values),
            lambda text: files.write(text.split(ITEM_SIGN) if text else ()),
            files.changed.connect,
        )
    if get_origin(plain) is tuple:
        lists = _make_list(name)
        return lists._replace(
            read=lambda: ITEM_SIGN.join(lists.read()),
            write=lambda text: lists.write(text.split(ITEM_SIGN) if text else ()),
        )
    if plain is Path:
        return _make_path(name)
    if name in ENCODER_FIELDS and encoders:
        field = _make_encoder_choice(name, encoders)
    elif values:
        field = make_choice([(choice_title(value, name), value) for value in values])
    else:
        field = _make_line(plain)
    describe(field.widget, setting_title(name), _tr("A value of this setting."))
    return field


def _make_path(name: str) -> Field:
    """Create an input for a file or folder."""
    title, hint = setting_title(name), _tr("A value of this setting.")
    field = make_field(
        FieldFacts(name, title, hint, Path, None, None, is_required=False, default=None)
    )
    return field._replace(read=lambda: field.read() or "")


def _make_encoder_choice(name: str, encoders: Sequence[EncoderInfo]) -> Field:
    """Create an input for an encoder; a missing encoder stays selectable."""
    box = make_choice_box()
    replace_choices(box, encoder_choices(name, encoders))

    def write(text: str) -> None:
        if box.findData(text) < 0:
            box.addItem(_tr("{name} (not found)").format(name=text), text)
        box.setCurrentIndex(box.findData(text))

    return Field(
        box,
        box.currentData,
        write,
        lambda f: box.currentIndexChanged.connect(lambda: f()),
    )


def _make_line(plain: Any) -> Field:
    line = QLineEdit()
    if not is_number(plain):
        line.setPlaceholderText(_tr("default"))

    def read() -> str:
        text = line.text().strip()
        if plain is float:
            text = text.replace(",", ".")
        return text

    return Field(
        line, read, line.setText, lambda f: line.textChanged.connect(lambda: f())
    )


def _make_list(name: str) -> Field:
    """Create an input for a value that is a list."""
    title = setting_title(name)
    if name == "pair_weights":
        return PairWeights(title).as_field()
    if name.endswith("languages"):
        return make_languages_input(title, "")
    return make_text_list(title, _tr("Values of one training."))


class ObjectivesButton(QPushButton):
    """Shows the objectives of a training; a click opens a dialog to change them.

    Attributes:
        text_value: the objectives in params syntax: translation,nli:2.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAutoDefault(False)
        self.text_value = ""
        self.show_value("")
        self.clicked.connect(self._on_clicked)

    def show_value(self, value: str) -> None:
        """Show objectives in params syntax."""
        self.text_value = value
        names = name_objectives(value.split(ITEM_SIGN)) if value else _tr("Choose…")
        self.setText(names)
        describe(self, names, _tr("Choose the objectives."))
        self.changed.emit()

    def _on_clicked(self) -> None:
        chosen = self.text_value.split(ITEM_SIGN) if self.text_value else []
        ObjectivesDialog(chosen, self._on_chosen, self.window()).open()

    def _on_chosen(self, chosen: Sequence[str]) -> None:
        self.show_value(ITEM_SIGN.join(chosen))


class JointSettings(QWidget):
    """A table of settings that vary together: settings as columns, trainings as rows.

    Attributes:
        boxes: the setting of each column.
        rows: inputs of each row, one per column.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, struct: type[Trainable], encoders: Sequence[EncoderInfo] = ()):
        """Initialise a table without columns.

        Args:
            struct: params whose settings vary.
            encoders: names to choose from.
        """
        super().__init__()
        self._encoders = encoders
        self._struct, self._types = struct, setting_types(struct)
        self._offered = self._types
        self._names: list[str] = []
        self.boxes: list[QComboBox] = []
        self.rows: list[list[Field]] = []
        self._grid = QGridLayout()
        self._grid.setSpacing(GRID // 2)
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        make_column(
            self._grid, self._problem, self._make_buttons(), parent=self, gap=GRID // 2
        )

    @property
    def problem(self) -> str:
        """The error in the values; empty if they are valid."""
        fields = self._fields
        if len(set(fields)) < len(fields):
            return _tr("Choose each setting once.")
        for values in self._values():
            for field, text in zip(fields, values, strict=True):
                if problem := find_option_problem(self._struct, field, text):
                    return problem
        return ""

    @property
    def text(self) -> str:
        """The params line: n_layers & dim=1 & 128|3 & 256; empty without values."""
        joint = f" {JOINT_SIGN} "
        values = OPTION_SIGN.join(joint.join(one).strip() for one in self._values())
        return f"{joint.join(self._fields)}={values}" if values else ""

    def show_settings(self, fields: str, values: str) -> None:
        """Show settings and values in params syntax."""
        names = _split(fields, JOINT_SIGN)
        options = [_split(one, JOINT_SIGN) for one in _split(values, OPTION_SIGN)]
        self._show(names, options if values else [[]])

    def offer(self, types: dict[str, Any]) -> None:
        """Offer only these settings."""
        self._offered = types
        for box in self.boxes:
            offer_settings(box, types)

    def add_row(self) -> None:
        """Add a row without values."""
        self._show(self._fields, [*self._all_values(), []])
        self.rows[-1][0].widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def add_column(self) -> None:
        """Add a column for another setting."""
        free = next(name for name in self._offered if name not in self._fields)
        self._show([*self._fields, free], self._all_values())

    @property
    def _fields(self) -> list[str]:
        return [box.currentData() for box in self.boxes]

    def _all_values(self) -> list[list[str]]:
        return [[field.read() for field in row] for row in self.rows]

    def _values(self) -> list[list[str]]:
        """Return the rows that have values."""
        lines = [not list_values(self._types.get(name)) for name in self._fields]
        return [
            row
            for row in self._all_values()
            if any(text for text, is_line in zip(row, lines, strict=True) if is_line)
            or not any(lines)
        ]

    def _show(self, fields: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show these columns and rows; missing values are empty."""
        while item := self._grid.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self._names = list(fields)
        self.boxes = [self._make_box(index, name) for index, name in enumerate(fields)]
        for index, box in enumerate(self.boxes):
            self._grid.addWidget(box, 0, index)
            self._grid.setColumnStretch(index, 1)
        self._grid.setColumnStretch(len(fields), 0)
        self.rows = [self._make_row(index, row) for index, row in enumerate(rows)]
        self.setFocusProxy(self.boxes[0])
        self._add_column.setEnabled(not set(self._offered) <= set(fields))
        self._on_changed()

    def _make_box(self, index: int, name: str) -> QComboBox:
        box = make_setting_box(self._offered)
        choose_setting(box, name)
        box.currentIndexChanged.connect(lambda: self._on_setting_changed(index))
        return box

    def _make_row(self, index: int, texts: Sequence[str]) -> list[Field]:
        row = []
        for column, name in enumerate(self._fields):
            plain = self._types.get(name)
            field = make_value_input(name, plain, self._encoders)
            if column < len(texts):
                field.write(texts[column])
            field.watch(self._on_changed)
            self._grid.addWidget(field.widget, index + 1, column)
            row.append(field)
        remove = make_button(
            "×", _tr("Remove this row."), partial(self._remove_row, index), kind="quiet"
        )
        remove.setAccessibleName(_tr("Remove row {n}").format(n=index + 1))
        remove.setProperty("shape", "small")
        self._grid.addWidget(remove, index + 1, len(self.boxes))
        return row

    def _make_buttons(self) -> WrappingRow:
        buttons = WrappingRow()
        self._add_column = make_button(
            _tr("Add a column"),
            _tr("Vary one more setting together with these."),
            self.add_column,
            kind="quiet",
        )
        for button in (
            make_button(
                _tr("Add a row"),
                _tr("Train with one more combination of values."),
                self.add_row,
                kind="quiet",
            ),
            self._add_column,
            make_button(
                _tr("Remove the last column"),
                _tr("Stop varying the setting of the last column."),
                self._remove_column,
                kind="quiet",
            ),
            make_button(
                _tr("Remove the table"),
                _tr("Stop varying these settings."),
                self.removed.emit,
                kind="quiet",
            ),
        ):
            button.setProperty("shape", "flush")
            buttons.addWidget(button)
        return buttons

    def _on_setting_changed(self, index: int) -> None:
        """Keep the numbers of the column, or clear them if they are no longer valid."""
        rows = self._all_values()
        old, new = self._names[index], self._fields[index]
        if not (is_number(self._types.get(old)) and is_number(self._types.get(new))):
            rows = [[*row[:index], "", *row[index + 1 :]] for row in rows]
        self._show(self._fields, rows)

    def _remove_row(self, index: int) -> None:
        rows = self._all_values()
        self._show(self._fields, [*rows[:index], *rows[index + 1 :]] or [[]])

    def _remove_column(self) -> None:
        if len(self.boxes) > 1:
            self._show(self._fields[:-1], [row[:-1] for row in self._all_values()])

    def _on_changed(self) -> None:
        self._problem.setText(self.problem)
        self._problem.setVisible(bool(self._problem.text()))
        self.changed.emit()


def _split(text: str, sign: str) -> list[str]:
    return [part.strip() for part in text.split(sign)]
