"""The main window: navigation, one view, inspector, panels, run strip."""

import base64
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
)
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QMainWindow,
    QStatusBar,
    QWidget,
)

from app.views.font_check import FontCheck
from app.views.leaving import Leaving
from app.views.menus import Menus
from app.views.navigation import Navigation
from app.views.notices import Notices
from app.views.panels.log_panel import LogPanel
from app.views.panels.run_panel import RunPanel
from app.views.panels.run_strip import RunStrip
from app.views.project_actions import ProjectActions
from app.views.session import SessionKeeper
from app.views.state import AppState
from app.views.theme import GRID
from app.views.view import (
    Concordancer,
    ConcordanceWish,
    EncoderTrainer,
    FileReceiver,
    MiningShower,
    PairReviewer,
    SentenceMapper,
    SentencePlacer,
    SentenceSearcher,
    View,
    ViewEntry,
)
from app.views.view_stack import ViewStack
from app.views.welcome_view import WelcomeView
from app.views.widgets.message_bar import MessageBar

SIZE = (1440, 900)
INSPECTOR_WIDTH = 42 * GRID


class MainWindow(QMainWindow):
    """Holds the views, made when they are first shown, and everything around them."""

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
        self._make_inspector = make_inspector
        self._inspector_open = {True: True, False: False}  # by: has sentences
        self.resize(*SIZE)
        self.setAcceptDrops(True)
        self.message_bar = MessageBar()
        self.navigation = Navigation(state, self.entries)
        self.projects = ProjectActions(state, self)
        self.welcome = WelcomeView(self.projects)
        self._stack = ViewStack(state, self.entries, self.welcome)
        self.views = self._stack.views
        self.run_strip = RunStrip(state)
        self._lay_out()
        self.inspector_dock = self._add_dock("inspector", self.tr("Inspector"))
        self.log_dock = self._add_dock("log", self.tr("Log"), LogPanel(state))
        self.runs_dock = self._add_dock("runs", self.tr("Runs"), RunPanel(state))
        self.session = SessionKeeper(state, self.save_state, self.restore_state)
        self.menus = Menus(self)
        self.notices = Notices(self)
        self.leaving = Leaving(self)
        self._font_check = FontCheck(state)
        self.navigation.view_chosen.connect(self.show_view)
        self.navigation.palette_wanted.connect(self.menus.show_palette)
        state.search_wanted.connect(self.search_sentence)
        state.place_wanted.connect(self.place_sentence)
        state.review_wanted.connect(self.review_pair)
        state.mining_wanted.connect(self.show_mining)
        state.map_wanted.connect(self.map_sentences)
        state.concordance_wanted.connect(self.show_concordance)
        state.meaning_wanted.connect(self.search_text)
        state.import_wanted.connect(self.import_files)
        state.encoders.view_wanted.connect(lambda: self.show_view("encoders"))
        state.project_opened.connect(self._on_project_opened)
        state.project_closed.connect(self._on_project_closed)
        self._restore_geometry()
        self._on_project_closed()

    # --- views ---

    @property
    def view_name(self) -> str:
        """Name of the view that is shown; empty on the welcome page."""
        return self._stack.view_name

    @property
    def view(self) -> View | None:
        """The view that is shown; None on the welcome page."""
        return self._stack.view

    def show_view(self, name: str) -> None:
        """Show a view; it is made now if it was never shown."""
        if self.state.project is None:
            return
        before = self.view_name
        # First: a list without a current row chooses one when the focus passes it.
        self.navigation.set_current(name)
        self._stack.setCurrentWidget(self._stack.view_widget(name))
        self.menus.show_view_actions(self._stack.currentWidget())
        self._place_inspector(before, name)
        if self.view is not None:
            self.view.focus_first()

    def import_files(self, paths: Sequence[Path] = ()) -> None:
        """Show the view that imports, and hand it the files."""
        for view in self._show_view_of(FileReceiver):
            view.import_files(paths)

    def import_folder(self) -> None:
        """Show the view that imports, and let it ask for a folder."""
        for view in self._show_view_of(FileReceiver):
            view.import_folder()

    def search_sentence(self, sentence_id: int) -> None:
        """Show the view that searches, with what is nearest to a sentence."""
        for view in self._show_view_of(SentenceSearcher):
            view.ask_sentence(sentence_id)

    def search_text(self, wish: ConcordanceWish) -> None:
        """Show the view that searches, with what is nearest to a text."""
        for view in self._show_view_of(SentenceSearcher):
            view.ask_text(wish)

    def place_sentence(self, sentence_id: int) -> None:
        """Show the view of the corpora, with a sentence in its place."""
        for view in self._show_view_of(SentencePlacer):
            view.show_sentence(sentence_id)

    def train_encoder(self) -> None:
        """Show the view that trains, where a training is put together."""
        for view in self._show_view_of(EncoderTrainer):
            view.begin_new()

    def review_pair(self, mining_id: int, pair_id: int | None) -> None:
        """Show the view where pairs are judged, at a pair."""
        for view in self._show_view_of(PairReviewer):
            view.review_pair(mining_id, pair_id)

    def map_sentences(self, sentence_ids: Sequence[int]) -> None:
        """Show the view of the maps, with sentences selected."""
        for view in self._show_view_of(SentenceMapper):
            view.map_sentences(sentence_ids)

    def show_concordance(self, wish: ConcordanceWish) -> None:
        """Show the view of the concordance, with where a word stands."""
        for view in self._show_view_of(Concordancer):
            view.show_concordance(wish)

    def show_mining(self, mining_id: int | None) -> None:
        """Show the view of the sets of pairs, with one of them."""
        for view in self._show_view_of(MiningShower):
            view.show_mining(mining_id)

    def view_actions(self) -> list[tuple[str, QAction]]:
        """Give the actions of the views that exist, each with its view's title."""
        return self._stack.view_actions()

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Give what brings the window back: view, views' states, selection, docks."""
        return {
            "view": self.view_name,
            "views": self._stack.save_states(),
            "selection": self.state.selection,
            "inspector": self._has_open_inspector,
        }

    def restore_state(self, saved: dict[str, Any]) -> None:
        """Bring the window back; views that are not made yet get their part later."""
        self._stack.restore_states(saved.get("views", {}))
        names = [entry.name for entry in self.entries]
        if saved.get("view") in names:
            self.show_view(saved["view"])
        self._inspector_open[True] = saved.get("inspector", True)
        if self._has_sentences(self.view_name):
            self.inspector_dock.setVisible(self._inspector_open[True])
        self.state.select_sentence(saved.get("selection"))

    # --- private ---

    def _show_view_of(self, kind: type[Any]) -> list[Any]:
        """Show the view that keeps a protocol, and give it; nothing if none does."""
        for entry in self.entries:
            view = self._stack.view_widget(entry.name)
            if isinstance(view, kind):
                self.show_view(entry.name)
                return [view]
        return []

    @property
    def _has_open_inspector(self) -> bool:
        """Tell whether the inspector is open beside views with sentences."""
        if self._has_sentences(self.view_name):
            return not self.inspector_dock.isHidden()
        return self._inspector_open[True]

    def _has_sentences(self, name: str) -> bool:
        return next((e.has_sentences for e in self.entries if e.name == name), True)

    def _place_inspector(self, before: str, name: str) -> None:
        """Open or close the inspector as it was beside views of this kind."""
        kind, other = self._has_sentences(name), self._has_sentences(before)
        if kind != other:
            self._inspector_open[other] = not self.inspector_dock.isHidden()
            is_open = self._inspector_open[kind] and self._make_inspector is not None
            self.inspector_dock.setVisible(is_open)

    def _lay_out(self) -> None:
        centre = QWidget()
        row = QHBoxLayout(centre)
        row.setSpacing(0)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.navigation)
        row.addWidget(self._stack, 1)
        self.message_bar.lie_over(centre)
        self.setCentralWidget(centre)
        foot = QStatusBar()
        foot.setSizeGripEnabled(False)
        foot.addPermanentWidget(self.run_strip, 1)
        self.setStatusBar(foot)
        right = Qt.DockWidgetArea.RightDockWidgetArea
        self.setCorner(Qt.Corner.BottomRightCorner, right)

    def _add_dock(
        self, name: str, title: str, widget: QWidget | None = None
    ) -> QDockWidget:
        """Add a panel without a title bar; it is shown and hidden by its action."""
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
        return dock

    def _on_project_opened(self) -> None:
        assert self.state.project is not None
        self._stack.forget_views()
        self.setWindowTitle(f"{self.state.project.name} — Isogloss")
        self.navigation.show()
        if self._make_inspector is not None and self.inspector_dock.widget() is None:
            inspector = self._make_inspector()
            inspector.setMinimumWidth(INSPECTOR_WIDTH)
            self.inspector_dock.setWidget(inspector)
        self.inspector_dock.setVisible(self._make_inspector is not None)
        self._show_first_view()
        self.projects.remember(self.state.project.folder)
        self.session.begin()

    def _show_first_view(self) -> None:
        """Show Search where there is something to find, else the first view."""
        names = [entry.name for entry in self.entries]
        assert self.state.project is not None
        if "search" in names and self.state.project.embeddings:
            self.show_view("search")
        elif names:
            self.show_view(names[0])

    def _on_project_closed(self) -> None:
        self.session.end()
        self._stack.forget_views()
        self.setWindowTitle(self.tr("Isogloss"))
        self.navigation.hide()
        self.inspector_dock.hide()
        self.welcome.refresh()
        self.menus.show_view_actions(None)

    def _restore_geometry(self) -> None:
        text = self.state.settings.window_geometry
        if text:
            self.restoreGeometry(QByteArray(base64.b64decode(text)))

    def keep_geometry(self) -> None:
        """Keep the window's place and size for the next start."""
        geometry = base64.b64encode(self.saveGeometry().data()).decode()
        self.state.change_settings(
            msgspec.structs.replace(self.state.settings, window_geometry=geometry)
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files when a project can be written."""
        project = self.state.project
        if project and not project.is_read_only and event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Import the files that were dropped."""
        names = [url.toLocalFile() for url in event.mimeData().urls()]
        paths = [Path(name) for name in names if name]
        if paths:
            event.acceptProposedAction()
            self.import_files(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask when a job runs, save the session, end the engine, then close."""
        if self.leaving.may_close:
            event.accept()
        else:
            event.ignore()
            self.leaving.begin()
