"""The visible part of a map, and how it pans and zooms."""

from typing import NamedTuple

from app.views.map.drawing.grid import Box
from app.views.map.drawing.picture import Frame

CAMERA_MARGIN = 0.06  # share of the size, around all points
MIN_ZOOM, MAX_ZOOM = 0.2, 5_000.0  # relative to the scale that shows all points


class Camera(NamedTuple):
    """A view of the map.

    Attributes:
        x, y: map coordinates of the centre.
        scale: pixels of the screen per unit of the map.
    """

    x: float
    y: float
    scale: float

    def frame(self, width: int, height: int, ratio: float = 1.0) -> Frame:
        """Return the frame that a widget shows, in device pixels.

        Args:
            width: width of the widget, in pixels of the screen.
            height: height of the widget, in pixels of the screen.
            ratio: device pixels per pixel of the screen.
        """
        return Frame(
            max(round(width * ratio), 1),
            max(round(height * ratio), 1),
            self.x - width / 2 / self.scale,
            self.y + height / 2 / self.scale,
            self.scale * ratio,
        )

    def moved(self, right: float, down: float) -> "Camera":
        """Return the camera moved by screen pixels."""
        return self._replace(
            x=self.x - right / self.scale, y=self.y + down / self.scale
        )

    def resized(self, wider: float, higher: float) -> "Camera":
        """Return the camera after the widget was resized at its right and lower edges.

        The visible points keep their positions. Both arguments are in screen pixels.
        """
        return self.moved(-wider / 2, -higher / 2)

    def zoomed(
        self, factor: float, bounds: "Fit", right: float, down: float
    ) -> "Camera":
        """Return the camera zoomed around a fixed position.

        Args:
            factor: greater than 1 to zoom in.
            right: the position, in pixels right of the centre.
            down: the position, in pixels below the centre.
        """
        scale = min(max(self.scale * factor, bounds.min_scale), bounds.max_scale)
        shift = 1 / self.scale - 1 / scale
        return Camera(self.x + right * shift, self.y - down * shift, scale)


class Fit(NamedTuple):
    """The camera that shows all of a box, and the limits of zooming.

    Attributes:
        camera: shows the whole box.
        min_scale, max_scale: limits of the scale.
    """

    camera: Camera
    min_scale: float
    max_scale: float


def camera_of(box: Box, width: int, height: int) -> Camera:
    """Return the camera that fits a box into a widget as tightly as possible."""
    scale = min(max(width, 1) / box.width, max(height, 1) / box.height)
    return Camera((box.left + box.right) / 2, (box.bottom + box.top) / 2, scale)


def fit_box(box: Box, width: int, height: int) -> Fit:
    """Return the camera that fits a box with a margin into a widget."""
    free = 1 - 2 * CAMERA_MARGIN
    wide = max(width, 1) * free / max(box.width, 1e-9)
    high = max(height, 1) * free / max(box.height, 1e-9)
    scale = min(wide, high)
    centre = (box.left + box.right) / 2, (box.bottom + box.top) / 2
    return Fit(Camera(*centre, scale), scale * MIN_ZOOM, scale * MAX_ZOOM)
