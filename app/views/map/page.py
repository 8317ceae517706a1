"""Map page: one or two panes, the table of the selection, and saved view state."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.engine.store.projections import ProjectionRow
from app.views.client.labels import MAX_LABELLED_AT_ONCE
from app.views.client.state import AppState
from app.views.map.analysis import MOVEMENT, MapComparison, SelectionKeywords
from app.views.map.appearance import (
    ClusterController,
    ColourController,
    cluster_box,
    cluster_ids,
    cluster_lines,
    cluster_title,
)
from app.views.map.colouring import LANGUAGE
from app.views.map.drawing.camera import camera_of, fit_box
from app.views.map.drawing.canvas import MapCanvas
from app.views.map.drawing.grid import Box
from app.views.map.drawing.mouse import DrawnShape
from app.views.map.pane import MapPane
from app.views.map.selection import MapSelection, MapSentences
from app.views.map.sidebar import MapSidebar
from app.views.map.toolbar import MapToolbar
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import make_split
from app.views.widgets.theme import GRID

WIDE_WIDTH = (
    150 * GRID
)  # from here on the table stands beside the maps, else below them
MAP_SHARE = 0.62  # of the room, where there is a table
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class MapSplitter(QSplitter):
    """Shares the room; who drags the line between two of them changes the shares."""

    def __init__(self, maps: tuple[QWidget, QWidget], table: QWidget):
        """Take two maps, and the table of what is selected on them."""
        super().__init__(DOWN)
        self._table = table
        self.setChildrenCollapsible(False)
        self.setHandleWidth(2 * GRID)
        self.setStyleSheet("QSplitter::handle { background: transparent; }")
        self.addWidget(make_split(*maps))
        self.addWidget(table)

    def show_table(self, is_shown: bool) -> None:
        """Show the table, at its usual size, or leave it out."""
        if is_shown and self._table.isHidden():
            self._table.show()
            size = self.width() if self.orientation() == ACROSS else self.height()
            shares = (MAP_SHARE, 1 - MAP_SHARE)
            self.setSizes([round(share * size) for share in shares])
        self._table.setVisible(is_shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the table where there is room for it."""
        super().resizeEvent(event)
        self.setOrientation(ACROSS if self.width() >= WIDE_WIDTH else DOWN)


class MapViewState:
    """Saves how a map is shown, and shows it so again as soon as it is loaded."""

    def __init__(self, page: "MapPage", pairs: QAction):
        """Begin with nothing kept; `pairs` joins translations by lines."""
        self._page, self._pairs = page, pairs
        self._kept: dict[str, Any] = {}  # that waits for its map

    def save_state(self) -> dict[str, Any]:
        """Return colours, filter, place and selection."""
        page = self._page
        seen, other = page.pane.canvas.seen, page.other.row
        key = page.colours.key
        return {
            "column": key if key != MOVEMENT else LANGUAGE,
            "chosen": list(page.column.legend.chosen),
            "seen": list(seen) if seen is not None else None,
            "selection": page.selection.to_json(),
            "pairs": self._pairs.isChecked(),
            "other": other.id if other is not None else None,
        }

    def restore_state(self, state: dict[str, Any], map_id: int) -> None:
        """Show a map as it was shown, as soon as it is loaded."""
        page = self._page
        self._kept = {**state, "map": map_id}
        page.colours.key = str(state.get("column", page.colours.key))
        if page.pane.row is not None and page.pane.row.id == map_id:
            page.colours.colour_by(page.colours.key)

    def restore(self) -> None:
        """Show what was kept of the map that is there now; else wait on."""
        page, kept, points = self._page, self._kept, self._page.pane.points
        if points is None or kept.get("map") != points.row.id:
            return
        self._kept = {}
        page.column.legend.choose(kept.get("chosen", ()))
        seen, canvas = kept.get("seen"), page.pane.canvas
        if isinstance(seen, list) and len(seen) == 4 and np.isfinite(seen).all():
            canvas.look_at(camera_of(Box(*seen), canvas.width(), canvas.height()))
        self._pairs.setChecked(bool(kept.get("pairs")))
        lit = page.colours.lit_in(page.pane)
        page.selection.restore(kept.get("selection", []), points, lit)
        if isinstance(kept.get("other"), int):
            page.compare_with(kept["other"])


class MapPage(QWidget):
    """Shows a map.

    Attributes:
        column: the lists beside it.
        pane: the map.
        other: the one that it is compared with; hidden where there is none.
        selection: what is selected on both.
        sentences: the table of what is selected, or of what moved.
        comparison: what moved between the two maps.
        colours: of the points.
        clusters: the one that is chosen, and the numbers of all.
        facts: what marks the selection.
        place: what is kept from one session to the next.
    """

    changed = Signal()  # what can be done may be something else now
    ready = Signal()  # the map is drawn in its colours

    def __init__(
        self,
        state: AppState,
        column: MapSidebar,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty page.

        Args:
            state: of the window.
            column: the lists beside it.
            actions: the view's, by name.
            parent: of the page.
        """
        super().__init__(parent)
        self._state, self.column = state, column
        self._maps: list[ProjectionRow] = []
        self.selection = MapSelection(self)
        self.comparison = MapComparison(state, self)
        self.facts = SelectionKeywords(state, self)
        self.pane, self.other = MapPane(state), MapPane(state)
        self.active = self.pane  # that the keyboard was on last
        self.colours = ColourController(
            state, column, self.panes, self.selection, self.comparison
        )
        self.clusters = ClusterController(column, self.pane, self.colours)
        self.tools = MapToolbar(actions)
        self.sentences = MapSentences(state, actions)
        self.place = MapViewState(self, actions["pairs"])
        self._lay_out()
        self._connect()

    @property
    def canvas(self) -> MapCanvas:
        """The picture that the keyboard was on last."""
        return self.active.canvas

    def panes(self) -> Iterator[MapPane]:
        """Return the maps that are shown."""
        return (pane for pane in (self.pane, self.other) if not pane.isHidden())

    # --- what is shown ---

    def show_map(self, row: ProjectionRow | None) -> None:
        """Show a map; None: none."""
        self.pane.show_map(row)
        shown = self.other.row
        is_gone = shown is not None and shown.id not in {one.id for one in self._maps}
        if shown is not None and (row is None or is_gone or shown.id == row.id):
            self.compare_with(None)

    def offer_maps(self, rows: Sequence[ProjectionRow], shown: ProjectionRow) -> None:
        """Offer the other maps to compare with."""
        self._maps = list(rows)
        others = [row for row in rows if row.id != shown.id]
        self.tools.offer_maps(others, self.other.row)

    def compare_with(self, map_id: int | None) -> None:
        """Show another map beside this one; None: only this one."""
        row = next((one for one in self._maps if one.id == map_id), None)
        was_moved = self.colours.key == MOVEMENT
        self.comparison.forget()
        self.other.setVisible(row is not None)
        self.other.show_map(row)
        self.tools.show_other(row)
        if row is None:
            self.active = self.pane
            self._show_selected()
        if was_moved:
            self.colours.colour_by(LANGUAGE)
        self.changed.emit()

    def ask_moves(self) -> None:
        """Ask what moved between the two maps."""
        if self.pane.row is not None and self.other.row is not None:
            self.comparison.ask(self.pane.row, self.other.row)
            self.tools.say(self.tr("Comparing the neighbours…"))
            self.changed.emit()

    def show_pairs(self, is_shown: bool) -> None:
        """Join translations by lines, or don't."""
        for pane in (self.pane, self.other):
            pane.show_pairs(is_shown)

    def choose_cluster(self, number: int | None) -> None:
        """Select a cluster, and show it near by; the most typical sentences first."""
        points = self.pane.points
        if points is None or number is None or number >= len(points.found):
            return
        box = cluster_box(points, number)
        ids = cluster_ids(points, number)
        self.selection.take(ids)
        self.clusters.choose(number)
        self._show_selected()
        if box is not None:
            self.zoom_to(box, self.pane)

    def zoom_to(self, box: Box, pane: MapPane | None = None) -> None:
        """Show a part of a map as large as it fits."""
        canvas = (pane or self.active).canvas
        canvas.look_at(fit_box(box, canvas.width(), canvas.height()).camera)

    def select(self, ids: NDArray[np.int64]) -> None:
        """Select sentences, with the whole map in sight."""
        self.selection.take(ids)
        if self.canvas.points is not None:
            self.canvas.show_all()

    def press(self, digit: int) -> None:
        """Label what is selected by a key."""
        ids = self.selection.ids
        wanted = [] if ids is None else ids[: MAX_LABELLED_AT_ONCE + 1].tolist()
        if ids is None and self._state.selection is not None:
            wanted = [self._state.selection]
        if not wanted:
            words = self.tr("Click a point, or draw around some: then keys label them.")
            self._state.notice_posted.emit(words)
            return
        self._state.labels.press(digit, wanted, is_told=True)

    def focus_first(self) -> None:
        """Put the keyboard on the map."""
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- what happens ---

    def _on_loaded(self) -> None:
        points, project = self.pane.points, self._state.project
        if points is not None and project is not None:
            self.column.show_clusters(cluster_lines(project, points))
        self.comparison.forget()
        self.colours.colour_by(self.colours.key)
        self.changed.emit()

    def _on_coloured(self) -> None:
        self.colours.show_legend()
        self.clusters.mark()
        self.place.restore()
        self.ready.emit()

    def _on_drawn(self, pane: MapPane, drawn: DrawnShape) -> None:
        if pane.points is not None and pane.colouring is not None:
            self.selection.draw(pane.points, drawn, self.colours.lit_in(pane))

    def _on_hovered(self, pane: MapPane, sentence_id: int | None) -> None:
        """Ring the sentence under the mouse on the other map too."""
        other = self.other if pane is self.pane else self.pane
        other.point_at(sentence_id)

    def _on_focused(self, pane: MapPane) -> None:
        self.active = pane
        self.changed.emit()

    def _on_selection_changed(self) -> None:
        self.clusters.choose(None)
        self._show_selected()

    def _show_selected(self) -> None:
        """Show the selection in the table; without one there is no table."""
        ids, points = self.selection.ids, self.pane.points
        self.colours.light()
        self._split.show_table(ids is not None)
        if ids is not None and points is not None:
            words = self.tr("{n} sentences selected")
            words = words if len(ids) != 1 else self.tr("1 sentence selected")
            heading = words.format(n=format_count(len(ids)))
            if self.clusters.chosen is not None:
                heading = cluster_title(points, self.clusters.chosen)
                ids = cluster_ids(points, self.clusters.chosen)
            self.sentences.show_sentences(heading, ids)
        if points is not None:
            self.facts.ask(points, ids)
        self.changed.emit()

    def _on_facts(self) -> None:
        if self.sentences.moves is None:
            self.sentences.tell(self.facts.text)

    def _on_moves(self) -> None:
        moves = self.comparison.moves
        self.tools.say("")
        if moves is not None:
            self.colours.colour_by(MOVEMENT)
            self._split.show_table(is_shown=True)
            self.sentences.show_sentences(self.tr("What moved"), moves.ids, moves)
        self.changed.emit()

    def _on_table_digit(self, digit: int) -> None:
        table = self.sentences.table
        if self._state.labels.press(
            digit, table.selected_ids(MAX_LABELLED_AT_ONCE + 1)
        ):
            table.step_on()

    # --- making ---

    def _connect(self) -> None:
        clusters = self.column.clusters
        clusters.activated.connect(lambda: self.choose_cluster(clusters.chosen))
        clusters.clicked.connect(lambda: self.choose_cluster(clusters.chosen))
        self.column.tabs.currentChanged.connect(lambda: self.clusters.mark())
        self.tools.other_chosen.connect(self.compare_with)
        self.pane.loaded.connect(self._on_loaded)
        self.pane.coloured.connect(self._on_coloured)
        self.other.loaded.connect(lambda: self.colours.colour_by(self.colours.key))
        self.other.coloured.connect(self.colours.show_legend)
        for pane in (self.pane, self.other):
            self._connect_pane(pane)
        self.colours.changed.connect(self.changed)
        self.selection.changed.connect(self._on_selection_changed)
        self.facts.answered.connect(self._on_facts)
        self.comparison.answered.connect(self._on_moves)
        self.sentences.table.digit_pressed.connect(self._on_table_digit)
        self._state.selection_changed.connect(lambda _id: self.changed.emit())

    def _connect_pane(self, pane: MapPane) -> None:
        canvas = pane.canvas
        canvas.drawn.connect(lambda drawn: self._on_drawn(pane, drawn))
        canvas.hovered.connect(lambda id_: self._on_hovered(pane, id_))
        canvas.focused.connect(lambda: self._on_focused(pane))
        canvas.digit_pressed.connect(self.press)

    def _lay_out(self) -> None:
        self.other.hide()
        self.sentences.hide()
        self._split = MapSplitter((self.pane, self.other), self.sentences)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.tools)
        layout.addWidget(self._split, 1)

    def changeEvent(self, event: QEvent) -> None:
        """Draw in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_split"):
            self.colours.show_legend()
