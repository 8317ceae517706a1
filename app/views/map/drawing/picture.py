"""Draw points as an array of pixels: dots when near, density when far."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.views.map.drawing.density import (
    Codes,
    DensityLayer,
    DensityMaximum,
    Image,
    Pixels,
    draw_density,
    pack,
    point_width,
    unpack,
)
from app.views.map.drawing.grid import Box, Mask, PointGrid
from app.views.map.drawing.palettes import MapColours

MAX_DOTS = 50_000  # points in view; more are shown as density
SMALLEST, LARGEST = 1.75, 6.0  # radius of a dot, pixels
MARGIN = 8  # pixels around the picture in which a dot may have its middle


class Frame(NamedTuple):
    """What of the map a picture shows.

    Attributes:
        width, height: pixels.
        left, top: coordinates of its upper left corner.
        scale: pixels for one unit of the map.
    """

    width: int
    height: int
    left: float
    top: float
    scale: float

    @property
    def box(self) -> Box:
        """What is in sight."""
        right = self.left + self.width / self.scale
        return Box(self.left, self.top - self.height / self.scale, right, self.top)

    def pixel_at(self, x: float, y: float) -> tuple[float, float]:
        """Give the place of coordinates in the picture, from its upper left corner."""
        return (x - self.left) * self.scale, (self.top - y) * self.scale

    def grown(self, pixels: float) -> Box:
        """What is in sight, and so many pixels around it."""
        box, more = self.box, pixels / self.scale
        return Box(box.left - more, box.bottom - more, box.right + more, box.top + more)


class Points(NamedTuple):
    """What is drawn, in the order of a grid.

    Attributes:
        grid: where the points are.
        codes: (n,) the colour of each, a row of the palette.
        lit: bool (n,): those in colour, the others are grey; None: all.
    """

    grid: PointGrid
    codes: Codes
    lit: Mask | None = None


class Picture(NamedTuple):
    """A picture.

    Attributes:
        image: uint32 (height, width).
        n_points: points in sight.
        radius: of a dot, in pixels; 0: it is a density image.
        most: points of a pixel, where it is one.
    """

    image: Image
    n_points: int
    radius: float
    most: DensityMaximum = DensityMaximum()


class TilePlan(NamedTuple):
    """How the parts of a large picture are drawn, so that they fit together.

    Attributes:
        n_points: in all parts.
        most: points of a pixel in any part.
    """

    n_points: int
    most: DensityMaximum


def draw_map(
    points: Points,
    frame: Frame,
    look: MapColours,
    ratio: float = 1,
    plan: TilePlan | None = None,
) -> Picture:
    """Draw what is in sight.

    Args:
        points: all points of the map.
        frame: what to show, in the pixels of the picture.
        look: colours.
        ratio: pixels of the picture for one of the screen; dots grow with it.
        plan: of the larger picture that this is a part of.
    """
    pad = 2 * math.ceil(MARGIN * ratio)  # no dot reaches the padded picture's edge
    size = (frame.height + 2 * pad, frame.width + 2 * pad)
    found = points.grid.within(frame.grown(pad))
    pixels, is_in = _pixels(points.grid, found, frame, pad)
    codes = points.codes[found]
    lit = None if points.lit is None else points.lit[found]
    n = int(np.count_nonzero(is_in))
    if n < len(pixels):
        pixels, codes = pixels[is_in], codes[is_in]
        lit = None if lit is None else lit[is_in]
    n_all, most, radius = plan.n_points if plan else n, DensityMaximum(), 0.0
    if n_all <= MAX_DOTS:
        radius = dot_radius(n_all) * ratio
        whole = _draw_dots(pixels, codes, lit, size, look, radius)
    else:
        side = max(round(point_width(n_all) * ratio), 1)
        pixels -= (side // 2) * (size[1] + 1)  # the square's middle is the point
        layer = DensityLayer(pixels, codes, size, side)
        whole, most = draw_density(layer, lit, look, plan.most if plan else None)
    inner = whole.reshape(size)[pad : size[0] - pad, pad : size[1] - pad]
    return Picture(np.ascontiguousarray(inner), n, radius, most)


def dot_radius(n: int) -> float:
    """Return the radius of dots by how many there are, in half pixels."""
    radius = LARGEST - 1.55 * math.log10(max(n, 100) / 100)
    return min(max(round(2 * radius) / 2, SMALLEST), LARGEST)


def _pixels(
    grid: PointGrid, found: "slice | NDArray[np.int64]", frame: Frame, pad: int
) -> tuple[Pixels, Mask]:
    """Return each point its pixel in the padded picture, and whether it is in it.

    The middle of a point is at most half the padding outside of what is in sight.
    """
    scale = np.float32(frame.scale)
    least, more = pad // 2, frame.width + pad
    # The corner is taken off first: far outside of the picture float32 is coarse.
    columns = grid.x[found] - np.float32(frame.left)
    rows = np.float32(frame.top) - grid.y[found]
    for values in (columns, rows):
        values *= scale
        values += pad - least
    with np.errstate(invalid="ignore"):  # beyond int32: those are not in sight
        wide, high = columns.astype(np.int32), rows.astype(np.int32)
    # As unsigned numbers negative ones are too large as well.
    is_in = wide.view(np.uint32) < np.uint32(more)
    is_in &= high.view(np.uint32) < np.uint32(frame.height + pad)
    pixels = high.astype(np.int64)
    pixels += least
    pixels *= frame.width + 2 * pad
    pixels += wide
    pixels += least
    return pixels, is_in


def _draw_dots(
    pixels: Pixels,
    codes: Codes,
    lit: Mask | None,
    size: tuple[int, int],
    look: MapColours,
    radius: float,
) -> Image:
    """Stamp a dot on each point, the grey ones first; its rim fades into the surface.

    Each dot is drawn whole before the next, so that the rims part dots that touch.
    """
    image = np.full(size[0] * size[1], pack(look.surface[None])[0], np.uint32)
    steps, shares = stamp(radius)
    shifts = steps[:, 1] * size[1] + steps[:, 0]  # (pixels of a dot,)
    surface = look.surface.astype(np.float32)
    groups = [(pixels, look.palette[codes])]
    if lit is not None:
        grey = np.broadcast_to(look.grey, (len(codes) - int(lit.sum()), 3))
        groups = [(pixels[~lit], grey), (pixels[lit], look.palette[codes[lit]])]
    for places, colours in groups:
        used, which = np.unique(pack(colours), return_inverse=True)
        mixed = surface + (unpack(used)[:, None] - surface) * shares[:, None]
        table = pack(mixed)  # (colours, pixels of a dot)
        image[(places[:, None] + shifts).ravel()] = table[which].ravel()
    return image


@lru_cache(maxsize=32)
def stamp(radius: float) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the pixels of a dot: steps int64 (n, 2) from its middle, and their cover.

    The cover of a pixel is how far its middle is within the rim, 0…1.
    """
    reach = math.ceil(radius)
    line = np.arange(-reach, reach + 1)
    steps = np.stack(np.meshgrid(line, line), -1).reshape(-1, 2)  # -> (n, 2)
    cover = np.clip(radius + 0.5 - np.hypot(steps[:, 0], steps[:, 1]), 0, 1)
    is_seen = cover > 0.05
    return steps[is_seen].astype(np.int64), cover[is_seen].astype(np.float32)
