"""The selected sentences of a map, and the table that lists them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.views.client.state import AppState
from app.views.map.analysis import MapMovement
from app.views.map.drawing.grid import Mask
from app.views.map.drawing.mouse import DrawnShape
from app.views.map.drawing.points import MapPoints
from app.views.widgets.adaptive_rows import ActionRow
from app.views.widgets.controls import ElidedLabel
from app.views.widgets.id_order import ArrayOrder
from app.views.widgets.page_model import LABEL, LANGUAGE, LINE, SENTENCE, Column
from app.views.widgets.sentence_table import SentenceTable
from app.views.widgets.theme import GRID

Ids = NDArray[np.int64]
MAX_SAVED_STEPS = (
    6  # drawings that a session keeps; their corners are kept, not the ids
)
MAX_SAVED_IDS = 400  # that a session keeps
DIGITS = 5  # of a corner


class MapSelection(QObject):
    """Holds what is selected: the same on every map.

    Attributes:
        ids: int64 (n,), rising; None: nothing is selected.
    """

    changed = Signal()

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.ids: Ids | None = None
        self._steps: list[dict[str, Any]] = []  # how it came about

    def __len__(self) -> int:
        """Count the sentences."""
        return 0 if self.ids is None else len(self.ids)

    def draw(self, points: MapPoints, drawn: DrawnShape, lit: Mask | None) -> None:
        """Select what a drawing holds.

        Args:
            points: the map that was drawn on.
            drawn: the polygon, and what is done with the selection before.
            lit: bool (n,): those that can be selected; None: all.
        """
        is_inside = np.empty(len(points), np.bool_)
        is_inside[points.grid.order] = points.grid.inside(drawn.corners)
        if lit is not None:
            is_inside &= lit
        self._combine(points.ids[is_inside], drawn.how)
        step = {
            "map": points.row.id,
            "corners": np.round(drawn.corners, DIGITS).tolist(),
            "how": drawn.how,
        }
        self._steps = [step] if drawn.how == "new" else [*self._steps, step]
        self.changed.emit()

    def take(self, ids: Ids) -> None:
        """Select sentences and no others."""
        self.ids = np.unique(ids) if len(ids) else None
        self._steps = []
        if self.ids is not None and len(self.ids) <= MAX_SAVED_IDS:
            self._steps = [{"ids": self.ids.tolist()}]
        self.changed.emit()

    def clear(self) -> None:
        """Select nothing."""
        if self.ids is not None:
            self.ids, self._steps = None, []
            self.changed.emit()

    def to_json(self) -> list[dict[str, Any]]:
        """Return how it came about, for the session; empty where that is too much."""
        return self._steps if len(self._steps) <= MAX_SAVED_STEPS else []

    def restore(
        self, steps: list[dict[str, Any]], points: MapPoints, lit: Mask | None
    ) -> None:
        """Select again what was selected on a map."""
        for step in steps:
            if "ids" in step:
                self.take(np.array(step["ids"], np.int64))
            elif step.get("map") == points.row.id:
                corners = np.array(step["corners"], np.float64).reshape(-1, 2)
                self.draw(points, DrawnShape(corners, step["how"]), lit)

    def _combine(self, found: Ids, how: str) -> None:
        before = np.empty(0, np.int64) if self.ids is None else self.ids
        match how:
            case "add":
                found = np.union1d(before, found)
            case "take":
                found = np.setdiff1d(before, found, assume_unique=True)
        self.ids = found if len(found) else None


COLUMNS = (LINE, SENTENCE, LANGUAGE, LABEL)


class MapSentences(QWidget):
    """A table with what can be done with it.

    Attributes:
        table: the sentences.
        moves: what moved, where that is what is shown.
    """

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty table; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.moves: MapMovement | None = None
        self.table = SentenceTable()
        self.table.horizontalHeader().setSectionsClickable(False)
        self._heading = ElidedLabel("section")
        self._shares: dict[int, float] = {}
        number = {"is_number": True, "is_sortable": False}
        self._kept = Column("kept", title=self.tr("Kept"), **number)
        self.table.page_model.readers["kept"] = self._read_kept
        tools = ActionRow()
        tools.set_actions(
            [
                (actions["search"], self.tr("Find nearest")),
                (actions["zoom_to"], self.tr("Zoom to them")),
                (actions["copy_sentences"], self.tr("Copy")),
                (actions["export_sentences"], self.tr("Export…")),
                (actions["clear"], self.tr("Clear")),
            ]
        )
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(self._heading, 1)
        head.addWidget(tools, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        self._facts = ElidedLabel("secondary")
        self._facts.hide()
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(self.table, 1)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.sentence_selected.connect(state.select_sentence)
        self.table.sentence_opened.connect(state.search_wanted)
        state.labels.labelled.connect(self.table.page_model.forget_rows)

    @property
    def heading(self) -> str:
        """What is said of the sentences."""
        return self._heading.text()

    @property
    def facts(self) -> str:
        """What is said of their languages and words."""
        return self._facts.text()

    def tell(self, facts: str) -> None:
        """Show what marks the sentences."""
        self._facts.setText(facts)
        self._facts.setVisible(bool(facts))

    def show_sentences(
        self,
        heading: str,
        ids: NDArray[np.int64],
        moves: MapMovement | None = None,
    ) -> None:
        """Show sentences, in this order.

        Args:
            heading: what they are.
            ids: of the sentences.
            moves: what a column tells: which share of their neighbours was kept.
        """
        project = self._state.project
        self._heading.setText(heading)
        self.moves = moves
        self.tell("" if moves is None else moves.describe())
        store = project.store if project is not None else None
        columns = COLUMNS
        if moves is not None:
            columns = (self._kept, *COLUMNS[1:])
            self._shares = dict(
                zip(moves.ids.tolist(), moves.kept.tolist(), strict=True)
            )
        self.table.show_ids(store, ArrayOrder(ids), columns=columns)

    def _read_kept(self, ids: list[int]) -> dict[int, str]:
        return {
            id_: f"{100 * self._shares[id_]:.0f} %"
            for id_ in ids
            if id_ in self._shares
        }
