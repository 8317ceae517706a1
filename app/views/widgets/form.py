"""Form built from the fields of a params struct."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.params import build_params, decode_hook, encode_hook
from app.params.base import TaskParams
from app.params.validation import split_validation_error
from app.views.widgets.controls import describe, make_button, make_label, restyle
from app.views.widgets.fields import (
    Field,
    FieldFacts,
    field_facts,
    make_choice,
    make_field,
)
from app.views.widgets.sections import CLOSED, OPEN
from app.views.widgets.theme import GRID, scaled

TWO_COLUMNS = 440  # pixels; a narrower form has one column
_LEFT = Qt.AlignmentFlag.AlignLeft
_COMMON_WORDS = frozenset(
    (
        *("a", "an", "and", "be", "can", "for", "in", "is", "its", "of", "on", "or"),
        *("per", "that", "the", "this", "to", "with", "number", "maximum", "minimum"),
        *("name", "file", "folder", "write", "use"),
    )
)

S = TypeVar("S", bound=msgspec.Struct)


class FormError(Exception):
    """A value that the struct rejects; the form shows it next to the field."""


class FormParts(NamedTuple):
    """Parts of a form that override the declaration of its struct.

    Attributes:
        first: names of the first fields, in this order.
        titles: titles of fields whose names are not clear.
        inputs: custom inputs of fields.
        wide: fields of full width; None for all except numbers and choices.
        help: texts below fields; an empty text hides the description.
    """

    first: Sequence[str] = ()
    titles: Mapping[str, str] = {}
    inputs: Mapping[str, Field] = {}
    wide: Collection[str] | None = None
    help: Mapping[str, str] = {}


AS_DECLARED = FormParts()


class Form(QWidget, Generic[S]):
    """Inputs for the fields of a struct, each below its label.

    Short inputs are in two columns if there is room. A field that the form does not
    show (`skip`) keeps the value it had.

    Attributes:
        is_folded: whether the advanced fields are hidden.
    """

    changed = Signal()
    folding_changed = Signal()

    def __init__(
        self,
        struct: type[S],
        values: S | None = None,
        *,
        skip: Collection[str] = (),
        parts: FormParts = AS_DECLARED,
    ):
        """Make the form.

        Args:
            values: initial values; None for the defaults.
            skip: fields without an input.
            parts: overrides of the struct's declaration.
        """
        super().__init__()
        self._struct, self._parts = struct, parts
        self._cells: dict[str, _Cell] = {}
        self._fields: dict[str, Field] = {}
        self._kept: dict[str, Any] = {}
        self._hidden: Collection[str] = ()
        self._advanced: list[str] = []
        self.is_folded, self._n_columns, self._n_rows = False, 2, 0
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(2 * GRID)
        self._layout.setVerticalSpacing(2 * GRID)
        self._layout.setColumnStretch(0, 1)
        self._layout.setColumnStretch(1, 1)
        for info in _in_order(struct, parts.first):
            value = getattr(values, info.name) if values is not None else None
            if info.name in skip:
                self._kept[info.name] = value
            else:
                self._add_cell(info, value, has_value=values is not None)
        for name, words in parts.help.items():
            if name in self._cells:
                self.set_help(name, words)
        self._toggle = make_button(
            "",
            self.tr("Show or hide the settings that are rarely changed."),
            self._on_toggled,
            kind="quiet",
        )
        self._toggle.setProperty("shape", "fold")
        self._toggle.hide()
        self._arrange()
        self.changed.connect(self._check)
        self.changed.connect(self._fit)

    def values(self) -> S:
        """Return the struct with every bound checked.

        Raises:
            FormError: a value is invalid; its field is marked, and the error names it.
        """
        self.clear_errors()
        raw = {name: value for name, value in self._kept.items() if value is not None}
        try:
            return self._convert(raw | self.raw())
        except msgspec.ValidationError as error:
            name, text = split_validation_error(str(error))
            if name in self._fields and self.raw().get(name, "") in ("", []):
                text = self.tr("enter a value")
            self.show_error(name, _sentence(text))
            cell = self._cells.get(name)
            title = cell.title if cell else name.replace("_", " ").capitalize()
            raise FormError(f"{title}: {text}." if name else f"{text}.") from error

    @property
    def names(self) -> list[str]:
        """Names of the fields that have an input."""
        return list(self._fields)

    def raw(self) -> dict[str, Any]:
        """Return the unchecked values of the inputs that are not empty.

        An empty text counts as a value, an empty path doesn't.
        """
        values = {name: field.read() for name, field in self._fields.items()}
        return {name: value for name, value in values.items() if value is not None}

    def write(self, values: Mapping[str, Any]) -> None:
        """Set the values of the fields that have an input."""
        for name, field in self._fields.items():
            if name in values:
                field.write(values[name])

    def focus_first(self) -> None:
        """Focus the first input."""
        for field in list(self._fields.values())[:1]:
            field.widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_text(self, name: str) -> None:
        """Focus a text field and select its text."""
        line = self._fields[name].widget
        if isinstance(line, QLineEdit):
            line.setFocus(Qt.FocusReason.OtherFocusReason)
            line.selectAll()

    def hide_rows(self, names: Collection[str]) -> None:
        """Hide these fields and show all others."""
        self._hidden = names
        self._arrange()

    def fold(self, names: Collection[str], *, shows_changed: bool = True) -> None:
        """Move advanced fields to the end, hidden by a button.

        Args:
            shows_changed: show the fields if one differs from its default.
        """
        self._advanced = [name for name in self._fields if name in names]
        self.is_folded = not (
            shows_changed and any(self._is_changed(name) for name in self._advanced)
        )
        self._order_fields()

    def set_advanced(self, names: Collection[str]) -> None:
        """Change the advanced fields; they stay shown or hidden."""
        advanced = [name for name in self._fields if name in names]
        if advanced != self._advanced:
            self._advanced = advanced
            self._order_fields()

    def _order_fields(self) -> None:
        ordered = [self._fields[name].widget for name in self._order()]
        for before, after in pairwise(ordered):
            QWidget.setTabOrder(before, after)
        self._arrange()

    @property
    def has_advanced(self) -> bool:
        """Whether the form has advanced fields."""
        return any(name not in self._hidden for name in self._advanced)

    def unfold(self) -> None:
        """Show the advanced fields."""
        if self.is_folded:
            self._on_toggled()

    def set_help(self, name: str, words: str) -> None:
        """Change or remove the help text of a field."""
        self._cells[name].set_help(words)

    def error_of(self, name: str) -> str:
        """Return why the value of a field is rejected; empty if it is accepted."""
        return self._cells[name].error

    def field(self, name: str) -> Field:
        """Return the input of a field."""
        return self._fields[name]

    def set_choices(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        """Turn a text field into a choice of values: pairs of title and value.

        The current value stays a choice even if it is not among the values.
        """
        old = self._fields[name]
        value, widget = old.read(), old.widget
        offered = [choice for _, choice in choices]
        if value is None and "" in offered:
            value = ""
        if value not in offered:
            missing = self.tr("{value} (not found)").format(value=value)
            words = missing if value else self.tr("None")
            choices = [*choices, (words, value)]
        field = make_choice(choices)
        field.write(value)
        field.watch(self.changed.emit)
        describe(field.widget, widget.accessibleName(), widget.toolTip())
        had_focus = widget is self.window().focusWidget()
        self._cells[name].replace_input(field.widget)
        if had_focus:
            field.widget.setFocus(Qt.FocusReason.OtherFocusReason)
        QWidget.setTabOrder(widget, field.widget)
        widget.hide()  # no longer in the layout, but it exists until Qt deletes it
        widget.deleteLater()
        self._fields[name] = field
        if not isinstance(widget, QComboBox):
            self.set_help(name, "")  # the help describes a typed name
        self._arrange()

    def _convert(self, raw: dict[str, Any]) -> S:
        if issubclass(self._struct, TaskParams):
            made: S = build_params(self._struct, raw)
            return made
        plain = msgspec.to_builtins(raw, enc_hook=encode_hook)
        return msgspec.convert(plain, self._struct, dec_hook=decode_hook, strict=False)

    def _add_cell(
        self, info: msgspec.structs.FieldInfo, value: Any, *, has_value: bool
    ) -> None:
        facts = field_facts(info)
        facts = facts._replace(title=self._parts.titles.get(info.name, facts.title))
        field = self._parts.inputs.get(info.name) or make_field(facts)
        start = value if has_value else facts.default
        if start is not None:
            field.write(start)
        field.watch(self.changed.emit)
        self._fields[info.name] = field
        self._cells[info.name] = _Cell(facts, field.widget, self)

    def _order(self) -> list[str]:
        """Return the fields in display order: the advanced fields last."""
        usual = [name for name in self._fields if name not in self._advanced]
        return [*usual, *self._advanced]

    def _arrange(self) -> None:
        """Arrange the shown fields: two short inputs in a row if there is room."""
        for widget in (*self._cells.values(), self._toggle):
            self._layout.removeWidget(widget)
        self._layout.setRowStretch(self._n_rows, 0)
        advanced = [name for name in self._advanced if name not in self._hidden]
        row = 0
        usual = [name for name in self._fields if name not in self._advanced]
        for group in (usual, self._advanced):
            if group is self._advanced and advanced:
                self._layout.addWidget(self._toggle, row, 0, 1, 2, _LEFT)
                row += 1
            is_folded = group is self._advanced and self.is_folded
            shown = [name for name in group if not is_folded and name in self._shown()]
            for name in group:
                self._cells[name].show_input(name in shown)
            for names in self._pair_up(shown):
                for column, name in enumerate(names):
                    cell, width = self._cells[name], 3 - len(names)
                    is_alone = len(names) == 1 and self._is_short(name)
                    cell.set_alone(is_alone and self._n_columns == 2)
                    self._layout.addWidget(cell, row, column, 1, width)
                row += 1
        self._n_rows = row
        self._layout.setRowStretch(self._n_rows, 1)  # rows stay together
        self._show_toggle(is_shown=bool(advanced))
        self._fit()

    def _shown(self) -> set[str]:
        return self._fields.keys() - set(self._hidden)

    def _pair_up(self, names: Sequence[str]) -> list[list[str]]:
        """Arrange consecutive short inputs in rows of two."""
        rows: list[list[str]] = []
        for name in names:
            fits = self._n_columns == 2 and self._is_short(name)
            if fits and rows and len(rows[-1]) == 1 and self._is_short(rows[-1][0]):
                rows[-1].append(name)
            else:
                rows.append([name])
        return rows

    def _show_toggle(self, *, is_shown: bool) -> None:
        words = self.tr("Advanced settings")
        self._toggle.setText(f"{CLOSED if self.is_folded else OPEN} {words}")
        self._toggle.setAccessibleName(words)
        self._toggle.setVisible(is_shown)

    def _on_toggled(self) -> None:
        self.is_folded = not self.is_folded
        self._arrange()
        self.folding_changed.emit()

    def _is_short(self, name: str) -> bool:
        """Return whether half of the width is enough for an input."""
        cell = self._cells[name]
        if isinstance(cell.input, QCheckBox):
            return False
        if self._parts.wide is not None:
            return name not in self._parts.wide
        is_choice = isinstance(cell.input, QComboBox | QAbstractSpinBox)
        return is_choice or cell.is_number

    def _is_changed(self, name: str) -> bool:
        """Return whether a value differs from the default."""
        for info in msgspec.structs.fields(self._struct):
            if info.name == name:
                value = self._fields[name].read()
                return _plain(value) != _plain(None if info.required else info.default)
        return False

    def _check(self) -> None:
        """Check a value when it is entered, and show its error."""
        self.clear_errors()
        entered = self.raw()
        for info in msgspec.structs.fields(self._struct):
            value = entered.get(info.name)
            if value is None or value in ("", []):
                continue
            plain = msgspec.to_builtins(value, enc_hook=encode_hook)
            try:
                msgspec.convert(plain, info.type, dec_hook=decode_hook, strict=False)
            except msgspec.ValidationError as error:
                _, text = split_validation_error(str(error))
                self.show_error(info.name, _sentence(text), focuses=False)

    def show_error(self, name: str, text: str, *, focuses: bool = True) -> None:
        """Show below a field why its value is rejected, and focus the field."""
        cell = self._cells.get(name)
        if cell is None:
            return
        if name in self._advanced:
            self.unfold()
        cell.show_error(text)
        self._fit()
        if focuses:
            cell.input.setFocus(Qt.FocusReason.OtherFocusReason)

    def find_named(self, message: str) -> str:
        """Return the field whose value a message contains, or "".

        If two fields have the same value, the field of a new name is returned.
        """
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
        return max(found, key=lambda one: (found[one], one == "name"), default="")

    def clear_errors(self) -> None:
        """Replace the errors of all fields with their help texts."""
        wrong = [cell for cell in self._cells.values() if cell.error]
        for cell in wrong:
            cell.clear_error()
        if wrong:
            self._fit()

    def _fit(self) -> None:
        """Set the height for wrapped lines (scroll areas ignore height-for-width)."""
        if self._layout.hasHeightForWidth():
            margins = self.contentsMargins()
            width = self.width() - margins.left() - margins.right()
            height = self._layout.heightForWidth(width)
            self.setMinimumHeight(height + margins.top() + margins.bottom())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the height to the wrapped lines."""
        super().resizeEvent(event)
        n_columns = 2 if self.width() >= scaled(TWO_COLUMNS, self) else 1
        if n_columns != self._n_columns:
            self._n_columns = n_columns
            self._arrange()
        self._fit()


class _Cell(QWidget):
    """A field: label, input, and a line for its help text or error.

    Attributes:
        title: the label.
        input: the widget of the field.
        is_number: whether it is a number.
        error: why the value is rejected; empty if it is accepted.
    """

    def __init__(self, facts: FieldFacts, widget: QWidget, parent: QWidget):
        super().__init__(parent)
        self.title, self.input, self.error = facts.title, widget, ""
        self.is_number = facts.plain in (int, float)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(GRID // 2)
        self._label: QLabel | None = None
        is_box = isinstance(widget, QCheckBox)
        if not is_box:
            self._label = make_label(facts.title)
            self._label.setBuddy(widget)
            self._label.setToolTip(facts.description)
            self._layout.addWidget(self._label)
        self._row = QHBoxLayout()
        self._row.addWidget(widget, 1)
        self._row.addStretch(0)
        self._layout.addLayout(self._row)
        self._line = make_label("", "secondary", wraps=True)
        self._layout.addWidget(self._line)
        self._layout.addStretch(1)
        shown = widget.text() if isinstance(widget, QCheckBox) else facts.title
        is_needed = not _repeats(facts.description, shown)
        self.set_help(facts.description if is_needed else "")

    def set_help(self, words: str) -> None:
        """Set the help text."""
        self._help = words
        if self._label is not None and words:
            self._label.setToolTip(words)
        self.clear_error()

    def show_error(self, text: str) -> None:
        """Show why the value is rejected."""
        self._show(text, "warning")
        self.error = text

    def clear_error(self) -> None:
        """Show the help text instead of the error."""
        self._show(self._help, "secondary")
        self.error = ""

    def show_input(self, is_shown: bool) -> None:
        """Show or hide the field."""
        self.input.setVisible(is_shown)
        self.setVisible(is_shown)

    def set_alone(self, is_alone: bool) -> None:
        """Limit the input, but not the text below it, to half of the width."""
        self._row.setStretch(1, int(is_alone))
        self._row.setSpacing(2 * GRID if is_alone else 0)

    def replace_input(self, widget: QWidget) -> None:
        """Replace the input."""
        self._row.replaceWidget(self.input, widget)
        widget.setVisible(not self.input.isHidden())
        self.input = widget
        if self._label is not None:
            self._label.setBuddy(widget)

    def _show(self, text: str, role: str) -> None:
        self._line.setText(text)
        self._line.setVisible(bool(text))
        restyle(self._line, "role", role)


def _repeats(description: str, title: str) -> bool:
    """Return whether a description adds at most one word to the title."""
    if description.endswith("NAME."):  # for the command line
        return True
    words = {word.strip(".,;:").casefold() for word in description.split()}
    return len(words - set(title.casefold().split()) - _COMMON_WORDS) <= 1


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _plain(value: Any) -> str:
    """Return a text that is the same for equal values of an input and of a struct."""
    if value in (None, "", (), []):
        return ""
    if isinstance(value, list | tuple):
        return ";".join(map(str, value))
    if isinstance(value, str):
        with suppress(ValueError):
            return f"{float(value):g}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else str(value)


def _texts_of(value: Any) -> list[str]:
    """Return the texts and paths of a value that are long enough to search for."""
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
