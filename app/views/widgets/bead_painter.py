"""Paints one bead: its sentences on both sides, and what links them."""

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from app.engine.store.rows import SentenceRow
from app.views.bead_list import REJECTED, BeadList
from app.views.theme import GRID, RADIUS, Tokens, interface_font, mix, scaled
from app.views.widgets.bead_look import draw_alone, draw_link, look_of
from app.views.widgets.bead_places import LINE_HEIGHT, SIDES, BeadPlaces, Side
from app.views.widgets.sentence_cache import SentenceCache
from app.views.widgets.text_layout import Style, draw

NUMBER_WIDTH = 44  # pixels, of a line's number
MAX_LINES = 8


class Choice(NamedTuple):
    """What is chosen: a bead, a side, and the sentence there."""

    place: int
    side: Side
    number: int


class BeadPainter:
    """Paints beads with one painter, in one theme."""

    def __init__(
        self,
        painter: QPainter,
        beads: BeadList,
        places: BeadPlaces,
        sentences: SentenceCache,
        tokens: Tokens,
    ):
        self._painter, self._list, self._places = painter, beads, places
        self._sentences, self._tokens = sentences, tokens
        self._text_font = _font(13)
        self._small_font, self._mark_font = _font(11), _font(12, bold=True)

    def paint(self, place: int, choice: Choice) -> None:
        """Paint a bead."""
        frame = self._places.frame(place)
        if place == choice.place:
            self._paint_chosen(frame)
        cells = (
            self._places.cells(place, "source"),
            self._places.cells(place, "target"),
        )
        self._paint_link(place, self._places.gutter(frame), cells)
        for side, own in zip(SIDES, cells, strict=True):
            ids = self._places.ids(place, side)
            for number, (id_, cell) in enumerate(zip(ids, own, strict=True)):
                self._paint_box(cell, is_chosen=choice == (place, side, number))
                row = self._sentences.read(id_)
                if row is not None:
                    self._paint_text(cell, row, side)
            if not own:
                self._paint_nothing(self._places.column(place, side))

    def _paint_chosen(self, frame: QRectF) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(mix(self._tokens, "accent", 0.16, onto="window")))
        grown = frame.adjusted(-4, -3, 4, 3)
        self._painter.drawRoundedRect(grown, RADIUS + 2, RADIUS + 2)

    def _paint_link(
        self, place: int, gutter: QRectF, cells: tuple[list[QRectF], list[QRectF]]
    ) -> None:
        beads = self._list.beads
        if cells[0] and cells[1]:
            look = look_of(
                self._tokens,
                float(beads.confidences[place]),
                is_accepted=self._list.is_accepted(place),
                is_rejected=bool(beads.verdicts[place] == REJECTED),
            )
            draw_link(self._painter, gutter, cells, look, self._mark_font)
        else:
            is_accepted = self._list.is_accepted(place)
            name = self._tokens.human if is_accepted else self._tokens.warning
            self._painter.setPen(QColor(name))
            self._painter.setFont(self._mark_font)
            own = cells[0] or cells[1]
            mark = "✓" if is_accepted else ""
            draw_alone(self._painter, gutter, own, mark, is_source=bool(cells[0]))

    def _paint_box(self, cell: QRectF, *, is_chosen: bool) -> None:
        """Paint what is behind a sentence."""
        name = self._tokens.accent if is_chosen else self._tokens.line
        self._painter.setBrush(QColor(self._tokens.surface))
        self._painter.setPen(QColor(name))
        box = cell.adjusted(0.5, 0.5, -0.5, -1.5)
        self._painter.drawRoundedRect(box, RADIUS, RADIUS)

    def _paint_text(self, cell: QRectF, row: SentenceRow, side: Side) -> None:
        """Paint a sentence, and the line of its file at the outer edge."""
        width = scaled(NUMBER_WIDTH)
        number = QRectF(cell.left(), cell.top(), width, cell.height())
        text = cell.adjusted(width, 4, -GRID - 2, -5)
        if side == "target":
            number.moveRight(cell.right())
            text = cell.adjusted(GRID + 2, 4, -width, -5)
        self._painter.setPen(QColor(self._tokens.secondary))
        self._painter.setFont(self._small_font)
        self._painter.drawText(number, Qt.AlignmentFlag.AlignCenter, str(row.line))
        n_lines = max(round(2 * cell.height() / scaled(LINE_HEIGHT)), 1)
        colour = QColor(self._tokens.text)
        style = Style(self._text_font, colour, max_lines=min(n_lines, MAX_LINES))
        layout, height = self._sentences.lay_out(row, text.width(), style)
        text.setTop(text.top() + max((text.height() - height) / 2, 0))
        self._painter.save()
        self._painter.setClipRect(cell)
        draw(self._painter, layout, text, colour)
        self._painter.restore()

    def _paint_nothing(self, column: QRectF) -> None:
        """Say that a side has no translation."""
        self._painter.setPen(QColor(self._tokens.secondary))
        self._painter.setFont(self._small_font)
        words = QCoreApplication.translate("alignment", "no translation")
        self._painter.drawText(column, Qt.AlignmentFlag.AlignCenter, words)


def _font(pixels: int, *, bold: bool = False) -> QFont:
    font = interface_font(pixels=scaled(pixels))
    font.setBold(bold)
    return font
