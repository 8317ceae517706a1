"""Density images: pixels shaded by the logarithm of their point count."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.views.map.drawing.grid import Mask
from app.views.map.drawing.palettes import MapColours, Palette

Codes = NDArray[np.uint8]
Image = NDArray[np.uint32]  # 0xFFRRGGBB
Pixels = NDArray[np.int64]

FAINTEST = 0.42  # opacity of a single point
FAINTEST_GREY = 0.35
N_LEVELS = 4_096  # distinct shades for point counts
MAX_PACKED = 2**21 // 256  # points per pixel whose colours fit into one sum
POINT_WIDTHS = ((150_000, 3), (600_000, 2))  # (maximum visible points, pixels)


class DensityMaximum(NamedTuple):
    """The highest point count of a pixel, which has the full shade; 0 if unknown.

    Attributes:
        coloured: points in colour.
        grey: other points.
    """

    coloured: int = 0
    grey: int = 0


class DensityLayer(NamedTuple):
    """Points of a density image.

    Attributes:
        pixels: int64 (n,), pixel index of each point.
        codes: uint8 (n,), colour code of each point.
        size: rows and columns of the image.
        side: width of a point, in pixels.
    """

    pixels: Pixels
    codes: Codes
    size: tuple[int, int]
    side: int

    def sum_per_pixel(self, weights: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the number of points, or the sum of weights, per pixel: (pixels,)."""
        n = self.size[0] * self.size[1]
        if weights is None or weights.dtype.kind == "f":
            sums: NDArray[Any] = np.bincount(self.pixels, weights, n)
        else:
            sums = np.zeros(n, np.int64)
            np.add.at(sums, self.pixels, weights)
        return _widen(sums.reshape(self.size), self.side).ravel()


def draw_density(
    layer: DensityLayer,
    mask: Mask | None,
    colours: MapColours,
    maximum: DensityMaximum | None = None,
) -> tuple[Image, DensityMaximum]:
    """Shade pixels by the logarithm of their point count, in their mean colour.

    Args:
        mask: bool (n,), the points in colour; None: all.
        maximum: point count with the full shade; None: the maximum of this picture.

    Returns:
        uint32 (pixels,), and the highest point count of a pixel.
    """
    full, found = maximum or DensityMaximum(), DensityMaximum()
    n = layer.size[0] * layer.size[1]
    image = np.full(n, pack(colours.surface[None])[0], np.uint32)
    if mask is not None:
        counts = layer._replace(pixels=layer.pixels[~mask]).sum_per_pixel()
        found = found._replace(grey=int(counts.max(initial=0)))
        _shade_grey(image, counts, colours, full.grey)
        layer = layer._replace(pixels=layer.pixels[mask], codes=layer.codes[mask])
    counts = layer.sum_per_pixel()
    found = found._replace(coloured=int(counts.max(initial=0)))
    filled = np.flatnonzero(counts)
    if not len(filled):
        return image, found
    levels = _levels(counts[filled], full.coloured)
    if colours.density is not None:
        image[filled] = pack(colours.density)[(levels * 255).astype(np.int64)]
        return image, found
    opacity: NDArray[np.float32] = FAINTEST + (1 - FAINTEST) * levels
    sums = _colour_sums(layer, counts, filled, colours.palette)
    per_point = opacity / counts[filled].astype(np.float32)
    behind = image[filled]
    mixed = np.full(len(filled), 0xFF000000, np.uint32)
    for shift, channel in zip((16, 8, 0), sums, strict=True):
        value = (behind >> np.uint32(shift) & np.uint32(255)).astype(np.float32)
        value *= np.float32(1) - opacity
        value += (channel * per_point).astype(np.float32)
        mixed += value.astype(np.uint32) << np.uint32(shift)
    image[filled] = mixed
    return image, found


def _shade_grey(
    image: Image, counts: Pixels, colours: MapColours, maximum: int
) -> None:
    filled = np.flatnonzero(counts)
    if len(filled):
        levels = _levels(counts[filled], maximum)[:, None]  # (filled, 1)
        levels = FAINTEST_GREY + (1 - FAINTEST_GREY) * levels
        behind = colours.surface.astype(np.float32)
        grey = colours.grey.astype(np.float32)
        image[filled] = pack(behind + (grey - behind) * levels)


def _levels(counts: Pixels, maximum: int) -> NDArray[np.float32]:
    """Return counts ≥ 1 on a logarithmic scale 0…1: float32 (n,)."""
    top = min(maximum or int(counts.max()), N_LEVELS)
    table = np.log(np.arange(1, top + 1, dtype=np.float32)) / np.log(max(top, 2))
    return np.take(table, counts - 1, mode="clip").astype(np.float32)


def _colour_sums(
    layer: DensityLayer, counts: Pixels, filled: Pixels, palette: Palette
) -> list[NDArray[np.float32]]:
    """Return the sums of red, green and blue per filled pixel: 3 × (filled,)."""
    if counts[filled].max() < MAX_PACKED:  # all three in one sum, 21 bits each
        wide = palette.astype(np.int64)
        packed = (wide[:, 0] << 42) + (wide[:, 1] << 21) + wide[:, 2]
        sums = layer.sum_per_pixel(packed[layer.codes])[filled]
        parts = [(sums >> shift) & (2**21 - 1) for shift in (42, 21, 0)]
    else:
        wider = palette.astype(np.float64)
        parts = [layer.sum_per_pixel(wider[layer.codes, k])[filled] for k in range(3)]
    return [part.astype(np.float32) for part in parts]


def point_width(n: int) -> int:
    """Return the width of a point in pixels if n points are visible."""
    return next((side for limit, side in POINT_WIDTHS if n <= limit), 1)


def _widen(sums: NDArray[Any], side: int) -> NDArray[Any]:
    """Add each pixel's sum to the square to its lower right: (rows, columns)."""
    wide = sums.copy() if side > 1 else sums
    for step in range(1, side):
        wide[:, step:] += sums[:, :-step]
    high = wide.copy() if side > 1 else wide
    for step in range(1, side):
        high[step:] += wide[:-step]
    return high


def pack(colours: NDArray[np.generic]) -> Image:
    """Return red, green, blue (…, 3) as 0xFFRRGGBB: uint32 (…)."""
    wide = colours.astype(np.uint32)
    packed: Image = (
        np.uint32(0xFF000000)
        + (wide[..., 0] << np.uint32(16))
        + (wide[..., 1] << np.uint32(8))
        + wide[..., 2]
    )
    return packed


def unpack(image: Image) -> NDArray[np.float32]:
    """Return 0xFFRRGGBB (…) as red, green, blue: float32 (…, 3)."""
    parts = [(image >> np.uint32(shift)) & np.uint32(255) for shift in (16, 8, 0)]
    return np.stack(parts, -1).astype(np.float32)
