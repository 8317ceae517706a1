"""The selected sentences of a map."""

from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.arrays import IdArray
from app.views.map.drawing.grid import Mask
from app.views.map.drawing.mouse import DrawnShape
from app.views.map.drawing.points import MapPoints

MAX_SAVED_STEPS = 6  # shapes in the saved state, stored as corners
MAX_SAVED_IDS = 400  # in the saved state
DIGITS = 5  # significant digits of a corner


class MapSelection(QObject):
    """The selected sentences, the same on every map.

    Attributes:
        ids: int64 (n,), ascending; None: nothing is selected.
    """

    changed = Signal()

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.ids: IdArray | None = None
        self._steps: list[dict[str, Any]] = []  # the steps that produced the selection

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
        """Select only these sentences."""
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
        """Clear the selection."""
        if self.ids is not None:
            self.ids, self._steps = None, []
            self.changed.emit()

    def to_json(self) -> list[dict[str, Any]]:
        """Return the steps to save; empty if there are too many."""
        return self._steps if len(self._steps) <= MAX_SAVED_STEPS else []

    def restore(
        self, steps: list[dict[str, Any]], points: MapPoints, mask: Mask | None
    ) -> None:
        """Restore the selection by repeating saved steps on a map."""
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
