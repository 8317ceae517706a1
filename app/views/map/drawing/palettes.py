"""Colour palettes for classes, numbers and density in both themes."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from app.views.widgets.class_colours import CLASSES_LIGHT
from app.views.widgets.theme import DARK, LIGHT, ThemeColours, mix

N_CLASSES = len(CLASSES_LIGHT)
GREY_LIGHT, GREY_DARK = "#C9CED4", "#4A515A"  # points that are not highlighted
N_SHADES = 64  # shades for numbers
RAMP = "viridis"
# Range of the ramp, without the end that is too similar to the surface.
RAMP_LIGHT, RAMP_DARK = (0.0, 0.82), (0.22, 1.0)

Palette = NDArray[np.uint8]


class MapColours(NamedTuple):
    """The colours of a map.

    Attributes:
        surface, grey: uint8 (3,), red, green, blue.
        palette: uint8 (colours, 3), indexed by the codes of points.
        density: uint8 (256, 3), from few points to many, for uncoloured points; None:
            use the palette.
    """

    surface: Palette
    grey: Palette
    palette: Palette
    density: Palette | None = None


def inactive_colour(colours: ThemeColours) -> str:
    """Return the colour of points that are not highlighted."""
    return GREY_DARK if colours is DARK else GREY_LIGHT


def other_colour(colours: ThemeColours) -> str:
    """Return the colour shared by classes without their own colour."""
    return mix(colours, "secondary", 0.85)


def shade_palette(colours: ThemeColours) -> Palette:
    """Return the colours of numbers, from low to high: uint8 (N_SHADES, 3)."""
    return _shades(colours is DARK).copy()


def density_palette(colours: ThemeColours) -> Palette:
    """Return the colours of density, from few points to many: uint8 (256, 3).

    The ramp goes from near the surface's lightness through the accent, in equal steps
    of lightness.
    """
    return _densities(colours is DARK).copy()


def to_rows(names: "tuple[str, ...] | list[str]") -> Palette:
    """Return colours as rows of red, green, blue: uint8 (n, 3)."""
    colours = [QColor(name) for name in names]
    rows = [(c.red(), c.green(), c.blue()) for c in colours]
    return np.array(rows, np.uint8).reshape(-1, 3)


def to_name(row: Palette) -> str:
    """Format a row as #RRGGBB."""
    return "#{:02X}{:02X}{:02X}".format(*(int(part) for part in row))


@lru_cache(maxsize=2)
def _shades(is_dark: bool) -> Palette:
    low, high = RAMP_DARK if is_dark else RAMP_LIGHT
    table = pyqtgraph.colormap.get(RAMP).getLookupTable(low, high, N_SHADES)
    return np.asarray(table, np.uint8)[:, :3]


@lru_cache(maxsize=2)
def _densities(is_dark: bool) -> Palette:
    """Interpolate in OKLab (Ottosson 2020), where equal steps look equal."""
    tokens = DARK if is_dark else LIGHT
    far = "#FFFFFF" if is_dark else "#06282B"
    anchors = [mix(tokens, "accent", 0.22), tokens.accent, far]
    labs = np.stack([_to_oklab(row) for row in to_rows(anchors)])  # (3, 3)
    # Position the anchors by lightness, so that the steps are even.
    lights = labs[:, 0]
    places = (lights - lights[0]) / (lights[-1] - lights[0])
    at = np.linspace(0, 1, 256)
    mixed = np.stack([np.interp(at, places, labs[:, k]) for k in range(3)], 1)
    return _from_oklab(mixed)


_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _to_oklab(row: Palette) -> NDArray[np.float64]:
    values = row.astype(np.float64) / 255
    linear = np.where(
        values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4
    )
    lab: NDArray[np.float64] = _TO_LAB @ np.cbrt(_TO_LMS @ linear)
    return lab


def _from_oklab(labs: NDArray[np.float64]) -> Palette:
    """Convert OKLab (n, 3) to red, green, blue: uint8 (n, 3)."""
    lms = (labs @ np.linalg.inv(_TO_LAB).T) ** 3
    linear = np.clip(lms @ np.linalg.inv(_TO_LMS).T, 0, 1)
    values = np.where(
        linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055
    )
    return np.round(255 * values).astype(np.uint8)
