"""Input for the weights with which pairs are sampled, by file name."""

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
    """Rows of file names and the weights of their pairs."""

    changed = Signal()

    def __init__(self, title: str, files: Callable[[], Sequence[Any]] = tuple) -> None:
        """Create the input without rows.

        Args:
            title: name of the input.
            files: returns the pair files whose names are offered.
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
        """Return the weights as in params, without rows that have no name."""
        return [row.text for row in self.rows if row.text]

    def write(self, texts: Sequence[str] | None) -> None:
        """Replace the rows with these weights."""
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
    """Editable drop-down list with the names of the pair files."""

    def __init__(self, files: Callable[[], Sequence[Any]]) -> None:
        """Create an empty box; `files` returns the files when the list opens."""
        super().__init__()
        self._files = files
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def showPopup(self) -> None:
        """Update the list of file names, and keep the text."""
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
    """A file name, which can contain *, and the weight of the files' pairs.

    Attributes:
        box: drop-down list of the file names.
        name: name of the files, without extension.
        weight: sampling weight of their pairs.
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
        """The row as in params; empty without a name."""
        name = self.name.text().strip()
        return f"{name}{SIGN}{self.weight.value():g}" if name else ""

    def write(self, text: str) -> None:
        """Show a row of params; an invalid weight becomes 1."""
        name, sign, weight = text.rpartition(SIGN)
        self.name.setText(name if sign else text)
        with suppress(ValueError):
            self.weight.setValue(float(weight))
