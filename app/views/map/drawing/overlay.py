"""Paint pair lines, cluster labels, rings and lassos over the points."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QPainter,
    QPen,
    QPolygonF,
)

from app.views.map.drawing.density import pack
from app.views.map.drawing.grid import PointGrid
from app.views.map.drawing.palettes import MapColours
from app.views.map.drawing.picture import Frame, Picture
from app.views.widgets.theme import mix, scaled, tokens_of

RING, SMALL_RING = 9.0, 5.0  # pixels, around the selected sentence and the hovered one
LABEL_PX = 12
Ends = NDArray[np.int64]


class MapLabel(NamedTuple):
    """Words at a place of the map."""

    x: float
    y: float
    text: str
    is_chosen: bool = False


class Overlay(NamedTuple):
    """What is painted.

    Attributes:
        lines: int64 (m, 2), places in the grid that are joined.
        marks: words, such as the numbers of clusters.
        selected, hovered: place in the grid; None: none.
    """

    lines: Ends = np.empty((0, 2), np.int64)
    marks: tuple[MapLabel, ...] = ()
    selected: int | None = None
    hovered: int | None = None


def image_of(picture: Picture, look: MapColours, *, is_clear: bool) -> QImage:
    """Make an image of a picture.

    Args:
        picture: the points.
        look: their colours.
        is_clear: what is behind the points shows where there is none.
    """
    rows, columns = picture.image.shape
    pixels, form = picture.image, QImage.Format.Format_RGB32
    if is_clear:
        form = QImage.Format.Format_ARGB32_Premultiplied
        pixels = np.where(pixels == pack(look.surface), np.uint32(0), pixels)
    return QImage(pixels.data, columns, rows, 4 * columns, form).copy()


def paint_overlay(
    painter: QPainter, overlay: Overlay, grid: PointGrid, frame: Frame, font: QFont
) -> None:
    """Paint words, then rings.

    Args:
        painter: in pixels of the frame.
        overlay: what is painted.
        grid: where the points are.
        frame: what is in sight.
        font: of the words.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for mark in overlay.marks:
        _paint_label(painter, mark, frame, font)
    for place, radius in ((overlay.hovered, SMALL_RING), (overlay.selected, RING)):
        if place is not None:
            _paint_ring(painter, _at(grid, place, frame), radius)
    painter.restore()


def paint_lines(painter: QPainter, lines: Ends, grid: PointGrid, frame: Frame) -> None:
    """Paint the lines that join points; the points are painted over them.

    Args:
        painter: in pixels of the frame.
        lines: int64 (m, 2), places in the grid.
        grid: where the points are.
        frame: what is in sight.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    tokens = tokens_of(QGuiApplication.palette())
    colour = QColor(mix(tokens, "text", 0.75))
    colour.setAlpha(90 if len(lines) > 300 else 150)
    painter.setPen(QPen(colour, 1.0))
    x = (grid.x[lines].astype(np.float64) - frame.left) * frame.scale  # (m, 2)
    y = (frame.top - grid.y[lines].astype(np.float64)) * frame.scale
    ends = np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], 1).tolist()
    painter.drawLines([QLineF(*end) for end in ends])


def paint_stroke(painter: QPainter, polygon: QPolygonF, colour: str) -> None:
    """Paint what the mouse draws around points, in pixels of the widget."""
    accent = QColor(colour)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(accent)
    accent.setAlpha(40)
    painter.setBrush(accent)
    painter.drawPolygon(polygon)


def _paint_label(painter: QPainter, mark: MapLabel, frame: Frame, font: QFont) -> None:
    tokens = tokens_of(QGuiApplication.palette())
    small = QFont(font)
    small.setPixelSize(scaled(LABEL_PX, font))
    small.setWeight(QFont.Weight.DemiBold)
    metrics = QFontMetricsF(small)
    size = QRectF(0, 0, metrics.horizontalAdvance(mark.text) + 10, metrics.height() + 2)
    size.moveCenter(QPointF(*frame.pixel_at(mark.x, mark.y)))
    back = QColor(tokens.accent if mark.is_chosen else tokens.surface)
    back.setAlpha(255 if mark.is_chosen else 215)
    painter.setPen(QColor(tokens.line))
    painter.setBrush(back)
    painter.drawRoundedRect(size, size.height() / 2, size.height() / 2)
    painter.setFont(small)
    painter.setPen(QColor(tokens.on_accent if mark.is_chosen else tokens.text))
    painter.drawText(size, Qt.AlignmentFlag.AlignCenter, mark.text)


def _paint_ring(painter: QPainter, place: QPointF, radius: float) -> None:
    """Paint a ring that is seen on any colour: of the text, on one of the surface."""
    tokens = tokens_of(QGuiApplication.palette())
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((tokens.surface, 5.0), (tokens.text, 2.0)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawEllipse(place, radius, radius)


def _at(grid: PointGrid, place: int, frame: Frame) -> QPointF:
    return QPointF(*frame.pixel_at(float(grid.x[place]), float(grid.y[place])))
