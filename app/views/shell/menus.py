"""Menu bar and the registry of window actions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QWidget

from app.views.client.state import AppState
from app.views.shell.command_palette import CommandPalette
from app.views.shell.navigation import ViewStack
from app.views.shell.session import SessionAutosaver, SessionDialog
from app.views.shell.settings_dialog import SettingsDialog
from app.views.shell.shortcut_overview import ShortcutOverview
from app.views.shell.undo_text import EditPlaces, name_redone, name_undone
from app.views.widgets.controls import (
    ACTION_GROUP,
    STARTS_SECTION,
    add_synonyms,
    describe_action,
)
from app.views.widgets.project_actions import ProjectActions
from app.views.widgets.sentence_editor import ask_sentence_text
from app.views.widgets.view_protocol import ViewEntry, view_shortcut

Keys = str | QKeySequence.StandardKey
N_RECENT_ACTIONS = 20  # number of recent actions in the command palette
TEXT_SIZES = (75, 90, 100, 110, 125, 150, 175, 200, 250)  # in %


class ActionRegistry:
    """Creates actions and stores them with the title of their menu.

    Attributes:
        entries: pairs of category and action, in menu order.
    """

    def __init__(self, window: QMainWindow, shortcuts: Mapping[str, str]):
        """Create an empty registry.

        Args:
            window: owns the actions and the menu bar.
            shortcuts: keys that the user assigned, by the name of the action.
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
        """Add an existing action; the user's own keys override the default ones."""
        action.setText(text)
        action.setObjectName(self._name(menu, text))
        own = self._shortcuts.get(action.objectName())
        if own is not None or keys:
            action.setShortcut(QKeySequence(own if own is not None else keys))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        describe_action(action, hint)
        menu.addAction(action)
        self.entries.append((_category(menu), action))

    def _name(self, menu: QMenu, text: str) -> str:
        """Return the action's key in the settings; a duplicate has a menu prefix."""
        name = text.strip("…").lower()
        is_taken = any(action.objectName() == name for _, action in self.entries)
        return f"{_category(menu).lower()}: {name}" if is_taken else name


def _category(menu: QMenu) -> str:
    """Return the title of the top-level menu that contains a menu."""
    parent = menu.parent()
    title = menu.title().replace("&", "")
    return _category(parent) if isinstance(parent, QMenu) else title


class Docks(NamedTuple):
    """The panels around the view."""

    inspector: QDockWidget
    guide: QDockWidget
    runs: QDockWidget
    log: QDockWidget


class MenuController(QObject):
    """Creates the menu bar, and lists every action with its category."""

    view_requested = Signal(str)  # name of a view
    import_requested = Signal()
    folder_import_requested = Signal()
    about_requested = Signal()
    documentation_requested = Signal()

    def __init__(
        self,
        window: QMainWindow,
        state: AppState,
        views: ViewStack,
        *,
        projects: ProjectActions,
        session: SessionAutosaver,
        docks: Docks,
    ):
        """Create the menus.

        Args:
            window: owns the menu bar and is the parent of the dialogs.
            views: the views and their actions.
            projects: opens and closes projects.
            session: restores past sessions.
        """
        super().__init__(window)
        self._window, self._state, self._views = window, state, views
        self._projects, self._session, self._docks = projects, session, docks
        self._registry = ActionRegistry(window, state.settings.shortcuts)
        self._project_actions: list[QAction] = []
        self._views_by_name: dict[str, QAction] = {}  # action that shows each view
        self._writing_actions: list[QAction] = []
        self._edit_places = EditPlaces()
        self._recent = QMenu(self.tr("Open recent"), window)
        self._add_file_menu()
        self._add_edit_menu()
        self._add_view_menu()
        self._view_menu = self._registry.add_menu(self.tr("&Actions"))
        self._add_subject_menus()
        self._add_help_menu()
        state.project_opened.connect(self._forget_edits)
        state.project_opened.connect(self.refresh)
        state.project_closed.connect(self.refresh)
        for signal in (state.project_opened, state.project_closed):
            signal.connect(self._fill_recent)
        state.changes.added.connect(self._on_edit_added)
        state.undo_changed.connect(self._refresh_undo)
        projects.recent_changed.connect(self._fill_recent)
        self._fill_recent()
        self.refresh()

    @property
    def actions(self) -> list[tuple[str, QAction]]:
        """All actions of menus and views, each with its category."""
        return self._registry.entries + self._views.view_actions()

    def refresh(self) -> None:
        """Enable the actions that can be used now."""
        project = self._state.project
        for action in self._project_actions:
            action.setEnabled(project is not None)
        can_write = self._state.can_write
        for action in self._writing_actions:
            action.setEnabled(can_write)
        for action in self._importing_actions:  # if none is open, they create a project
            action.setEnabled(project is None or can_write)
        self._refresh_undo()

    def _on_edit_added(self) -> None:
        self._edit_places.add(self._views.view_name)

    def _forget_edits(self) -> None:
        project = self._state.project
        if project is not None:
            self._edit_places.reset(project.next_changes.undone_id)

    def _refresh_undo(self) -> None:
        changes, project = self._state.changes, self._state.project
        undone = redone = place = ""
        if project is not None and changes.is_settled:
            undone = name_undone(project) if changes.can_undo else ""
            redone = name_redone(project) if changes.can_redo else ""
            place = self._edit_places.find(project.next_changes.undone_id)
        named = self.tr("Undo: {change}")
        if place and place != self._views.view_name:
            titles = {entry.name: entry.title for entry in self._views.entries}
            named = self.tr("Undo in {view}: {change}")
            named = named.replace("{view}", titles[place])
        named = named.format(change=undone.replace("&", "&&"))
        self._undo.setText(named if undone else self.tr("Undo"))
        named = self.tr("Redo: {change}").format(change=redone.replace("&", "&&"))
        self._redo.setText(named if redone else self.tr("Redo"))
        self._undo.setEnabled(changes.can_undo)
        self._redo.setEnabled(changes.can_redo)

    def show_view_actions(self, view: QWidget | None) -> None:
        """Show the actions of the current view in their menu."""
        self._refresh_undo()  # the text of Undo depends on the current view
        actions = view.actions() if view is not None else []
        for action in self._view_menu.actions():  # clear() would delete them
            _remove_action(self._view_menu, action)
        _add_grouped(self._view_menu, actions)
        self._view_menu.menuAction().setVisible(bool(actions))

    def show_palette(self) -> None:
        """Show the command palette."""
        palette = CommandPalette(
            self._listed_actions,
            self._window,
            recent=self._state.settings.recent_actions,
            explain=self._explain_disabled,
        )
        palette.action_chosen.connect(self._show_owner)
        palette.action_chosen.connect(self._remember_action)
        palette.open()
        if self._state.project is not None:
            names = [entry.name for entry in self._views.entries]
            self._add_views(palette, [n for n in names if n not in self._views.views])

    @property
    def _listed_actions(self) -> list[tuple[str, QAction]]:
        """All actions, the visible buttons, and recent projects that are not open."""
        recents = [(self.tr("Recent"), action) for action in self._recent.actions()]
        return self.actions + self._views.button_actions() + recents

    def _add_views(self, palette: CommandPalette, names: list[str]) -> None:
        """Create missing views, one per event loop turn, and list their actions."""
        if names:
            self._views.view_widget(names[0])
            palette.show_actions(self._listed_actions)
            QTimer.singleShot(0, palette, partial(self._add_views, palette, names[1:]))

    def _show_owner(self, action: QAction) -> None:
        """Show the view of an action."""
        for name, view in self._views.views.items():
            button = action.parent()
            is_button = isinstance(button, QWidget) and view.isAncestorOf(button)
            is_own = is_button or action in view.actions()
            if is_own and name != self._views.view_name:
                self.view_requested.emit(name)

    def _remember_action(self, action: QAction) -> None:
        name, recent = action.objectName(), self._state.settings.recent_actions
        if not name:  # action of a recent project
            return
        others = [one for one in recent if one != name]
        self._change_settings(recent_actions=(name, *others)[:N_RECENT_ACTIONS])

    def _explain_disabled(self, category: str, action: QAction) -> str:
        """Return why an action is disabled."""
        project = self._state.project
        if action in self._recent.actions():
            return self.tr("Not found")
        if project is None:
            return self.tr("Open a project first")
        if action is self._undo:
            return self.tr("There is nothing to undo")
        if action is self._redo:
            return self.tr("There is nothing to redo")
        writing = (*self._writing_actions, *self._importing_actions)
        if project.is_read_only and action in writing:
            return self.tr("The project is open for reading only")
        return self.tr("Not possible in {view} now").format(view=category)

    def show_shortcuts(self) -> None:
        """Show all keyboard shortcuts."""
        view = self._views.view
        first = view.title if view is not None else ""
        ShortcutOverview(self.actions, self._window, first=first).open()

    def _add_file_menu(self) -> None:
        menu = self._registry.add_menu(self.tr("&File"))
        projects, standard = self._projects, QKeySequence.StandardKey
        self._registry.add(
            menu,
            self.tr("New empty project…"),
            self.tr("Create a project without texts."),
            projects.new_project,
            keys=standard.New,
        )
        self._registry.add(
            menu,
            self.tr("New project from texts…"),
            self.tr("Import texts into a new project, which is named after them."),
            projects.import_into_new,
        )
        opening = self._registry.add(
            menu,
            self.tr("Open project…"),
            self.tr("Open the folder of a project."),
            projects.choose_project,
            keys=standard.Open,
        )
        add_synonyms(opening, self.tr("switch change recent"))
        menu.addMenu(self._recent)
        self._registry.add(
            menu,
            self.tr("Open the demo project"),
            self.tr("Open the demo: twelve languages, no download."),
            projects.open_demo,
        )
        menu.addSeparator()
        self._add_project_actions(menu)
        menu.addSeparator()
        settings = self._registry.add(
            menu,
            self.tr("Settings…"),
            self.tr("Change the device, colours, text size and shortcuts."),
            self._open_settings,
            keys="Ctrl+,",
        )
        self._state.view_requests.settings_requested.connect(self._open_settings_at)
        words = self.tr("preferences options theme colours font size device keys")
        add_synonyms(settings, words)
        self._registry.add(
            menu,
            self.tr("Quit"),
            self.tr("Save the session and close Isogloss."),
            self._window.close,
            keys="Ctrl+Q",
        )

    def _show_sessions(self) -> None:
        titles = {entry.name: entry.title for entry in self._views.entries}
        SessionDialog(self._session, titles, self._window).open()

    def _open_settings(self) -> SettingsDialog:
        dialog = SettingsDialog(self._state, self.actions, self._window)
        dialog.open()
        return dialog

    def _open_settings_at(self, field: str) -> None:
        """Open the settings with the cursor in a text field."""
        self._open_settings().form.focus_text(field)

    def _add_project_actions(self, menu: QMenu) -> None:
        """Add the actions of the open project."""
        projects, standard = self._projects, QKeySequence.StandardKey
        importing = self._registry.add(
            menu,
            self.tr("Import…"),
            self.tr("Import files as corpora, into a new project if none is open."),
            self.import_requested.emit,
            keys="Ctrl+I",
        )
        add_synonyms(importing, self.tr("tmx tsv xlsx conllu tei load add corpus"))
        importing_folder = self._registry.add(
            menu,
            self.tr("Import a folder…"),
            self.tr("Import the files of a folder as the documents of one corpus."),
            self.folder_import_requested.emit,
        )
        renaming = self._registry.add(
            menu,
            self.tr("Rename project…"),
            self.tr("Change the name of the project and of its folder."),
            projects.rename_project,
        )
        copy = self._registry.add(
            menu,
            self.tr("Save a copy…"),
            self.tr("Save the whole project as one archive."),
            projects.save_copy,
        )
        sessions = self._registry.add(
            menu,
            self.tr("Past sessions…"),
            self.tr("Restore the views and settings of an earlier session."),
            self._show_sessions,
        )
        close = self._registry.add(
            menu,
            self.tr("Close project"),
            self.tr("Close the project and show the welcome page."),
            projects.close_project,
            keys=standard.Close,
        )
        self._project_actions += [copy, sessions, close]
        self._writing_actions.append(renaming)
        self._importing_actions = [importing, importing_folder]

    def _add_edit_menu(self) -> None:
        menu = self._registry.add_menu(self.tr("&Edit"))
        state = self._state
        self._undo = self._registry.add(
            menu,
            self.tr("Undo"),
            self.tr("Undo the last change of the project, in whichever view it was."),
            state.undo,
            keys="Ctrl+Z",
        )
        self._redo = self._registry.add(
            menu,
            self.tr("Redo"),
            self.tr("Redo the change that was undone."),
            state.redo,
            keys="Ctrl+Shift+Z",
        )
        menu.addSeparator()
        editing = self._registry.add(
            menu,
            self.tr("Edit sentence…"),
            self.tr("Correct the text of the selected sentence."),
            lambda: ask_sentence_text(state, self._window),
            keys="Ctrl+Shift+E",
        )
        add_synonyms(editing, self.tr("correct change typing error text"))
        self._writing_actions.append(editing)

    def _add_view_menu(self) -> None:
        menu = self._registry.add_menu(self.tr("&View"))
        self._add_view_choices(menu)
        menu.addSeparator()
        self._add_dock_actions(menu)
        menu.addSeparator()
        self._add_sentence_actions(menu)
        menu.addSeparator()
        self._add_look_actions(menu)
        full_screen = self._registry.add(
            menu,
            self.tr("Full screen"),
            self.tr("Enter or leave full screen."),
            self._toggle_full_screen,
            keys="F11",
        )
        add_synonyms(full_screen, self.tr("presentation projector beamer maximize"))

    def _add_view_choices(self, menu: QMenu) -> None:
        """Add a sub-menu with the views."""
        views = menu.addMenu(self.tr("Show view"))
        self._project_actions.append(views.menuAction())
        for i, entry in enumerate(self._views.entries):
            action = self._registry.add(
                views,
                entry.title,
                entry.hint,
                partial(self.view_requested.emit, entry.name),
                keys=view_shortcut(i),
            )
            add_synonyms(action, entry.synonyms)
            self._project_actions.append(action)
            self._views_by_name[entry.name] = action

    def _add_dock_actions(self, menu: QMenu) -> None:
        """Add the actions that show and hide the panels."""
        for dock, words, hint, keys in (
            (
                self._docks.inspector,
                self.tr("Inspector"),
                self.tr("Show or hide the details of the selected sentence."),
                "F9",
            ),
            (
                self._docks.runs,
                self.tr("Runs"),
                self.tr("Show or hide the runs of this project."),
                "Ctrl+J",
            ),
            (
                self._docks.log,
                self.tr("Log"),
                self.tr("Show or hide the log of the engine."),
                "F12",
            ),
        ):
            self._registry.adopt(menu, dock.toggleViewAction(), words, hint, keys)
        jobs = self.tr("jobs tasks resume discard delete cancel history")
        add_synonyms(self._docks.runs.toggleViewAction(), jobs)

    def _add_sentence_actions(self, menu: QMenu) -> None:
        """Add the actions that show more about the selected sentence."""
        look = self._registry.add(
            menu,
            self.tr("Attribution…"),
            self.tr("Compare two sentences of this view token by token."),
            self._state.view_requests.attribution_requested.emit,
            keys="Ctrl+Shift+L",
        )
        read = self._registry.add(
            menu,
            self.tr("Read with its translations"),
            self.tr("Show the selected sentence in the Read view."),
            lambda: self._state.view_requests.reading_requested.emit(None),
            keys="Ctrl+Shift+R",
        )
        notes = self._registry.add(
            menu,
            self.tr("Notes…"),
            self.tr(
                "List the notes on sentences and pairs, flagged pairs, and labels."
            ),
            self._state.view_requests.notes_requested.emit,
            keys="Ctrl+Shift+N",
        )
        add_synonyms(notes, self.tr("annotations comments marks flags labels"))
        self._project_actions += [look, read, notes]

    def _add_look_actions(self, menu: QMenu) -> None:
        """Add the theme and text size settings."""
        colours = menu.addMenu(self.tr("Colours"))
        schemes = QActionGroup(colours)
        for scheme, text, hint in (
            ("system", self.tr("System colours"), self.tr("Follow the system.")),
            (
                "light",
                self.tr("Light colours"),
                self.tr("Dark text on a light background."),
            ),
            (
                "dark",
                self.tr("Dark colours"),
                self.tr("Light text on a dark background."),
            ),
        ):
            change = partial(self._change_settings, theme=scheme)
            action = self._registry.add(colours, text, hint, change)
            action.setCheckable(True)
            action.setData(scheme)
            add_synonyms(action, self.tr("theme mode color appearance"))
            schemes.addAction(action)
        self._schemes = schemes
        self._text_size = menu.addAction("")
        self._text_size.setEnabled(False)
        standard = QKeySequence.StandardKey
        larger = self._registry.add(
            menu,
            self.tr("Larger text"),
            self.tr("Enlarge the text of the window."),
            partial(self._step_text_size, 1),
            keys=standard.ZoomIn,
        )
        smaller = self._registry.add(
            menu,
            self.tr("Smaller text"),
            self.tr("Reduce the text of the window."),
            partial(self._step_text_size, -1),
            keys=standard.ZoomOut,
        )
        normal = self._registry.add(
            menu,
            self.tr("Normal text size"),
            self.tr("Show the text of the window at 100\u00a0%."),
            partial(self._change_settings, text_scale=100),
            keys="Ctrl+0",
        )
        for action in (larger, smaller, normal):
            words = self.tr("font size zoom scale bigger projector presentation")
            add_synonyms(action, words)
        self._state.settings_changed.connect(self._show_look)
        self._show_look()

    def _show_look(self) -> None:
        """Check the current theme, and show the text size."""
        words = self.tr("Text size: {n}\u00a0%")
        self._text_size.setText(words.format(n=self._state.settings.text_scale))
        for action in self._schemes.actions():
            action.setChecked(action.data() == self._state.settings.theme)

    def _step_text_size(self, step: Literal[1, -1]) -> None:
        """Change the text size by one step up or down."""
        size = self._state.settings.text_scale
        further = [one for one in TEXT_SIZES if (one - size) * step > 0]
        if further:
            self._change_settings(text_scale=min(further, key=lambda s: abs(s - size)))

    def _change_settings(self, **values: object) -> None:
        settings = self._state.settings
        self._state.change_settings(msgspec.structs.replace(settings, **values))

    def _add_subject_menus(self) -> None:
        """Add a menu for each group of views, with a submenu for each view."""
        menus: dict[str, QMenu] = {}
        for entry in self._views.entries:
            title = entry.group or self.tr("Views")
            if title not in menus:
                menus[title] = self._registry.add_menu(f"&{title}")
                self._project_actions.append(menus[title].menuAction())
            submenu = menus[title].addMenu(entry.title)
            submenu.setToolTip(entry.hint)
            # Qt does not show an empty menu, so it would never be filled.
            submenu.addAction(self._views_by_name[entry.name])
            submenu.aboutToShow.connect(partial(self._fill_submenu, submenu, entry))
            submenu.triggered.connect(
                partial(self._show_view_of, self._views_by_name[entry.name], entry)
            )

    def _fill_submenu(self, submenu: QMenu, entry: ViewEntry) -> None:
        """Show the actions of a view, and create the view if needed."""
        for action in submenu.actions()[1:]:  # clear() would delete them
            _remove_action(submenu, action)
            if action.parent() is submenu:  # a separator of the submenu
                action.deleteLater()
        submenu.addSeparator()
        _add_grouped(submenu, self._views.view_widget(entry.name).actions())

    def _show_view_of(
        self, show: QAction, entry: ViewEntry, triggered: QAction
    ) -> None:
        """Show the view whose action was triggered."""
        if triggered is not show:
            self.view_requested.emit(entry.name)

    def _add_help_menu(self) -> None:
        menu = self._registry.add_menu(self.tr("&Help"))
        documentation = self._registry.add(
            menu,
            self.tr("Documentation"),
            self.tr("Open the page about this view, and all other pages."),
            self.documentation_requested.emit,
            keys="F1",
        )
        add_synonyms(documentation, self.tr("help manual guide docs"))
        self._registry.add(
            menu,
            self.tr("All actions…"),
            self.tr("Search all actions by name."),
            self.show_palette,
            keys="Ctrl+K",
        )
        self._registry.add(
            menu,
            self.tr("Keyboard shortcuts"),
            self.tr("Show all keyboard shortcuts."),
            self.show_shortcuts,
            keys="?",
        )
        guide = self._docks.guide.toggleViewAction()
        text = self.tr("Guided path")
        hint = self.tr("Show or hide the first steps for what you want to do.")
        self._registry.adopt(menu, guide, text, hint, "")
        add_synonyms(guide, self.tr("tutorial tour introduction first steps"))
        self._registry.add(
            menu,
            self.tr("About Isogloss"),
            self.tr("Show the version."),
            self.about_requested.emit,
        )

    def _fill_recent(self) -> None:
        self._recent.clear()
        projects = self._projects
        project = self._state.project
        others = [p for p in projects.recent if project is None or p != project.folder]
        for path in others:
            folder = str(path.parent)
            text = f"{path.stem} – {folder}".replace("&", "&&")
            action = self._recent.addAction(text)
            action.setData(path)
            add_synonyms(action, self.tr("open switch change project"))
            action.setEnabled(path.is_dir())
            action.triggered.connect(partial(self._open_recent, path))
        self._recent.setEnabled(bool(others))

    def _open_recent(self, path: Path) -> None:
        self._projects.open_path(path)

    def _toggle_full_screen(self) -> None:
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()


def _add_grouped(menu: QMenu, actions: Sequence[QAction]) -> None:
    """Add actions to a menu: sections with lines, groups in submenus."""
    groups: dict[str, QMenu] = {}
    for action in actions:
        if action.property(STARTS_SECTION) and not menu.isEmpty():
            menu.addSeparator()
        title = str(action.property(ACTION_GROUP) or "")
        if title and title not in groups:
            groups[title] = menu.addMenu(title)
        groups.get(title, menu).addAction(action)


def _remove_action(menu: QMenu, action: QAction) -> None:
    """Remove an action from a menu; delete a group's submenu but not its actions."""
    menu.removeAction(action)
    group = action.menu()
    if isinstance(group, QMenu):
        for one in group.actions():
            group.removeAction(one)
        group.deleteLater()
    elif action.isSeparator():
        action.deleteLater()
