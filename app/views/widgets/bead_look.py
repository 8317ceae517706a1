"""How beads look: the shapes of links, the marks of hands, sentences on both sides."""

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen

from app.views.theme import READABLE, Tokens, contrast, mix, scaled

PILL_WIDTH, PILL_HEIGHT = 46, 20
EDGE = 7  # between a sentence's edge and the shape of its link
FULL, CURVE = 0.8, 1.4  # confidence with the full shade, and how the shade rises


class LinkLook(NamedTuple):
    """Colours and words of a link.

    Attributes:
        fill: of its shape.
        pill: of the mark in its middle.
        ink: of the words on it.
        words: on the mark.
    """

    fill: QColor
    pill: QColor
    ink: QColor
    words: str


def look_of(
    tokens: Tokens, confidence: float, *, is_accepted: bool, is_rejected: bool
) -> LinkLook:
    """Give the look of a link: a shade of one hue, or the colour of a hand's decision.

    Args:
        tokens: the colours in use.
        confidence: 0…1; NaN: nothing was compared.
        is_accepted: a hand has made or confirmed it.
        is_rejected: somebody has judged it wrong.
    """
    if is_accepted or is_rejected:
        name, mark = ("human", "✓") if is_accepted else ("warning", "✕")
        own, soft = getattr(tokens, name), QColor(mix(tokens, name, 0.28))
        words = mark if np.isnan(confidence) else f"{mark} {100 * confidence:.0f}"
        return LinkLook(soft, QColor(own), QColor(_ink(tokens, own)), words)
    share = 0.0 if np.isnan(confidence) else float(confidence)
    pill = shade_of(tokens, share)
    fill = QColor(mix(tokens, "accent", 0.05 + 0.40 * _rise(share)))
    ink = QColor(_ink(tokens, pill.name()))
    return LinkLook(fill, pill, ink, f"{100 * share:.0f}")


def shade_of(tokens: Tokens, confidence: float) -> QColor:
    """Give the shade of a confidence, 0…1."""
    return QColor(mix(tokens, "accent", 0.10 + 0.90 * _rise(confidence)))


def _rise(confidence: float) -> float:
    return float(min(confidence / FULL, 1.0) ** CURVE)


def draw_link(
    painter: QPainter,
    gutter: QRectF,
    sides: tuple[list[QRectF], list[QRectF]],
    look: LinkLook,
    font: QFont,
) -> None:
    """Draw a link: a band from each sentence to the mark in the middle.

    Args:
        painter: of the board.
        gutter: between the columns, as high as the bead.
        sides: places of the sentences of source and target.
        look: colours and words.
        font: of the words on the mark.
    """
    pill = _pill(gutter)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.fill)
    for places, edge, middle in (
        (sides[0], gutter.left(), pill.left() + PILL_HEIGHT / 2),
        (sides[1], gutter.right(), pill.right() - PILL_HEIGHT / 2),
    ):
        share = pill.height() / max(len(places), 1)
        for number, place in enumerate(places):
            top = pill.top() + number * share
            painter.drawPath(
                _band(
                    (edge, place.top() + EDGE, place.bottom() - EDGE),
                    (middle, top, top + share),
                )
            )
    painter.setBrush(look.pill)
    painter.drawRoundedRect(pill, PILL_HEIGHT / 2, PILL_HEIGHT / 2)
    painter.setPen(look.ink)
    painter.setFont(font)
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, look.words)


def draw_alone(
    painter: QPainter,
    gutter: QRectF,
    places: list[QRectF],
    mark: str,
    *,
    is_source: bool,
) -> None:
    """Draw that sentences have no translation: a stub that ends in a ring.

    Args:
        painter: of the board, with the pen and the font to draw with.
        gutter: between the columns, as high as the bead.
        places: of the sentences.
        mark: behind the ring: that a hand has confirmed it; or empty.
        is_source: the sentences are at the left.
    """
    pen = painter.pen()
    pen.setStyle(Qt.PenStyle.DotLine)
    pen.setWidthF(1.4)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for place in places:
        y = place.center().y()
        begin = gutter.left() if is_source else gutter.right()
        end = begin + (1 if is_source else -1) * gutter.width() * 0.24
        painter.drawLine(QPointF(begin, y), QPointF(end, y))
        ring = QPen(pen.color(), 1.6)
        painter.setPen(ring)
        painter.drawEllipse(QPointF(end + (4 if is_source else -4), y), 4, 4)
        behind = QRectF(end + (12 if is_source else -32), y - 10, 20, 20)
        painter.drawText(behind, Qt.AlignmentFlag.AlignCenter, mark)
        painter.setPen(pen)


def _pill(gutter: QRectF) -> QRectF:
    width, height = scaled(PILL_WIDTH), scaled(PILL_HEIGHT)
    centre = gutter.center()
    return QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)


def _band(
    edge: tuple[float, float, float], middle: tuple[float, float, float]
) -> QPainterPath:
    """Make a band between two upright edges: (x, top, bottom) each."""
    (x, top, bottom), (end, end_top, end_bottom) = edge, middle
    half = (x + end) / 2
    path = QPainterPath(QPointF(x, top))
    path.cubicTo(half, top, half, end_top, end, end_top)
    path.lineTo(end, end_bottom)
    path.cubicTo(half, end_bottom, half, bottom, x, bottom)
    path.closeSubpath()
    return path


def _ink(tokens: Tokens, background: str) -> str:
    """Choose a colour that can be read on another."""
    candidates = (tokens.text, tokens.on_accent, "#FFFFFF", "#000000")
    return next(c for c in candidates if contrast(c, background) >= READABLE)
