"""Paint pair lines, cluster labels, rings and lassos over the points."""

from typing import NamedTuple

import numpy as np
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

from app.arrays import IdArray
from app.views.map.drawing.density import pack
from app.views.map.drawing.grid import PointGrid
from app.views.map.drawing.palettes import MapColours
from app.views.map.drawing.picture import Frame, Picture
from app.views.widgets.theme import mix, scaled, tokens_of

RING, SMALL_RING = 9.0, 5.0  # pixels, around the selected sentence and the hovered one
LABEL_PX = 12


class MapLabel(NamedTuple):
    """A label at a position of the map."""

    x: float
    y: float
    text: str
    is_chosen: bool = False


class Overlay(NamedTuple):
    """What is painted over the points.

    Attributes:
        lines: int64 (m, 2), places in the grid that lines connect.
        labels: texts such as the numbers of clusters.
        selected, hovered: place in the grid of points with a ring, if any.
    """

    lines: IdArray = np.empty((0, 2), np.int64)
    labels: tuple[MapLabel, ...] = ()
    selected: int | None = None
    hovered: int | None = None


def image_of(picture: Picture, colours: MapColours, *, is_clear: bool) -> QImage:
    """Return an image of a picture.

    Args:
        picture: the points.
        colours: their colours.
        is_clear: whether the background is transparent.
    """
    rows, columns = picture.image.shape
    pixels, form = picture.image, QImage.Format.Format_RGB32
    if is_clear:
        form = QImage.Format.Format_ARGB32_Premultiplied
        pixels = np.where(pixels == pack(colours.surface), np.uint32(0), pixels)
    return QImage(pixels.data, columns, rows, 4 * columns, form).copy()


def paint_overlay(
    painter: QPainter, overlay: Overlay, grid: PointGrid, frame: Frame, font: QFont
) -> None:
    """Paint labels and rings.

    Args:
        painter: in pixels of the frame.
        overlay: labels and rings.
        grid: the positions of the points.
        frame: the visible part.
        font: the font of the labels.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for label in overlay.labels:
        _paint_label(painter, label, frame, font)
    for place, radius in ((overlay.hovered, SMALL_RING), (overlay.selected, RING)):
        if place is not None:
            _paint_ring(painter, _at(grid, place, frame), radius)
    painter.restore()


def paint_lines(
    painter: QPainter, lines: IdArray, grid: PointGrid, frame: Frame
) -> None:
    """Paint the lines between points; the points are painted over them.

    Args:
        painter: in pixels of the frame.
        lines: int64 (m, 2), places in the grid.
        grid: the positions of the points.
        frame: the visible part.
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
    """Paint a lasso or rectangle while it is drawn, in pixels of the widget."""
    accent = QColor(colour)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(accent)
    accent.setAlpha(40)
    painter.setBrush(accent)
    painter.drawPolygon(polygon)


def _paint_label(painter: QPainter, label: MapLabel, frame: Frame, font: QFont) -> None:
    tokens = tokens_of(QGuiApplication.palette())
    small = QFont(font)
    small.setPixelSize(scaled(LABEL_PX, font))
    small.setWeight(QFont.Weight.DemiBold)
    metrics = QFontMetricsF(small)
    size = QRectF(
        0, 0, metrics.horizontalAdvance(label.text) + 10, metrics.height() + 2
    )
    size.moveCenter(QPointF(*frame.pixel_at(label.x, label.y)))
    back = QColor(tokens.accent if label.is_chosen else tokens.surface)
    back.setAlpha(255 if label.is_chosen else 215)
    painter.setPen(QColor(tokens.line))
    painter.setBrush(back)
    painter.drawRoundedRect(size, size.height() / 2, size.height() / 2)
    painter.setFont(small)
    painter.setPen(QColor(tokens.on_accent if label.is_chosen else tokens.text))
    painter.drawText(size, Qt.AlignmentFlag.AlignCenter, label.text)


def _paint_ring(painter: QPainter, place: QPointF, radius: float) -> None:
    """Paint a ring that is visible on any colour."""
    tokens = tokens_of(QGuiApplication.palette())
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((tokens.surface, 5.0), (tokens.text, 2.0)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawEllipse(place, radius, radius)


def _at(grid: PointGrid, place: int, frame: Frame) -> QPointF:
    return QPointF(*frame.pixel_at(float(grid.x[place]), float(grid.y[place])))
