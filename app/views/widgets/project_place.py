"""Inputs for the name and folder of a new project, and their checks."""

import re
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import ask_path
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "project")

SUFFIX = ".isogloss"
MAX_NAME = 100  # characters
MAX_BYTES = 255  # of a folder name, in most file systems
NAME_WIDTH = 36 * GRID
_FORBIDDEN = re.compile(r'[\x00-\x1f<>:"/\\|?*]')  # in file names on some systems


def project_path(folder: Path, name: str) -> Path:
    """Return the folder for a project name."""
    return folder / f"{name.strip().removesuffix(SUFFIX)}{SUFFIX}"


def find_name_problem(folder: Path, name: str, *, present: Path | None = None) -> str:
    """Return why a project can't have a name, or an empty text.

    Args:
        folder: parent folder of the project.
        present: the project's own folder, if it exists already.
    """
    stem = name.strip().removesuffix(SUFFIX)
    found = _FORBIDDEN.search(stem)
    if not stem:
        return _tr("Type a name for the project.")
    if found or stem.startswith(".") or stem.endswith("."):
        words = _tr(
            "The name of a project can't contain “{sign}”. Choose another name."
        )
        if found is None:
            words = _tr("The name of a project can't begin or end with a period.")
        return words.format(sign=found.group() if found else "")
    path = project_path(folder, name)
    if len(stem) > MAX_NAME or len(path.name.encode()) > MAX_BYTES:
        return _tr("The name of the project is too long. Choose a shorter one.")
    is_taken = path.exists()
    if is_taken and present is not None and present.exists():
        is_taken = not path.samefile(present)
    if is_taken:
        words = _tr("{name} already exists in {folder}. Choose another name.")
        return words.format(name=path.name, folder=folder)
    return ""


class ProjectPlace(QWidget):
    """Inputs for the name and the parent folder of a new project."""

    changed = Signal()

    def __init__(self, path: Path, parent: QWidget | None = None):
        super().__init__(parent)
        self._folder = path.parent
        self.name = QLineEdit(path.name.removesuffix(SUFFIX))
        self.name.setMaxLength(MAX_NAME)
        self.name.setFixedWidth(scaled(NAME_WIDTH))
        describe(self.name, self.tr("Project"), self.tr("Name of the new project."))
        self.name.textChanged.connect(self._refresh)
        title = make_label(self.tr("New project"))
        title.setBuddy(self.name)
        self._where = make_label("", "secondary")
        change = make_button(
            self.tr("Change folder…"),
            self.tr("Choose the folder for the project."),
            self._ask_folder,
            kind="quiet",
        )
        self._problem = make_label("", "warning", wraps=True)
        row = make_row(self.name, (self._where, 1), change, gap=GRID)
        make_column(title, row, self._problem, parent=self, gap=GRID // 2)
        self._refresh()

    @property
    def path(self) -> Path:
        """The folder that the project will have."""
        return project_path(self._folder, self.name.text())

    @property
    def problem(self) -> str:
        """Why the project can't be created there, or an empty text."""
        return find_name_problem(self._folder, self.name.text())

    def set_folder(self, folder: Path) -> None:
        """Set the parent folder of the project."""
        self._folder = folder
        self._refresh()

    def _ask_folder(self) -> None:
        ask_path(
            self,
            self.tr("Folder for the project"),
            self.set_folder,
            mode=QFileDialog.FileMode.Directory,
            start=self._folder,
        )

    def _refresh(self) -> None:
        self._where.setText(self.tr("in {folder}").format(folder=self._folder))
        problem = self.problem
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self.changed.emit()
