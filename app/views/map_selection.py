"""The sentences that are selected on maps: drawn around, added, taken away."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.views.map_points import MapPoints
from app.views.widgets.map_grid import Mask
from app.views.widgets.map_hand import Drawn

Ids = NDArray[np.int64]
MOST_STEPS = 6  # drawings that a session keeps; their corners are kept, not the ids
MOST_IDS = 400  # that a session keeps
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

    def draw(self, points: MapPoints, drawn: Drawn, lit: Mask | None) -> None:
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
        if self.ids is not None and len(self.ids) <= MOST_IDS:
            self._steps = [{"ids": self.ids.tolist()}]
        self.changed.emit()

    def clear(self) -> None:
        """Select nothing."""
        if self.ids is not None:
            self.ids, self._steps = None, []
            self.changed.emit()

    def to_json(self) -> list[dict[str, Any]]:
        """Give how it came about, for the session; empty where that is too much."""
        return self._steps if len(self._steps) <= MOST_STEPS else []

    def restore(
        self, steps: list[dict[str, Any]], points: MapPoints, lit: Mask | None
    ) -> None:
        """Select again what was selected on a map."""
        for step in steps:
            if "ids" in step:
                self.take(np.array(step["ids"], np.int64))
            elif step.get("map") == points.row.id:
                corners = np.array(step["corners"], np.float64).reshape(-1, 2)
                self.draw(points, Drawn(corners, step["how"]), lit)

    def _combine(self, found: Ids, how: str) -> None:
        before = np.empty(0, np.int64) if self.ids is None else self.ids
        match how:
            case "add":
                found = np.union1d(before, found)
            case "take":
                found = np.setdiff1d(before, found, assume_unique=True)
        self.ids = found if len(found) else None
