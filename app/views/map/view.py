"""Map view: the sentences of a project as points in the plane."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.views.client.state import AppState
from app.views.map.actions import MapActions, limit_to_canvas, make_map_actions
from app.views.map.controller import MapController
from app.views.map.export_controller import MapExporter
from app.views.map.page import MapPage
from app.views.map.sidebar import MapSidebar
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import make_action_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import pluralize
from app.views.widgets.page_layout import make_split
from app.views.widgets.theme import GRID

SIDEBAR_WIDTH = 26 * GRID


class MapEmptyState(QWidget):
    """A page with buttons that make a map."""

    def __init__(
        self, state: AppState, actions: MapActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state = state
        self._map_all = make_action_button(actions["make_all"], kind="primary")
        buttons = [self._map_all, make_action_button(actions["make"])]
        self._page = EmptyState("", "", buttons, icon="map")
        make_column(self._page, parent=self)

    @property
    def words(self) -> tuple[str, str]:
        """The heading and the text."""
        return self._page.words

    def refresh(self) -> None:
        """Show the available corpora, or that a map is being made."""
        project = self._state.project
        if project is None:
            return
        heading = self.tr("No map yet")
        text = self.tr(
            "A map shows every sentence as a point, close to sentences with a similar "
            "meaning. "
        )
        if not project.corpora:
            text = self.tr("A map shows sentences of corpora. Import a corpus first.")
        elif any(run.task == "project-map" for run in self._state.runs):
            heading = self.tr("Making a map…")
            text += self.tr("Progress is shown below.")  # keep the number of lines
        else:
            text += pluralize(
                project.n_sentences,
                self.tr("This project has 1 sentence."),
                self.tr("This project has {n} sentences."),
            )
        self._page.set_words(heading, text)

    def focus_first(self) -> None:
        """Set the focus on the first button."""
        self._map_all.setFocus(Qt.FocusReason.OtherFocusReason)


class MapView(QWidget):
    """The map view.

    Attributes:
        controller: reads the maps and runs the actions.
        exporter: exports maps to files.
        sidebar: lists of maps, colours and clusters.
        page: shows the map.
        empty_state: shown while there is no map.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Map")
        self._state = state
        self._restored: dict[str, Any] = {}
        self.messages = MessageBar()
        actions = make_map_actions(self)
        self.sidebar = MapSidebar(actions)
        self.page = MapPage(state, self.sidebar, actions)
        limit_to_canvas(actions, (self.page.pane.canvas, self.page.other.canvas))
        self.empty_state = MapEmptyState(state, actions)
        self.controller = MapController(
            state, self.sidebar, self.page, self.messages, actions, self
        )
        self.exporter = MapExporter(state, self.page, self)
        actions["export"].triggered.connect(self.exporter.ask_export)
        self._lay_out()
        state.inspectable_made.emit(self._split)
        self.controller.map_shown.connect(self._on_map_shown)
        state.runs_changed.connect(self.empty_state.refresh)
        self.controller.refresh()

    def map_sentences(self, sentence_ids: Sequence[int]) -> None:
        """Select sentences on the shown map as soon as it is drawn."""
        self.page.select_when_drawn(sentence_ids)

    def _on_map_shown(self) -> None:
        if self.controller.shown is None:
            self.empty_state.refresh()
            self._pages.setCurrentWidget(self.empty_state)
        else:
            self._pages.setCurrentWidget(self._split)

    def _lay_out(self) -> None:
        sizes = (SIDEBAR_WIDTH, 100 * GRID)
        self._split = make_split(
            self.sidebar, self.page, sizes=sizes, growing=1, parent=self
        )
        layout = make_column(self.messages, parent=self, gap=0)
        content = QVBoxLayout()
        content.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.addLayout(content, 1)
        self._pages = QStackedLayout()
        content.addLayout(self._pages)
        self._pages.addWidget(self.empty_state)
        self._pages.addWidget(self._split)

    # --- what the window calls ---

    def refresh(self) -> None:
        """Show the maps of the project."""
        self.controller.refresh()

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self.controller.actions.values())

    def save_state(self) -> dict[str, Any]:
        """Return the state of the view."""
        shown = self.controller.shown
        if shown is None:
            return dict(self._restored)
        return {
            "map": shown.id,
            "newest": self.controller.maps[0].id,
            "page": self.page.save_state(),
            "summary": shown.name,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        self._restored = state
        shown, newest = state.get("map"), state.get("newest")
        if isinstance(shown, int):
            if isinstance(newest, int):
                shown = self.controller.find_saved(shown, newest)
            self.page.restore_state(state.get("page", {}), shown)
            self.sidebar.maps.choose(shown)

    def focus_first(self) -> None:
        """Set the focus on the map, or on the button that makes a map."""
        if self.controller.shown is None:
            self.empty_state.focus_first()
        else:
            self.page.focus_first()
