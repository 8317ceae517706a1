"""Imports files into a new project, which is made when the user agrees."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.errors import ErrorInfo
from app.params.corpora import ImportCorpus
from app.views.client.state import AppState
from app.views.widgets.package_files import split_packages
from app.views.widgets.project_actions import ProjectActions
from app.views.widgets.project_place import ProjectPlace

if TYPE_CHECKING:
    from app.views.corpora.import_dialog import ImportDialog


class _Wanted(NamedTuple):
    """Imports that wait for their project.

    Attributes:
        path: of the project.
        encodes: the imported corpora are encoded afterwards.
        dialog: that asked, shown again if the project can't be made.
    """

    path: Path
    imports: list[ImportCorpus]
    encodes: bool
    dialog: "ImportDialog"


class FirstImportController(QObject):
    """Asks how to import files before there is a project; giving up leaves nothing."""

    ready = Signal(list, bool)  # of ImportCorpus; encode afterwards

    def __init__(self, state: AppState, projects: ProjectActions, window: QWidget):
        super().__init__(window)
        self._state, self._projects, self._window = state, projects, window
        self._wanted: _Wanted | None = None
        state.error_posted.connect(self._on_error_posted)

    def ask(self, files: Sequence[Path]) -> None:
        """Show the import dialog for the files of a new project."""
        # Not at the top: the first page does not need it.
        from app.views.corpora.import_dialog import ImportDialog

        packages, files = split_packages(files)
        if packages:
            self._state.view_requests.packages_chosen.emit(packages)
        if not files:
            return
        place = ProjectPlace(self._projects.suggest_path(files))
        dialog = ImportDialog(self._state, list(files), self._window, place=place)
        dialog.import_chosen.connect(partial(self._on_import_chosen, dialog))
        dialog.open()

    def begin(self) -> None:
        """Import the files that the project just opened was made for, once."""
        wanted, self._wanted = self._wanted, None
        project = self._state.project
        if wanted and project is not None and project.folder == wanted.path.absolute():
            wanted.dialog.begin_in_project(
                lambda: self.ready.emit(wanted.imports, wanted.encodes)
            )

    def _on_import_chosen(
        self, dialog: "ImportDialog", imports: list[ImportCorpus], encodes: bool
    ) -> None:
        if dialog.place is None:  # once more, in the project that was made
            self.ready.emit(imports, encodes)
            return
        path = dialog.place.path
        self._wanted = _Wanted(path, imports, encodes, dialog)
        self._projects.open_path(path, "create")

    def _on_error_posted(self, error: ErrorInfo) -> None:
        """Show the dialog with its input again if the project can't be made."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            wanted.dialog.show_again(error.message)
