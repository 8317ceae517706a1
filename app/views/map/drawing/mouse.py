"""Mouse tools of the canvas: pan, click, lasso and rectangle."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPolygonF

MAX_CORNERS = 160  # of a lasso; more are thinned out
MIN_CORNER_DISTANCE = 3.0  # pixels between two corners


class Stroke:
    """What the mouse draws, in pixels of the widget.

    Attributes:
        is_lasso: a free line; else a rectangle.
        points: corners of the lasso; of the rectangle, two that are opposite.
    """

    def __init__(self, start: QPointF, *, is_lasso: bool):
        self.is_lasso = is_lasso
        self.points = [start]

    def go_to(self, place: QPointF) -> None:
        """Follow the mouse."""
        if not self.is_lasso:
            self.points = [self.points[0], place]
            return
        step = place - self.points[-1]
        if abs(step.x()) + abs(step.y()) >= MIN_CORNER_DISTANCE:
            self.points.append(place)

    @property
    def is_area(self) -> bool:
        """Return whether it holds an area yet."""
        return len(self.points) > (2 if self.is_lasso else 1)

    def polygon(self) -> QPolygonF:
        """Return its corners."""
        if self.is_lasso or len(self.points) < 2:
            return QPolygonF(self.points)
        (one, other) = self.points
        return QPolygonF(
            [
                one,
                QPointF(other.x(), one.y()),
                other,
                QPointF(one.x(), other.y()),
            ]
        )

    def corners(self) -> NDArray[np.float64]:
        """Return its corners as numbers, not too many: float64 (corners, 2), pixels."""
        polygon = self.polygon()
        corners = np.array([(p.x(), p.y()) for p in polygon.toList()], np.float64)
        if len(corners) > MAX_CORNERS:
            places = np.linspace(0, len(corners) - 1, MAX_CORNERS).astype(int)
            corners = corners[places]
        return corners.reshape(-1, 2)


MouseTool = Literal["hand", "lasso", "rectangle"]
SelectionMode = Literal["new", "add", "take"]
CLICK_DISTANCE = 4  # pixels: who moves less has clicked


class DrawnShape(NamedTuple):
    """What was drawn around points.

    Attributes:
        corners: float64 (corners, 2), in coordinates of the map.
        how: a selection of its own, added to the one before, or taken from it.
    """

    corners: NDArray[np.float64]
    how: SelectionMode


class MouseGesture:
    """Follows one press of the mouse from its beginning to its end.

    Attributes:
        tool: what a drag of the left button does; other buttons move the map.
        stroke: what is being drawn; None: nothing is.
        how: a selection of its own, added to the one before, or taken from it.
    """

    def __init__(self) -> None:
        """Begin with a hand that moves the map."""
        self.tool: MouseTool = "hand"
        self.stroke: Stroke | None = None
        self.how: SelectionMode = "new"
        self._pressed: QPointF | None = None
        self._dragged: QPointF | None = None

    @property
    def is_down(self) -> bool:
        """Return whether a button is pressed."""
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
        if abs(way.x()) + abs(way.y()) < CLICK_DISTANCE:
            return "click"
        return stroke if stroke is not None and stroke.is_area else None

    def give_up(self) -> bool:
        """Draw no further; returns whether anything was drawn."""
        was_drawing = self.stroke is not None
        self.stroke = None
        return was_drawing
