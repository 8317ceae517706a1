"""Main window: arranges views and panels."""

import base64
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QByteArray, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QStatusBar, QWidget

from app import VERSION
from app.params.corpora import ImportCorpus
from app.paths import demo_project_dir
from app.views.client.state import AppState
from app.views.shell.first_import import FirstImportController
from app.views.shell.font_check import FontChecker
from app.views.shell.guide import GuideController
from app.views.shell.guide_panel import GuidePanel
from app.views.shell.inspector_dock import InspectorController
from app.views.shell.log_panel import LogPanel
from app.views.shell.menus import Docks, MenuController
from app.views.shell.navigation import Navigation, ViewStack
from app.views.shell.notifications import NotificationController
from app.views.shell.run_panel import RunPanel
from app.views.shell.session import SessionAutosaver, WindowCloser
from app.views.shell.status_bar import StatusBar, WindowFoot
from app.views.shell.view_registry import ViewRequestRouter
from app.views.welcome.view import WelcomeView
from app.views.widgets.backdrop import Backdrop
from app.views.widgets.controls import make_button
from app.views.widgets.dialogs import LAST_FOLDER
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.package_opener import PackageOpener
from app.views.widgets.project_actions import ProjectActions
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.view_protocol import (
    AgeShower,
    PageShower,
    RunShower,
    SentenceText,
    TextLookup,
    View,
    ViewEntry,
)

if TYPE_CHECKING:
    from app.views.corpora.view import CorporaView

_FORMER_NAMES = {"care": "quality"}  # view names in older saved sessions
SIZE = (1440, 900)
MINUTE_MS = 60_000
LEAST_CENTRE = 38 * GRID  # height of the view above a panel
LEAST_WIDTH = 100 * GRID  # at this width the navigation shows icons only


class MainWindow(QMainWindow):
    """Shows the views, each created when first shown, and the panels around them."""

    def __init__(
        self,
        state: AppState,
        entries: Sequence[ViewEntry],
        *,
        make_inspector: Callable[[], QWidget] | None = None,
    ):
        super().__init__()
        self.state = state
        self.entries = list(entries)
        self.setMinimumWidth(LEAST_WIDTH)
        self.resize(*SIZE)
        self.setAcceptDrops(True)
        self._clock = QTimer(self, interval=MINUTE_MS)
        self._clock.timeout.connect(self._show_ages)
        self._clock.start()
        self._outdated: set[QWidget] = set()  # pages whose ages need an update
        self._dock_limiter = QTimer(self, singleShot=True, interval=0)
        self._dock_limiter.timeout.connect(self._limit_docks)
        self.message_bar = MessageBar()
        self.navigation = Navigation(state, self.entries)
        self.projects = ProjectActions(state, self)
        self.first_import = FirstImportController(state, self.projects, self)
        self.packages = PackageOpener(state, self.projects, self)
        self.welcome = WelcomeView(self.projects)
        self._first_search = ""  # sample query clicked on the welcome page
        self._stack = ViewStack(state, self.entries, self.welcome)
        self.views = self._stack.views
        self.run_strip = StatusBar(state)
        self._lay_out()
        self.inspector_dock = self._add_dock("inspector", self.tr("Inspector"))
        self.guide_dock = self._add_dock("guide", self.tr("Guided path"))
        self._inspector = InspectorController(
            state, self.inspector_dock, self.guide_dock, make_inspector, self
        )
        self.guide = GuideController(state, self)
        titles = {entry.name: entry.title for entry in self.entries}
        self.guide_panel = GuidePanel(self.guide, titles)
        self.guide_dock.setWidget(self.guide_panel)
        self.log_dock = self._add_dock("log", self.tr("Log"), LogPanel(state))
        runs = RunPanel(state)
        runs.result_requested.connect(self._show_result)
        self.runs_dock = self._add_dock("runs", self.tr("Runs"), runs)
        self.session = SessionAutosaver(state, self.save_state, self.restore_state)
        self.menus = MenuController(
            self,
            state,
            self._stack,
            projects=self.projects,
            session=self.session,
            docks=Docks(
                self.inspector_dock, self.guide_dock, self.runs_dock, self.log_dock
            ),
        )
        self._notifications = NotificationController(
            state,
            self.message_bar,
            self.entries,
            self,
            lambda: self.view_name,
        )
        self._notifications.view_requested.connect(self._show_result)
        self.closer = WindowCloser(state, self.session, self)
        ViewRequestRouter(state, self._open_view, lambda: self.view, self)
        self._connect_parts()
        self._font_check = FontChecker(state, self.welcome.sample_texts)
        self.backdrop = Backdrop(self)
        self._restore_geometry()
        self._on_project_closed()

    # --- views ---

    @property
    def view_name(self) -> str:
        """Name of the current view; empty on the welcome page."""
        return self._stack.view_name

    @property
    def view(self) -> View | None:
        """The current view; None on the welcome page."""
        return self._stack.view

    def show_view(self, name: str) -> None:
        """Show a view, and create it if it was never shown."""
        if self.state.project is None:
            return
        view = self._stack.view_widget(name)
        self._inspector.show_view(name, view, has_sentences=self._has_sentences(name))
        # Before the focus moves: a list without a current row would select one.
        self.navigation.set_current(name)
        self._stack.setCurrentWidget(view)
        self._update_ages()
        self._foot.show_view(view)
        self.menus.show_view_actions(view)
        if self.view is not None:
            self.view.focus_first()

    def _show_result(self, name: str, run_id: int) -> None:
        """Show the result of a run in its view."""
        self.show_view(name)
        view: object = self._stack.currentWidget()
        if isinstance(view, RunShower):
            view.show_run(run_id)

    def import_files(self, paths: Sequence[Path] = ()) -> None:
        """Import files in the corpora view, or into a new project if none is open."""
        if self.state.project is None:
            self.projects.import_into_new(paths)
            return
        view: CorporaView = self._open_view("corpora")
        view.import_files(paths)

    def import_folder(self) -> None:
        """Ask for a folder to import, into a new project if none is open."""
        if self.state.project is None:
            self.projects.import_folder_into_new()
            return
        view: CorporaView = self._open_view("corpora")
        view.import_folder()

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Return the state to restore: view, views' states, selection, inspector."""
        return {
            "view": self.view_name,
            "views": self._stack.save_states(),
            "selection": self.state.selection,
            "thresholds": self.state.thresholds.save(),
            "inspector": self._inspector.is_wanted,
        }

    def restore_state(self, saved: dict[str, Any]) -> None:
        """Restore the window; views restore their state when they are created."""
        states = saved.get("views", {})
        self.state.thresholds.restore(saved.get("thresholds", {}))
        self._stack.restore_states(
            {_FORMER_NAMES.get(name, name): state for name, state in states.items()}
        )
        view_name = _FORMER_NAMES.get(saved.get("view", ""), saved.get("view"))
        if view_name in [entry.name for entry in self.entries]:
            self.show_view(view_name)
        self._inspector.is_wanted = saved.get("inspector", True)
        self.state.select_sentence(saved.get("selection"))
        self._inspector.place()

    # --- private ---

    def _connect_parts(self) -> None:
        state, menus = self.state, self.menus
        menus.view_requested.connect(self.show_view)
        menus.import_requested.connect(self.import_files)
        menus.folder_import_requested.connect(self.import_folder)
        menus.about_requested.connect(self._show_version)
        menus.documentation_requested.connect(self._show_documentation)
        self._notifications.runs_requested.connect(self.runs_dock.show)
        self._notifications.clean_copy_requested.connect(self.projects.copy_clean)
        self._notifications.new_project_requested.connect(self.packages.open_in_new)
        self.guide_panel.view_requested.connect(self._show_guided_view)
        self.guide_panel.closed.connect(self.guide_dock.toggleViewAction().trigger)
        self.guide_dock.toggleViewAction().triggered.connect(self._on_guide_toggled)
        self.projects.files_chosen.connect(self.first_import.ask)
        self.first_import.ready.connect(self._run_first_import)
        self.closer.started.connect(self.keep_geometry)
        self.closer.started.connect(self.projects.note_use)
        self.closer.finished.connect(self.close)
        self.welcome.package_requested.connect(self.packages.choose)
        self.welcome.search_requested.connect(self._search_in_demo)
        self.navigation.view_chosen.connect(self.show_view)
        self.navigation.palette_requested.connect(menus.show_palette)
        self.navigation.import_requested.connect(self._import_into_new)
        state.view_requests.attribution_requested.connect(self._show_attribution)
        state.view_requests.alignment_requested.connect(self._show_alignments)
        state.encoders.view_requested.connect(self._show_encoders)
        state.view_requests.translation_requested.connect(self._show_translations)
        state.view_requests.notes_requested.connect(self._show_notes)
        state.view_requests.documentation_requested.connect(self._show_page)
        state.view_requests.import_requested.connect(self.import_files)
        state.project_opening_changed.connect(self._on_opening_changed)
        state.project_opened.connect(self._on_project_opened)
        state.project_closed.connect(self._on_project_closed)

    def _show_guided_view(self, name: str, page: str) -> None:
        """Show the view and page of a step; if no project is open, open the demo."""
        if self.state.project is None:
            self.projects.open_demo()
            return
        view = self._open_view(name)
        if page and isinstance(view, PageShower):
            view.show_page(page)

    @property
    def _guide_offer(self) -> str:
        return self.tr("New here? A guided path shows the first steps in 3 minutes.")

    def _on_guide_toggled(self, is_open: bool) -> None:
        self.message_bar.withdraw(self._guide_offer)
        guide = msgspec.structs.replace(self.guide.settings, is_open=is_open)
        self.guide.remember(guide)

    def _offer_guide(self) -> None:
        """Offer the guided path when the user first opens the demo."""
        project, guide = self.state.project, self.guide.settings
        self.guide_dock.setVisible(guide.is_open)
        is_demo = project is not None and project.folder == demo_project_dir()
        if guide.was_offered or guide.is_open or not is_demo:
            return
        self.guide.remember(msgspec.structs.replace(guide, was_offered=True))
        show = make_button(
            self.tr("Show the path"),
            self.tr("Show the first steps next to the views."),
            self.guide_dock.toggleViewAction().trigger,
        )
        self.message_bar.post(self._guide_offer, buttons=[show])

    def _show_encoders(self) -> None:
        self.show_view("encoders")

    def _show_alignments(self) -> None:
        self.show_view("alignment")

    def _show_attribution(self) -> None:
        from app.views.attribution.dialog import open_attribution  # imports numpy

        open_attribution(self.state, self.view, self)

    def _show_translations(self, model: str) -> None:
        from app.views.search.translations import open_translations  # starts faster

        open_translations(self.state, SentenceText(""), self, model)

    def _show_version(self) -> None:
        self.message_bar.post(
            self.tr(
                "Isogloss {version}: a workbench for multilingual sentence embeddings. "
                "Licence: Apache-2.0. It runs on this machine only."
            ).format(version=VERSION)
        )

    def _show_notes(self) -> None:
        """Show the notes of the project, reusing an open notes window."""
        from app.views.notes.dialog import NotesDialog

        if self.state.project is None:
            return
        dialog = self.findChild(NotesDialog) or NotesDialog(self.state, self)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _show_documentation(self) -> None:
        """Show the page about the current view, reusing an open window."""
        from app.views.documentation.dialog import DocumentationDialog

        dialog = self.findChild(DocumentationDialog) or DocumentationDialog(self)
        dialog.show_view_page(self.view_name)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _show_page(self, name: str, over: QWidget) -> None:
        """Show a documentation page above a modal dialog."""
        from app.views.documentation.dialog import DocumentationDialog

        dialog = over.findChild(DocumentationDialog) or DocumentationDialog(over)
        dialog.show_page(name)
        dialog.show()
        dialog.raise_()

    def _open_view(self, name: str) -> Any:
        """Show a view and return it."""
        self.show_view(name)
        return self._stack.view_widget(name)

    def _has_sentences(self, name: str) -> bool:
        return next((e.has_sentences for e in self.entries if e.name == name), True)

    def _lay_out(self) -> None:
        centre = QWidget()
        row = QHBoxLayout(centre)
        row.setSpacing(0)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.navigation)
        row.addWidget(self._stack, 1)
        self.setCentralWidget(centre)
        foot = QStatusBar()
        foot.setSizeGripEnabled(False)
        self._foot = WindowFoot(self.state, self.message_bar, self.run_strip)
        foot.addPermanentWidget(self._foot, 1)
        self.setStatusBar(foot)
        right = Qt.DockWidgetArea.RightDockWidgetArea
        self.setCorner(Qt.Corner.BottomRightCorner, right)

    def _add_dock(
        self, name: str, title: str, widget: QWidget | None = None
    ) -> QDockWidget:
        """Add a panel without a title bar; its action shows and hides it."""
        dock = QDockWidget(title, self)
        dock.setObjectName(f"{name}Dock")
        dock.setTitleBarWidget(QWidget())
        dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetClosable)
        area = Qt.DockWidgetArea.RightDockWidgetArea
        if widget is not None:
            dock.setWidget(widget)
            area = Qt.DockWidgetArea.BottomDockWidgetArea
        self.addDockWidget(area, dock)
        dock.hide()
        if widget is not None:
            dock.visibilityChanged.connect(self._dock_limiter.start)
        return dock

    def _show_ages(self) -> None:
        """Update the ages on the current page."""
        self._outdated = {*self.views.values(), self.welcome}
        self._update_ages()

    def _update_ages(self) -> None:
        """Update the ages on the current page if they are outdated."""
        page = self._stack.currentWidget()
        if page in self._outdated and isinstance(page, AgeShower):
            page.show_ages()
        self._outdated.discard(page)

    def _limit_docks(self) -> None:
        """Limit the bottom panels in a low window so that the view has room."""
        centre = self.centralWidget()
        for dock in (self.log_dock, self.runs_dock):
            if dock.isVisible() and centre is not None:
                both = centre.height() + dock.height()
                height = max(
                    both - scaled(LEAST_CENTRE), dock.minimumSizeHint().height()
                )
                if height < dock.height():
                    self.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    def _on_opening_changed(self) -> None:
        """Disable the views and panels of the project while another project opens.

        Disabled fields lose the focus and therefore save their text in time.
        """
        state = self.state
        is_enabled = state.opening is None or state.project is None
        self._stack.setEnabled(is_enabled)
        self.inspector_dock.setEnabled(is_enabled)

    def _on_project_opened(self) -> None:
        assert self.state.project is not None
        self._stack.forget_views()
        self._foot.forget_views()
        self.setWindowTitle(f"{self.state.project.name} — Isogloss")
        self.navigation.show()
        self._inspector.open_project()
        self._show_first_view()
        self.projects.remember(self.state.project.folder)
        self.session.begin()
        if self._first_search and self.state.project.folder == demo_project_dir():
            self.state.view_requests.neighbours_requested.emit(
                TextLookup(self._first_search)
            )
        self._first_search = ""
        self.first_import.begin()
        self.packages.begin()
        self._offer_guide()

    def _run_first_import(self, imports: list[ImportCorpus], encodes: bool) -> None:
        view: CorporaView = self._open_view("corpora")
        view.run_first_import(imports, encodes)

    def _import_into_new(self) -> None:
        self.projects.import_into_new()

    def _search_in_demo(self, text: str) -> None:
        self._first_search = text
        self.projects.open_demo()

    def _show_first_view(self) -> None:
        """Show Search if the project has vectors, else the first view."""
        names = [entry.name for entry in self.entries]
        assert self.state.project is not None
        if "search" in names and self.state.project.embeddings:
            self.show_view("search")
        elif names:
            self.show_view(names[0])

    def _on_project_closed(self) -> None:
        self.session.end()
        self._stack.forget_views()
        self._foot.forget_views()
        self.setWindowTitle(self.tr("Isogloss"))
        self.navigation.hide()
        self.inspector_dock.hide()
        self.guide_dock.hide()
        self.welcome.refresh()
        self.menus.show_view_actions(None)

    def _restore_geometry(self) -> None:
        self.setProperty(LAST_FOLDER, self.state.settings.import_folder)
        text = self.state.settings.window_geometry
        if text:
            self.restoreGeometry(QByteArray(base64.b64decode(text)))

    def keep_geometry(self) -> None:
        """Save the window's position, size and last folder."""
        geometry = base64.b64encode(self.saveGeometry().data()).decode()
        self.state.change_settings(
            msgspec.structs.replace(
                self.state.settings,
                window_geometry=geometry,
                import_folder=self.property(LAST_FOLDER),
            )
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files if the project is writable or a new one can be created."""
        project = self.state.project
        is_writable = project is None or not project.is_read_only
        if is_writable and event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Import the files that were dropped."""
        names = [url.toLocalFile() for url in event.mimeData().urls()]
        paths = [Path(name) for name in names if name]
        if paths:
            event.acceptProposedAction()
            self.import_files(paths)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the navigation, inspector and panels to the window."""
        super().resizeEvent(event)
        around = (self.menuBar(), self.statusBar())
        room = event.size().height() - sum(one.sizeHint().height() for one in around)
        self.navigation.fit(event.size().width(), room)
        self._inspector.fit()
        self._dock_limiter.start()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask if a job is running, save the session, end the engine, and close."""
        if self.closer.may_close:
            event.accept()
        else:
            event.ignore()
            self.closer.begin(self.run_strip.text)
