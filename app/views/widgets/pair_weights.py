"""Input for how often the pairs of some files are drawn: names and weights."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import describe, indent_number, make_button, make_label
from app.views.widgets.fields import Field
from app.views.widgets.float_box import FloatBox
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "pair_weights")

WEIGHT_RANGE = (0.001, 1_000.0)
SIGN = ":"  # between the name and the weight in params


class PairWeights(QWidget):
    """A row for each name of files, with the weight of their pairs."""

    changed = Signal()

    def __init__(self, title: str, files: Callable[[], Sequence[Any]] = tuple) -> None:
        """Make it without a row.

        Args:
            title: name of the input.
            files: returns the files of pairs, whose names are offered.
        """
        super().__init__()
        self._files = files
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
        row = WeightRow(self._files)
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


class FileNameBox(QComboBox):
    """The name of some files, chosen among the files of pairs or typed."""

    def __init__(self, files: Callable[[], Sequence[Any]]) -> None:
        """Make it empty; `files` returns the files when their names are shown."""
        super().__init__()
        self._files = files
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def showPopup(self) -> None:
        """Offer the names of the files; the text stays."""
        text = self.currentText()
        paths = [Path(str(one)) for one in self._files()]
        names = dict.fromkeys(
            Path(path.name.removesuffix(".xz")).stem for path in paths
        )
        with QSignalBlocker(self):
            self.clear()
            self.addItems(list(names))
            self.setCurrentIndex(self.findText(text))
            self.setEditText(text)
        super().showPopup()


class WeightRow(QWidget):
    """The name of some files, which can contain *, and the weight of their pairs.

    Attributes:
        box: offers the names of the files.
        name: of the files, without ending.
        weight: how often their pairs are drawn.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, files: Callable[[], Sequence[Any]]) -> None:
        super().__init__()
        self.box, self.weight = FileNameBox(files), FloatBox(*WEIGHT_RANGE)
        self.name = QLineEdit()
        self.box.setLineEdit(self.name)
        hint = _tr(
            "Choose a file of pairs. For several files, type the beginning of their "
            "names and a *."
        )
        describe(self.box, _tr("Files"), hint)
        describe(self.name, _tr("Files"), hint)
        self.name.setPlaceholderText(_tr("Choose a file"))
        describe(
            self.weight,
            _tr("Weight"),
            _tr("How often the pairs are drawn: 0.5 is half as often."),
        )
        self.weight.limit()
        self.weight.setValue(1.0)
        indent_number(self.weight)
        remove = make_button(
            _tr("Remove"), _tr("Remove this weight."), self.removed.emit, kind="quiet"
        )
        make_row((self.box, 1), make_label("×"), self.weight, remove, parent=self)
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
