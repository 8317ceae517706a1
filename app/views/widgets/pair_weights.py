"""Input for how often the pairs of some files are drawn: names and weights."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.fields import Field
from app.views.widgets.float_box import FloatBox
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "pair_weights")

WEIGHT_RANGE = (0.001, 1_000.0)
SIGN = ":"  # between the name and the weight in params


class PairWeights(QWidget):
    """A row for each name of files, with the weight of their pairs."""

    changed = Signal()

    def __init__(self, title: str) -> None:
        """Make it without a row; `title` names the input."""
        super().__init__()
        self.rows: list[WeightRow] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(GRID // 2)
        self.add_button = make_button(
            _tr("Add a weight"),
            _tr("Draw the pairs of some files more or less often."),
            self._on_add,
            kind="quiet",
        )
        self.add_button.setProperty("shape", "flush")
        left = Qt.AlignmentFlag.AlignLeft
        make_column(self._column, (self.add_button, 0, left), parent=self, gap=4)
        describe(self, title, "")
        self.setFocusProxy(self.add_button)

    def read(self) -> list[str]:
        """Return the weights as params have them, without rows that have no name."""
        return [row.text for row in self.rows if row.text]

    def write(self, texts: Sequence[str] | None) -> None:
        """Show these weights and no others."""
        for row in self.rows:
            row.deleteLater()
        self.rows = []
        for text in texts or ():
            self._add_row().write(text)
        self.changed.emit()

    def as_field(self) -> Field:
        """Return the widget as an input of a form."""
        return Field(self, self.read, self.write, lambda f: self.changed.connect(f))

    def _on_add(self) -> None:
        self._add_row().name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _add_row(self) -> "WeightRow":
        row = WeightRow()
        row.changed.connect(self.changed)
        row.removed.connect(partial(self._remove, row))
        self.rows.append(row)
        self._column.addWidget(row)
        return row

    def _remove(self, row: "WeightRow") -> None:
        self.rows.remove(row)
        row.hide()
        row.deleteLater()
        self.changed.emit()


class WeightRow(QWidget):
    """The name of some files, which can contain *, and the weight of their pairs.

    Attributes:
        name: of the files, without ending.
        weight: how often their pairs are drawn.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.name, self.weight = QLineEdit(), FloatBox(*WEIGHT_RANGE)
        describe(
            self.name,
            _tr("Files"),
            _tr("Name of the files without ending; * stands for any characters."),
        )
        self.name.setPlaceholderText(_tr("Files, such as eng-deu*"))
        describe(
            self.weight,
            _tr("Weight"),
            _tr("How often the pairs are drawn: 0.5 is half as often."),
        )
        self.weight.limit()
        self.weight.setValue(1.0)
        self.weight.lineEdit().setTextMargins(GRID, 0, 0, 0)
        remove = make_button(
            _tr("Remove"), _tr("Remove this weight."), self.removed.emit, kind="quiet"
        )
        make_row((self.name, 1), make_label("×"), self.weight, remove, parent=self)
        self.name.textChanged.connect(self.changed)
        self.weight.valueChanged.connect(self.changed)

    @property
    def text(self) -> str:
        """The weight as params have it; empty without a name."""
        name = self.name.text().strip()
        return f"{name}{SIGN}{self.weight.value():g}" if name else ""

    def write(self, text: str) -> None:
        """Show a weight of params; one that is not a number becomes 1."""
        name, sign, weight = text.rpartition(SIGN)
        self.name.setText(name if sign else text)
        with suppress(ValueError):
            self.weight.setValue(float(weight))
