"""The points of a map as an image: drawn when it is painted, coarsely in motion."""

import time

import numpy as np
from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtGui import QImage

from app.views.map_points import MapPoints
from app.views.widgets.map_camera import Camera
from app.views.widgets.map_colours import MapLook
from app.views.widgets.map_density import Codes
from app.views.widgets.map_grid import Mask
from app.views.widgets.map_overlay import image_of
from app.views.widgets.map_picture import Points, draw_map

SLOW_S = 0.030  # seconds: a picture that takes longer is drawn coarsely in motion
REST_MS = 140  # after the last motion it is drawn finely again
COARSE = 0.5  # pixels along a line, of those there are


class MapImage(QObject):
    """Draws the points of a map, and keeps the image until something changes.

    Attributes:
        points: the map; None: there is none.
        n_in_sight: points in the newest image.
        draw_s: seconds that the newest fine one took.
    """

    outdated = Signal()  # it is to be painted again

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.points: MapPoints | None = None
        self.n_in_sight, self.draw_s = 0, 0.0
        self._codes: Codes = np.empty(0, np.uint8)
        self._lit: Mask | None = None
        self._look: MapLook | None = None
        self._image: QImage | None = None
        self._is_moving = False
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._on_rest)

    @property
    def is_coloured(self) -> bool:
        """Tell whether there is something to draw."""
        return self.points is not None and self._look is not None

    @property
    def drawn(self) -> tuple[Points, MapLook]:
        """What is drawn, and in which colours."""
        assert self.points is not None
        assert self._look is not None, "the points are coloured"
        return Points(self.points.grid, self._codes, self._lit), self._look

    def show_points(self, points: MapPoints | None) -> None:
        """Take another map."""
        self.points = points
        n = 0 if points is None else len(points)
        self._codes, self._lit = np.zeros(n, np.uint8), None
        self.forget()

    def show_colours(self, codes: Codes, look: MapLook) -> None:
        """Colour the points.

        Args:
            codes: (n,) in the order of the map's ids.
            look: the palette that they are places of.
        """
        if self.points is not None:
            self._codes = codes[self.points.grid.order]
            self._look = look
            self.forget()

    def show_lit(self, lit: Mask | None) -> None:
        """Draw the points that are not lit in grey; None: all are.

        Args:
            lit: bool (n,) in the order of the map's ids.
        """
        if self.points is not None:
            self._lit = None if lit is None else lit[self.points.grid.order]
            self.forget()

    def move(self) -> None:
        """Draw it anew, coarsely at first where that takes long."""
        self._is_moving = self.draw_s > SLOW_S
        if self._is_moving:
            self._rest.start()
        self.forget()

    def forget(self) -> None:
        """Draw it anew."""
        self._image = None
        self.outdated.emit()

    def draw(
        self, camera: Camera, size: QSize, ratio: float, *, is_clear: bool
    ) -> QImage:
        """Give the image.

        Args:
            camera: what is in sight.
            size: of the widget.
            ratio: pixels of the screen for one of the widget.
            is_clear: nothing is painted where no point is: lines lie below.
        """
        if self._image is None:
            started = time.perf_counter()
            is_coarse = self._is_moving and self.n_in_sight > 0
            ratio *= COARSE if is_coarse else 1.0
            points, look = self.drawn
            frame = camera.frame(size.width(), size.height(), ratio)
            picture = draw_map(points, frame, look, ratio)
            self._image = image_of(picture, look, is_clear=is_clear)
            self.n_in_sight = picture.n_points
            if not is_coarse:
                self.draw_s = time.perf_counter() - started
        return self._image

    def _on_rest(self) -> None:
        self._is_moving = False
        self.forget()


__all__ = ["SLOW_S", "MapImage"]
