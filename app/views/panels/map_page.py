"""A map with its tools: one or two pictures, and the sentences selected on them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from app.engine.store.projection_rows import ProjectionRow
from app.views.classifiers import Classifier, read_classifiers
from app.views.label_book import MAX_AT_ONCE
from app.views.map_colourings import LABEL, LANGUAGE, list_columns
from app.views.map_legend_rows import legend_rows, lit_of
from app.views.map_selection import MapSelection
from app.views.panels.map_column import MapColumn
from app.views.panels.map_pane import MapPane
from app.views.panels.map_sentences import MapSentences
from app.views.state import AppState
from app.views.theme import GRID, tokens_of
from app.views.widgets.controls import make_tool_button
from app.views.widgets.map_camera import Camera
from app.views.widgets.map_canvas import Drawn, MapCanvas
from app.views.words import format_count

WIDE = 150 * GRID  # from here on the table stands beside the map, else below it


class MapPage(QWidget):
    """Shows a map.

    Attributes:
        pane: the map.
        selection: what is selected on it.
        sentences: the table of what is selected.
        column_key: what the points are coloured by.
    """

    changed = Signal()  # what can be done may be something else now

    def __init__(
        self,
        state: AppState,
        column: MapColumn,
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
        self._state, self._column, self._todo = state, column, actions
        self.column_key = LANGUAGE
        self._classifiers: list[Classifier] = []
        self._restored: dict[str, Any] = {}
        self.selection = MapSelection(self)
        self.pane = MapPane(state)
        self.sentences = MapSentences(state, actions)
        self._lay_out()
        self._connect()

    @property
    def canvas(self) -> MapCanvas:
        """The picture that the keyboard is on."""
        return self.pane.canvas

    def show_map(self, row: ProjectionRow | None) -> None:
        """Show a map; None: none."""
        self.pane.show_map(row)

    def offer_maps(self, rows: Sequence[ProjectionRow]) -> None:
        """Offer maps to compare with."""

    def colour_by(self, key: str) -> None:
        """Colour the points by a column."""
        project, points = self._state.project, self.pane.points
        self.column_key = key
        if project is None or points is None:
            return
        self._classifiers = read_classifiers(project.store)
        columns = list_columns(project, points, self._classifiers)
        column = next((one for one in columns if one.key == key), columns[0])
        self.column_key = column.key
        self._column.show_columns(columns, column.key)
        self.pane.colour_by(column, self._classifiers)

    def press(self, digit: int) -> None:
        """Label what is selected by a key."""
        ids = self.selection.ids
        wanted = [] if ids is None else ids[: MAX_AT_ONCE + 1].tolist()
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
        self.colour_by(self.column_key)
        self.changed.emit()

    def _on_coloured(self) -> None:
        self._show_legend()
        self._restore_place()
        self.changed.emit()

    def _show_legend(self) -> None:
        colouring, legend = self.pane.colouring, self._column.legend
        if colouring is None:
            return
        legend.show_rows(legend_rows(colouring, legend.chosen, tokens_of(self)))
        self.pane.paint(legend.rows)
        self._light()

    def _light(self) -> None:
        self.pane.light(self._column.legend.chosen, self.selection.ids)

    def _on_drawn(self, drawn: Drawn) -> None:
        points, colouring = self.pane.points, self.pane.colouring
        if points is None or colouring is None:
            return
        legend = self._column.legend
        lit = lit_of(colouring, legend.rows, legend.chosen)
        self.selection.draw(points, drawn, lit)

    def _on_selected(self) -> None:
        ids = self.selection.ids
        self.sentences.setVisible(ids is not None)
        if ids is not None:
            words = self.tr("{n} sentences selected")
            heading = words.format(n=format_count(len(ids)))
            self.sentences.show_sentences(heading, ids)
        self._light()
        self.changed.emit()

    def _on_labelled(self) -> None:
        if self.column_key == LABEL and self.pane.points is not None:
            self.colour_by(LABEL)

    def _on_table_digit(self, digit: int) -> None:
        table = self.sentences.table
        if self._state.labels.press(digit, table.selected_ids(MAX_AT_ONCE + 1)):
            table.step_on()

    # --- making ---

    def _connect(self) -> None:
        self._column.column_chosen.connect(self.colour_by)
        self._column.legend.chosen_changed.connect(self._show_legend)
        self.pane.loaded.connect(self._on_loaded)
        self.pane.coloured.connect(self._on_coloured)
        self.pane.canvas.drawn.connect(self._on_drawn)
        self.pane.canvas.digit_pressed.connect(self.press)
        self.selection.changed.connect(self._on_selected)
        self.sentences.table.digit_pressed.connect(self._on_table_digit)
        self._state.labels.labelled.connect(self._on_labelled)

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setSpacing(4)
        for name in ("hand", "lasso", "rectangle", "nearer", "farther", "fit"):
            tools.addWidget(make_tool_button(self._todo[name]))
        tools.addStretch()
        self.sentences.hide()
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(2 * GRID)
        self._split.setStyleSheet("QSplitter::handle { background: transparent; }")
        self._split.addWidget(self.pane)
        self._split.addWidget(self.sentences)
        self._split.setStretchFactor(0, 2)
        self._split.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(tools)
        layout.addWidget(self._split, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the table where there is room for it."""
        super().resizeEvent(event)
        is_wide = self.width() >= WIDE
        across = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        self._split.setOrientation(across)

    def changeEvent(self, event: QEvent) -> None:
        """Draw in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_split"):
            self._show_legend()

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Give colours, filter, place and selection."""
        canvas = self.pane.canvas
        camera = None if canvas.shows_all else list(canvas.camera)
        return {
            "column": self.column_key,
            "chosen": list(self._column.legend.chosen),
            "camera": camera if self.pane.points is not None else None,
            "selection": self.selection.to_json(),
        }

    def restore_state(self, state: dict[str, Any], map_id: int) -> None:
        """Show a map as it was shown, as soon as it is loaded."""
        self._restored = {**state, "map": map_id}
        self.column_key = str(state.get("column", self.column_key))
        if self.pane.row is not None and self.pane.row.id == map_id:
            self.colour_by(self.column_key)

    def _restore_place(self) -> None:
        place, points = self._restored, self.pane.points
        if points is None or place.get("map") != points.row.id:
            return
        self._restored = {}
        colouring = self.pane.colouring
        self._column.legend.choose(place.get("chosen", ()))
        camera = place.get("camera")
        if isinstance(camera, list) and len(camera) == 3 and np.isfinite(camera).all():
            self.pane.canvas.look_at(Camera(*camera))
        if colouring is not None:
            legend = self._column.legend
            lit = lit_of(colouring, legend.rows, legend.chosen)
            self.selection.restore(place.get("selection", []), points, lit)
