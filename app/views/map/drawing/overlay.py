"""Paint pair lines, contours, labels, rings and lassos over the points."""

import math
from collections.abc import Sequence
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
    QPainterPath,
    QPen,
    QPolygonF,
)

from app.arrays import IdArray
from app.views.map.drawing.contours import Contours, paint_contours
from app.views.map.drawing.density import pack
from app.views.map.drawing.grid import PointGrid
from app.views.map.drawing.palettes import MapColours
from app.views.map.drawing.picture import Frame, Picture
from app.views.widgets.text_layout import find_free
from app.views.widgets.theme import ThemeColours, colours_of, scaled

RING, SMALL_RING = 9.0, 5.0  # pixels, around the selected and the hovered sentence
LABEL_PX = 12
LABEL_GAP = 7  # pixels between a label and the centres of the dots below
LEFT_TO_RIGHT = "\u200e"  # keep a cluster's number left of its words
HALO = 5.0  # pixels, width of the outline of letters
MAX_KEPT_CLEAR = 200  # points in colour that labels avoid; with more, none
DOT = 6.0  # pixels, the radius of these points
SHIFTS = [  # of a label that would cover one: across in its width, down in its height
    *((0.0, -1.0), (0.0, 1.0), (-0.6, 0.0), (0.6, 0.0), (0.0, -2.0), (0.0, 2.0)),
    *((-0.6, -1.0), (0.6, -1.0), (-0.6, 1.0), (0.6, 1.0), (0.0, -3.0), (0.0, 3.0)),
]
FEW_LINES = 300
LINE_WIDTHS, LINE_OPACITIES = (2.0, 1.5), (230, 160)  # for few lines, for many


class MapLabel(NamedTuple):
    """A label at a position of the map.

    Attributes:
        x, y: the centre, in map coordinates.
        text: the number of the cluster.
        is_chosen: whether the label is emphasised.
        words: words after the number.
        reach: the largest vertical distance of the nearest half of its points.
    """

    x: float
    y: float
    text: str
    is_chosen: bool = False
    words: str = ""
    reach: float = math.inf


class Overlay(NamedTuple):
    """Lines, labels and rings around and over the points.

    Attributes:
        lines: int64 (m, 2), grid indices that lines connect.
        contours: paths around dense parts, in map coordinates.
        labels: numbers and words of clusters.
        lit: grid indices of the points in colour, if they are few.
        selected, hovered: grid indices of the points with a ring, or None.
    """

    lines: IdArray = np.empty((0, 2), np.int64)
    contours: Contours = ()
    labels: tuple[MapLabel, ...] = ()
    lit: IdArray = np.empty(0, np.int64)
    selected: int | None = None
    hovered: int | None = None


def image_of(picture: Picture, colours: MapColours, *, is_clear: bool) -> QImage:
    """Convert a picture to an image.

    Args:
        colours: colours of the map.
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
    """Paint contours, labels and rings.

    Args:
        painter: in pixels of the frame.
        overlay: contours, labels and rings.
        grid: the positions of the points.
        frame: the visible part.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colours = colours_of(QGuiApplication.palette())
    paint_contours(painter, overlay.contours, frame, colours.text)
    small = QFont(font)
    small.setPixelSize(scaled(LABEL_PX, font))
    small.setWeight(QFont.Weight.DemiBold)
    painter.setFont(small)
    clear = [*overlay.lit.tolist(), overlay.selected]
    lit = [_at(grid, place, frame) for place in clear if place is not None]
    for label, text, room in place_labels(overlay.labels, frame, small, lit):
        if label.is_chosen:
            _paint_chosen_label(painter, text, room, colours)
        else:
            _paint_label(painter, text, room, colours)
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
        lines: int64 (m, 2), grid indices.
        grid: the positions of the points.
        frame: the visible part.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colours = colours_of(QGuiApplication.palette())
    colour, is_many = QColor(colours.accent), len(lines) > FEW_LINES
    colour.setAlpha(LINE_OPACITIES[is_many])
    painter.setPen(QPen(colour, LINE_WIDTHS[is_many]))
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


def place_labels(
    labels: Sequence[MapLabel],
    frame: Frame,
    font: QFont,
    lit: Sequence[QPointF] = (),
) -> list[tuple[MapLabel, str, QRectF]]:
    """Return the visible labels with their texts and rectangles, in frame pixels.

    Labels with a visible centre are shown completely and don't overlap. The chosen
    label is placed first, then the others in order; labels that don't fit are omitted
    until the map is zoomed in. A label without words, which is only a number, is shown
    only if it is chosen. A label that would cover points is moved above them.

    Args:
        labels: labels to place.
        frame: the visible part.
        font: font of the labels.
        lit: pixels of points that only the chosen label may cover.
    """
    metrics = QFontMetricsF(font)
    ranked = sorted(labels, key=lambda label: not label.is_chosen)
    whole = QRectF(0, 0, frame.width, frame.height)
    wanted: list[tuple[MapLabel, str, QRectF]] = []
    for label in ranked:
        middle = QPointF(*frame.pixel_at(label.x, label.y))
        if not (label.words or label.is_chosen) or not whole.contains(middle):
            continue
        text = f"{label.text}  {label.words}".strip()
        size = metrics.horizontalAdvance(text) + 10, metrics.height() + 2
        room = QRectF(0, 0, *size)
        room.moveCenter(middle)
        if (reach := label.reach * frame.scale) < room.height():
            room.moveBottom(middle.y() - reach - LABEL_GAP)
        room = _fit_in(room, whole)
        if not label.is_chosen and _covers_any(room, lit):
            shifted = (_shift(room, *one, whole) for one in SHIFTS)
            room = next((one for one in shifted if not _covers_any(one, lit)), QRectF())
        wanted.append((label, text, room))
    return [wanted[i] for i in find_free([room for *_, room in wanted])]


def _covers_any(room: QRectF, lit: Sequence[QPointF]) -> bool:
    around = room.adjusted(-DOT, -DOT, DOT, DOT)
    return any(map(around.contains, lit))


def _shift(room: QRectF, across: float, down: float, whole: QRectF) -> QRectF:
    """Shift a rectangle by shares of its width and height, within the picture."""
    moved = room.translated(across * room.width(), down * room.height())
    return _fit_in(moved, whole)


def _fit_in(room: QRectF, whole: QRectF) -> QRectF:
    left = _fit(room.left(), room.width(), whole.width())
    return QRectF(
        QPointF(left, _fit(room.top(), room.height(), whole.height())), room.size()
    )


def _fit(start: float, length: float, room: float) -> float:
    """Return the start of an interval, moved into the available range if possible."""
    return max(min(start, room - length), 0.0)


def _paint_label(
    painter: QPainter, text: str, rect: QRectF, colours: ThemeColours
) -> None:
    """Paint letters with an outline that separates them from the points below."""
    font, metrics = painter.font(), QFontMetricsF(painter.font())
    left = rect.center().x() - metrics.horizontalAdvance(text) / 2
    baseline = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2
    letters = QPainterPath()
    letters.addText(left, baseline, font, f"{LEFT_TO_RIGHT}{text}")
    edge = QPen(QColor(colours.surface), HALO)
    edge.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.strokePath(letters, edge)
    painter.fillPath(letters, QColor(colours.text))


def _paint_chosen_label(
    painter: QPainter, text: str, rect: QRectF, colours: ThemeColours
) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours.accent))
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    painter.setPen(QColor(colours.on_accent))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def _paint_ring(painter: QPainter, place: QPointF, radius: float) -> None:
    """Paint a ring that is visible on any colour."""
    colours = colours_of(QGuiApplication.palette())
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((colours.surface, 5.0), (colours.text, 2.0)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawEllipse(place, radius, radius)


def _at(grid: PointGrid, index: int, frame: Frame) -> QPointF:
    return QPointF(*frame.pixel_at(float(grid.x[index]), float(grid.y[index])))
