"""Density images: pixels shaded by the logarithm of their number of points."""

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
N_LEVELS = 4_096  # counts of points in a pixel that are told apart
MAX_PACKED = 2**21 // 256  # points of a pixel whose colours one number can add up
SPREADS = ((150_000, 3), (600_000, 2))  # points in sight: pixels along a point's side


class DensityMaximum(NamedTuple):
    """The most points of a pixel: what has the full shade; 0: not known.

    Attributes:
        lit: of those in colour.
        grey: of the others.
    """

    lit: int = 0
    grey: int = 0


class DensityLayer(NamedTuple):
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


def draw_density(
    layer: DensityLayer,
    lit: Mask | None,
    look: MapColours,
    most: DensityMaximum | None = None,
) -> tuple[Image, DensityMaximum]:
    """Shade pixels by the logarithm of their points, in the mean of their colours.

    Args:
        layer: the points.
        lit: bool (n,): those in colour; None: all.
        look: colours.
        most: what has the full shade; None: what the picture holds.

    Returns:
        uint32 (pixels,), and the most points of its pixels.
    """
    wanted, found = most or DensityMaximum(), DensityMaximum()
    n = layer.size[0] * layer.size[1]
    image = np.full(n, pack(look.surface[None])[0], np.uint32)
    if lit is not None:
        counts = layer._replace(pixels=layer.pixels[~lit]).add_up()
        found = found._replace(grey=int(counts.max(initial=0)))
        _shade_grey(image, counts, look, wanted.grey)
        layer = layer._replace(pixels=layer.pixels[lit], codes=layer.codes[lit])
    counts = layer.add_up()
    found = found._replace(lit=int(counts.max(initial=0)))
    filled = np.flatnonzero(counts)
    if not len(filled):
        return image, found
    levels = _levels(counts[filled], wanted.lit)
    if look.density is not None:
        image[filled] = pack(look.density)[(levels * 255).astype(np.int64)]
        return image, found
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
    return image, found


def _shade_grey(image: Image, counts: Pixels, look: MapColours, most: int) -> None:
    filled = np.flatnonzero(counts)
    if len(filled):
        levels = _levels(counts[filled], most)[:, None]  # (filled, 1)
        levels = FAINTEST_GREY + (1 - FAINTEST_GREY) * levels
        behind = look.surface.astype(np.float32)
        grey = look.grey.astype(np.float32)
        image[filled] = pack(behind + (grey - behind) * levels)


def _levels(counts: Pixels, most: int) -> NDArray[np.float32]:
    """Turn counts, of 1 and more, into 0…1 on a logarithmic scale: float32 (n,)."""
    most = min(most or int(counts.max()), N_LEVELS)
    table = np.log(np.arange(1, most + 1, dtype=np.float32)) / np.log(max(most, 2))
    return np.take(table, counts - 1, mode="clip").astype(np.float32)


def _colour_sums(
    layer: DensityLayer, counts: Pixels, filled: Pixels, palette: Palette
) -> list[NDArray[np.float32]]:
    """Add up red, green and blue of the points of each filled pixel: 3 of (filled,)."""
    if counts[filled].max() < MAX_PACKED:  # all three at once, in 21 bits each
        wide = palette.astype(np.int64)
        packed = (wide[:, 0] << 42) + (wide[:, 1] << 21) + wide[:, 2]
        sums = layer.add_up(packed[layer.codes])[filled]
        parts = [(sums >> shift) & (2**21 - 1) for shift in (42, 21, 0)]
    else:
        wider = palette.astype(np.float64)
        parts = [layer.add_up(wider[layer.codes, k])[filled] for k in range(3)]
    return [part.astype(np.float32) for part in parts]


def point_width(n: int) -> int:
    """Return how many pixels wide a point is drawn where so many are in sight."""
    return next((side for limit, side in SPREADS if n <= limit), 1)


def _spread(sums: NDArray[Any], side: int) -> NDArray[Any]:
    """Return each pixel's sum to a square to its lower right: (rows, columns)."""
    wide = sums.copy() if side > 1 else sums
    for step in range(1, side):
        wide[:, step:] += sums[:, :-step]
    high = wide.copy() if side > 1 else wide
    for step in range(1, side):
        high[step:] += wide[:-step]
    return high


def pack(colours: NDArray[np.generic]) -> Image:
    """Turn red, green, blue (…, 3) into 0xFFRRGGBB: uint32 (…)."""
    wide = colours.astype(np.uint32)
    packed: Image = (
        np.uint32(0xFF000000)
        + (wide[..., 0] << np.uint32(16))
        + (wide[..., 1] << np.uint32(8))
        + wide[..., 2]
    )
    return packed


def unpack(image: Image) -> NDArray[np.float32]:
    """Turn 0xFFRRGGBB (…) into red, green, blue: float32 (…, 3)."""
    parts = [(image >> np.uint32(shift)) & np.uint32(255) for shift in (16, 8, 0)]
    return np.stack(parts, -1).astype(np.float32)
