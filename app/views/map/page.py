"""Map page: one or two maps, and the table of the selected sentences."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from app.arrays import IdArray
from app.engine.store.projections import ProjectionRow
from app.views.client.labels import MAX_LABELLED_AT_ONCE
from app.views.client.state import AppState
from app.views.map.actions import MapActions
from app.views.map.analysis import MapComparison, SelectionKeywords
from app.views.map.appearance import (
    ClusterController,
    ColourController,
    cluster_box,
    cluster_ids,
    cluster_rows,
    cluster_title,
)
from app.views.map.colouring import LANGUAGE, MOVEMENT
from app.views.map.drawing.camera import camera_of, fit_box
from app.views.map.drawing.canvas import MapCanvas
from app.views.map.drawing.grid import Box
from app.views.map.drawing.mouse import DrawnShape
from app.views.map.export import MapSnapshot
from app.views.map.filters import FilterController
from app.views.map.pane import MapPane
from app.views.map.selection import MapSelection, MapSentences
from app.views.map.sidebar import MapSidebar
from app.views.map.toolbar import MapToolbar
from app.views.widgets.boxes import make_column
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import make_split
from app.views.widgets.theme import GRID

WIDE_WIDTH = 150 * GRID  # from here on, the table is to the right of the maps
MAP_SHARE, HIGH_SHARE = 0.62, 0.7  # of the page, beside and above a table
HORIZONTAL, VERTICAL = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class MapSplitter(QSplitter):
    """The maps and the table of selected sentences: side by side if there is room."""

    def __init__(self, maps: tuple[QWidget, QWidget], table: QWidget):
        super().__init__(VERTICAL)
        self._table = table
        self.setChildrenCollapsible(False)
        self.setHandleWidth(2 * GRID)
        self.addWidget(make_split(*maps))
        self.addWidget(table)

    def show_table(self, is_shown: bool) -> None:
        """Show or hide the table; it opens at its usual size."""
        if is_shown and self._table.isHidden():
            self._table.show()
            is_wide = self.orientation() == HORIZONTAL
            size = self.width() if is_wide else self.height()
            share = MAP_SHARE if is_wide else HIGH_SHARE
            self.setSizes([round(share * size), round((1 - share) * size)])
        self._table.setVisible(is_shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the table to the right if there is room, else below."""
        super().resizeEvent(event)
        self.setOrientation(HORIZONTAL if self.width() >= WIDE_WIDTH else VERTICAL)


class MapPage(QWidget):
    """Shows a map, or two maps with the same selection.

    Attributes:
        pane: the map.
        other: the map that it is compared with; hidden if there is none.
        active: the pane that had the focus last.
        selection: the sentences selected on both maps.
        sentences: the table of the selection, or of the changed neighbours.
        comparison: how far the neighbours differ between the two maps.
        keywords: what distinguishes the selection.
        filters: finds the points that pass the filters.
        colours: colours the points of both maps.
        clusters: marks the clusters on the map.
    """

    changed = Signal()  # other actions may apply
    ready = Signal()  # the map is drawn in its colours

    def __init__(
        self,
        state: AppState,
        sidebar: MapSidebar,
        actions: MapActions,
        parent: QWidget | None = None,
    ):
        """Make an empty page."""
        super().__init__(parent)
        self._state, self._sidebar = state, sidebar
        self._pairs_action: QAction = actions["pairs"]
        self._maps: list[ProjectionRow] = []
        self._saved: dict[str, Any] = {}  # restored when its map is loaded
        self._pending_ids: IdArray | None = None  # selected when the map is drawn
        self.selection = MapSelection(self)
        self.comparison = MapComparison(state, self)
        self.keywords = SelectionKeywords(state, self)
        self.filters = FilterController(state, sidebar.filters)
        self.pane, self.other = MapPane(state), MapPane(state)
        self.active = self.pane
        self.colours = ColourController(
            state, sidebar, self.panes, self.selection, self.comparison, self.filters
        )
        self.clusters = ClusterController(
            sidebar, self.pane, actions["landmarks"].isChecked
        )
        self._toolbar = MapToolbar(actions)
        self.sentences = MapSentences(state, actions)
        self._lay_out()
        self._connect()

    @property
    def canvas(self) -> MapCanvas:
        """The canvas that had the focus last."""
        return self.active.canvas

    @property
    def can_compare(self) -> bool:
        """Return whether two maps of different encoders are loaded."""
        one, other = self.pane.row, self.other.row
        return (
            one is not None
            and other is not None
            and one.fingerprint != other.fingerprint
            and not self.comparison.is_pending
        )

    def panes(self) -> Iterator[MapPane]:
        """Return the panes that are shown."""
        return (pane for pane in (self.pane, self.other) if not pane.isHidden())

    # --- what is shown ---

    def show_map(self, row: ProjectionRow | None) -> None:
        """Show a map, or none."""
        self.pane.show_map(row)
        other = self.other.row
        if other is not None and (
            row is None or row.id == other.id or not self._is_listed(other.id)
        ):
            self.compare_with(None)

    def offer_maps(self, rows: Sequence[ProjectionRow], shown: ProjectionRow) -> None:
        """Offer all maps but the shown one for comparison."""
        self._maps = list(rows)
        others = [row for row in rows if row.id != shown.id]
        self._toolbar.offer_maps(others, self.other.row)

    def compare_with(self, map_id: int | None) -> None:
        """Show another map next to this one; None closes it."""
        row = next((one for one in self._maps if one.id == map_id), None)
        was_movement = self.colours.key == MOVEMENT
        self.comparison.clear()
        self.other.setVisible(row is not None)
        self.other.show_map(row)
        self._toolbar.show_other(row)
        if row is None:
            self.active = self.pane
            self._show_selection()
        if was_movement:
            self.colours.colour_by(LANGUAGE)
        self.changed.emit()

    def compare_neighbours(self) -> None:
        """Find the sentences whose neighbours differ between the two maps."""
        if self.pane.row is not None and self.other.row is not None:
            self.comparison.request(self.pane.row, self.other.row)
            self._toolbar.show_status(self.tr("Comparing neighbours…"))
            self.changed.emit()

    def show_landmarks(self, is_shown: bool) -> None:
        """Draw or remove contours and the names of clusters."""
        for pane in (self.pane, self.other):
            pane.show_contours(is_shown)
        self.clusters.refresh_labels()

    def show_pairs(self, is_shown: bool) -> None:
        """Draw or remove the lines between translations."""
        for pane in (self.pane, self.other):
            pane.show_pairs(is_shown)

    def zoom_to(self, box: Box, pane: MapPane | None = None) -> None:
        """Show a part of a map as large as possible."""
        canvas = (pane or self.active).canvas
        canvas.set_camera(fit_box(box, canvas.width(), canvas.height()).camera)

    def take_snapshot(self) -> MapSnapshot | None:
        """Return a copy of what the active pane shows; None if it is empty."""
        return self.active.take_snapshot(self._sidebar.legend.rows)

    def focus_first(self) -> None:
        """Set the focus on the map."""
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- the selection ---

    def select(self, ids: IdArray) -> None:
        """Select sentences and show the whole map."""
        self.selection.set_ids(ids)
        if self.canvas.points is not None:
            self.canvas.show_all()

    def select_when_drawn(self, sentence_ids: Sequence[int]) -> None:
        """Select sentences as soon as the map is drawn."""
        self._pending_ids = np.array(sorted(set(sentence_ids)), np.int64)
        if self.pane.colouring is not None:
            self._select_pending()

    def choose_cluster(self, number: int | None) -> None:
        """Select a cluster and zoom to it; its most typical sentences come first."""
        points = self.pane.points
        if points is None or number is None or number >= len(points.found):
            return
        box = cluster_box(points, number)
        self.selection.set_ids(cluster_ids(points, number))
        self.clusters.choose(number)
        self._show_selection()
        if box is not None:
            self.zoom_to(box, self.pane)

    def label_selection(self, digit: int) -> None:
        """Label the selection with the class of a digit key."""
        ids = self.selection.ids
        labelled = [] if ids is None else ids[: MAX_LABELLED_AT_ONCE + 1].tolist()
        if ids is None and self._state.selection is not None:
            labelled = [self._state.selection]
        if labelled:
            self._state.labels.label_by_key(digit, labelled, announce=True)
        else:
            self._state.notice_posted.emit(
                self.tr("To label sentences by keys, click a point or select points.")
            )

    def _select_pending(self) -> None:
        pending, points = self._pending_ids, self.pane.points
        if pending is None or points is None:
            return
        self._pending_ids = None
        found = points.ids[points.mask_of(pending)]
        if len(found):
            self.select(found)
        if len(found) < len(pending):
            text = self.tr("{n} of these {total} sentences are on the map {name}.")
            n, total = format_count(len(found)), format_count(len(pending))
            text = text.format(n=n, total=total, name=points.row.name)
            self._state.notice_posted.emit(text)

    def _show_selection(self) -> None:
        """Show the selection in the table; without one, hide the table."""
        ids, points = self.selection.ids, self.pane.points
        self.colours.highlight()
        self._split.show_table(ids is not None)
        if ids is not None and points is not None:
            heading = pluralize(
                len(ids),
                self.tr("1 sentence selected"),
                self.tr("{n} sentences selected"),
            )
            if self.clusters.chosen is not None:
                heading = cluster_title(points, self.clusters.chosen)
                ids = cluster_ids(points, self.clusters.chosen)
            self.sentences.show_sentences(heading, ids)
        if points is not None:
            self.keywords.request(points, ids)
        self.changed.emit()

    # --- saved state ---

    def save_state(self) -> dict[str, Any]:
        """Return colours, filter, visible part and selection."""
        box, other, key = self.pane.canvas.visible_box, self.other.row, self.colours.key
        return {
            "column": key if key != MOVEMENT else LANGUAGE,
            "chosen": list(self._sidebar.legend.chosen),
            "seen": list(box) if box is not None else None,
            "selection": self.selection.to_json(),
            "pairs": self._pairs_action.isChecked(),
            "other": other.id if other is not None else None,
        }

    def restore_state(self, state: dict[str, Any], map_id: int) -> None:
        """Show a map as it was shown, as soon as it is loaded."""
        self._saved = {**state, "map": map_id}
        self.colours.key = str(state.get("column", self.colours.key))
        if self.pane.row is not None and self.pane.row.id == map_id:
            self.colours.colour_by(self.colours.key)

    def _restore(self) -> None:
        """Apply the saved state if it is of the shown map."""
        saved, points, canvas = self._saved, self.pane.points, self.pane.canvas
        if points is None or saved.get("map") != points.row.id:
            return
        self._saved = {}
        self._sidebar.legend.choose(saved.get("chosen", ()))
        box = saved.get("seen")
        if isinstance(box, list) and len(box) == 4 and np.isfinite(box).all():
            canvas.set_camera(camera_of(Box(*box), canvas.width(), canvas.height()))
        self._pairs_action.setChecked(bool(saved.get("pairs")))
        mask = self.colours.legend_mask(self.pane)
        self.selection.restore(saved.get("selection", []), points, mask)
        if isinstance(saved.get("other"), int):
            self.compare_with(saved["other"])

    # --- slots ---

    def _on_loaded(self) -> None:
        points, project = self.pane.points, self._state.project
        if points is not None and project is not None:
            self._sidebar.show_clusters(cluster_rows(project, points))
        self.filters.show_points(points)
        self.comparison.clear()
        self.colours.refresh()
        self.changed.emit()

    def _on_coloured(self) -> None:
        self.colours.show_legend()
        self.clusters.refresh_labels()
        self._restore()
        self.ready.emit()
        self._select_pending()

    def _on_drawn(self, pane: MapPane, shape: DrawnShape) -> None:
        if pane.points is not None and pane.colouring is not None:
            mask = self.colours.legend_mask(pane)
            self.selection.select_shape(pane.points, shape, mask)

    def _on_hovered(self, pane: MapPane, sentence_id: int | None) -> None:
        """Mark the sentence under the mouse on the other map too."""
        other = self.other if pane is self.pane else self.pane
        other.show_hovered(sentence_id)

    def _on_focused(self, pane: MapPane) -> None:
        self.active = pane
        self.changed.emit()

    def _on_selection_changed(self) -> None:
        self.clusters.choose(None)
        self._show_selection()

    def _on_keywords_ready(self) -> None:
        if self.sentences.movement is None:
            self.sentences.show_facts(self.keywords.text)

    def _on_comparison_ready(self) -> None:
        movement = self.comparison.movement
        self._toolbar.show_status("")
        if movement is not None:
            self.colours.colour_by(MOVEMENT)
            self._split.show_table(is_shown=True)
            heading = self.tr("Changed neighbours")
            self.sentences.show_sentences(heading, movement.ids, movement)
        self.changed.emit()

    def _on_cluster_activated(self) -> None:
        self.choose_cluster(self._sidebar.clusters.chosen)

    def _on_table_digit_pressed(self, digit: int) -> None:
        table = self.sentences.table
        ids = table.selected_ids(MAX_LABELLED_AT_ONCE + 1)
        if self._state.labels.label_by_key(digit, ids):
            table.step_on()

    # --- construction ---

    def _connect(self) -> None:
        self._sidebar.clusters.activated.connect(self._on_cluster_activated)
        self._sidebar.clusters.clicked.connect(self._on_cluster_activated)
        self._toolbar.other_chosen.connect(self.compare_with)
        self.pane.loaded.connect(self._on_loaded)
        self.pane.coloured.connect(self._on_coloured)
        self.other.loaded.connect(self.colours.refresh)
        self.other.coloured.connect(self.colours.show_legend)
        for pane in (self.pane, self.other):
            pane.canvas.drawn.connect(partial(self._on_drawn, pane))
            pane.canvas.picked.connect(self.selection.pick)
            pane.canvas.hovered.connect(partial(self._on_hovered, pane))
            pane.canvas.focused.connect(partial(self._on_focused, pane))
            pane.canvas.digit_pressed.connect(self.label_selection)
        self.colours.changed.connect(self.changed)
        self._sidebar.filters.select_requested.connect(self._on_select_requested)
        self.selection.changed.connect(self._on_selection_changed)
        self.keywords.ready.connect(self._on_keywords_ready)
        self.comparison.ready.connect(self._on_comparison_ready)
        self.sentences.table.digit_pressed.connect(self._on_table_digit_pressed)
        self._state.selection_changed.connect(self._on_sentence_chosen)

    def _on_select_requested(self) -> None:
        """Select the sentences that pass the filters."""
        if self.filters.ids is not None:
            self.selection.set_ids(self.filters.ids)

    def _on_sentence_chosen(self, _sentence_id: int | None) -> None:
        self.changed.emit()

    def _is_listed(self, map_id: int) -> bool:
        return any(row.id == map_id for row in self._maps)

    def _lay_out(self) -> None:
        self.other.hide()
        self.sentences.hide()
        self._split = MapSplitter((self.pane, self.other), self.sentences)
        make_column(self._toolbar, (self._split, 1), parent=self)

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_split"):
            self.colours.show_legend()
