"""Inputs for the values of steps: existing values with their counts, and ranges."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.engine.store.documents import parse_field_number
from app.params.query_steps import (
    RANGE,
    is_date,
    parse_date_range,
    parse_range,
)
from app.views.widgets.boxes import as_widget, make_row
from app.views.widgets.cells import Index
from app.views.widgets.controls import describe, make_label
from app.views.widgets.fields import Field
from app.views.widgets.number_format import format_count
from app.views.widgets.pair_set_text import SEPARATOR
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "step_values")

Choices = Sequence[tuple[str, int | None]]  # values with numbers of sentences
MAX_COMPLETIONS = 12
COUNT_ROLE = int(Qt.ItemDataRole.UserRole)
WIDTH = 20  # characters
BOUND_WIDTH = 56  # pixels, for text of 13 pixels


class _CountDelegate(QStyledItemDelegate):
    """Shows a value with its count."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Add the count."""
        super().initStyleOption(option, index)
        count = index.data(COUNT_ROLE)
        if count is not None:
            option.text += f"{SEPARATOR}{format_count(count)}"


class SearchableComboBox(QComboBox):
    """A text selected from a list, or completed from any part of it that is typed."""

    def __init__(self, read: Callable[[], Choices]):
        """Make an empty box; `read` returns the choices and is called to show them."""
        super().__init__()
        self._read = read
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.setMinimumContentsLength(WIDTH)
        self.setMaxVisibleItems(MAX_COMPLETIONS)
        completer = QCompleter(self.model(), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setMaxVisibleItems(MAX_COMPLETIONS)
        self.setCompleter(completer)
        self.setItemDelegate(_CountDelegate(self))
        popup = completer.popup()
        if popup is not None:
            popup.setItemDelegate(_CountDelegate(self))

    def load(self) -> None:
        """Read the choices, and keep the text."""
        text = self.currentText()
        with QSignalBlocker(self):
            self.clear()
            for value, count in self._read():
                self.addItem(value)
                self.setItemData(self.count() - 1, count, COUNT_ROLE)
            self.setCurrentIndex(self.findText(text))
            self.setEditText(text)

    def as_field(self) -> Field:
        """Return the widget as an input of a step card."""
        return Field(
            self,
            lambda: self.currentText().strip(),
            lambda value: self.setEditText(str(value or "")),
            lambda f: self.editTextChanged.connect(lambda: f()),
        )

    def showPopup(self) -> None:
        """Read the choices before showing them."""
        self.load()
        super().showPopup()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Read the choices for completion."""
        self.load()
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show all choices when Down is pressed in an empty line."""
        if event.key() == Qt.Key.Key_Down and not self.currentText():
            self.showPopup()
        else:
            super().keyPressEvent(event)


class FieldValueInput(QWidget):
    """The value of a field: an existing value, or a range of numbers or dates.

    Attributes:
        kind: whether it is a value or a range.
        value: the value.
        low, high: the bounds of the range; an empty bound is open.
    """

    changed = Signal()

    def __init__(self, read: Callable[[], Choices]):
        """Make an empty input; `read` returns the values of the field."""
        super().__init__()
        self._read = read
        self.kind = QComboBox()
        self.kind.addItem(_tr("is"), "")
        self.kind.addItem(_tr("is between"), RANGE)
        describe(self.kind, _tr("Comparison"), _tr("One value, or a range of values."))
        self.value = SearchableComboBox(read)
        describe(
            self.value,
            _tr("Value"),
            _tr("A value of the field; * stands for any characters."),
        )
        line = self.value.lineEdit()
        if line is not None:
            line.setPlaceholderText(_tr("no value"))
        self.low, self.high = QLineEdit(), QLineEdit()
        hint = _tr("A number, a year, or a date such as 1850-06-30; empty: no limit.")
        describe(self.low, _tr("Lowest value"), hint)
        describe(self.high, _tr("Highest value"), hint)
        label = make_label(_tr("and"), "secondary")
        self._range = as_widget(make_row((self.low, 1), label, (self.high, 1)))
        for line in (self.low, self.high):
            line.setMinimumWidth(scaled(BOUND_WIDTH))
            line.textChanged.connect(self._on_changed)
        make_row(self.kind, (self.value, 1), (self._range, 1), parent=self, gap=GRID)
        self.setFocusProxy(self.value)
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self.value.editTextChanged.connect(self._on_changed)
        self._show_kind()

    @property
    def is_range(self) -> bool:
        """Whether a range is entered."""
        return bool(self.kind.currentData())

    @property
    def text(self) -> str:
        """The value in the syntax of steps."""
        if not self.is_range:
            return self.value.currentText().strip()
        low, high = self._bounds()
        return f"{low}{RANGE}{high}" if low or high else ""

    @property
    def problem(self) -> str:
        """The reason why the range is invalid; empty if it is valid or missing."""
        bounds = [one for one in self._bounds() if one] if self.is_range else []
        wrong = [one for one in bounds if not _is_bound(one)]
        if wrong:
            words = _tr(
                "{text} is not a number, a year or a date (such as 1850-06-30)."
            )
            return words.format(text=wrong[0])
        if bounds and not is_value_range(self.text):
            return _tr("Enter two numbers, or two dates.")
        return ""

    def show_text(self, text: str) -> None:
        """Show a value in the syntax of steps."""
        self._choose_kind(is_range=is_value_range(text))
        if self.is_range:
            low, _, high = text.partition(RANGE)
            self.low.setText(low.strip())
            self.high.setText(high.strip())
        else:
            self.value.setEditText(text)

    def offer(self) -> None:
        """Offer the values of a field; a range if all values are numbers or dates."""
        values = [value for value, _ in self._read()]
        ordered = _in_order(values)
        lowest, highest = _tr("no minimum"), _tr("no maximum")
        if ordered:
            lowest = _tr("{value} (lowest)").format(value=ordered[0])
            highest = _tr("{value} (highest)").format(value=ordered[-1])
        self.low.setPlaceholderText(lowest)
        self.high.setPlaceholderText(highest)
        if values and not self.text:
            self._choose_kind(is_range=len(ordered) > 1)

    def as_field(self) -> Field:
        """Return the widget as an input of a step card."""
        return Field(
            self,
            lambda: self.text or (None if self.is_range else ""),
            lambda value: self.show_text(str(value or "")),
            lambda f: self.changed.connect(lambda: f()),
        )

    def _bounds(self) -> tuple[str, str]:
        """Return the bounds with a decimal point."""
        low, high = (
            line.text().strip().replace(",", ".") for line in (self.low, self.high)
        )
        return low, high

    def _choose_kind(self, *, is_range: bool) -> None:
        with QSignalBlocker(self.kind):
            self.kind.setCurrentIndex(int(is_range))
        self._show_kind()

    def _show_kind(self) -> None:
        self.value.setHidden(self.is_range)
        self._range.setVisible(self.is_range)
        self.setFocusProxy(self.low if self.is_range else self.value)

    def _on_kind_changed(self) -> None:
        self._show_kind()
        self.changed.emit()

    def _on_changed(self, _text: Any = None) -> None:
        self.changed.emit()


def describe_range(text: str) -> str:
    """Describe a range: 1850 – 1890, from 1850, up to 1890; keep other values."""
    if not is_value_range(text):
        return text
    low, _, high = (part.strip() for part in text.partition(RANGE))
    if low and high:
        return f"{low} – {high}"
    words = _tr("from {value}") if low else _tr("up to {value}")
    return words.format(value=low or high)


def is_value_range(text: str) -> bool:
    """Return whether the value of a field is a range."""
    return parse_range(text) is not None or parse_date_range(text) is not None


def _is_bound(text: str) -> bool:
    return is_value_range(f"{text}{RANGE}")


def _in_order(values: Sequence[str]) -> list[str]:
    """Return the values in ascending order if all are numbers or all are dates."""
    numbers = [one for one in map(parse_field_number, values) if one is not None]
    if len(numbers) == len(values):
        return sorted(values, key=float)
    return sorted(values) if all(map(is_date, values)) else []
