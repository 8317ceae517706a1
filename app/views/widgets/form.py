"""A form built from a struct's fields: types, bounds, defaults, titles, help."""

from collections.abc import Collection, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from app.params import TaskParams, build_params, decode_hook, encode_hook
from app.views.theme import GRID
from app.views.widgets.controls import describe, make_label, restyle
from app.views.widgets.fields import Field, field_facts, make_choice, make_field

S = TypeVar("S", bound=msgspec.Struct)


class FormError(Exception):
    """A value that the struct refuses; the form shows it beside the field."""


class Form(QWidget, Generic[S]):
    """Inputs for the fields of a struct, one a row.

    A field the struct does not show (`skip`) keeps the value it had.
    """

    changed = Signal()

    def __init__(
        self,
        struct: type[S],
        values: S | None = None,
        *,
        skip: Collection[str] = (),
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self._struct = struct
        self._fields: dict[str, Field] = {}
        self._errors: dict[str, QLabel] = {}
        self._kept: dict[str, Any] = {}
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(2 * GRID)
        self._layout.setVerticalSpacing(GRID)
        self._layout.setColumnStretch(1, 1)
        for info in msgspec.structs.fields(struct):
            value = getattr(values, info.name) if values is not None else None
            if info.name in skip:
                self._kept[info.name] = value
            else:
                self._add_row(info, value, has_value=values is not None)

    def values(self) -> S:
        """Give the struct with every bound checked.

        Raises:
            FormError: a value is refused; it is marked, and the error names it.
        """
        self._clear_errors()
        raw = {name: field.read() for name, field in self._fields.items()}
        raw |= {name: value for name, value in self._kept.items() if value is not None}
        raw = {name: value for name, value in raw.items() if value is not None}
        try:
            return self._convert(raw)
        except msgspec.ValidationError as error:
            text, _, place = str(error).partition(" - at `$.")
            name = place.split("`")[0].split("[")[0]
            self._show_error(name, text)
            title = name.replace("_", " ").capitalize()
            raise FormError(f"{title}: {text}." if name else f"{text}.") from error

    def field(self, name: str) -> Field:
        """Give the input of a field."""
        return self._fields[name]

    def set_choices(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        """Let a text field take one of some values: pairs of title and value.

        A value that it has and that is not among them stays a choice.
        """
        old = self._fields[name]
        value, widget = old.read(), old.widget
        if value not in [choice for _, choice in choices]:
            words = self.tr("{value} (not there)").format(value=value)
            choices = [*choices, (words, value)]
        field = make_choice(choices)
        field.write(value)
        field.watch(self.changed.emit)
        describe(field.widget, widget.accessibleName(), widget.toolTip())
        self._layout.replaceWidget(widget, field.widget)
        for label in self.findChildren(QLabel):
            if label.buddy() is widget:
                label.setBuddy(field.widget)
        QWidget.setTabOrder(widget, field.widget)
        widget.deleteLater()
        self._fields[name] = field

    def _convert(self, raw: dict[str, Any]) -> S:
        if issubclass(self._struct, TaskParams):
            made: S = build_params(self._struct, raw)
            return made
        plain = msgspec.to_builtins(raw, enc_hook=encode_hook)
        return msgspec.convert(plain, self._struct, dec_hook=decode_hook, strict=False)

    def _add_row(
        self, info: msgspec.structs.FieldInfo, value: Any, *, has_value: bool
    ) -> None:
        facts = field_facts(info)
        field = make_field(facts)
        start = value if has_value else facts.default
        if start is not None:
            field.write(start)
        field.watch(self.changed.emit)
        self._fields[info.name] = field
        row = 2 * len(self._fields)
        if not isinstance(field.widget, QCheckBox):
            label = make_label(facts.title)
            label.setBuddy(field.widget)
            label.setToolTip(facts.description)
            self._layout.addWidget(label, row, 0, _LABEL_PLACE)
        self._layout.addWidget(field.widget, row, 1)
        words = "" if isinstance(field.widget, QCheckBox) else facts.description
        help_line = make_label(words, "secondary", wraps=True)
        help_line.setContentsMargins(0, 0, 0, GRID)
        help_line.setVisible(bool(words))
        self._layout.addWidget(help_line, row + 1, 1)
        self._errors[info.name] = help_line
        help_line.setProperty("help", words)

    def _show_error(self, name: str, text: str) -> None:
        line = self._errors.get(name)
        if line is None:
            return
        line.setText(text)
        line.show()
        restyle(line, "role", "warning")
        self._fields[name].widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def _clear_errors(self) -> None:
        for line in self._errors.values():
            words = str(line.property("help"))
            line.setText(words)
            line.setVisible(bool(words))
            restyle(line, "role", "secondary")


_LABEL_PLACE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
