"""Map page: one or two maps, and a list of the sentences in colour."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.arrays import IdArray
from app.engine.store.projections import ProjectionRow
from app.views.client.labels import MAX_LABELLED_AT_ONCE
from app.views.client.state import AppState
from app.views.map.actions import MapActions
from app.views.map.analysis import (
    MapComparison,
    SelectionKeywords,
    describe_languages,
)
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
from app.views.map.drawing.points import MapPoints
from app.views.map.export import MapSnapshot
from app.views.map.filters import FilterController, FilterState
from app.views.map.pane import MapPane
from app.views.map.selection import MapSelection
from app.views.map.sentence_list import MapSentences, MapSplitter
from app.views.map.sidebar import MapSidebar
from app.views.map.toolbar import FilterBar, MapToolbar
from app.views.widgets.boxes import make_column
from app.views.widgets.export_dialog import PictureSettings
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.page_layout import make_split
from app.views.widgets.theme import GRID


class MapPage(QWidget):
    """Shows a map, or two maps with the same selection.

    Attributes:
        pane: the map.
        other: the map compared with the first; hidden if there is none.
        active: the pane that last had the focus.
        selection: the sentences selected on both maps.
        splitter: contains the maps and the list.
        sentences: the list of the sentences in colour, or of the changed neighbours.
        listed: the sentences in colour, in list order; None: all sentences.
        comparison: computes how far neighbours differ between the two maps.
        keywords: finds the words that distinguish the selection.
        filters: finds the points that match the filters.
        filter_bar: names the active filters, including the legend's.
        colours: colours the points of both maps.
        clusters: marks the clusters on the map.
    """

    changed = Signal()  # the available actions may have changed
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
        self._list_action: QAction = actions["list"]
        self._maps: list[ProjectionRow] = []
        self._saved: dict[str, Any] = {}  # restored when its map is loaded
        self._pending_ids: IdArray | None = None  # selected when the map is drawn
        self.listed: IdArray | None = None
        self._list_key: tuple[str, str] | None = None  # heading and words of the list
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
            sidebar, self.pane, self.filters, actions["landmarks"].isChecked
        )
        self._toolbar = MapToolbar(actions)
        self.filter_bar = FilterBar(actions["clear_filters"])
        self.sentences = MapSentences(state, actions)
        self._lay_out()
        self._connect()

    @property
    def canvas(self) -> MapCanvas:
        """The canvas that last had the focus."""
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
        """Offer all maps except the shown one for comparison."""
        self._maps = list(rows)
        others = [row for row in rows if row.id != shown.id]
        self._toolbar.offer_maps(others, self.other.row)

    def compare_with(self, map_id: int | None) -> None:
        """Show another map next to this one; None closes it."""
        row = next((one for one in self._maps if one.id == map_id), None)
        was_movement = self.colours.key == MOVEMENT
        self._forget_comparison()
        if self.other.isHidden() == (row is not None):
            self.pane.canvas.refit()  # show both maps completely
        self.other.setVisible(row is not None)
        self.other.show_map(row)
        self._toolbar.show_other(row)
        if row is None:
            self.active = self.pane
            self._list_key = None  # the changed neighbours are no longer listed
            self._show_selection()
        if was_movement:
            self.colours.colour_by(LANGUAGE)
        self.changed.emit()

    def compare_neighbours(self) -> None:
        """Find the sentences whose neighbours differ between the two maps."""
        if self.pane.row is not None and self.other.row is not None:
            self.comparison.request(self.pane.row, self.other.row)
            self.filter_bar.show_status(self.tr("Comparing neighbours…"))
            self.changed.emit()

    def _forget_comparison(self) -> None:
        self.comparison.clear()
        self.filter_bar.show_status("")

    def read_columns(self) -> None:
        """Reload the columns of colours and filters, keeping what is chosen."""
        self.colours.refresh()
        self.filters.read()

    def count_edits(self) -> None:
        """Show how many sentences were edited since each map was made."""
        for pane in self.panes():
            pane.count_edits()

    def show_landmarks(self, is_shown: bool) -> None:
        """Draw or remove contours and the names of clusters."""
        for pane in (self.pane, self.other):
            pane.show_contours(is_shown)
        self.clusters.refresh_labels()

    def read_pairs_again(self) -> None:
        """Reload the translation pairs of each map after links change."""
        for pane in (self.pane, self.other):
            pane.read_pairs_again()

    def allow_list(self, is_allowed: bool) -> None:
        """Allow or hide the list of sentences."""
        self.splitter.allow_list(is_allowed)

    def show_pairs(self, is_shown: bool) -> None:
        """Draw or remove the lines between translations."""
        for pane in (self.pane, self.other):
            pane.show_pairs(is_shown)

    def zoom_to(self, box: Box, pane: MapPane | None = None) -> None:
        """Show a part of a map as large as possible."""
        canvas = (pane or self.active).canvas
        canvas.set_camera(fit_box(box, canvas.width(), canvas.height()).camera)

    def describe_filters(self) -> list[str]:
        """Describe the active filters, the legend's last."""
        filters, chosen = self.filters.describe(), self._sidebar.legend.chosen
        colouring = self.pane.colouring
        if chosen and colouring is not None and not self.filters.offers(colouring.key):
            filters.append(f"{colouring.short_title}: {', '.join(chosen)}")
        return filters

    def describe_colours(self) -> list[str]:
        """Describe the filters and selection that determine the points in colour."""
        one, many = self.tr("1 sentence selected"), self.tr("{n} sentences selected")
        n = len(self.selection)
        return self.describe_filters() + ([pluralize(n, one, many)] if n else [])

    def clear_filters(self) -> None:
        """Clear all filters; the selection stays."""
        self._sidebar.filters.clear()
        self._sidebar.legend.clear_choice()

    def take_snapshot(self, picture: PictureSettings) -> MapSnapshot | None:
        """Return a copy of what the active pane shows; None if it is empty."""
        legend = self._sidebar.legend
        return self.active.take_snapshot(
            picture, legend.rows, legend.chosen, self.describe_colours()
        )

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
        """Select sentences as soon as the map is drawn, without a text filter."""
        self._sidebar.filters.find_field.clear()
        self._pending_ids = np.array(sorted(set(sentence_ids)), np.int64)
        if self.pane.colouring is not None:
            self._select_pending()

    def choose_cluster(self, number: int | None) -> None:
        """Select a cluster; the map moves only if it is not visible.

        The most typical sentences are listed first.
        """
        points = self.pane.points
        if points is None or number is None or number >= len(points.found):
            return
        box = cluster_box(points, number)
        self.selection.set_ids(cluster_ids(points, number))
        self.clusters.choose(number)
        self._show_selection()
        if box is not None:
            self.pane.canvas.reveal_box(box)

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
                self.tr("To label sentences with keys, click a point or select points.")
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
        """Grey out points outside the selection, and request its keywords."""
        if self.pane.points is not None:
            self.keywords.request(self.pane.points, self.selection.ids)
        self.colours.highlight()
        self.changed.emit()

    def _show_list(self) -> None:
        """List the sentences in colour; hide the list if all points are in colour."""
        selected, points = self.selection.ids, self.pane.points
        ids, number = self.pane.ids_in_colour(selected), self.clusters.chosen
        heading, words = "", self._sidebar.filters.words
        if points is not None and ids is not None:
            heading = self._describe_list(points, len(ids))
            if number is not None:
                typical = cluster_ids(points, number)
                ids = typical[np.isin(typical, ids)]
        is_same = (heading, words) == self._list_key
        if ids is not None and self.listed is not None:
            is_same &= np.array_equal(ids, self.listed)
        if is_same:
            return  # the list of changed neighbours stays
        self.listed, self._list_key = ids, (heading, words)
        self.splitter.show_list(ids is not None)
        if ids is not None:
            facts = self._describe_facts()
            self.sentences.show_sentences(heading, ids, facts=facts, find=words)
            self._on_sentence_chosen(self._state.selection)
            self.sentences.table.scrollToTop()
        self.changed.emit()

    def _show_facts(self) -> None:
        if self.sentences.movement is None:
            self.sentences.show_facts(self._describe_facts())

    def _describe_facts(self) -> str:
        """Describe the selection by keywords, or else the list by languages."""
        if self.listed is None or self.keywords.text:
            return self.keywords.text
        return describe_languages(self.filters.count_languages(self.listed))

    def _show_filters(self) -> None:
        """Name the active filters above the map."""
        self.filter_bar.show_filters(self.describe_filters())
        self.changed.emit()

    def _describe_list(self, points: MapPoints, n: int) -> str:
        selected, number = self.selection.ids, self.clusters.chosen
        if selected is None:
            text = self.tr("{n} of {total} sentences")
            return text.format(n=format_count(n), total=format_count(len(points)))
        if n < len(selected):
            text = self.tr("{n} of {total} selected sentences shown")
            return text.format(n=format_count(n), total=format_count(len(selected)))
        if number is not None:
            return cluster_title(points, number)
        one, many = self.tr("1 sentence selected"), self.tr("{n} sentences selected")
        return pluralize(n, one, many)

    # --- saved state ---

    def save_state(self) -> dict[str, Any]:
        """Return colours, filter, visible part and selection."""
        if self._saved and self.pane.colouring is None:
            return self._saved  # its map is still being loaded
        box, other, key = self.pane.canvas.visible_box, self.other.row, self.colours.key
        is_on = self._list_action.isChecked()
        return {
            "column": key if key != MOVEMENT else LANGUAGE,
            "chosen": list(self._sidebar.legend.chosen),
            "seen": list(box) if box is not None else None,
            "filters": msgspec.to_builtins(self.filters.chosen),
            "selection": self.selection.to_json(),
            "pairs": self._pairs_action.isChecked(),
            "other": other.id if other is not None else None,
            "list": {**self.splitter.save_state(), "is_on": is_on},
        }

    def restore_state(self, state: dict[str, Any], map_id: int) -> None:
        """Restore a map's saved state as soon as the map is loaded."""
        self._saved = {**state, "map": map_id}
        self.colours.key = str(state.get("column", self.colours.key))
        of_list = state.get("list")
        if isinstance(of_list, dict):
            self.splitter.restore_state(of_list)
            self._list_action.setChecked(bool(of_list.get("is_on", True)))
        if self.pane.row is not None and self.pane.row.id == map_id:
            self.colours.colour_by(self.colours.key)

    def _restore(self) -> None:
        """Apply the saved state if it belongs to the shown map."""
        saved, points, canvas = self._saved, self.pane.points, self.pane.canvas
        if points is None or saved.get("map") != points.row.id:
            return
        self._saved = {}
        with suppress(msgspec.ValidationError):  # written by another version
            filters = msgspec.convert(saved.get("filters", {}), FilterState)
            self.filters.choose(filters)
        if saved.get("chosen"):
            self._sidebar.legend.choose(saved["chosen"])
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
        points = self.pane.points
        self.filters.show_points(points)
        self._forget_comparison()
        self.colours.refresh()
        self.changed.emit()

    def _count_clusters(self) -> None:
        """Show the clusters with the number of sentences that match the filters."""
        points, project = self.pane.points, self._state.project
        if points is not None and project is not None:
            rows = cluster_rows(project, points, self.filters.ids)
            self._sidebar.show_clusters(rows)

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
        """Mark the sentence under the mouse on the other map."""
        other = self.other if pane is self.pane else self.pane
        other.show_hovered(sentence_id)

    def _on_focused(self, pane: MapPane) -> None:
        self.active = pane
        self.changed.emit()

    def _on_selection_changed(self) -> None:
        self.clusters.choose(None)
        self._show_selection()

    def _on_comparison_ready(self) -> None:
        movement = self.comparison.movement
        self.filter_bar.show_status("")
        if movement is not None:
            self.colours.colour_by(MOVEMENT)
            self.splitter.show_list(is_needed=True)
            heading = self.tr("Changed neighbours")
            self.sentences.show_sentences(heading, movement.ids, movement)
            for pane in self.panes():
                if pane.canvas.visible_box is None:
                    pane.canvas.show_all()  # the list would cover half of narrow maps
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
        self.colours.highlighted.connect(self._show_list)
        self.colours.highlighted.connect(self._show_filters)
        self.filters.changed.connect(self._count_clusters)
        self.filters.changed.connect(self._show_facts)
        self._sidebar.filters.select_requested.connect(self._on_select_requested)
        self.selection.changed.connect(self._on_selection_changed)
        self.keywords.ready.connect(self._show_facts)
        self.comparison.ready.connect(self._on_comparison_ready)
        self.sentences.table.sentence_selected.connect(self._on_listed_chosen)
        self.sentences.table.digit_pressed.connect(self._on_table_digit_pressed)
        self._state.selection_changed.connect(self._on_sentence_chosen)

    def _on_select_requested(self) -> None:
        """Select the sentences that match the filters."""
        if self.filters.ids is not None:
            self.selection.set_ids(self.filters.ids)

    def _on_listed_chosen(self, sentence_id: int) -> None:
        """Show a sentence of the list on the maps."""
        self._state.select_sentence(sentence_id)
        for pane in self.panes():
            pane.canvas.reveal(sentence_id)

    def _on_sentence_chosen(self, sentence_id: int | None) -> None:
        """Select the sentence in the list, or no row if the list lacks it."""
        table = self.sentences.table
        if sentence_id is not None and sentence_id != table.current_id:
            is_listed = table.select_sentence(sentence_id)
            if not is_listed and table.n_selected <= 1:
                table.clearSelection()
        self.changed.emit()

    def _is_listed(self, map_id: int) -> bool:
        return any(row.id == map_id for row in self._maps)

    def _lay_out(self) -> None:
        self.other.hide()
        self.sentences.hide()
        maps = make_split(self.pane, self.other)
        self.splitter = MapSplitter(maps, self.sentences)
        parts = self._toolbar, self.filter_bar, (self.splitter, 1)
        make_column(*parts, parent=self, gap=GRID // 2)

    def changeEvent(self, event: QEvent) -> None:
        """Apply the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "splitter"):
            self.colours.show_legend()
