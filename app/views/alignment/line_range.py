"""Input for a range of lines: the complete text, or a first and a last line."""

import re

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QSpinBox, QWidget

from app.views.widgets.boxes import Stretch, as_widget, make_row
from app.views.widgets.controls import describe, indent_number, make_label
from app.views.widgets.fields import Field, make_choice_box
from app.views.widgets.number_format import format_count

WHOLE, PART = "", "part"  # keys of the choices
_RANGE = re.compile(r"\s*(\d+)\s*[-–]\s*(\d+)\s*")  # syntax of params


class LineRange(QWidget):
    """Input for the complete text, or for a first and a last line.

    Attributes:
        kind: choice between the complete text and a range.
        first, last: line numbers, from 1.
    """

    changed = Signal()

    def __init__(self, title: str):
        """Make an input with the complete text selected; `title` names it."""
        super().__init__()
        self.kind = make_choice_box()
        self.kind.addItem(self.tr("Whole text"), WHOLE)
        self.kind.addItem(self.tr("Only lines"), PART)
        hint = self.tr("Align the whole text, or only some of its lines.")
        describe(self.kind, title, hint)
        hint = self.tr("The line numbers are shown next to the sentences.")
        self.first = self._make_box(self.tr("First line of {text}"), title, hint)
        self.last = self._make_box(self.tr("Last line of {text}"), title, hint)
        self._lines = as_widget(
            make_row(self.first, make_label(self.tr("to"), "secondary"), self.last)
        )
        self._lines.hide()
        make_row(self.kind, self._lines, Stretch(1), parent=self)
        self.setFocusProxy(self.kind)
        self.kind.currentIndexChanged.connect(self._on_kind_changed)

    @property
    def is_whole(self) -> bool:
        """Whether the complete text is selected."""
        return not self.kind.currentData()

    @property
    def text(self) -> str:
        """The range in the syntax of params: 1-500; empty for the complete text."""
        return "" if self.is_whole else f"{self.first.value()}-{self.last.value()}"

    @property
    def problem(self) -> str:
        """The reason why the range is invalid; empty if it is valid."""
        if self.is_whole or self.first.value() <= self.last.value():
            return ""
        return self.tr("The last line is before the first: enter {n} or more.").format(
            n=format_count(self.first.value())
        )

    def show_text(self, text: str) -> None:
        """Show a range in the syntax of params."""
        found = _RANGE.fullmatch(text)
        if found is not None:
            self.first.setValue(int(found[1]))
            self.last.setValue(int(found[2]))
        self.kind.setCurrentIndex(self.kind.findData(PART if found else WHOLE))

    def set_n_lines(self, n: int) -> None:
        """Set the number of lines; a range that ended at the last line still does."""
        ends_last = self.is_whole or self.last.value() == self.last.maximum()
        for box in (self.first, self.last):
            with QSignalBlocker(box):
                box.setMaximum(max(n, 1))
        if ends_last:
            with QSignalBlocker(self.last):
                self.last.setValue(n)
        self.kind.setEnabled(n > 0)

    def as_field(self) -> Field:
        """Return the widget as an input of a form."""
        return Field(
            self,
            lambda: self.text,
            lambda value: self.show_text(str(value or "")),
            lambda f: self.changed.connect(lambda: f()),
        )

    def _make_box(self, words: str, title: str, hint: str) -> QSpinBox:
        box = QSpinBox(minimum=1, maximum=2**31 - 1)
        box.setGroupSeparatorShown(True)
        indent_number(box)
        describe(box, words.format(text=title), hint)
        box.valueChanged.connect(lambda: self.changed.emit())
        return box

    def _on_kind_changed(self) -> None:
        self._lines.setVisible(not self.is_whole)
        self.changed.emit()
