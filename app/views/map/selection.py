"""The selected sentences of a map, and the table that lists them."""

from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.arrays import IdArray
from app.views.client.state import AppState
from app.views.map.actions import MapActions
from app.views.map.analysis import MapMovement
from app.views.map.drawing.grid import Mask
from app.views.map.drawing.mouse import DrawnShape
from app.views.map.drawing.points import MapPoints
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.hits import offer_reading
from app.views.widgets.id_order import ArrayOrder
from app.views.widgets.page_model import LABEL, LANGUAGE, LINE, SENTENCE, Column
from app.views.widgets.sentence_table import SentenceTable
from app.views.widgets.theme import GRID

MAX_SAVED_STEPS = 6  # shapes in the saved state: their corners, not the ids
MAX_SAVED_IDS = 400  # in the saved state
DIGITS = 5  # of a corner


class MapSelection(QObject):
    """The selected sentences, the same on every map.

    Attributes:
        ids: int64 (n,), ascending; None: nothing is selected.
    """

    changed = Signal()

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.ids: IdArray | None = None
        self._steps: list[dict[str, Any]] = []  # that made the selection

    def __len__(self) -> int:
        """Return the number of sentences."""
        return 0 if self.ids is None else len(self.ids)

    def select_shape(
        self, points: MapPoints, shape: DrawnShape, mask: Mask | None
    ) -> None:
        """Select the points in a shape.

        Args:
            points: the map that the shape was drawn on.
            shape: the polygon, and how it changes the selection.
            mask: bool (n,), the points that can be selected; None: all.
        """
        is_inside = np.empty(len(points), np.bool_)
        is_inside[points.grid.order] = points.grid.inside(shape.corners)
        if mask is not None:
            is_inside &= mask
        self._combine(points.ids[is_inside], shape.how)
        step = {
            "map": points.row.id,
            "corners": np.round(shape.corners, DIGITS).tolist(),
            "how": shape.how,
        }
        self._steps = [step] if shape.how == "new" else [*self._steps, step]
        self.changed.emit()

    def set_ids(self, ids: IdArray) -> None:
        """Select these sentences only."""
        self.ids = np.unique(ids) if len(ids) else None
        self._steps = []
        if self.ids is not None and len(self.ids) <= MAX_SAVED_IDS:
            self._steps = [{"ids": self.ids.tolist()}]
        self.changed.emit()

    def pick(self, sentence_id: int, how: str) -> None:
        """Select or deselect one point: "add", "take" or "toggle"."""
        self._combine(np.array([sentence_id], np.int64), how)
        self.set_ids(np.empty(0, np.int64) if self.ids is None else self.ids)

    def clear(self) -> None:
        """Select nothing."""
        if self.ids is not None:
            self.ids, self._steps = None, []
            self.changed.emit()

    def to_json(self) -> list[dict[str, Any]]:
        """Return the steps to save; empty if there are too many."""
        return self._steps if len(self._steps) <= MAX_SAVED_STEPS else []

    def restore(
        self, steps: list[dict[str, Any]], points: MapPoints, mask: Mask | None
    ) -> None:
        """Repeat saved steps on a map."""
        for step in steps:
            if "ids" in step:
                self.set_ids(np.array(step["ids"], np.int64))
            elif step.get("map") == points.row.id:
                corners = np.array(step["corners"], np.float64).reshape(-1, 2)
                self.select_shape(points, DrawnShape(corners, step["how"]), mask)

    def _combine(self, found: IdArray, how: str) -> None:
        before = np.empty(0, np.int64) if self.ids is None else self.ids
        match how:
            case "add":
                found = np.union1d(before, found)
            case "take":
                found = np.setdiff1d(before, found, assume_unique=True)
            case "toggle":
                found = np.setxor1d(before, found, assume_unique=True)
        self.ids = found if len(found) else None


COLUMNS = (LINE, SENTENCE, LANGUAGE, LABEL)


class MapSentences(QWidget):
    """A table of sentences with a heading, facts and buttons.

    Attributes:
        table: the sentences.
        movement: the changed neighbours, if these are shown.
    """

    def __init__(
        self, state: AppState, actions: MapActions, parent: QWidget | None = None
    ):
        """Make an empty table with buttons for some of the view's actions."""
        super().__init__(parent)
        self._state = state
        self.movement: MapMovement | None = None
        self.table = SentenceTable()
        self.table.horizontalHeader().setSectionsClickable(False)
        self._heading = ElidedLabel("section")
        self._shares: dict[int, float] = {}
        number = {"is_number": True, "is_sortable": False}
        self._shares_column = Column("kept", title=self.tr("Same neighbours"), **number)
        self.table.page_model.readers["kept"] = self._read_shares
        tools = ActionRow()
        tools.set_actions(
            [
                (actions["search"], self.tr("Find nearest")),
                (actions["zoom_to"], self.tr("Zoom to selection")),
                (actions["copy_sentences"], self.tr("Copy")),
                (actions["export_sentences"], self.tr("Export…")),
                (actions["clear"], self.tr("Clear")),
            ]
        )
        head = make_row((self._heading, 1), (tools, 1), gap=2 * GRID)
        layout = make_column(parent=self)
        self._facts = ElidedLabel("secondary")
        self._facts.hide()
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(self.table, 1)
        offer_reading(state, self.table)
        self.table.sentence_selected.connect(state.select_sentence)
        self.table.sentence_opened.connect(state.search_requested)
        state.labels.labelled.connect(self.table.page_model.forget_rows)

    @property
    def heading(self) -> str:
        """The heading."""
        return self._heading.text()

    @property
    def facts(self) -> str:
        """The languages and keywords of the sentences."""
        return self._facts.text()

    def show_facts(self, facts: str) -> None:
        """Show languages and keywords of the sentences."""
        self._facts.setText(facts)
        self._facts.setVisible(bool(facts))

    def show_sentences(
        self, heading: str, ids: IdArray, movement: MapMovement | None = None
    ) -> None:
        """Show sentences in the order of their ids' array.

        Args:
            heading: the heading of the table.
            ids: int64 (n,), the sentences.
            movement: adds a column with the share of unchanged neighbours.
        """
        project = self._state.project
        self._heading.setText(heading)
        self.movement = movement
        self.show_facts("" if movement is None else movement.describe())
        store = project.store if project is not None else None
        columns = COLUMNS
        if movement is not None:
            columns = (self._shares_column, *COLUMNS[1:])
            ids_and_shares = movement.ids.tolist(), movement.shares.tolist()
            self._shares = dict(zip(*ids_and_shares, strict=True))
        self.table.show_ids(store, ArrayOrder(ids), columns=columns)

    def _read_shares(self, ids: list[int]) -> dict[int, str]:
        return {
            id_: f"{100 * self._shares[id_]:.0f} %"
            for id_ in ids
            if id_ in self._shares
        }
