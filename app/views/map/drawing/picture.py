"""Draw points as an array of pixels: dots, or density for very many points."""

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

MAX_DOTS = 50_000  # visible points; more are shown as density
MAX_LIT_DOTS = 5_000  # drawn over a density image; more are part of it
SMALLEST, LARGEST = 1.5, 6.0  # radius of a dot, pixels
SHRINKING = 2.0  # pixels by which ten times as many dots reduce the radius
MAX_GROWTH = 2.0  # pixels added to the radius if only few dots are in colour
OPAQUE_DOTS = 2_000  # visible points; more are translucent
FAINTEST_DOT = 0.6  # opacity of a dot at the maximum of visible dots
N_OPACITIES = 16  # distinct opacities
MARGIN = 8  # pixels outside the picture where dots are still drawn


class Frame(NamedTuple):
    """The part of the map that a picture shows.

    Attributes:
        width, height: pixels.
        left, top: map coordinates of the upper left corner.
        scale: pixels per unit of the map.
    """

    width: int
    height: int
    left: float
    top: float
    scale: float

    @property
    def box(self) -> Box:
        """The visible part."""
        right = self.left + self.width / self.scale
        return Box(self.left, self.top - self.height / self.scale, right, self.top)

    def pixel_at(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel at map coordinates, from the upper left corner."""
        return (x - self.left) * self.scale, (self.top - y) * self.scale

    def grown(self, pixels: float) -> Box:
        """Return the frame with a margin of some pixels."""
        box, more = self.box, pixels / self.scale
        return Box(box.left - more, box.bottom - more, box.right + more, box.top + more)


class DrawnPoints(NamedTuple):
    """The points to draw, in the order of a grid.

    Attributes:
        grid: the positions of the points.
        codes: uint8 (n,), row in the palette for each point.
        mask: bool (n,), the points in colour, the others are grey; None: all.
    """

    grid: PointGrid
    codes: Codes
    mask: Mask | None = None


class Picture(NamedTuple):
    """A drawn map.

    Attributes:
        image: uint32 (height, width), 0xFFRRGGBB.
        n_points: number of visible points.
        radius: radius of a dot, in pixels; 0 for a density image.
        maximum: the highest point count of a pixel in a density image.
    """

    image: Image
    n_points: int
    radius: float
    maximum: DensityMaximum = DensityMaximum()


class TilePlan(NamedTuple):
    """Values shared by the tiles of a large picture.

    Attributes:
        n_points: number of points in all tiles.
        maximum: the highest point count of a pixel in any tile.
    """

    n_points: int
    maximum: DensityMaximum


def draw_map(
    points: DrawnPoints,
    frame: Frame,
    colours: MapColours,
    ratio: float = 1,
    plan: TilePlan | None = None,
) -> Picture:
    """Draw the visible part of a map.

    Args:
        frame: the visible part, in pixels of the picture.
        ratio: pixels of the picture per pixel of the screen; dots grow with it.
        plan: shared values if this is a tile of a larger picture.
    """
    pad = 2 * math.ceil(MARGIN * ratio)  # no dot reaches the padded picture's edge
    size = (frame.height + 2 * pad, frame.width + 2 * pad)
    found = points.grid.within(frame.grown(pad))
    pixels, is_in = _pixels(points.grid, found, frame, pad)
    codes = points.codes[found]
    mask = None if points.mask is None else points.mask[found]
    n = int(np.count_nonzero(is_in))
    if n < len(pixels):
        pixels, codes = pixels[is_in], codes[is_in]
        mask = None if mask is None else mask[is_in]
    n_all, maximum, radius = plan.n_points if plan else n, DensityMaximum(), 0.0
    n_lit = n_all if points.mask is None else int(np.count_nonzero(points.mask))
    has_few_lit = mask is not None and n_lit <= MAX_LIT_DOTS
    if n_all > MAX_DOTS:
        side = max(round(point_width(n_all) * ratio), 1)
        corners = pixels - (side // 2) * (size[1] + 1)  # centre squares on the points
        layer = DensityLayer(corners, codes, size, side)
        lit = np.zeros_like(mask) if has_few_lit else mask
        shared = plan.maximum if plan else None
        whole, maximum = draw_density(layer, lit, colours, shared)
    else:
        radius = dot_radius(n_all) * ratio
        whole = np.full(size[0] * size[1], pack(colours.surface[None])[0], np.uint32)
        if mask is not None:
            dots = Dots(pixels[~mask], np.zeros(n, np.uint8)[~mask], size, radius)
            grey = colours._replace(palette=colours.grey[None])
            _draw_dots(whole, dots, grey, dot_opacity(n_all))
    if n_all <= MAX_DOTS or has_few_lit:
        if mask is not None:
            pixels, codes = pixels[mask], codes[mask]
        dots = Dots(pixels, codes, size, lit_radius(n_all, n_lit) * ratio)
        opacity = dot_opacity(min(n_lit, n_all))
        _draw_dots(whole, dots, colours, opacity, is_over=mask is not None)
    inner = whole.reshape(size)[pad : size[0] - pad, pad : size[1] - pad]
    return Picture(np.ascontiguousarray(inner), n, radius, maximum)


def dot_radius(n: int) -> float:
    """Return the radius for n dots, in multiples of half a pixel."""
    radius = LARGEST - SHRINKING * math.log10(max(n, 100) / 100)
    return min(max(round(2 * radius) / 2, SMALLEST), LARGEST)


def lit_radius(n: int, n_lit: int) -> float:
    """Return the radius of the dots in colour; few dots are larger than grey ones.

    Args:
        n: visible dots.
        n_lit: dots in colour on the whole map, so that all tiles use one size.
    """
    usual = dot_radius(n)
    return max(usual, min(dot_radius(n_lit), usual + MAX_GROWTH))


def dot_opacity(n: int) -> float:
    """Return the opacity for n dots, lower for many so that dense parts are darker."""
    share = math.log(max(n, OPAQUE_DOTS) / OPAQUE_DOTS) / math.log(
        MAX_DOTS / OPAQUE_DOTS
    )
    return 1 - (1 - FAINTEST_DOT) * min(share, 1.0)


class Dots(NamedTuple):
    """Dots to draw: the attributes of `DensityLayer`, and the radius."""

    pixels: Pixels
    codes: Codes
    size: tuple[int, int]
    radius: float


def _pixels(
    grid: PointGrid, found: "slice | NDArray[np.int64]", frame: Frame, pad: int
) -> tuple[Pixels, Mask]:
    """Return the pixel of each point in the padded picture, and a mask of those inside.

    Points may lie outside the visible part by at most half the padding.
    """
    scale = np.float32(frame.scale)
    least, more = pad // 2, frame.width + pad
    # Subtract the corner first: far outside the picture, float32 is coarse.
    columns = grid.x[found] - np.float32(frame.left)
    rows = np.float32(frame.top) - grid.y[found]
    for values in (columns, rows):
        values *= scale
        values += pad - least
    with np.errstate(invalid="ignore"):  # beyond int32: not visible
        wide, high = columns.astype(np.int32), rows.astype(np.int32)
    # Negative values become large as unsigned numbers, so one comparison suffices.
    is_in = wide.view(np.uint32) < np.uint32(more)
    is_in &= high.view(np.uint32) < np.uint32(frame.height + pad)
    pixels = high.astype(np.int64)
    pixels += least
    pixels *= frame.width + 2 * pad
    pixels += wide
    pixels += least
    return pixels, is_in


def _shade_by_density(dots: Dots, opacity: float) -> NDArray[np.uint8]:
    """Return the opacity level of each dot, 0 … N_OPACITIES, the same for its cell.

    Blending each dot separately would take ten times as long with 50,000 dots.
    """
    side = max(math.ceil(dots.radius), 1)
    rows, columns = np.divmod(dots.pixels, dots.size[1])
    cells = (rows // side) * dots.size[1] + columns // side
    counts = np.minimum(np.bincount(cells), N_OPACITIES)  # more are also opaque
    shades = 1 - np.power(1 - opacity, np.arange(N_OPACITIES + 1))
    levels: NDArray[np.uint8] = np.round(shades * N_OPACITIES).astype(np.uint8)
    found: NDArray[np.uint8] = levels[counts[cells]]
    return found


def _draw_dots(
    image: Image,
    dots: Dots,
    colours: MapColours,
    opacity: float,
    *,
    is_over: bool = False,
) -> None:
    """Draw an antialiased dot for each point on an image.

    All rims are drawn before the insides, so that no rim lightens an adjacent dot.

    Args:
        image: uint32 (pixels,).
        is_over: whether the image already has dots that rims must blend into.
    """
    pixels, codes, size, radius = dots
    steps, shares = dot_stamp(radius)
    shifts = steps[:, 1] * size[1] + steps[:, 0]  # (pixels of a dot,)
    surface = colours.surface.astype(np.float32)
    rows = colours.palette[codes]
    if opacity < 1 and len(pixels):
        levels = _shade_by_density(dots, opacity)
        shades = np.arange(N_OPACITIES + 1, dtype=np.float32) / N_OPACITIES
        coloured = colours.palette.astype(np.float32) - surface  # (colours, 3)
        table = (surface + coloured[:, None] * shades[:, None]).astype(np.uint8)
        order = np.argsort(levels, kind="stable")  # the densest are on top
        pixels, rows = pixels[order], table[codes[order], levels[order]]
    used, which = np.unique(pack(rows), return_inverse=True)
    mixed = surface + (unpack(used)[:, None] - surface) * shares[:, None]
    stamps = pack(mixed)  # (colours, pixels of a dot)
    for part, is_rim in ((shares < 1, True), (shares >= 1, False)):
        indices = pixels[:, None] + shifts[part]  # (dots, pixels of the part)
        values = stamps[which][:, part]
        if is_over and is_rim:
            behind = unpack(image[indices])  # (dots, pixels of the part, 3)
            values = pack(behind + (rows[:, None] - behind) * shares[part][:, None])
        image[indices.ravel()] = values.ravel()


@lru_cache(maxsize=32)
def dot_stamp(radius: float) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the pixels of a dot: offsets int64 (n, 2) and coverage float32 (n,).

    Coverage is the distance of a pixel's centre inside the rim, clipped to 0…1.
    """
    reach = math.ceil(radius)
    line = np.arange(-reach, reach + 1)
    steps = np.stack(np.meshgrid(line, line), -1).reshape(-1, 2)  # -> (n, 2)
    cover = np.clip(radius + 0.5 - np.hypot(steps[:, 0], steps[:, 1]), 0, 1)
    is_visible = cover > 0.05
    return steps[is_visible].astype(np.int64), cover[is_visible].astype(np.float32)
