"""Menu bar and the registry of window actions."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from app import VERSION
from app.params import ALL_PARAMS, command_name
from app.params.base import TaskParams
from app.params.corpora import ImportCorpus
from app.params.projects import SaveCopy
from app.params.training import PlanTraining, TrainEncoder
from app.params.vectors import LookInside, Search
from app.views.shell.command_palette import CommandPalette
from app.views.shell.session import SessionDialog
from app.views.shell.settings_dialog import SettingsDialog
from app.views.shell.shortcut_overview import ShortcutOverview
from app.views.widgets.controls import describe_action
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.view_protocol import view_shortcut

if TYPE_CHECKING:
    from app.views.shell.main_window import MainWindow

Keys = str | QKeySequence.StandardKey


class ActionRegistry:
    """Makes actions and keeps them with the title of their menu.

    Attributes:
        entries: category and action, in the order of the menus.
    """

    def __init__(self, window: QMainWindow, shortcuts: Mapping[str, str]):
        """Begin an empty list.

        Args:
            window: owns the actions and the menu bar.
            shortcuts: keys that the user gave actions, by the action's name.
        """
        self.entries: list[tuple[str, QAction]] = []
        self._window = window
        self._shortcuts = shortcuts

    def add_menu(self, title: str) -> QMenu:
        """Add a menu to the menu bar."""
        menu = self._window.menuBar().addMenu(title)
        menu.setToolTipsVisible(True)
        return menu

    def add(
        self,
        menu: QMenu,
        text: str,
        hint: str,
        function: Callable[[], object],
        *,
        keys: Keys = "",
    ) -> QAction:
        """Add an action that calls a function."""
        action = QAction(text, self._window)
        action.triggered.connect(lambda: function())
        self.adopt(menu, action, text, hint, keys)
        return action

    def adopt(
        self, menu: QMenu, action: QAction, text: str, hint: str, keys: Keys
    ) -> None:
        """Add an action that exists; the user's own keys win."""
        action.setText(text)
        action.setObjectName(self._name(menu, text))
        own = self._shortcuts.get(action.objectName())
        if own is not None or keys:
            action.setShortcut(QKeySequence(own if own is not None else keys))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        describe_action(action, hint)
        menu.addAction(action)
        self.entries.append((menu.title().replace("&", ""), action))

    def _name(self, menu: QMenu, text: str) -> str:
        """Name an action for the settings; a second one of a name has its menu too."""
        name = text.strip("…").lower()
        is_taken = any(action.objectName() == name for _, action in self.entries)
        return f"{menu.title().replace('&', '').lower()}: {name}" if is_taken else name


# They have a view or an action that does more than a form.
OWN_VIEWS = (ImportCorpus, LookInside, PlanTraining, SaveCopy, Search, TrainEncoder)


class MenuController(QObject):
    """Makes the menu bar, and knows every action by its category."""

    def __init__(self, window: "MainWindow"):
        super().__init__(window)
        self._window = window
        self._list = ActionRegistry(window, window.state.settings.shortcuts)
        self._need_project: list[QAction] = []
        self._need_writing: list[QAction] = []
        self._recent = QMenu(self.tr("Open recent"), window)
        self._add_file_menu()
        self._add_edit_menu()
        self._add_view_menu()
        self._view_menu = self._list.add_menu(self.tr("&Actions"))
        self._add_task_menu()
        self._add_help_menu()
        state = window.state
        state.project_opened.connect(self.refresh)
        state.project_closed.connect(self.refresh)
        state.undo_changed.connect(self._refresh_undo)
        window.projects.recent_changed.connect(self._fill_recent)
        self._fill_recent()
        self.refresh()

    @property
    def actions(self) -> list[tuple[str, QAction]]:
        """Every action with its category: the menus' and the views'."""
        return self._list.entries + self._window.view_actions()

    def refresh(self) -> None:
        """Enable what can be done now."""
        project = self._window.state.project
        for action in self._need_project:
            action.setEnabled(project is not None)
        for action in self._need_writing:
            action.setEnabled(project is not None and not project.is_read_only)
        self._refresh_undo()

    def _refresh_undo(self) -> None:
        changes = self._window.state.changes
        self._undo.setEnabled(changes.can_undo)
        self._redo.setEnabled(changes.can_redo)

    def show_view_actions(self, view: QWidget | None) -> None:
        """Put the actions of the view that is shown into their menu."""
        actions = view.actions() if view is not None else []
        for action in self._view_menu.actions():  # clear() would delete them
            self._view_menu.removeAction(action)
        self._view_menu.addActions(actions)
        self._view_menu.menuAction().setVisible(bool(actions))

    def show_palette(self) -> None:
        """Show the command palette."""
        CommandPalette(self.actions, self._window).open()

    def show_cheat_sheet(self) -> None:
        """Show every shortcut."""
        ShortcutOverview(self.actions, self._window).open()

    def _add_file_menu(self) -> None:
        menu = self._list.add_menu(self.tr("&File"))
        projects, standard = self._window.projects, QKeySequence.StandardKey
        self._list.add(
            menu,
            self.tr("New project…"),
            self.tr("Make an empty project."),
            projects.new_project,
            keys=standard.New,
        )
        self._list.add(
            menu,
            self.tr("Open project…"),
            self.tr("Open a project's folder."),
            projects.choose_project,
            keys=standard.Open,
        )
        menu.addMenu(self._recent)
        self._list.add(
            menu,
            self.tr("Open the demo project"),
            self.tr("Open the demo: twelve languages, no download."),
            projects.open_demo,
        )
        menu.addSeparator()
        self._add_project_actions(menu)
        menu.addSeparator()
        self._list.add(
            menu,
            self.tr("Settings…"),
            self.tr("Device, colours, text size, keys."),
            lambda: SettingsDialog(
                self._window.state, self.actions, self._window
            ).open(),
            keys="Ctrl+,",
        )
        self._list.add(
            menu,
            self.tr("Quit"),
            self.tr("Save the session and close Isogloss."),
            self._window.close,
            keys="Ctrl+Q",
        )

    def _add_project_actions(self, menu: QMenu) -> None:
        """Add what is done with the open project."""
        projects, standard = self._window.projects, QKeySequence.StandardKey
        importing = self._list.add(
            menu,
            self.tr("Import…"),
            self.tr("Import files as corpora of the project."),
            self._window.import_files,
            keys="Ctrl+I",
        )
        importing_folder = self._list.add(
            menu,
            self.tr("Import a folder…"),
            self.tr("Import the files of a folder as the documents of one corpus."),
            self._window.import_folder,
        )
        copy = self._list.add(
            menu,
            self.tr("Save a copy…"),
            self.tr("Write the whole project as one archive."),
            projects.save_copy,
        )
        sessions = self._list.add(
            menu,
            self.tr("Past sessions…"),
            self.tr("Bring back how the window looked before."),
            lambda: SessionDialog(self._window.session, self._window).open(),
        )
        close = self._list.add(
            menu,
            self.tr("Close project"),
            self.tr("Close the project and show the first page."),
            projects.close_project,
            keys=standard.Close,
        )
        self._need_project += [copy, sessions, close]
        self._need_writing += [importing, importing_folder]

    def _add_edit_menu(self) -> None:
        menu = self._list.add_menu(self.tr("&Edit"))
        state = self._window.state
        self._undo = self._list.add(
            menu,
            self.tr("Undo"),
            self.tr("Take the last change of the project back."),
            state.undo,
            keys="Ctrl+Z",
        )
        self._redo = self._list.add(
            menu,
            self.tr("Redo"),
            self.tr("Make the change that was taken back again."),
            state.redo,
            keys="Ctrl+Shift+Z",
        )

    def _add_view_menu(self) -> None:
        menu = self._list.add_menu(self.tr("&View"))
        window = self._window
        for i, entry in enumerate(window.entries):
            action = self._list.add(
                menu,
                entry.title,
                entry.hint,
                partial(window.show_view, entry.name),
                keys=view_shortcut(i),
            )
            self._need_project.append(action)
        menu.addSeparator()
        for dock, words, hint, keys in (
            (
                window.inspector_dock,
                self.tr("Inspector"),
                self.tr("Show or hide the selected sentence's panel."),
                "F9",
            ),
            (
                window.runs_dock,
                self.tr("Runs"),
                self.tr("Show or hide the jobs of this project."),
                "Ctrl+J",
            ),
            (
                window.log_dock,
                self.tr("Log"),
                self.tr("Show or hide what the engine says."),
                "F12",
            ),
        ):
            self._list.adopt(menu, dock.toggleViewAction(), words, hint, keys)
        menu.addSeparator()
        look = self._list.add(
            menu,
            self.tr("Attribution…"),
            self.tr("Compare two sentences token by token: those shown here."),
            self._look_inside,
            keys="Ctrl+Shift+L",
        )
        self._need_project.append(look)
        self._list.add(
            menu,
            self.tr("Full screen"),
            self.tr("Fill the screen, or go back."),
            self._toggle_full_screen,
            keys="F11",
        )

    def _add_task_menu(self) -> None:
        """Offer training, and the tasks that no view has a button for, by forms."""
        menu = self._list.add_menu(self.tr("&Tasks"))
        training = self._list.add(
            menu,
            self.tr("Train an encoder…"),
            self.tr("Put a training together, from a preset on."),
            self._window.train_encoder,
        )
        self._need_writing.append(training)
        for params in ALL_PARAMS:
            if params in OWN_VIEWS:
                continue
            name = command_name(params).replace("-", " ").capitalize()
            hint = (params.__doc__ or name).strip().splitlines()[0]
            action = self._list.add(
                menu, f"{name}…", hint, partial(self._show_task, params)
            )
            writes = params.writes_project
            (self._need_writing if writes else self._need_project).append(action)

    def _show_task(self, params: type[TaskParams]) -> None:
        TaskDialog(self._window.state, params, parent=self._window).open()

    def _add_help_menu(self) -> None:
        menu = self._list.add_menu(self.tr("&Help"))
        self._list.add(
            menu,
            self.tr("All actions…"),
            self.tr("Find any action by its name."),
            self.show_palette,
            keys="Ctrl+K",
        )
        self._list.add(
            menu,
            self.tr("Keyboard shortcuts"),
            self.tr("Show every shortcut."),
            self.show_cheat_sheet,
            keys="?",
        )
        self._list.add(
            menu,
            self.tr("About Isogloss"),
            self.tr("Show the version."),
            self._show_about,
        )

    def _fill_recent(self) -> None:
        self._recent.clear()
        projects = self._window.projects
        for path in projects.recent:
            action = self._recent.addAction(str(path))
            action.setEnabled(path.is_dir())
            action.triggered.connect(partial(self._open_recent, path))
        self._recent.setEnabled(bool(projects.recent))

    def _open_recent(self, path: Path) -> None:
        self._window.projects.open_path(path)

    def _look_inside(self) -> None:
        from app.views.attribution.dialog import open_attribution  # brings numpy along

        open_attribution(self._window.state, self._window.view, self._window)

    def _toggle_full_screen(self) -> None:
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def _show_about(self) -> None:
        self._window.message_bar.post(
            self.tr(
                "Isogloss {version}: a workbench for multilingual sentence embeddings. "
                "Licence: Apache-2.0. It runs on this machine only."
            ).format(version=VERSION)
        )
