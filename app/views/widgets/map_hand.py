"""What the mouse does on a map: it moves it, clicks, or draws around points."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent

from app.views.widgets.map_strokes import Stroke

Tool = Literal["hand", "lasso", "rectangle"]
How = Literal["new", "add", "take"]
CLICK = 4  # pixels: who moves less has clicked


class Drawn(NamedTuple):
    """What was drawn around points.

    Attributes:
        corners: float64 (corners, 2), in coordinates of the map.
        how: a selection of its own, added to the one before, or taken from it.
    """

    corners: NDArray[np.float64]
    how: How


class MapHand:
    """Follows one press of the mouse from its beginning to its end.

    Attributes:
        tool: what a drag of the left button does; other buttons move the map.
        stroke: what is being drawn; None: nothing is.
        how: a selection of its own, added to the one before, or taken from it.
    """

    def __init__(self) -> None:
        """Begin with a hand that moves the map."""
        self.tool: Tool = "hand"
        self.stroke: Stroke | None = None
        self.how: How = "new"
        self._pressed: QPointF | None = None
        self._dragged: QPointF | None = None

    @property
    def is_down(self) -> bool:
        """Tell whether a button is pressed."""
        return self._pressed is not None

    def press(self, event: QMouseEvent) -> None:
        """Begin to move the map, or to draw."""
        self._pressed = self._dragged = event.position()
        is_left = event.button() == Qt.MouseButton.LeftButton
        if self.tool == "hand" or not is_left:
            return
        self.stroke = Stroke(event.position(), is_lasso=self.tool == "lasso")
        keys, key = event.modifiers(), Qt.KeyboardModifier
        self.how = "new"
        if keys & key.ShiftModifier:
            self.how = "add"
        elif keys & key.AltModifier:
            self.how = "take"

    def move(self, place: QPointF) -> QPointF | None:
        """Follow the mouse; gives by how many pixels the map is moved, if it is."""
        if self.stroke is not None:
            self.stroke.go_to(place)
            return None
        assert self._dragged is not None, "a button is pressed"
        step, self._dragged = place - self._dragged, place
        return step

    def release(self, place: QPointF) -> Stroke | Literal["click"] | None:
        """End a press: a drawing that holds an area, a click, or neither."""
        pressed, stroke = self._pressed, self.stroke
        self._pressed = self._dragged = self.stroke = None
        if pressed is None:
            return None
        way = place - pressed
        if abs(way.x()) + abs(way.y()) < CLICK:
            return "click"
        return stroke if stroke is not None and stroke.is_area else None

    def give_up(self) -> bool:
        """Draw no further; returns whether anything was drawn."""
        was_drawing = self.stroke is not None
        self.stroke = None
        return was_drawing
