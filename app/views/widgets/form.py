"""Form built from the fields of a params struct."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from app.params import build_params, decode_hook, encode_hook
from app.params.base import TaskParams
from app.params.validation import split_validation_error
from app.views.widgets.controls import describe, make_label, restyle
from app.views.widgets.fields import Field, field_facts, make_choice, make_field
from app.views.widgets.theme import GRID, scaled

LABEL_WIDTH = 136  # pixels, of a dense form

S = TypeVar("S", bound=msgspec.Struct)


class FormError(Exception):
    """A value that the struct rejects; the form shows it next to the field."""


class Form(QWidget, Generic[S]):
    """Inputs for the fields of a struct, one a row.

    A field the struct does not show (`skip`) keeps the value it had.

    Attributes:
        first: fields that come first, in this order.
    """

    changed = Signal()
    first: Sequence[str] = ()

    def __init__(
        self,
        struct: type[S],
        values: S | None = None,
        *,
        skip: Collection[str] = (),
        titles: Mapping[str, str] | None = None,
        inputs: Mapping[str, Field] | None = None,
        wide: Collection[str] | None = None,
    ):
        """Make the inputs.

        Args:
            struct: whose fields these are.
            values: what they begin with; None: the defaults.
            skip: fields without an input.
            titles: of fields whose names do not say it.
            inputs: of fields that need one of their own.
            wide: fields whose meaning stands below the input; that of the others
                stands beside it. None: of all.
        """
        super().__init__()
        self._struct = struct
        self._titles, self._inputs = titles or {}, inputs or {}
        self._is_dense, self._wide = wide is not None, wide or ()
        self._rows: dict[str, list[QWidget]] = {}
        self._fields: dict[str, Field] = {}
        self._errors: dict[str, QLabel] = {}
        self._kept: dict[str, Any] = {}
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(2 * GRID)
        self._layout.setVerticalSpacing(GRID)
        self._layout.setColumnStretch(1, 1)
        if self._is_dense:
            self._layout.setColumnMinimumWidth(0, scaled(LABEL_WIDTH))
            self._layout.setColumnStretch(1, 2)
            self._layout.setColumnStretch(2, 3)
        for info in _in_order(struct, self.first):
            value = getattr(values, info.name) if values is not None else None
            if info.name in skip:
                self._kept[info.name] = value
            else:
                self._add_row(info, value, has_value=values is not None)
        self._layout.setRowStretch(2 * len(self._fields) + 2, 1)  # rows stay together

    def values(self) -> S:
        """Return the struct with every bound checked.

        Raises:
            FormError: a value is refused; it is marked, and the error names it.
        """
        self.clear_errors()
        raw = {name: value for name, value in self._kept.items() if value is not None}
        try:
            return self._convert(raw | self.raw())
        except msgspec.ValidationError as error:
            name, text = split_validation_error(str(error))
            if name in self._fields and self.raw().get(name, "") in ("", []):
                text = self.tr("fill this in")
            self.show_error(name, f"{text[:1].upper()}{text[1:]}.")
            title = self._titles.get(name) or name.replace("_", " ").capitalize()
            raise FormError(f"{title}: {text}." if name else f"{text}.") from error

    @property
    def names(self) -> list[str]:
        """Names of the fields that have an input."""
        return list(self._fields)

    def raw(self) -> dict[str, Any]:
        """Return the values of the inputs, unchecked, without the empty ones.

        (An empty text is a value, an empty path isn't.)
        """
        values = {name: field.read() for name, field in self._fields.items()}
        return {name: value for name, value in values.items() if value is not None}

    def write(self, values: Mapping[str, Any]) -> None:
        """Put values into the inputs that there are for them."""
        for name, field in self._fields.items():
            if name in values:
                field.write(values[name])

    def focus_first(self) -> None:
        """Put the keyboard into the first input."""
        for field in list(self._fields.values())[:1]:
            field.widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def hide_rows(self, names: Collection[str]) -> None:
        """Show every row but these."""
        for name, widgets in self._rows.items():
            for widget in widgets:
                is_empty = (
                    widget is self._errors[name] and not self._errors[name].text()
                )
                widget.setVisible(name not in names and not is_empty)
        self._fit()

    def set_help(self, name: str, words: str) -> None:
        """Show something else, or nothing, of what a field means."""
        line = self._errors[name]
        line.setProperty("help", words)
        line.setText(words)
        line.setVisible(bool(words))

    def field(self, name: str) -> Field:
        """Return the input of a field."""
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
        if widget is self.window().focusWidget():
            field.widget.setFocus(Qt.FocusReason.OtherFocusReason)
        for label in self.findChildren(QLabel):
            if label.buddy() is widget:
                label.setBuddy(field.widget)
        QWidget.setTabOrder(widget, field.widget)
        rows = self._rows[name]
        field.widget.setVisible(not widget.isHidden())
        self._rows[name] = [field.widget if w is widget else w for w in rows]
        widget.hide()  # it is no longer in the layout, and stays until Qt deletes it
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
        facts = facts._replace(title=self._titles.get(info.name, facts.title))
        field = self._inputs.get(info.name) or make_field(facts)
        start = value if has_value else facts.default
        if start is not None:
            field.write(start)
        field.watch(self.changed.emit)
        self._fields[info.name] = field
        row = 2 * len(self._fields)
        self._rows[info.name] = [field.widget]
        if not isinstance(field.widget, QCheckBox):
            label = make_label(facts.title)
            label.setBuddy(field.widget)
            label.setToolTip(facts.description)
            self._layout.addWidget(label, row, 0, _LABEL_PLACE)
            self._rows[info.name].append(label)
        words = "" if isinstance(field.widget, QCheckBox) else facts.description
        is_wide = isinstance(field.widget, QCheckBox) or info.name in self._wide
        is_beside = self._is_dense and not is_wide
        self._layout.addWidget(field.widget, row, 1, 1, 1 if is_beside else -1)
        help_line = make_label(words, "secondary", wraps=True)
        if is_beside:
            self._layout.addWidget(help_line, row, 2)
        else:
            help_line.setContentsMargins(0, 0, 0, GRID)
            self._layout.addWidget(help_line, row + 1, 1, 1, -1)
        help_line.setVisible(bool(words))  # now: without a parent it is a window
        self._errors[info.name] = help_line
        self._rows[info.name].append(help_line)
        help_line.setProperty("help", words)

    def show_error(self, name: str, text: str) -> None:
        """Show next to a field why its value is rejected, and focus the field."""
        line = self._errors.get(name)
        if line is None:
            return
        line.setText(text)
        line.show()
        restyle(line, "role", "warning")
        self._fit()
        self._fields[name].widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def find_named(self, message: str) -> str:
        """Return the field whose value a message contains; empty: none."""
        defaults = {
            one.name: one.default for one in msgspec.structs.fields(self._struct)
        }
        found = {
            name: len(text)
            for name, value in self.raw().items()
            if value != defaults[name]
            for text in _texts_of(value)
            if text in message
        }
        return max(found, key=found.__getitem__, default="")

    def clear_errors(self) -> None:
        """Show of every field what it is, as before."""
        for line in self._errors.values():
            words = str(line.property("help"))
            line.setText(words)
            restyle(line, "role", "secondary")
            if not words:
                line.hide()
        self._fit()

    def _fit(self) -> None:
        """Ask for the height that wrapped lines need (a scroll area asks nobody)."""
        if self._layout.hasHeightForWidth():
            margins = self.contentsMargins()
            width = self.width() - margins.left() - margins.right()
            height = self._layout.heightForWidth(width)
            self.setMinimumHeight(height + margins.top() + margins.bottom())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Be high enough for the lines as they are wrapped now."""
        super().resizeEvent(event)
        self._fit()


def _texts_of(value: Any) -> list[str]:
    """Return the texts and paths of a value that are long enough to find."""
    if isinstance(value, list | tuple):
        return [text for one in value for text in _texts_of(one)]
    if isinstance(value, Path):
        return [str(value)] if value.name else []
    return [value] if isinstance(value, str) and len(value) > 2 else []


def _in_order(
    struct: type[msgspec.Struct], first: Sequence[str]
) -> list[msgspec.structs.FieldInfo]:
    fields = {info.name: info for info in msgspec.structs.fields(struct)}
    early = [fields.pop(name) for name in first if name in fields]
    return [*early, *fields.values()]


_LABEL_PLACE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
