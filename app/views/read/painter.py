"""Painting of rows: sentences, links between columns, gaps and translated words."""

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
)

from app.languages import is_right_to_left
from app.number_format import format_score
from app.views.read.layout import NUMBER_WIDTH, ReadingLayout, SentenceCell
from app.views.read.model import Place
from app.views.widgets.cells import ALIGN_LEFT
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import (
    GRID,
    RADIUS,
    ThemeColours,
    confidence_colours,
    interface_font,
    mix,
    readable_on,
    scaled,
)

PILL_WIDTH, PILL_HEIGHT, SCORE_HEIGHT = 34, 18, 14  # pixels


class WordMark(NamedTuple):
    """A word to mark: UTF-16 units begin … end - 1 of its sentence.

    Attributes:
        confidence: 0…1 for a translated word; None: the word under the pointer.
    """

    begin: int
    end: int
    confidence: float | None = None


class SentenceMarks(NamedTuple):
    """Labels, notes and marks of the visible sentences.

    Attributes:
        labels, notes: labels and notes by sentence.
        words: words to mark, by sentence.
        found: matches of the searched text, by sentence.
    """

    labels: dict[int, str]
    notes: dict[int, str]
    words: dict[int, list[WordMark]]
    found: dict[int, list[WordMark]]


class RowPainter:
    """Paints rows with one painter and one theme."""

    def __init__(
        self,
        painter: QPainter,
        layout: ReadingLayout,
        colours: ThemeColours,
        marks: SentenceMarks,
    ):
        self._painter, self._layout, self._tokens = painter, layout, colours
        self._marks = marks
        self._small = interface_font(pixels=scaled(11))
        self._bold = interface_font(pixels=scaled(11))
        self._bold.setBold(True)
        self._heading = interface_font(pixels=scaled(12))
        self._heading.setBold(True)

    def paint(self, row: int, y: float, selected: Place) -> None:
        """Paint a row with its top edge at y."""
        rows = self._layout.rows
        counts = [len(rows.ids(row, column)) for column in range(rows.n_columns)]
        is_selected = row == selected.row
        self._paint_heading(row, y)
        for column, n in enumerate(counts):
            frame = self._layout.row_frame(row, column, y)
            if n:
                self._paint_box(frame, is_selected=is_selected)
            else:
                self._paint_gap(frame)
            if column:
                self._paint_link(Place(row, column), frame, counts, is_selected)
                self._paint_score(self._layout.gutter(frame), rows.scores(row, column))
        for cell in self._layout.cells(row, y):
            is_last = cell.place.number == counts[cell.place.column] - 1
            bottom = self._layout.row_frame(row, cell.place.column, y).bottom()
            frame = cell.frame
            if is_last:  # a shorter cell is as high as its row
                frame.setBottom(bottom)
            self._paint_sentence(cell, frame if cell.place == selected else None)

    def _paint_heading(self, row: int, y: float) -> None:
        """Paint the name of the document that begins in a row, with a rule."""
        height = self._layout.heading_height(row)
        if not height:
            return
        painter, text = self._painter, self._layout.headings[row]
        left, width = GRID - self._layout.left, self._layout.content_width - 2 * GRID
        rect = QRectF(left, y, width, height - 6)
        painter.setPen(QColor(self._tokens.line))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.setFont(self._heading)
        painter.setPen(QColor(self._tokens.secondary))
        elide = Qt.TextElideMode.ElideRight
        shown = QFontMetricsF(self._heading).elidedText(text, elide, width)
        painter.drawText(rect, ALIGN_LEFT, shown)

    def _paint_box(self, frame: QRectF, *, is_selected: bool) -> None:
        """Paint the background of a cell."""
        tokens, painter = self._tokens, self._painter
        fill = mix(tokens, "accent", 0.06) if is_selected else tokens.surface
        painter.setBrush(QColor(fill))
        painter.setPen(QColor(tokens.line))
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)

    def _paint_gap(self, frame: QRectF) -> None:
        """Paint an empty cell."""
        pen = QPen(QColor(self._tokens.secondary), 1.0, Qt.PenStyle.DotLine)
        self._painter.setPen(pen)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        box = frame.adjusted(0.5, 0.5, -0.5, -0.5)
        self._painter.drawRoundedRect(box, RADIUS, RADIUS)
        self._painter.setPen(QColor(self._tokens.secondary))
        self._painter.setFont(self._small)
        words = QCoreApplication.translate("read", "no translation")
        self._painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_link(
        self, place: Place, frame: QRectF, counts: list[int], is_selected: bool
    ) -> None:
        """Paint the link of a cell with the column on its left.

        A dashed line shows a link with a column further left only.
        """
        painter, tokens, rows = self._painter, self._tokens, self._layout.rows
        before = place.column - 1
        n_before, n = counts[before], counts[place.column]
        gutter = self._layout.gutter(frame)
        centre, painter_pen = gutter.center(), QPen(QColor(tokens.line), 1.6)
        if not n or not n_before:  # one of the two cells is empty
            colour = QColor(tokens.warning)
            painter.setPen(QPen(colour, 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            begin = gutter.left() if n_before else gutter.right()
            if n or n_before:
                painter.drawLine(QPointF(begin, centre.y()), centre)
                painter.setBrush(QColor(tokens.window))
                painter.drawEllipse(centre, 4, 4)
            return
        linked = rows.linked_columns(place.row, place.column)
        if not linked:
            return
        if before not in linked:
            painter_pen.setStyle(Qt.PenStyle.DashLine)
        if is_selected:
            painter_pen.setColor(QColor(tokens.accent))
        painter.setPen(painter_pen)
        y = centre.y()
        painter.drawLine(QPointF(gutter.left(), y), QPointF(gutter.right(), y))
        if (n_before, n) == (1, 1):
            return
        pill = QRectF(0, 0, scaled(PILL_WIDTH), scaled(PILL_HEIGHT))
        pill.moveCenter(centre)
        fill = mix(tokens, "accent", 0.85)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        painter.setPen(QColor(readable_on(tokens, fill)))
        painter.setFont(self._bold)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, f"{n_before}:{n}")

    def _paint_score(self, gutter: QRectF, scores: tuple[float, float] | None) -> None:
        """Paint the lowest score of a link's pairs above the link."""
        if scores is None:
            return
        bottom = gutter.center().y() - scaled(PILL_HEIGHT) / 2
        height = scaled(SCORE_HEIGHT)
        rect = QRectF(gutter.left(), bottom - height, gutter.width(), height)
        self._painter.setPen(QColor(self._tokens.secondary))
        self._painter.setFont(self._small)
        middle = Qt.AlignmentFlag.AlignCenter
        self._painter.drawText(rect, middle, format_score(scores[0]))

    def _paint_sentence(self, cell: SentenceCell, selected: QRectF | None) -> None:
        """Paint a sentence, framed if it is selected."""
        tokens, painter = self._tokens, self._painter
        if selected is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(tokens.accent), 1.6))
            box = selected.adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(box, RADIUS - 1, RADIUS - 1)
        if cell.sentence is None or cell.layout is None:
            return
        self._paint_margin(cell)
        painter.setPen(QColor(tokens.text))
        selections = [
            self._format(mark, is_found=is_found)
            for words, is_found in (
                (self._marks.found, True),
                (self._marks.words, False),
            )
            for mark in words.get(cell.sentence.id, ())
        ]
        painter.save()
        painter.setClipRect(cell.frame)
        cell.layout.draw(painter, cell.text.topLeft(), selections)
        painter.restore()

    def _paint_margin(self, cell: SentenceCell) -> None:
        """Paint the line number, and the marks of a label and a note below it."""
        assert cell.sentence is not None
        painter, tokens, id_ = self._painter, self._tokens, cell.sentence.id
        rect = QRectF(cell.frame.left(), cell.text.top(), scaled(NUMBER_WIDTH), 0)
        rect.setHeight(scaled(16))
        painter.setFont(self._small)
        painter.setPen(QColor(tokens.secondary))
        line = format_count(cell.sentence.line)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, line)
        mark = ("●" if id_ in self._marks.labels else "") + (
            "✎" if id_ in self._marks.notes else ""
        )
        if mark:
            below = rect.translated(0, scaled(14))
            painter.setPen(QColor(tokens.human))
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, mark)

    def _format(self, mark: WordMark, *, is_found: bool) -> QTextLayout.FormatRange:
        tokens, form = self._tokens, QTextCharFormat()
        if is_found:
            form.setBackground(QBrush(QColor(tokens.human_soft)))
            form.setForeground(QColor(tokens.text))
        elif mark.confidence is None:
            form.setBackground(QBrush(QColor(tokens.accent)))
            form.setForeground(QColor(tokens.on_accent))
        else:
            fill, text = map(QColor, confidence_colours(tokens, mark.confidence))
            form.setBackground(QBrush(fill))
            form.setForeground(text)
        form.setFontUnderline(True)
        found = QTextLayout.FormatRange()
        found.start, found.length = mark.begin, mark.end - mark.begin
        found.format = form
        return found


def mark_right_to_left(language: str) -> Qt.AlignmentFlag:
    """Return the alignment of a column's name, which follows its script."""
    side = (
        Qt.AlignmentFlag.AlignRight
        if is_right_to_left(language)
        else Qt.AlignmentFlag.AlignLeft
    )
    return side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
