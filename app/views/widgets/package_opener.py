"""Opens review packages, in a new project if none is open."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.errors import ErrorInfo
from app.params.pairs import ExportPackage, MergePackage, OpenPackage, ReturnPackage
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.dialogs import (
    PACKAGE_FOLDER,
    ask_paths,
    ask_question,
    name_files,
    package_folder,
)
from app.views.widgets.package_files import read_package_kind
from app.views.widgets.project_actions import ProjectActions


class PackageOpener(QObject):
    """Asks whether to open or merge a package, and starts the job."""

    def __init__(self, state: AppState, projects: ProjectActions, window: QWidget):
        super().__init__(window)
        self._state, self._projects, self._window = state, projects, window
        self._waiting: list[Path] = []  # packages for the new project
        self._shown_next: RunState | None = None
        window.setProperty(PACKAGE_FOLDER, state.settings.package_folder)
        state.view_requests.packages_chosen.connect(self.ask)
        state.run_finished.connect(self._on_run_finished)
        state.error_posted.connect(self._waiting_no_more)

    def choose(self) -> None:
        """Ask for the file of a package to judge."""
        title = self.tr("Open a package to judge")
        start = package_folder(self._window)
        ask_paths(self._window, title, self.ask, start=start)

    def ask(self, files: Sequence[Path]) -> None:
        """Ask whether to open packages, or to merge returned judgements."""
        kinds = {file: read_package_kind(file) for file in files}
        for kind, ask in (
            ("", self._explain_others),
            ("judgements", self._ask_to_merge),
            ("pairs", self._ask_to_open),
        ):
            found = [file for file in files if kinds[file] == kind]
            if found:
                ask(found)

    def begin(self) -> None:
        """Open the waiting packages once their new project is open."""
        waiting, self._waiting = self._waiting, []
        self._open(waiting)

    def open_in_new(self, file: Path) -> None:
        """Open a package in a new project."""
        self._open_in_new([file], self._projects.suggest_path([file]))

    def _explain_others(self, files: list[Path]) -> None:
        words = self.tr("{names}: not a package of pairs. Choose another file.")
        problem = words.format(names=name_files(files))
        self._state.error_posted.emit(ErrorInfo("user", problem))

    def _ask_to_merge(self, files: list[Path]) -> None:
        if self._state.project is None:
            words = self.tr(
                "{names}: returned judgements. Open the project that the package was "
                "exported from, then import the file there."
            )
            problem = words.format(names=name_files(files))
            self._state.error_posted.emit(ErrorInfo("user", problem))
            return
        words = self.tr("{names}: judgements that another annotator returned.")
        ask_question(
            self._window,
            words.format(names=name_files(files)),
            {self.tr("Merge judgements"): partial(self._merge, files)},
            details=self.tr("They are merged into the pair set of their package."),
        )

    def _ask_to_open(self, files: list[Path]) -> None:
        words = self.tr("{names}: a package of pairs to judge.")
        details = self.tr("Its pairs become a pair set of this project.")
        open_packages = partial(self._open, files)
        if self._state.project is None:
            path = self._projects.suggest_path(files)
            details = self.tr("A project is created for it: {path}").format(path=path)
            open_packages = partial(self._open_in_new, files, path)
        ask_question(
            self._window,
            words.format(names=name_files(files)),
            {self.tr("Open package"): open_packages},
            details=details,
        )

    def _open_in_new(self, files: list[Path], path: Path) -> None:
        self._waiting = files
        self._projects.open_path(path, "create")

    def _open(self, files: Sequence[Path]) -> None:
        for file in files:
            self._shown_next = self._state.run(OpenPackage(package=file))

    def _merge(self, files: Sequence[Path]) -> None:
        for file in files:
            self._state.run(MergePackage(package=file))

    def _on_run_finished(self, run: RunState, result: dict[str, object]) -> None:
        """Store the folder of a package, and show the pairs of an opened package."""
        match run.params:
            case ExportPackage(out=file) | ReturnPackage(out=file):
                self._remember_folder(file)
            case OpenPackage(package=file) | MergePackage(package=file):
                self._remember_folder(file)
        if run is self._shown_next:
            self._shown_next = None
            self._state.view_requests.review_requested.emit(result["mining"], None)

    def _remember_folder(self, file: Path) -> None:
        folder, settings = str(file.absolute().parent), self._state.settings
        self._window.setProperty(PACKAGE_FOLDER, folder)
        if folder != settings.package_folder:
            settings = msgspec.structs.replace(settings, package_folder=folder)
            self._state.change_settings(settings)

    def _waiting_no_more(self, _: ErrorInfo) -> None:
        self._waiting = []
