"""Map view: the sentences of a project as points in the plane."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSplitter, QStackedLayout, QVBoxLayout, QWidget

from app.engine.store.projections import ProjectionRow, read_projections
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.map.actions import limit_to_canvas, make_map_actions, refresh_map_actions
from app.views.map.controller import MapController, MapExporter
from app.views.map.dialog import describe_map
from app.views.map.page import MapPage
from app.views.map.sidebar import MapSidebar
from app.views.widgets.controls import make_action_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID
from app.views.widgets.two_line_list import TwoLineRow


class MapEmptyState(QWidget):
    """An empty page with a button that makes a map at once.

    Attributes:
        quick: the button.
    """

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make the page; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.quick = make_action_button(actions["make_all"], kind="primary")
        other = make_action_button(actions["make"])
        self._page = EmptyState("", "", [self.quick, other], icon="map")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._page)

    @property
    def words(self) -> tuple[str, str]:
        """Heading and text."""
        return self._page.words

    def refresh(self) -> None:
        """Show what can be put on a map now, or that it is being done."""
        project = self._state.project
        if project is None:
            return
        heading = self.tr("No map yet")
        text = self.tr(
            "A map shows every sentence as a point, near those that mean the same. "
            "{n} sentences can be put on one."
        ).format(n=format_count(project.n_sentences))
        if not project.corpora:
            text = self.tr("A map shows the sentences of corpora: import texts first.")
        if any(run.task == "project-map" for run in self._state.runs):
            heading = self.tr("Making a map…")
            text = self.tr("The bar below says how far it is. The map comes here.")
        self._page.set_words(heading, text)

    def focus_first(self) -> None:
        """Put the keyboard on the button."""
        self.quick.setFocus(Qt.FocusReason.OtherFocusReason)


LIST_WIDTH = 26 * GRID
WATCHED_KINDS = {"projection", "corpus", "classifier", "prediction"}


class MapView(QWidget):
    """The map page.

    Attributes:
        found: the maps of the project, the newest first.
        column: lists: maps, colours, clusters.
        page: what is shown of a map.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Map")
        self.state = state
        self.found: list[ProjectionRow] = []
        self._expected: list[RunState] = []  # the maps they make are shown
        self._restored: dict[str, Any] = {}
        self._wanted: NDArray[np.int64] | None = None  # to be selected when drawn
        self.messages = MessageBar()
        self.jobs = MapController(self)
        self.pictures = MapExporter(self)
        self._todo = make_map_actions(self)
        self.column = MapSidebar(self._todo)
        self.page = MapPage(state, self.column, self._todo)
        limit_to_canvas(self._todo, (self.page.pane.canvas, self.page.other.canvas))
        self.start = MapEmptyState(state, self._todo)
        self._lay_out()
        self._connect()
        self.refresh()

    @property
    def row(self) -> ProjectionRow | None:
        """The map that is shown."""
        chosen = self.column.maps.chosen
        return next((row for row in self.found if row.id == chosen), None)

    def expect(self, run: RunState) -> None:
        """Show what a run makes, when it has made it."""
        self._expected.append(run)

    def map_sentences(self, sentence_ids: Sequence[int]) -> None:
        """Select sentences on the map that is shown, as soon as it is drawn."""
        self._wanted = np.array(sorted(set(sentence_ids)), np.int64)
        if self.page.pane.colouring is not None:
            self._select_wanted()

    def _select_wanted(self) -> None:
        """Select what another view asked for."""
        wanted, points = self._wanted, self.page.pane.points
        if wanted is None or points is None:
            return
        self._wanted = None
        found = points.ids[points.mask_of(wanted)]
        if len(found):
            self.page.select(found)
        if len(found) < len(wanted):
            words = self.tr("{n} of these {total} sentences are on the map {name}.")
            n, total = format_count(len(found)), format_count(len(wanted))
            text = words.format(n=n, total=total, name=points.row.name)
            self.state.notice_posted.emit(text)

    def refresh(self) -> None:
        """Show the maps as they are now."""
        project = self.state.project
        if project is None:
            return
        self.found = read_projections(project.store)
        self.column.show_maps(
            [TwoLineRow(row.id, row.name, describe_map(row)) for row in self.found]
        )
        if self.row is None and self.found:
            self.column.maps.choose(None)
            self.column.maps.choose(self.found[0].id)
        self._show()

    def _show(self) -> None:
        """Show the chosen map, or how to make the first."""
        row = self.row
        if row is None:
            self.page.show_map(None)
            self._pages.setCurrentWidget(self.start)
            self.start.refresh()
        else:
            self._pages.setCurrentWidget(self._split)
            self.page.offer_maps(self.found, row)
            self.page.show_map(row)
        refresh_map_actions(self)

    # --- what happens ---

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        if run in self._expected:
            self._expected.remove(run)
            self.refresh()
            if isinstance(result.get("map"), int):
                self.column.maps.choose(result["map"])

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & WATCHED_KINDS:
            self.refresh()

    def _on_runs_changed(self) -> None:
        if self.row is None:
            self.start.refresh()
        refresh_map_actions(self)

    # --- making ---

    def _lay_out(self) -> None:
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(2 * GRID)
        self._split.setStyleSheet("QSplitter::handle { background: transparent; }")
        self._split.addWidget(self.column)
        self._split.addWidget(self.page)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([LIST_WIDTH, 100 * GRID])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        full = QVBoxLayout()
        full.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.addLayout(full, 1)
        self._pages = QStackedLayout()
        full.addLayout(self._pages)
        self._pages.addWidget(self.start)
        self._pages.addWidget(self._split)

    def _connect(self) -> None:
        self.column.maps.choice_changed.connect(self._show)
        self.page.ready.connect(self._select_wanted)
        self.page.changed.connect(lambda: refresh_map_actions(self))
        state = self.state
        state.runs_changed.connect(self._on_runs_changed)
        state.run_finished.connect(self._on_run_finished)
        state.kinds_changed.connect(self._on_kinds_changed)

    # --- what the window asks of a view ---

    def actions(self) -> list[QAction]:
        """Return the view's actions."""
        return list(self._todo.values())

    def save_state(self) -> dict[str, Any]:
        """Return what is shown."""
        row = self.row
        if row is None:
            return dict(self._restored)
        return {
            "map": row.id,
            "page": self.page.place.save_state(),
            "summary": row.name,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        self._restored = state
        if isinstance(state.get("map"), int):
            self.page.place.restore_state(state.get("page", {}), state["map"])
            self.column.maps.choose(state["map"])

    def focus_first(self) -> None:
        """Put the keyboard on the map."""
        if self.row is None:
            self.start.focus_first()
        else:
            self.page.focus_first()
