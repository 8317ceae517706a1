"""Draw points as an image: dots near by, their density far out. Numbers only."""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.views.widgets.map_colours import MapLook, Palette
from app.views.widgets.map_grid import Box, Mask, PointGrid

Codes = NDArray[np.uint8]
Image = NDArray[np.uint32]  # 0xFFRRGGBB
Pixels = NDArray[np.int64]

MOST_DOTS = 50_000  # points in view; more are shown as density
SMALLEST, LARGEST = 1.75, 6.0  # radius of a dot, pixels
FAINTEST = 0.42  # opacity of a single point in a density image
MARGIN = 8  # pixels around the picture in which a dot may have its middle
N_LEVELS = 4_096  # counts of points in a pixel that are told apart
MOST_PACKED = 2**21 // 256  # points of a pixel whose colours one number can add up
SPREADS = ((150_000, 3), (600_000, 2))  # points in view: pixels along a point's side


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
    """

    image: Image
    n_points: int
    radius: float


def draw_map(points: Points, frame: Frame, look: MapLook, ratio: float = 1) -> Picture:
    """Draw what is in sight.

    Args:
        points: all points of the map.
        frame: what to show, in the pixels of the picture.
        look: colours.
        ratio: pixels of the picture for one of the screen; dots grow with it.
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
    if n <= MOST_DOTS:
        radius = dot_radius(n) * ratio
        whole = _draw_dots(pixels, codes, lit, size, look, radius)
    else:
        radius = 0.0
        side = max(round(_spread_of(n) * ratio), 1)
        pixels -= (side // 2) * (size[1] + 1)  # the square's middle is the point
        whole = _draw_density(_Layer(pixels, codes, size, side), lit, look)
    inner = whole.reshape(size)[pad : size[0] - pad, pad : size[1] - pad]
    return Picture(np.ascontiguousarray(inner), n, radius)


def dot_radius(n: int) -> float:
    """Give the radius of dots by how many there are, in half pixels."""
    radius = LARGEST - 1.55 * math.log10(max(n, 100) / 100)
    return min(max(round(2 * radius) / 2, SMALLEST), LARGEST)


def _pixels(
    grid: PointGrid, found: "slice | NDArray[np.int64]", frame: Frame, pad: int
) -> tuple[Pixels, Mask]:
    """Give each point its pixel in the padded picture, and whether it is in it.

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


# --- density ---


class _Layer(NamedTuple):
    """Points of a density image.

    Attributes:
        pixels: int64 (n,) pixel of each.
        codes: (n,) its colour.
        size: rows and columns of the image.
        side: pixels along the square that stands for a point.
    """

    pixels: Pixels
    codes: Codes
    size: tuple[int, int]
    side: int

    def add_up(self, weights: NDArray[Any] | None = None) -> NDArray[Any]:
        """Count points, or add their weights up, in every pixel: (pixels,)."""
        n = self.size[0] * self.size[1]
        if weights is None or weights.dtype.kind == "f":
            sums: NDArray[Any] = np.bincount(self.pixels, weights, n)
        else:
            sums = np.zeros(n, np.int64)
            np.add.at(sums, self.pixels, weights)
        return _spread(sums.reshape(self.size), self.side).ravel()


def _draw_density(layer: _Layer, lit: Mask | None, look: MapLook) -> Image:
    """Shade pixels by the logarithm of their points, in the mean of their colours."""
    n = layer.size[0] * layer.size[1]
    image = np.full(n, _pack(look.surface[None])[0], np.uint32)
    if lit is not None:
        _shade_grey(image, layer._replace(pixels=layer.pixels[~lit]).add_up(), look)
        layer = layer._replace(pixels=layer.pixels[lit], codes=layer.codes[lit])
    counts = layer.add_up()
    filled = np.flatnonzero(counts)
    if not len(filled):
        return image
    levels = _levels(counts[filled])
    if look.density is not None:
        image[filled] = _pack(look.density)[(levels * 255).astype(np.int64)]
        return image
    opacity: NDArray[np.float32] = FAINTEST + (1 - FAINTEST) * levels
    sums = _colour_sums(layer, counts, filled, look.palette)
    per_point = opacity / counts[filled].astype(np.float32)
    behind = image[filled]
    mixed = np.full(len(filled), 0xFF000000, np.uint32)
    for shift, channel in zip((16, 8, 0), sums, strict=True):
        value = (behind >> np.uint32(shift) & np.uint32(255)).astype(np.float32)
        value *= np.float32(1) - opacity
        value += (channel * per_point).astype(np.float32)
        mixed += value.astype(np.uint32) << np.uint32(shift)
    image[filled] = mixed
    return image


def _shade_grey(image: Image, counts: Pixels, look: MapLook) -> None:
    filled = np.flatnonzero(counts)
    if len(filled):
        levels = 0.35 + 0.65 * _levels(counts[filled])[:, None]
        behind = look.surface.astype(np.float32)
        grey = look.grey.astype(np.float32)
        image[filled] = _pack(behind + (grey - behind) * levels)


def _levels(counts: Pixels) -> NDArray[np.float32]:
    """Turn counts, of 1 and more, into 0…1 on a logarithmic scale: float32 (n,)."""
    most = min(int(counts.max()), N_LEVELS)
    table = np.log(np.arange(1, most + 1, dtype=np.float32)) / np.log(max(most, 2))
    return np.take(table, counts - 1, mode="clip").astype(np.float32)


def _colour_sums(
    layer: _Layer, counts: Pixels, filled: Pixels, palette: Palette
) -> list[NDArray[np.float32]]:
    """Add up red, green and blue of the points of each filled pixel: 3 of (filled,)."""
    if counts[filled].max() < MOST_PACKED:  # all three at once, in 21 bits each
        wide = palette.astype(np.int64)
        packed = (wide[:, 0] << 42) + (wide[:, 1] << 21) + wide[:, 2]
        sums = layer.add_up(packed[layer.codes])[filled]
        parts = [(sums >> shift) & (2**21 - 1) for shift in (42, 21, 0)]
    else:
        wider = palette.astype(np.float64)
        parts = [layer.add_up(wider[layer.codes, k])[filled] for k in range(3)]
    return [part.astype(np.float32) for part in parts]


def _spread_of(n: int) -> int:
    """Give how many pixels wide a point is drawn where so many are in sight."""
    return next((side for limit, side in SPREADS if n <= limit), 1)


def _spread(sums: NDArray[Any], side: int) -> NDArray[Any]:
    """Give each pixel's sum to a square to its lower right: (rows, columns)."""
    wide = sums.copy() if side > 1 else sums
    for step in range(1, side):
        wide[:, step:] += sums[:, :-step]
    high = wide.copy() if side > 1 else wide
    for step in range(1, side):
        high[step:] += wide[:-step]
    return high


# --- dots ---


def _draw_dots(
    pixels: Pixels,
    codes: Codes,
    lit: Mask | None,
    size: tuple[int, int],
    look: MapLook,
    radius: float,
) -> Image:
    """Stamp a dot on each point, the grey ones first; its rim fades into the surface.

    Each dot is drawn whole before the next, so that the rims part dots that touch.
    """
    image = np.full(size[0] * size[1], _pack(look.surface[None])[0], np.uint32)
    steps, shares = stamp(radius)
    shifts = steps[:, 1] * size[1] + steps[:, 0]  # (pixels of a dot,)
    surface = look.surface.astype(np.float32)
    groups = [(pixels, look.palette[codes])]
    if lit is not None:
        grey = np.broadcast_to(look.grey, (len(codes) - int(lit.sum()), 3))
        groups = [(pixels[~lit], grey), (pixels[lit], look.palette[codes[lit]])]
    for places, colours in groups:
        used, which = np.unique(_pack(colours), return_inverse=True)
        mixed = surface + (_unpack(used)[:, None] - surface) * shares[:, None]
        table = _pack(mixed)  # (colours, pixels of a dot)
        image[(places[:, None] + shifts).ravel()] = table[which].ravel()
    return image


@lru_cache(maxsize=32)
def stamp(radius: float) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Give the pixels of a dot: steps int64 (n, 2) from its middle, and their cover.

    The cover of a pixel is how far its middle is within the rim, 0…1.
    """
    reach = math.ceil(radius)
    line = np.arange(-reach, reach + 1)
    steps = np.stack(np.meshgrid(line, line), -1).reshape(-1, 2)  # -> (n, 2)
    cover = np.clip(radius + 0.5 - np.hypot(steps[:, 0], steps[:, 1]), 0, 1)
    is_seen = cover > 0.05
    return steps[is_seen].astype(np.int64), cover[is_seen].astype(np.float32)


def _pack(colours: NDArray[np.generic]) -> Image:
    """Turn red, green, blue (…, 3) into 0xFFRRGGBB: uint32 (…)."""
    wide = colours.astype(np.uint32)
    packed: Image = (
        np.uint32(0xFF000000)
        + (wide[..., 0] << np.uint32(16))
        + (wide[..., 1] << np.uint32(8))
        + wide[..., 2]
    )
    return packed


def _unpack(image: Image) -> NDArray[np.float32]:
    """Turn 0xFFRRGGBB (…) into red, green, blue: float32 (…, 3)."""
    parts = [(image >> np.uint32(shift)) & np.uint32(255) for shift in (16, 8, 0)]
    return np.stack(parts, -1).astype(np.float32)
