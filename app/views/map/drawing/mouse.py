"""Mouse tools of the canvas: pan, click, lasso and rectangle."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPolygonF

MAX_CORNERS = 160  # of a lasso; more are thinned
MIN_CORNER_DISTANCE = 3.0  # pixels between two corners


class Stroke:
    """A lasso or rectangle while the mouse draws it, in pixels of the widget.

    Attributes:
        is_lasso: whether the shape is a lasso, not a rectangle.
        points: corners of the lasso, or two opposite corners of the rectangle.
    """

    def __init__(self, start: QPointF, *, is_lasso: bool):
        self.is_lasso = is_lasso
        self.points = [start]

    def extend_to(self, place: QPointF) -> None:
        """Extend the shape to the mouse."""
        if not self.is_lasso:
            self.points = [self.points[0], place]
            return
        step = place - self.points[-1]
        if abs(step.x()) + abs(step.y()) >= MIN_CORNER_DISTANCE:
            self.points.append(place)

    @property
    def is_area(self) -> bool:
        """Return whether the shape has an area yet."""
        return len(self.points) > (2 if self.is_lasso else 1)

    def polygon(self) -> QPolygonF:
        """Return the corners as a polygon."""
        if self.is_lasso or len(self.points) < 2:
            return QPolygonF(self.points)
        (one, other) = self.points
        return QPolygonF(
            [one, QPointF(other.x(), one.y()), other, QPointF(one.x(), other.y())]
        )

    def corners(self) -> NDArray[np.float64]:
        """Return at most `MAX_CORNERS` corners, in pixels: float64 (corners, 2)."""
        polygon = self.polygon()
        corners = np.array([(p.x(), p.y()) for p in polygon.toList()], np.float64)
        if len(corners) > MAX_CORNERS:
            indices = np.linspace(0, len(corners) - 1, MAX_CORNERS).astype(int)
            corners = corners[indices]
        return corners.reshape(-1, 2)


MouseTool = Literal["pan", "lasso", "rectangle"]
SelectionMode = Literal["new", "add", "take", "toggle"]
CLICK_DISTANCE = 4  # pixels from the press; less movement is a click


class DrawnShape(NamedTuple):
    """A polygon that was drawn to select points.

    Attributes:
        corners: float64 (corners, 2), in coordinates of the map.
        how: replace the selection ("new"), add to it ("add"), subtract from it
            ("take", as in saved view states), or toggle each point ("toggle").
    """

    corners: NDArray[np.float64]
    how: SelectionMode


class MouseGesture:
    """Follows the mouse from press to release.

    Attributes:
        tool: effect of dragging with the left button; other buttons move the map.
            With a selection key held, the tool "pan" draws a rectangle.
        stroke: the shape being drawn, or None.
        how: effect of the shape, or of a click on a point, on the selection.
    """

    def __init__(self) -> None:
        self.tool: MouseTool = "pan"
        self.stroke: Stroke | None = None
        self.how: SelectionMode = "new"
        self._pressed: QPointF | None = None
        self._dragged: QPointF | None = None
        self._is_click = False  # stays False when a lasso returns to its start

    @property
    def is_down(self) -> bool:
        """Return whether a button is pressed."""
        return self._pressed is not None

    def press(self, event: QMouseEvent) -> None:
        """Start to move the map or to draw."""
        self._pressed = self._dragged = event.position()
        self._is_click = True
        self.how = _selection_mode(event.modifiers())
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and (self.tool != "pan" or self.how != "new"):
            self.stroke = Stroke(event.position(), is_lasso=self.tool == "lasso")

    def move(self, place: QPointF) -> QPointF | None:
        """Follow the mouse; return the pixels by which to move the map, or None."""
        self._follow(place)
        if self.stroke is not None:
            self.stroke.extend_to(place)
            return None
        assert self._dragged is not None, "a button is pressed"
        step, self._dragged = place - self._dragged, place
        return step

    def release(self, place: QPointF) -> Stroke | Literal["click"] | None:
        """Return the finished shape, or a click, or None."""
        if self._pressed is None:
            return None
        self._follow(place)
        stroke = self.stroke
        self._pressed = self._dragged = self.stroke = None
        if self._is_click:
            return "click"
        return stroke if stroke is not None and stroke.is_area else None

    def cancel(self) -> bool:
        """Cancel the shape, if any; return whether there was one."""
        was_drawing = self.stroke is not None
        self.stroke = None
        return was_drawing

    def _follow(self, place: QPointF) -> None:
        """Record whether the mouse has moved too far for a click."""
        assert self._pressed is not None, "a button is pressed"
        distance = place - self._pressed
        if abs(distance.x()) + abs(distance.y()) >= CLICK_DISTANCE:
            self._is_click = False


def _selection_mode(keys: Qt.KeyboardModifier) -> SelectionMode:
    """Return the selection mode of the held keys; Ctrl is Cmd on a Mac."""
    key = Qt.KeyboardModifier
    if keys & key.ShiftModifier:
        return "add"
    if keys & key.ControlModifier:
        return "toggle"
    return "take" if keys & key.AltModifier else "new"
