"""Geometry of the board: rows of variable height, laid out only where needed.

The scroll bar counts hundredths of rows. Only the rows near the viewport are measured,
so a board of any length opens at once.
"""

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QTextLayout

from app.engine.store.sentences import SentenceRow
from app.views.read.model import Place, ReadingRows
from app.views.widgets.sentence_cache import SentenceCache
from app.views.widgets.text_layout import TextStyle
from app.views.widgets.theme import GRID, TEXT_PX, interface_font, scaled

STEPS = 100  # scroll bar steps per row
MIN_COLUMN = 112  # pixels; narrower columns scroll sideways
GUTTER, NUMBER_WIDTH = 44, 40  # pixels: between columns; of a line's number
GAP, PADDING = 6, 7  # pixels: between rows; around a text
HEADING_HEIGHT = 30  # pixels, of the name of a document
EMPTY_HEIGHT = 34  # pixels, of a cell without a sentence
MAX_LINES = 60  # of a sentence
N_MEASURED = 2_000  # cached row heights


class SentenceCell(NamedTuple):
    """A sentence on the board.

    Attributes:
        place: row, column and number.
        frame: rectangle of the sentence with its line number.
        text: rectangle of the text.
        sentence: None if it was deleted.
        layout: layout of the text.
    """

    place: Place
    frame: QRectF
    text: QRectF
    sentence: SentenceRow | None
    layout: QTextLayout | None


class ReadingLayout:
    """Computes the positions of rows and sentences.

    Attributes:
        rows: displayed rows.
        sentences: texts of the rows.
        headings: document names by first row.
        width: width of the viewport.
        left: horizontal scroll position in pixels.
        top: first visible row, and its pixels above the viewport.
    """

    def __init__(self) -> None:
        self.rows = ReadingRows()
        self.sentences = SentenceCache()
        self.headings: dict[int, str] = {}
        self.width = self.left = 0
        self.top: tuple[int, float] = (0, 0.0)
        self._heights: dict[int, float] = {}
        self._fonts = _Fonts()

    def reset(self) -> None:
        """Clear all measurements after a change of rows, width or font."""
        self._heights.clear()
        self._fonts = _Fonts()
        self.sentences.forget_layouts()

    # --- columns ---

    @property
    def content_width(self) -> int:
        """The total width of the columns."""
        n = max(self.rows.n_columns, 1)
        least = n * scaled(MIN_COLUMN) + (n - 1) * scaled(GUTTER) + 2 * GRID
        return max(self.width, least)

    def column_span(self, column: int) -> tuple[float, float]:
        """Return the left edge and the width of a column in the viewport."""
        n, gutter = max(self.rows.n_columns, 1), scaled(GUTTER)
        width = (self.content_width - 2 * GRID - (n - 1) * gutter) / n
        return GRID + column * (width + gutter) - self.left, width

    # --- rows ---

    def height_of(self, row: int) -> float:
        """Return the height of a row with the gap below it."""
        if row not in self._heights:
            if len(self._heights) > N_MEASURED:
                self._heights.clear()
            cells = [
                self._cell_height(row, column) for column in range(self.rows.n_columns)
            ]
            height = max(cells, default=0) + scaled(GAP)
            self._heights[row] = height + self.heading_height(row)
        return self._heights[row]

    def heading_height(self, row: int) -> int:
        """Return the height of the heading above a row; 0 without a heading."""
        return scaled(HEADING_HEIGHT) if row in self.headings else 0

    def visible(self, height: float) -> Iterator[tuple[int, float]]:
        """Return the rows in a viewport of a height, and their top edges."""
        row, above = self.top
        y = -above
        while row < self.rows.n_rows and y < height:
            yield row, y
            y += self.height_of(row)
            row += 1

    def move(self, pixels: float) -> None:
        """Scroll by pixels within the rows."""
        row, above = self.top
        above += pixels
        while above < 0 and row > 0:
            row -= 1
            above += self.height_of(row)
        while row < self.rows.n_rows - 1 and above >= self.height_of(row):
            above -= self.height_of(row)
            row += 1
        self.top = row, max(above, 0.0)

    def last_top(self, height: float) -> tuple[int, float]:
        """Return the last scroll position, with the last row at the bottom."""
        row, left = self.rows.n_rows, height - GRID
        while row > 0:
            row -= 1
            left -= self.height_of(row)
            if left <= 0:
                return row, -left
        return 0, 0.0

    def cells(self, row: int, y: float) -> Iterator[SentenceCell]:
        """Lay out the sentences of a row with its top edge at y."""
        for column in range(self.rows.n_columns):
            left, width = self.column_span(column)
            top = y + self.heading_height(row)
            for number, sentence in enumerate(self._read(row, column)):
                layout, height = self._lay_out(sentence, width)
                frame = QRectF(left, top, width, height)
                text = frame.adjusted(
                    scaled(NUMBER_WIDTH), scaled(PADDING), -GRID, -scaled(PADDING)
                )
                place = Place(row, column, number)
                yield SentenceCell(place, frame, text, sentence, layout)
                top += height

    def row_frame(self, row: int, column: int, y: float) -> QRectF:
        """Return the rectangle of a cell in a row with its top edge at y."""
        left, width = self.column_span(column)
        top, bottom = y + self.heading_height(row), y + self.height_of(row)
        return QRectF(left, top, width, bottom - scaled(GAP) - top)

    def gutter(self, frame: QRectF) -> QRectF:
        """Return the rectangle of a cell's link with the column on its left."""
        width = scaled(GUTTER)
        return QRectF(frame.left() - width, frame.top(), width, frame.height())

    def link_at(self, point: QPointF, height: float) -> tuple[int, int] | None:
        """Return the row and right column of the link at a point of the viewport."""
        for row, y in self.visible(height):
            for column in range(1, self.rows.n_columns):
                frame = self.row_frame(row, column, y)
                if self.gutter(frame).contains(point):
                    return row, column
        return None

    def hit(self, point: QPointF, height: float) -> SentenceCell | None:
        """Return the sentence at a point of the viewport."""
        for row, y in self.visible(height):
            if y <= point.y() < y + self.height_of(row):
                for cell in self.cells(row, y):
                    if cell.frame.contains(point):
                        return cell
        return None

    # --- private ---

    def _read(self, row: int, column: int) -> list[SentenceRow | None]:
        return [self.sentences.read(id_) for id_ in self.rows.ids(row, column)]

    def _cell_height(self, row: int, column: int) -> float:
        _, width = self.column_span(column)
        heights = [
            self._lay_out(sentence, width)[1] for sentence in self._read(row, column)
        ]
        return sum(heights) if heights else float(scaled(EMPTY_HEIGHT))

    def _lay_out(
        self, sentence: SentenceRow | None, width: float
    ) -> tuple[QTextLayout | None, float]:
        """Return the layout of a sentence and its height with padding."""
        if sentence is None:
            return None, float(scaled(EMPTY_HEIGHT))
        room = max(width - scaled(NUMBER_WIDTH) - GRID, scaled(60))
        layout, height = self.sentences.lay_out(sentence, room, self._fonts.style)
        return layout, height + 2 * scaled(PADDING)


class _Fonts:
    """The text style in the current size."""

    def __init__(self) -> None:
        font: QFont = interface_font(pixels=scaled(TEXT_PX + 1))
        self.style = TextStyle(font, QColor(), max_lines=MAX_LINES, spacing=1.2)


def character_at(cell: SentenceCell, point: QPointF) -> int | None:
    """Return the UTF-16 offset of the character at a point, or None."""
    if cell.layout is None:
        return None
    x, y = point.x() - cell.text.left(), point.y() - cell.text.top()
    for number in range(cell.layout.lineCount()):
        line = cell.layout.lineAt(number)
        box = line.naturalTextRect()
        if line.y() <= y < line.y() + line.height() and box.left() <= x < box.right():
            place = line.xToCursor(x, line.CursorPosition.CursorOnCharacter)
            return int(place)
    return None
