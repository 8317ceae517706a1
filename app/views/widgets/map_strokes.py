"""A lasso or a rectangle while it is drawn, and the polygon that comes of it."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPolygonF

MOST_CORNERS = 160  # of a lasso; more are thinned out
LEAST_STEP = 3.0  # pixels between two corners


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
        if abs(step.x()) + abs(step.y()) >= LEAST_STEP:
            self.points.append(place)

    @property
    def is_area(self) -> bool:
        """Tell whether it holds an area yet."""
        return len(self.points) > (2 if self.is_lasso else 1)

    def polygon(self) -> QPolygonF:
        """Give its corners."""
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
        """Give its corners as numbers, not too many: float64 (corners, 2), pixels."""
        polygon = self.polygon()
        corners = np.array([(p.x(), p.y()) for p in polygon.toList()], np.float64)
        if len(corners) > MOST_CORNERS:
            places = np.linspace(0, len(corners) - 1, MOST_CORNERS).astype(int)
            corners = corners[places]
        return corners.reshape(-1, 2)
