"""Input that assigns field names to parts of file names and makes a pattern."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QWidget

from app.views.widgets.boxes import make_column
from app.views.widgets.controls import ElidedLabel, describe, make_label
from app.views.widgets.fields import replace_choices, select_choice
from app.views.widgets.theme import GRID

_tr = partial(QCoreApplication.translate, "name_fields")

SIGNS = ("_", "-", " ", ".")  # between two parts of a name
ANY_SIGN = ""
IGNORED = "_"  # name of a part that is not a field
FORBIDDEN = "{}/"  # characters in field names
FIELD_LENGTH = 9  # characters shown of a part


class NamePart(NamedTuple):
    """A part of a name and the separator before it; a folder ends with a slash."""

    sign: str
    text: str


def split_name(name: str, sign: str) -> list[NamePart]:
    """Split a path at a separator; ANY_SIGN: at all characters outside words."""
    between = rf"(?:{re.escape(sign)})+" if sign else r"[^\w/]+|_+"
    pieces = ["", *re.split(rf"(/|{between})", name)]
    return [NamePart(*pair) for pair in zip(pieces[::2], pieces[1::2], strict=True)]


def make_pattern(parts: Sequence[NamePart], fields: Sequence[str]) -> str:
    """Return the pattern of names with these fields; empty if there are no fields.

    Args:
        fields: field name of each part; empty: not a field.
    """
    named = [index for index, field in enumerate(fields) if field]
    if not named:
        return ""
    folders = [n for n, part in enumerate(parts[: named[0] + 1]) if part.sign == "/"]
    first = folders[-1] if folders else 0
    pieces = []
    for part, field in list(zip(parts, fields, strict=True))[first:]:
        pieces += [part.sign, f"{{{field or IGNORED}}}" if part.text else ""]
    return "".join(pieces).removeprefix("/")


def read_pattern(parts: Sequence[NamePart], pattern: str) -> list[str] | None:
    """Return the field of each part; None if the pattern splits names differently."""
    names = re.findall(r"\{([^{}/]*)\}", pattern)
    texts = [index for index, part in enumerate(parts) if part.text]
    if len(names) > len(texts):
        return None
    fields = [""] * len(parts)
    for index, name in zip(texts[len(texts) - len(names) :], names, strict=True):
        fields[index] = "" if name.strip() == IGNORED else name.strip()
    is_same = _without_ignored(make_pattern(parts, fields)) == _without_ignored(pattern)
    return fields if is_same else None


def _without_ignored(pattern: str) -> str:
    """Return a pattern without the text before its first field."""
    return re.sub(r"^(?:\{_\}[^{}]*)+", "", pattern)


class NameFields(QWidget):
    """The parts of a file name, each with a box for a field name.

    Attributes:
        sign: separator between two parts.
        boxes: the field name of each part with text.
    """

    changed = Signal()  # by the user

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._names: list[str] = []
        self._parts: list[NamePart] = []
        self.boxes: list[QComboBox] = []
        self._example = make_label("", "secondary", wraps=True)
        self.sign = QComboBox()
        describe(
            self.sign,
            _tr("Separator"),
            _tr("The character that separates the parts of a file name."),
        )
        self.sign.currentIndexChanged.connect(self._on_sign_changed)
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(GRID // 2)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        make_column(self._example, self.sign, self._grid, self._problem, parent=self)
        self.setFocusProxy(self.sign)

    @property
    def pattern(self) -> str:
        """The pattern of the named parts."""
        return make_pattern(self._parts, self._fields)

    @property
    def problem(self) -> str:
        """The reason why the field names are invalid; empty if they are valid."""
        fields = [field for field in self._fields if field]
        for field in fields:
            if set(field) & set(FORBIDDEN):
                return _tr("The name of a field can't contain {, } or /.")
            if fields.count(field) > 1:
                words = _tr(
                    "Two parts have the name {name}. Enter a different name for one "
                    "of them."
                )
                return words.format(name=field)
        return ""

    @property
    def _fields(self) -> list[str]:
        """The field name of each part; empty: none."""
        boxes = iter(self.boxes)
        return [
            next(boxes).currentText().strip() if part.text else ""
            for part in self._parts
        ]

    def show_names(self, names: Sequence[str], pattern: str) -> None:
        """Show the parts of the first name with the usual structure.

        Args:
            names: paths of the first files, without extension.
        """
        if list(names) == self._names:
            return
        self._names = list(names)
        signs = [one for one in SIGNS if any(one in name for name in names)]
        choices = [(_sign_title(one), one) for one in signs]
        replace_choices(self.sign, [*choices, (_sign_title(ANY_SIGN), ANY_SIGN)])
        fitting = [
            sign
            for sign in (*signs, ANY_SIGN)
            if read_pattern(self._split(sign), pattern) is not None
        ]
        usual = signs[0] if signs else ANY_SIGN
        select_choice(self.sign, fitting[0] if pattern and fitting else usual)
        self._show_parts(pattern)

    def show_pattern(self, pattern: str) -> None:
        """Show the field names of a typed pattern if it has the same parts."""
        fields = read_pattern(self._parts, pattern) or [""] * len(self._parts)
        texts = [
            field for field, part in zip(fields, self._parts, strict=True) if part.text
        ]
        for box, text in zip(self.boxes, texts, strict=True):
            with QSignalBlocker(box):
                box.setEditText(text)
        self._show_problem()

    def _split(self, sign: str) -> list[NamePart]:
        """Return the parts of the first name that has the usual number of parts."""
        every = [split_name(name, sign) for name in self._names]
        if not every:
            return []
        usual = Counter(map(len, every)).most_common(1)[0][0]
        return next(parts for parts in every if len(parts) == usual)

    def _show_parts(self, pattern: str) -> None:
        while item := self._grid.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self.boxes = []
        self._parts = self._split(self.sign.currentData() or ANY_SIGN)
        example = "".join(part.sign + part.text for part in self._parts)
        self._example.setText(_tr("Example: {name}").format(name=example))
        for part in self._parts:
            if part.text:
                self._add_row(part)
        self.show_pattern(pattern)

    def _add_row(self, part: NamePart) -> None:
        box = QComboBox()
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.addItems(["", *_usual_fields()])
        box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        box.setMinimumContentsLength(FIELD_LENGTH)
        line = box.lineEdit()
        if line is not None:
            line.setPlaceholderText(_tr("no field"))
            line.setMaxLength(100)
        title = _tr("Field for {part}").format(part=part.text)
        describe(
            box,
            title,
            _tr("The document field that this part of the file name contains."),
        )
        box.editTextChanged.connect(self._on_changed)
        label = ElidedLabel()
        label.setText(part.text)
        row = len(self.boxes)
        self._grid.addWidget(label, row, 0)
        self._grid.addWidget(box, row, 1)
        self.boxes.append(box)

    def _on_sign_changed(self) -> None:
        self._show_parts("")
        self.changed.emit()

    def _on_changed(self) -> None:
        self._show_problem()
        self.changed.emit()

    def _show_problem(self) -> None:
        self._problem.setText(self.problem)
        self._problem.setVisible(bool(self.problem))


def _usual_fields() -> list[str]:
    return [_tr("author"), _tr("title"), "year", _tr("genre")]


def _sign_title(sign: str) -> str:
    titles = {
        "_": _tr("Parts between underscores (_)"),
        "-": _tr("Parts between hyphens (-)"),
        " ": _tr("Parts between spaces"),
        ".": _tr("Parts between full stops (.)"),
    }
    return titles.get(sign, _tr("Parts between any of these signs"))
