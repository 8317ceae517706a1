"""Painting of beads: sentences, links and shades of confidence."""

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen

from app.engine.store.sentences import SentenceRow
from app.number_format import format_percent
from app.views.alignment.layout import LINE_HEIGHT, SIDES, AlignmentLayout, Side
from app.views.alignment.model import REJECTED, AlignmentModel
from app.views.widgets.number_format import format_count
from app.views.widgets.sentence_cache import SentenceCache
from app.views.widgets.text_layout import TextStyle, draw_layout
from app.views.widgets.theme import (
    GRID,
    RADIUS,
    ThemeColours,
    interface_font,
    mix,
    readable_on,
    scaled,
)

PILL_WIDTH, PILL_HEIGHT = 60, 20
EDGE_WIDTH = 7  # pixels between a sentence and the band of its link
FULL, CURVE = 0.8, 1.4  # confidence of the full shade; exponent of the shades


class LinkStyle(NamedTuple):
    """Colours and label of a link.

    Attributes:
        fill: colour of the bands.
        pill: background colour of the label.
        ink: text colour of the label.
        label: confidence and verdict.
    """

    fill: QColor
    pill: QColor
    ink: QColor
    label: str


def choose_link_style(
    colours: ThemeColours, confidence: float, *, is_accepted: bool, is_rejected: bool
) -> LinkStyle:
    """Return the style of a link for its confidence or the decision of a person.

    Args:
        confidence: 0…1; NaN if not computed.
        is_accepted: whether a person made or confirmed the link.
        is_rejected: whether a person rejected the link.
    """
    if is_accepted or is_rejected:
        name, mark = ("human", "✓") if is_accepted else ("warning", "✕")
        own, soft = getattr(colours, name), QColor(mix(colours, name, 0.28))
        label = mark if np.isnan(confidence) else f"{mark} {format_percent(confidence)}"
        return LinkStyle(soft, QColor(own), QColor(readable_on(colours, own)), label)
    share = 0.0 if np.isnan(confidence) else float(confidence)
    pill = confidence_colour(colours, share)
    fill = QColor(mix(colours, "accent", 0.05 + 0.40 * _scale_confidence(share)))
    ink = QColor(readable_on(colours, pill.name()))
    return LinkStyle(fill, pill, ink, format_percent(share))


def confidence_colour(colours: ThemeColours, confidence: float) -> QColor:
    """Return the shade of a confidence, 0…1."""
    return QColor(mix(colours, "accent", 0.10 + 0.90 * _scale_confidence(confidence)))


def _scale_confidence(confidence: float) -> float:
    return float(min(confidence / FULL, 1.0) ** CURVE)


def draw_link(
    painter: QPainter,
    gutter: QRectF,
    sides: tuple[list[QRectF], list[QRectF]],
    look: LinkStyle,
    font: QFont,
) -> None:
    """Draw a link with a band from each sentence to the central label.

    Args:
        gutter: rectangle between the columns, as high as the bead.
        sides: rectangles of the source and target sentences.
        look: colours and label.
    """
    pill = _mark_rect(gutter)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.fill)
    for places, edge, middle in (
        (sides[0], gutter.left(), pill.left() + PILL_HEIGHT / 2),
        (sides[1], gutter.right(), pill.right() - PILL_HEIGHT / 2),
    ):
        share = pill.height() / max(len(places), 1)
        for number, index in enumerate(places):
            top = pill.top() + number * share
            painter.drawPath(
                _make_band(
                    (edge, index.top() + EDGE_WIDTH, index.bottom() - EDGE_WIDTH),
                    (middle, top, top + share),
                )
            )
    painter.setBrush(look.pill)
    painter.drawRoundedRect(pill, PILL_HEIGHT / 2, PILL_HEIGHT / 2)
    painter.setPen(look.ink)
    painter.setFont(font)
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, look.label)


def draw_unlinked(
    painter: QPainter,
    gutter: QRectF,
    places: list[QRectF],
    mark: str,
    *,
    is_source: bool,
) -> None:
    """Draw a stub with a ring for sentences without a translation.

    Args:
        painter: painter of the board with pen and font.
        gutter: rectangle between the columns, as high as the bead.
        mark: mark of confirmed sentences after the ring, or empty.
        is_source: whether the sentences are on the left.
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


def _mark_rect(gutter: QRectF) -> QRectF:
    width, height = scaled(PILL_WIDTH), scaled(PILL_HEIGHT)
    centre = gutter.center()
    return QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)


def _make_band(
    edge: tuple[float, float, float], middle: tuple[float, float, float]
) -> QPainterPath:
    """Make a band between two vertical edges, each (x, top, bottom)."""
    (x, top, bottom), (end, end_top, end_bottom) = edge, middle
    half = (x + end) / 2
    path = QPainterPath(QPointF(x, top))
    path.cubicTo(half, top, half, end_top, end, end_top)
    path.lineTo(end, end_bottom)
    path.cubicTo(half, end_bottom, half, bottom, x, bottom)
    path.closeSubpath()
    return path


NUMBER_WIDTH = 38  # pixels, of a line's number
MAX_LINES = 8


class BeadSelection(NamedTuple):
    """The indices of the selected bead, side and sentence."""

    place: int
    side: Side
    number: int


class BeadPainter:
    """Paints beads with one painter and one theme."""

    def __init__(
        self,
        painter: QPainter,
        model: AlignmentModel,
        layout: AlignmentLayout,
        sentences: SentenceCache,
        colours: ThemeColours,
    ):
        self._painter, self._model, self._layout = painter, model, layout
        self._sentences, self._tokens = sentences, colours
        self._text_font = _make_font(13)
        self._small_font, self._mark_font = _make_font(11), _make_font(12, bold=True)

    def paint(self, index: int, selection: BeadSelection) -> None:
        """Paint a bead."""
        frame = self._layout.frame(index)
        if index == selection.place:
            self._paint_selection(frame)
        cells = (
            self._layout.cells(index, "source"),
            self._layout.cells(index, "target"),
        )
        self._paint_link(index, self._layout.gutter(frame), cells)
        for side, own in zip(SIDES, cells, strict=True):
            ids = self._layout.ids(index, side)
            for number, (id_, cell) in enumerate(zip(ids, own, strict=True)):
                self._paint_box(cell, is_selected=selection == (index, side, number))
                row = self._sentences.read(id_)
                if row is not None:
                    self._paint_text(cell, row, side)
            if not own:
                self._paint_missing(self._layout.column(index, side))

    def _paint_selection(self, frame: QRectF) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(mix(self._tokens, "accent", 0.16, onto="window")))
        grown = frame.adjusted(-4, -3, 4, 3)
        self._painter.drawRoundedRect(grown, RADIUS + 2, RADIUS + 2)

    def _paint_link(
        self, index: int, gutter: QRectF, cells: tuple[list[QRectF], list[QRectF]]
    ) -> None:
        beads = self._model.beads
        if cells[0] and cells[1]:
            style = choose_link_style(
                self._tokens,
                float(beads.confidences[index]),
                is_accepted=self._model.is_accepted(index),
                is_rejected=bool(beads.verdicts[index] == REJECTED),
            )
            draw_link(self._painter, gutter, cells, style, self._mark_font)
        else:
            is_accepted = self._model.is_accepted(index)
            name = self._tokens.human if is_accepted else self._tokens.warning
            self._painter.setPen(QColor(name))
            self._painter.setFont(self._mark_font)
            own = cells[0] or cells[1]
            mark = "✓" if is_accepted else ""
            draw_unlinked(self._painter, gutter, own, mark, is_source=bool(cells[0]))

    def _paint_box(self, cell: QRectF, *, is_selected: bool) -> None:
        """Paint the background of a sentence."""
        name = self._tokens.accent if is_selected else self._tokens.line
        self._painter.setBrush(QColor(self._tokens.surface))
        self._painter.setPen(QColor(name))
        box = cell.adjusted(0.5, 0.5, -0.5, -1.5)
        self._painter.drawRoundedRect(box, RADIUS, RADIUS)

    def _paint_text(self, cell: QRectF, row: SentenceRow, side: Side) -> None:
        """Paint a sentence, and its line number at the outer edge."""
        width = scaled(NUMBER_WIDTH)
        number = QRectF(cell.left(), cell.top(), width, cell.height())
        text = cell.adjusted(width, 4, -GRID - 2, -5)
        if side == "target":
            number.moveRight(cell.right())
            text = cell.adjusted(GRID + 2, 4, -width, -5)
        self._painter.setPen(QColor(self._tokens.secondary))
        self._painter.setFont(self._small_font)
        self._painter.drawText(
            number, Qt.AlignmentFlag.AlignCenter, format_count(row.line)
        )
        n_lines = max(round(2 * cell.height() / scaled(LINE_HEIGHT)), 1)
        colour = QColor(self._tokens.text)
        style = TextStyle(self._text_font, colour, max_lines=min(n_lines, MAX_LINES))
        layout, height = self._sentences.lay_out(row, text.width(), style)
        text.setTop(text.top() + max((text.height() - height) / 2, 0))
        self._painter.save()
        self._painter.setClipRect(cell)
        draw_layout(self._painter, layout, text, colour)
        self._painter.restore()

    def _paint_missing(self, column: QRectF) -> None:
        """Paint the text for a side without a translation."""
        self._painter.setPen(QColor(self._tokens.secondary))
        self._painter.setFont(self._small_font)
        words = QCoreApplication.translate("alignment", "no translation")
        self._painter.drawText(column, Qt.AlignmentFlag.AlignCenter, words)


def _make_font(pixels: int, *, bold: bool = False) -> QFont:
    font = interface_font(pixels=scaled(pixels))
    font.setBold(bold)
    return font
