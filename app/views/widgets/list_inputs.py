"""Inputs for several values: texts that are added and removed, and numbers."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QPushButton, QSpinBox, QWidget

from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.controls import (
    ENTER_KEYS,
    describe,
    indent_number,
    make_button,
    make_label,
)
from app.views.widgets.theme import GRID

SEPARATORS = ",;，；、،؛\n"  # commas and semicolons of the scripts
_LISTED = re.compile(rf'"([^"]*)"|([^"{SEPARATORS}]+)')  # quoted, or up to a separator
MAX_OFFERED = 30
NEW_NUMBER = 10


def split_list(text: str) -> list[str]:
    """Return the values of a pasted list, separated by commas of any script."""
    found = (quoted or plain for quoted, plain in _LISTED.findall(text))
    return [part.strip() for part in found if part.strip()]


class ItemList(QWidget):
    """Several values: a field that adds one, and a button for each to remove it.

    Attributes:
        field: adds a value.
        items: the values that were added.
        adds_on_enter: whether Enter adds the typed value.
    """

    changed = Signal()

    def __init__(self, field: QLineEdit, add_hint: str):
        """Make an empty list; `add_hint` describes the button that adds a value."""
        super().__init__()
        self.items: list[str] = []
        self.field, self.adds_on_enter = field, True
        self._buttons: list[QPushButton] = []
        self._row = WrappingRow(GRID // 2)
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        add = make_button(self.tr("Add"), add_hint, self.add)
        self._column = make_column(
            make_row((field, 1), add),
            self._problem,
            self._row,
            parent=self,
            gap=GRID // 2,
        )
        self.setFocusProxy(field)
        field.installEventFilter(self)
        field.textChanged.connect(self._on_changed)
        if field.completer() is not None:
            self._add_completed()

    @property
    def entered(self) -> list[str]:
        """The values in the field, which are not added yet."""
        return [text] if (text := self.field.text().strip()) else []

    @property
    def problem(self) -> str:
        """Why the typed value can't be added; empty if it can."""
        return ""

    def title_of(self, item: str) -> str:
        """Return the displayed text of a value."""
        return item

    def read(self) -> list[str]:
        """Return the values, including typed values that are not added yet."""
        return list(dict.fromkeys([*self.items, *self.entered]))

    def write(self, items: Iterable[Any]) -> None:
        """Replace the values."""
        self.items = list(dict.fromkeys(map(str, items)))
        self.field.clear()
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = [self._make_button(item) for item in self.items]
        self._on_changed()

    def add(self) -> None:
        """Add the typed value to the list."""
        if not self.problem:
            self.write(self.read())

    def _add_completed(self) -> None:
        """Add a text when it is chosen from the completions of the field."""
        queued = Qt.ConnectionType.QueuedConnection  # after the line contains the text
        self.field.completer().activated.connect(self._on_completed, queued)

    def _make_button(self, item: str) -> QPushButton:
        name = self.title_of(item)
        button = make_button(
            f"{name} ×",
            self.tr("Remove {name}.").format(name=name),
            lambda: self.write([one for one in self.items if one != item]),
        )
        button.setProperty("shape", "small")
        self._row.addWidget(button)
        return button

    def _on_completed(self, _text: str) -> None:
        self.add()

    def _on_changed(self) -> None:
        self._problem.setText(self.problem)
        self._problem.setVisible(bool(self.problem))
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Add with Enter; remove the last value with Backspace in an empty field."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        if event.key() in ENTER_KEYS and self.adds_on_enter and self.field.text():
            self.add()
            return True
        if event.key() == Qt.Key.Key_Backspace and not self.field.text():
            self.write(self.items[:-1])
            return True
        return super().eventFilter(watched, event)


class TextList(ItemList):
    """Several texts; texts in use can be offered as completions or buttons."""

    def __init__(
        self,
        title: str,
        hint: str = "",
        *,
        offered: Sequence[str] = (),
        split: Callable[[str], list[str]] = split_list,
    ):
        """Make it empty.

        Args:
            title: name of the input.
            offered: texts in use.
            split: splits a typed or pasted text into values.
        """
        field = QLineEdit()
        describe(field, title, hint)
        if offered:
            completer = QCompleter(list(offered), field)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            field.setCompleter(completer)
        self._split, self._offers = split, dict.fromkeys(offered)
        self._offer_buttons: dict[str, QPushButton] = {}
        super().__init__(field, self.tr("Add what is typed to the list."))
        field.setPlaceholderText(self.tr("Type one, then Enter"))
        field.textEdited.connect(self._on_edited)
        if offered:
            self._show_offers(list(self._offers)[:MAX_OFFERED])

    @property
    def entered(self) -> list[str]:
        """The texts in the field, which are not added yet."""
        return self._split(self.field.text())

    def _on_edited(self, text: str) -> None:
        """Add a text when a comma is typed after it."""
        if text.rstrip()[-1:] in tuple(SEPARATORS) and text.count('"') % 2 == 0:
            self.add()

    def _show_offers(self, texts: Sequence[str]) -> None:
        row = WrappingRow(GRID // 2)
        row.addWidget(make_label(self.tr("In use:"), "secondary"))
        for text in texts:
            button = self._offer_buttons[text] = make_button(
                f"+ {text}",
                self.tr("Add {name}.").format(name=text),
                partial(self._add_offered, text),
                kind="quiet",
            )
            button.setProperty("shape", "small")
            row.addWidget(button)
        self._column.addLayout(row)

    def _add_offered(self, text: str) -> None:
        self.write([*self.read(), text])

    def _on_changed(self) -> None:
        """Offer only texts that are not in the list."""
        for text, button in self._offer_buttons.items():
            button.setEnabled(text not in self.items)
        super()._on_changed()


class NumberList(QWidget):
    """Several integers in order, each in its own box.

    Attributes:
        boxes: one for each number.
        add_button: adds a number.
    """

    changed = Signal()

    def __init__(self, title: str, hint: str, *, low: int = 1, high: int = 2**31 - 1):
        """Make it empty.

        Args:
            title: name of the input.
            low: the lowest number.
            high: the highest number.
        """
        super().__init__()
        self.boxes: list[QSpinBox] = []
        self._title, self._hint, self._range = title, hint, (low, high)
        self._parts: list[QWidget] = []
        self._row = WrappingRow(GRID)
        self.setLayout(self._row)
        self.add_button = make_button(
            self.tr("Add a number"), hint or title, self._on_add, kind="quiet"
        )
        self.add_button.setProperty("shape", "flush")
        self.setFocusProxy(self.add_button)
        self.write(())

    def read(self) -> list[int]:
        """Return the numbers."""
        return [box.value() for box in self.boxes]

    def write(self, values: Iterable[Any] | None) -> None:
        """Show these numbers and no others."""
        self._row.removeWidget(self.add_button)
        for part in self._parts:
            part.hide()
            part.deleteLater()
        self.boxes, self._parts = [], []
        for value in values or ():
            self._add_box(int(value))
        self._row.addWidget(self.add_button)
        self.setFocusProxy(self.boxes[0] if self.boxes else self.add_button)
        self.changed.emit()

    def _on_add(self) -> None:
        low, high = self._range
        number = self.boxes[-1].value() if self.boxes else NEW_NUMBER
        self.write([*self.read(), min(max(number, low), high)])
        self.boxes[-1].setFocus(Qt.FocusReason.OtherFocusReason)
        self.boxes[-1].selectAll()

    def _add_box(self, value: int) -> None:
        box, index = QSpinBox(), len(self.boxes)
        box.setRange(*self._range)
        box.setGroupSeparatorShown(True)
        indent_number(box)
        box.setValue(value)
        words = self.tr("{title}, number {n}").format(title=self._title, n=index + 1)
        describe(box, words, self._hint)
        box.valueChanged.connect(lambda: self.changed.emit())
        remove = make_button(
            "×", self.tr("Remove this number."), lambda: self._remove(index)
        )
        remove.setAccessibleName(self.tr("Remove number {n}").format(n=index + 1))
        remove.setProperty("shape", "small")
        part = as_widget(make_row(box, remove, gap=GRID // 2))
        self._row.addWidget(part)
        self.boxes.append(box)
        self._parts.append(part)

    def _remove(self, index: int) -> None:
        values = self.read()
        self.write([*values[:index], *values[index + 1 :]])
