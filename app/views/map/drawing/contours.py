"""Contour lines of the density of points."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.functions import isocurve
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QTransform

from app.views.map.drawing.grid import Box, Mask, PointGrid
from app.views.map.drawing.picture import Frame

MARGIN = 1.25  # times the larger side of the visible part
N_CELLS = 100  # along each side of the field
SPREAD = 2.2  # cells: standard deviation of the smoothing
LEVELS = (0.06, 0.16, 0.32, 0.55, 0.8)  # shares of the highest density
MIN_POINTS = 50  # fewer points have no contours
LONE_PEAK = 1 / (2 * np.pi * SPREAD**2)  # peak density of a single point
MIN_LEVEL = 3 * LONE_PEAK  # lower contours would enclose one or two points
MIN_PEAK = 6 * LONE_PEAK  # fields without a higher peak have no contours
FAINTEST, STRONGEST = 70, 170  # opacity of the lowest and the highest contour

Contours = tuple[QPainterPath, ...]  # in map coordinates, from low to high


def field_box(part: Box) -> Box:
    """Return the box of the field, with a margin in which contours can close."""
    return part.enlarged_to(MARGIN * max(part.width, part.height))


def density_field(grid: PointGrid, mask: Mask | None, box: Box) -> NDArray[np.float64]:
    """Return the smoothed number of points per cell of a box.

    Args:
        mask: bool (n,), the points to count; None: all.

    Returns:
        float64 (N_CELLS, N_CELLS): columns from the left, rows from the bottom.
    """
    found = grid.within(box)
    x, y = grid.x[found], grid.y[found]
    if mask is not None:
        x, y = x[mask[found]], y[mask[found]]
    columns = ((x - box.left) * (N_CELLS / max(box.width, 1e-12))).astype(np.int64)
    rows = ((y - box.bottom) * (N_CELLS / max(box.height, 1e-12))).astype(np.int64)
    is_in = (columns >= 0) & (columns < N_CELLS) & (rows >= 0) & (rows < N_CELLS)
    places = columns[is_in] * N_CELLS + rows[is_in]
    counts = np.bincount(places, minlength=N_CELLS**2).reshape(N_CELLS, N_CELLS)
    steps = np.arange(N_CELLS)
    squares = (steps[:, None] - steps) ** 2
    kernel: NDArray[np.float64] = np.exp(-squares / (2 * SPREAD**2))
    kernel /= SPREAD * np.sqrt(2 * np.pi)
    field: NDArray[np.float64] = kernel @ counts @ kernel
    return field


def find_contours(
    grid: PointGrid, mask: Mask | None, part: Box | None = None
) -> Iterator[Contours | None]:
    """Find contours in steps of a few milliseconds; the last item is the result.

    Args:
        mask: bool (n,), the points that count; None: all.
        part: the visible part of the map, where a smaller part has more detail;
            None: the core of the grid.
    """
    n = len(grid.x) if mask is None else int(np.count_nonzero(mask))
    if n < MIN_POINTS:
        yield ()
        return
    box = field_box(part or grid.core)
    field = density_field(grid, mask, box)
    paths: list[QPainterPath] = []
    for share in LEVELS:
        yield None
        level = share * field.max()
        is_wanted = level >= MIN_LEVEL and field.max() >= MIN_PEAK
        lines = isocurve(field, level, connected=True) if is_wanted else []
        paths.append(_to_path(lines, box))
    yield tuple(paths)


def _to_path(lines: list[list[tuple[float, float]]], box: Box) -> QPainterPath:
    """Convert lines between cell centres to smooth curves in map coordinates."""
    path = QPainterPath()
    across, up = box.width / N_CELLS, box.height / N_CELLS
    for line in lines:
        corners = [
            QPointF(box.left + (column + 0.5) * across, box.bottom + (row + 0.5) * up)
            for column, row in line
        ]
        middles = [(one + other) / 2 for one, other in pairwise(corners)]
        is_closed = corners[0] == corners[-1]
        path.moveTo(middles[-1] if is_closed else corners[0])
        if is_closed:
            path.quadTo(corners[0], middles[0])
        else:
            path.lineTo(middles[0])
        for corner, middle in zip(corners[1:], middles[1:], strict=False):
            path.quadTo(corner, middle)
        if not is_closed:
            path.lineTo(corners[-1])
    return path


def paint_contours(
    painter: QPainter, contours: Contours, frame: Frame, colour: str
) -> None:
    """Paint contours in frame pixels, the higher ones stronger."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(QColor(0, 0, 0, 0))
    to_pixels = QTransform.fromTranslate(-frame.left, -frame.top)
    to_pixels *= QTransform.fromScale(frame.scale, -frame.scale)
    for number, path in enumerate(contours):
        pen_colour = QColor(colour)
        step = (STRONGEST - FAINTEST) / max(len(contours) - 1, 1)
        pen_colour.setAlpha(round(FAINTEST + number * step))
        painter.setPen(QPen(pen_colour, 1.0))
        painter.drawPath(to_pixels.map(path))
    painter.restore()
