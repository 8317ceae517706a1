"""Create, open, rename, copy and close projects, and list recent ones."""

import re
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Literal

import msgspec
from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from app.errors import ErrorInfo
from app.params.projects import SaveCopy
from app.paths import demo_project_dir, find_free_path
from app.settings import ProjectFacts
from app.views.client.state import AppState
from app.views.widgets.dialogs import (
    TextInputDialog,
    ask_path,
    ask_paths,
    ask_question,
    export_folder,
)
from app.views.widgets.project_place import SUFFIX, find_name_problem, project_path

N_RECENT = 12
SHORTEST_NAME = 3  # shortest common beginning of file names


def name_after(paths: Sequence[Path]) -> str:
    """Return a name for a new project from its files.

    Use the common beginning of the file names, or the name of their folder unless it is
    a system folder such as Downloads, or the name of the first file.
    """
    stems = [
        path.name if path.is_dir() else path.name.partition(".")[0] or path.name
        for path in paths
    ]
    alike = takewhile(lambda signs: len(set(signs)) == 1, zip(*stems, strict=False))
    shared = "".join(signs[0] for signs in alike)
    if any(stem[len(shared) : len(shared) + 1].isalpha() for stem in stems):
        shared = re.sub(r"[^\W_]+$", "", shared)  # remove a partial word
    shared = shared.strip(" -_")
    folders = {path.absolute().parent for path in paths}
    folder = folders.pop()
    if len(shared) >= SHORTEST_NAME or len(stems) == 1:
        return shared or stems[0]
    return stems[0] if folders or folder in _system_folders() else folder.name


def _system_folders() -> set[Path]:
    kinds = QStandardPaths.StandardLocation
    found = {Path(tempfile.gettempdir()), Path(Path.home().anchor)}
    for kind in (
        *(kinds.HomeLocation, kinds.DesktopLocation, kinds.DocumentsLocation),
        kinds.DownloadLocation,
    ):
        found |= {Path(text) for text in QStandardPaths.standardLocations(kind)}
    return found


class ProjectActions(QObject):
    """Project commands that ask for a path, and for confirmation while a job runs."""

    recent_changed = Signal()
    files_chosen = Signal(list)  # paths of files to import into a new project

    def __init__(self, state: AppState, window: QWidget):
        super().__init__(window)
        self._state = state
        self._window = window
        state.corpora_changed.connect(self._keep_facts)
        state.project_opening_changed.connect(self.note_use)
        state.project_renamed.connect(self._on_project_renamed)

    @property
    def recent(self) -> list[Path]:
        """Recently opened projects, newest first; some may no longer exist."""
        return [Path(text) for text in self._state.settings.recent_projects]

    def facts_of(self, path: Path) -> ProjectFacts | None:
        """Return stored facts about a recent project, or None."""
        return self._state.settings.project_facts.get(str(path))

    def open_demo(self) -> None:
        """Open the demo project, and build it if it does not exist."""
        self.open_path(demo_project_dir(), "demo")

    def new_project(self) -> None:
        """Ask for a name and create an empty project."""
        ask_path(
            self._window,
            self.tr("New project"),
            lambda path: self.open_path(_with_suffix(path), "create"),
            mode=QFileDialog.FileMode.AnyFile,
            start=find_free_path(self._start_folder() / self.tr("My project.isogloss")),
            filters=self.tr("Isogloss project (*.isogloss)"),
        )

    def import_into_new(self, paths: Sequence[Path] = ()) -> None:
        """Import files into a new project; without files, ask for them first."""
        title = self.tr("Import files into a new project (several with Ctrl)")
        if paths:
            self.files_chosen.emit(list(paths))
        else:
            ask_paths(self._window, title, self.files_chosen.emit)

    def import_folder_into_new(self) -> None:
        """Ask for a folder and import it as one corpus into a new project."""
        ask_path(
            self._window,
            self.tr("Import a folder into a new project"),
            lambda path: self.files_chosen.emit([path]),
            mode=QFileDialog.FileMode.Directory,
        )

    def suggest_path(self, files: Sequence[Path]) -> Path:
        """Return a free folder for a project that is named after its files."""
        return find_free_path(self._start_folder() / f"{name_after(files)}{SUFFIX}")

    def choose_project(self) -> None:
        """Ask for a project's folder and open it."""
        ask_path(
            self._window,
            self.tr("Open a project (a folder that ends in .isogloss)"),
            self.open_path,
            mode=QFileDialog.FileMode.Directory,
            start=self._start_folder(),
        )

    def open_path(
        self, path: Path, mode: Literal["open", "create", "demo"] = "open"
    ) -> None:
        """Open a project by its path; on an error, keep the open project."""
        problem = self._find_problem(path, mode)
        if problem:
            self._state.error_posted.emit(ErrorInfo("user", problem))
        else:
            self._when_idle(lambda: self._state.open_project(path, mode))

    def copy_clean(self) -> None:
        """Ask for a name and copy the data of the rejected project into a new one."""
        source = self._state.last_opened
        if source is None:
            return
        ask_path(
            self._window,
            self.tr("Copy into a new project"),
            lambda path: self._when_idle(
                lambda: self._state.open_project(
                    _with_suffix(path), "copy", source.absolute()
                )
            ),
            mode=QFileDialog.FileMode.AnyFile,
            start=self._start_folder() / f"{source.stem} (copy){SUFFIX}",
            filters=self.tr("Isogloss project (*.isogloss)"),
        )

    def close_project(self) -> None:
        """Close the open project and show the welcome page."""
        self.note_use()
        self._when_idle(self._state.close_project)

    def rename_project(self, folder: Path | None = None) -> None:
        """Ask for a new name and rename a project's folder; None: the open project."""
        project = self._state.project
        if folder is None and project is not None:
            folder = project.folder
        if folder is None:
            return
        name = folder.name.removesuffix(SUFFIX)
        question = self.tr("New name for {name}").format(name=name)
        field = QLineEdit(name)
        field.setAccessibleName(question)
        TextInputDialog(
            self._state,
            question,
            (self.tr("Rename project"), partial(self._rename, folder)),
            field,
            self._window,
            find_problem=partial(find_name_problem, folder.parent, present=folder),
        ).open()

    def save_copy(self) -> None:
        """Ask for a file and write the project into it as one archive."""
        project = self._state.project
        if project is None:
            return
        ask_path(
            self._window,
            self.tr("Save a copy"),
            self._copy_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=export_folder(self._state) / f"{project.name}.zip",
            filters=self.tr("Archive (*.zip)"),
        )

    def remember(self, path: Path) -> None:
        """Add a project at the top of the recent projects."""
        others = [text for text in map(str, self.recent) if text != str(path)]
        self._set_recent([str(path), *others][:N_RECENT])
        self._keep_facts(opened_at=time.time())

    def forget(self, path: Path) -> None:
        """Remove a project from the recent projects without deleting it."""
        self._set_recent([text for text in map(str, self.recent) if text != str(path)])

    def _rename(self, folder: Path, name: str) -> None:
        target = project_path(folder.parent, name)
        if target != folder:
            self._when_idle(lambda: self._state.rename_project(folder, target))

    def _on_project_renamed(self, folder: Path, target: Path) -> None:
        """Move the stored facts of a project to its new name."""
        settings, old, new = self._state.settings, str(folder), str(target)
        names = ("project_facts", "class_keys", "user_names")
        kept = {name: dict(getattr(settings, name)) for name in names}
        for values in kept.values():
            if old in values:
                values[new] = values.pop(old)
        self._state.change_settings(msgspec.structs.replace(settings, **kept))
        others = [text for text in map(str, self.recent) if text not in (old, new)]
        self._set_recent([new, *others])

    def _set_recent(self, texts: list[str]) -> None:
        settings = self._state.settings
        facts = {
            key: one for key, one in settings.project_facts.items() if key in texts
        }
        self._state.change_settings(
            msgspec.structs.replace(
                settings, recent_projects=tuple(texts), project_facts=facts
            )
        )
        self.recent_changed.emit()

    def _keep_facts(self, *, opened_at: float | None = None) -> None:
        """Store the facts that the welcome page shows about the open project."""
        project, settings = self._state.project, self._state.settings
        if project is None or str(project.folder) not in settings.recent_projects:
            return
        key = str(project.folder)
        known = settings.project_facts.get(key, ProjectFacts())
        languages = tuple(dict.fromkeys(row.language for row in project.corpora))
        when = known.opened_at if opened_at is None else opened_at
        facts = ProjectFacts(languages, project.n_sentences, when)
        if facts != known:
            every = settings.project_facts | {key: facts}
            self._state.change_settings(
                msgspec.structs.replace(settings, project_facts=every)
            )

    def _find_problem(self, path: Path, mode: str) -> str:
        """Return why a project can't be created or opened, or an empty text."""
        # Imported late: it is slow, and the welcome page does not need it.
        from app.engine.store.connections import DATABASE

        if mode == "create" and not path.absolute().parent.is_dir():
            problem = self.tr("The folder {path} doesn't exist. Choose another place.")
            return problem.format(path=path.absolute().parent)
        if mode == "open" and path.is_dir() and not (path / DATABASE).is_file():
            problem = self.tr(
                "{path} is not an Isogloss project. Choose a folder that ends in "
                ".isogloss, or make a new project."
            )
            return problem.format(path=path)
        return ""

    def note_use(self) -> None:
        """Record the time of use of the open project."""
        self._keep_facts(opened_at=time.time())

    def _start_folder(self) -> Path:
        folders = [p.parent for p in self.recent if p.parent.is_dir()]
        return next((f for f in folders if f != demo_project_dir().parent), Path.home())

    def _when_idle(self, function: Callable[[], object]) -> None:
        if not self._state.is_busy:
            function()
            return
        ask_question(
            self._window,
            self.tr("A job is running. Stop it first."),
            {self.tr("Stop the job"): lambda: self._stop_then(function)},
            details=self.tr("Finished work is saved."),
        )

    def _stop_then(self, function: Callable[[], object]) -> None:
        def _on_runs_changed() -> None:
            if not self._state.is_busy:
                self._state.runs_changed.disconnect(_on_runs_changed)
                function()

        self._state.runs_changed.connect(_on_runs_changed)
        for run in self._state.runs:
            self._state.cancel(run)

    def _copy_to(self, path: Path) -> None:
        self._state.run(SaveCopy(out=path.absolute()))


def _with_suffix(path: Path) -> Path:
    return path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)
