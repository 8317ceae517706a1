"""The visible part of a map, and how it pans and zooms."""

from typing import NamedTuple

from app.views.map.drawing.grid import Box
from app.views.map.drawing.picture import Frame

CAMERA_MARGIN = 0.06  # of the width, left free around all points
FARTHEST, NEAREST = 0.2, 5_000.0  # of the scale that shows all points


class Camera(NamedTuple):
    """A view of the map.

    Attributes:
        x, y: coordinates in the middle.
        scale: pixels of the screen for one unit of the map.
    """

    x: float
    y: float
    scale: float

    def frame(self, width: int, height: int, ratio: float = 1.0) -> Frame:
        """Return what is in sight of a widget, in the pixels of the device.

        Args:
            width: of the widget, in pixels of the screen.
            height: of the widget, in pixels of the screen.
            ratio: pixels of the device for one of the screen.
        """
        return Frame(
            max(round(width * ratio), 1),
            max(round(height * ratio), 1),
            self.x - width / 2 / self.scale,
            self.y + height / 2 / self.scale,
            self.scale * ratio,
        )

    def moved(self, right: float, down: float) -> "Camera":
        """Move what is in sight by pixels of the screen."""
        return self._replace(
            x=self.x - right / self.scale, y=self.y + down / self.scale
        )

    def zoomed(
        self, factor: float, bounds: "Fit", right: float, down: float
    ) -> "Camera":
        """Zoom; what is at a place keeps its place.

        Args:
            factor: over 1: nearer.
            bounds: how far it may go.
            right: of the place, in pixels from the middle.
            down: of the place, in pixels from the middle.
        """
        scale = min(max(self.scale * factor, bounds.least), bounds.most)
        shift = 1 / self.scale - 1 / scale
        return Camera(self.x + right * shift, self.y - down * shift, scale)


class Fit(NamedTuple):
    """What shows all of a box, and how far one may zoom.

    Attributes:
        camera: what shows all.
        least, most: scales.
    """

    camera: Camera
    least: float
    most: float


def camera_of(box: Box, width: int, height: int) -> Camera:
    """Show all of a box and as little else as possible."""
    scale = min(max(width, 1) / box.width, max(height, 1) / box.height)
    return Camera((box.left + box.right) / 2, (box.bottom + box.top) / 2, scale)


def fit_box(box: Box, width: int, height: int) -> Fit:
    """Show all of a box in a widget of some pixels, with some room around."""
    free = 1 - 2 * CAMERA_MARGIN
    wide = max(width, 1) * free / max(box.width, 1e-9)
    high = max(height, 1) * free / max(box.height, 1e-9)
    scale = min(wide, high)
    middle = (box.left + box.right) / 2, (box.bottom + box.top) / 2
    return Fit(Camera(*middle, scale), scale * FARTHEST, scale * NEAREST)
