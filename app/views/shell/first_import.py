"""Import files into a new project, which is created when the user confirms."""

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
    """Imports to start when their project is open.

    Attributes:
        path: folder of the project.
        encodes: whether to encode the imported corpora afterwards.
        dialog: the import dialog, shown again if the project can't be created.
    """

    path: Path
    imports: list[ImportCorpus]
    encodes: bool
    dialog: "ImportDialog"


class FirstImportController(QObject):
    """Shows the import dialog before the project exists; Cancel creates no project."""

    ready = Signal(list, bool)  # list of ImportCorpus; whether to encode afterwards

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
        """Start the waiting imports once their new project is open."""
        wanted, self._wanted = self._wanted, None
        project = self._state.project
        if wanted and project is not None and project.folder == wanted.path.absolute():
            wanted.dialog.begin_in_project(
                lambda: self.ready.emit(wanted.imports, wanted.encodes)
            )

    def _on_import_chosen(
        self, dialog: "ImportDialog", imports: list[ImportCorpus], encodes: bool
    ) -> None:
        if dialog.place is None:  # a second import, into the new project
            self.ready.emit(imports, encodes)
            return
        path = dialog.place.path
        self._wanted = _Wanted(path, imports, encodes, dialog)
        self._projects.open_path(path, "create")

    def _on_error_posted(self, error: ErrorInfo) -> None:
        """Show the dialog with its input again if creating the project failed."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            wanted.dialog.show_again(error.message)
