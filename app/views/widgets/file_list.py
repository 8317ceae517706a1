"""Input for several files, each with a name if the task needs one."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.controls import describe, make_button
from app.views.widgets.dialogs import ask_paths
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "file_list")

NAME_WIDTH = 18 * GRID


class FileList(QWidget):
    """A line for each file, and a button that adds files."""

    changed = Signal()

    def __init__(self, title: str, hint: str, *, has_names: bool = False):
        """Make a list with one empty line.

        Args:
            has_names: each file can have a name: NAME=FILE.
        """
        super().__init__()
        self._title, self._hint, self._has_names = title, hint, has_names
        self._rows: list[_FileRow] = []
        self._lines = make_column(gap=GRID // 2)
        self._add_row()
        add = make_button(_tr("Add…"), hint or title, self._ask)
        make_row((self._lines, 1), make_column(add, Stretch(1)), parent=self)
        self.setFocusProxy(self._rows[0].line)

    @property
    def values(self) -> list[str]:
        """The files: FILE, or NAME=FILE for files with names."""
        return [row.value for row in self._rows if row.value]

    def write(self, values: Sequence[Any]) -> None:
        """Replace the files."""
        texts = [str(value) for value in values or ()]
        while len(self._rows) > max(len(texts), 1):
            self._rows.pop().deleteLater()
        while len(self._rows) < len(texts):
            self._add_row()
        for row, text in zip(self._rows, [*texts, ""], strict=False):
            row.write(text)
        self._show_removal()

    def _ask(self) -> None:
        ask_paths(self.window(), self._title, self._add_files)

    def _add_files(self, files: Sequence[Path]) -> None:
        self.write([*self.values, *files])

    def _add_row(self) -> None:
        row = _FileRow(self._title, self._hint, has_name=self._has_names)
        row.remove.clicked.connect(lambda: self._remove(row))
        row.changed.connect(self.changed)
        self._rows.append(row)
        self._lines.addWidget(row)

    def _remove(self, row: "_FileRow") -> None:
        self._rows.remove(row)
        row.hide()
        row.deleteLater()
        self.setFocusProxy(self._rows[0].line)
        self._show_removal()
        self.changed.emit()

    def _show_removal(self) -> None:
        """Show the remove buttons while there are several files."""
        for row in self._rows:
            row.remove.setVisible(len(self._rows) > 1)


class _FileRow(QWidget):
    """A file, with a name if the list has names.

    Attributes:
        line: the file.
        remove: the button that removes the row.
    """

    changed = Signal()

    def __init__(self, title: str, hint: str, *, has_name: bool):
        super().__init__()
        self.line, self._name = QLineEdit(), QLineEdit()
        describe(self.line, title, hint)
        describe(self._name, _tr("Name"), _tr("The name of the file in the results."))
        self._name.setPlaceholderText(_tr("Name"))
        self._name.setFixedWidth(scaled(NAME_WIDTH))
        hint = _tr("Remove this file from the list.")
        self.remove = make_button(_tr("Remove"), hint, kind="quiet")
        make_row(self._name, (self.line, 1), self.remove, parent=self)
        self.remove.hide()
        self._name.setVisible(has_name)
        self._has_name = has_name
        for one in (self._name, self.line):
            one.textChanged.connect(self.changed)

    @property
    def value(self) -> str:
        """The file with its name; empty if no file is entered."""
        file, name = self.line.text().strip(), self._name.text().strip()
        return f"{name}={file}" if file and name else file

    def write(self, text: str) -> None:
        """Show a file, or NAME=FILE."""
        name, sign, file = text.partition("=")
        is_named = self._has_name and sign and not {"/", "\\"} & set(name)
        self._name.setText(name if is_named else "")
        self.line.setText(file if is_named else text)
