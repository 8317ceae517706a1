"""Heat map: cell values, labels and keyboard navigation."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from unicodedata import east_asian_width

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.arrays import DoubleArray, FloatArray
from app.languages import is_right_to_left
from app.number_format import format_score
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT
from app.views.widgets.controls import describe
from app.views.widgets.fonts import sentence_font
from app.views.widgets.theme import colours_of, mix, readable_on, scaled

Writer = Callable[[float], str]


def short_value(value: float) -> str:
    """Format a value for a cell: .52, −.07, 1."""
    text = f"{abs(value):.2f}"
    text = text.removeprefix("0") if abs(value) < 0.995 else f"{abs(value):.1f}"
    return f"−{text}" if value <= -0.005 else text


class HeatMapData(NamedTuple):
    """The data to draw.

    Attributes:
        values: float (r, c); the sign chooses the hue; NaN: no value.
        rows, columns: r and c names.
        row_language, column_language: codes, for fonts and direction: the columns of a
            right-to-left language begin at the right.
        top: the value of the strongest shade.
        title: name of the values.
        low: the value of the palest shade; if it is 0, of both hues.
        writers: format a value; the first whose texts fit into all cells is used.
        precise: formats the value under the cursor.
        signs: text after the value of each cell, (r, c); empty for no texts.
        details: more text about each cell, (r, c); empty for no texts.
        is_directed: whether a cell leads from its row to its column.
    """

    values: FloatArray | DoubleArray
    rows: Sequence[str]
    columns: Sequence[str]
    row_language: str = ""
    column_language: str = ""
    top: float = 1.0
    title: str = ""
    low: float = 0.0
    writers: Sequence[Writer] = (short_value,)
    precise: Writer = format_score
    signs: Sequence[Sequence[str]] = ()
    details: Sequence[Sequence[str]] = ()
    is_directed: bool = False

    def sign(self, row: int, column: int) -> str:
        """Return the text after the value of a cell."""
        return self.signs[row][column] if self.signs else ""

    def detail(self, row: int, column: int) -> str:
        """Return the details of a cell, after a comma."""
        detail = self.details[row][column] if self.details else ""
        return f", {detail}" if detail else ""

    def share(self, value: float) -> float:
        """Return the depth of the shade of a value, 0…1."""
        span = (self.top - self.low) or 1.0
        above = value - self.low if self.low else abs(value)
        return min(max(above / span, 0.0), 1.0)

    def table(self) -> Iterator[Sequence[str]]:
        """Return the values, the header first."""
        yield ("", *self.columns)
        for name, values in zip(self.rows, self.values, strict=True):
            yield (name, *("" if np.isnan(v) else f"{v:.6f}" for v in values))


EMPTY_HEAT_MAP = HeatMapData(np.zeros((0, 0), np.float32), (), ())


def isolate_direction(name: str) -> str:
    """Quote a name, so that its direction does not affect the words around it."""
    return f"“\u2068{name}\u2069”"  # first strong isolate, and its end


GAP, PIXELS, VALUE_PIXELS = 6, 12, 11
LEAST, HIGHEST, WIDEST = 16, 34, 72  # pixels of a cell
VALUE_HEIGHT, VALUE_ROOM = 14, 6  # pixels; a cell of this size shows its value
LONGEST_LABEL = 150  # pixels
OVERHANG = 2  # pixels of a letter outside its advance
STRONGEST = 0.82  # of the hue, at the ends of the scale


def _is_full_width(name: str) -> bool:
    """Return whether a name is of Chinese, Japanese or Korean characters only."""
    return bool(name) and all(east_asian_width(one) in "WF" for one in name)


def _paint_downwards(painter: QPainter, name: str, rect: QRectF) -> None:
    """Paint upright characters one below the other, ending at a rectangle's bottom."""
    step = painter.fontMetrics().horizontalAdvance(name) / len(name)  # they are square
    top = rect.bottom() - step * len(name)
    for number, character in enumerate(name):
        y = top + number * step
        if y >= rect.top() - 1:  # a name that is too long loses its beginning
            line = QRectF(rect.left(), y, rect.width(), step)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip
            painter.drawText(line, flags, character)


class CellGrid(NamedTuple):
    """Geometry of the cells: the position of the first, and the cell size.

    Attributes:
        n_reversed: number of columns that begin at the right; 0: they begin at the
            left.
    """

    origin: QPointF
    size: QSizeF
    n_reversed: int

    def cell(self, row: int, column: int) -> QRectF:
        """Return the rectangle of a cell."""
        across = self.n_reversed - 1 - column if self.n_reversed else column
        x, y = across * self.size.width(), row * self.size.height()
        return QRectF(self.origin + QPointF(x, y), self.size - QSizeF(1, 1))


class HeatMap(QWidget):
    """A grid of shaded cells; the mouse or the arrow keys select a cell.

    Attributes:
        heat: the data to draw.
        pointed: row and column under the cursor, or None.
        marked_row: the row with an outline, or None.
    """

    pointed_changed = Signal()
    activated = Signal(int, int)  # row and column: a click, or Enter

    def __init__(self, title: str, parent: QWidget | None = None):
        """Make an empty heat map; `title` is its name for screen readers."""
        super().__init__(parent)
        self.heat = EMPTY_HEAT_MAP
        self.pointed: tuple[int, int] | None = None
        self.marked_row: int | None = None
        self._title = title
        self._rooms: dict[tuple[int, str, int, str], float] = {}
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy.Policy.Expanding
        self.setSizePolicy(policy, policy)
        self._describe()

    def show_heat(self, heat: HeatMapData) -> None:
        """Replace the values."""
        self.heat, self.pointed, self.marked_row = heat, None, None
        self._rooms.clear()
        self.setMinimumSize(self.minimumSizeHint())
        self._describe()
        self.pointed_changed.emit()
        self.update()

    def point_at(self, place: tuple[int, int] | None) -> None:
        """Point at a cell."""
        if place != self.pointed:
            self.pointed = place
            self._describe()
            self.pointed_changed.emit()
            self.update()

    def mark_row(self, row: int | None) -> None:
        """Draw an outline around a row; None removes the outline."""
        self.marked_row = row
        self.update()

    def cell(self, row: int, column: int) -> QRectF:
        """Return the rectangle of a cell."""
        return self._grid().cell(row, column)

    def table(self) -> Iterator[Sequence[str]]:
        """Return the values, the header first."""
        return self.heat.table()

    # --- geometry ---

    def _grid(self) -> CellGrid:
        """Measure the geometry of all cells once, since measuring names is slow."""
        n_reversed = len(self.heat.columns) if self._is_reversed else 0
        return CellGrid(self._origin(), self._cell_size(), n_reversed)

    @property
    def _is_reversed(self) -> bool:
        return is_right_to_left(self.heat.column_language)

    def _origin(self) -> QPointF:
        """Return the position of the first cell, after the labels."""
        return QPointF(self._side_width() + GAP, self._head_height() + GAP)

    def _cell_size(self) -> QSizeF:
        origin, n_rows = self._origin(), len(self.heat.rows)
        high = (self.height() - origin.y() - 2) / max(n_rows, 1)
        high = min(max(high, scaled(LEAST)), scaled(HIGHEST))
        return QSizeF(self._cell_width(), high)

    def _cell_width(self) -> float:
        room = self.width() - self._side_width() - GAP - 2
        wide = room / max(len(self.heat.columns), 1)
        return float(min(max(wide, scaled(LEAST)), scaled(WIDEST)))

    def _side_width(self) -> float:
        """Return the room for the rows' names."""
        return self._label_room(self.heat.rows, self.heat.row_language)

    def _label_room(self, names: Sequence[str], language: str) -> float:
        key = (id(names), language, scaled(PIXELS), self.window().font().family())
        room = self._rooms.get(key)  # the place of every cell depends on it
        if room is None:
            metrics = QFontMetricsF(self._font(language))
            widest = max(map(metrics.horizontalAdvance, names), default=0.0) + OVERHANG
            room = self._rooms[key] = float(min(widest, scaled(LONGEST_LABEL)))
        return room

    @property
    def _is_upright(self) -> bool:
        """Return whether the columns' names are too wide to lie above their cells."""
        language = self.heat.column_language
        return self._label_room(self.heat.columns, language) > self._cell_width() - 2

    def _head_height(self) -> float:
        """Return the room for the columns' names."""
        language = self.heat.column_language
        if self._is_upright:
            return self._label_room(self.heat.columns, language)
        return QFontMetricsF(self._font(language)).height()

    def _font(self, language: str, pixels: int = PIXELS) -> QFont:
        font = sentence_font(QFont(self.window().font()), language)
        font.setPixelSize(scaled(pixels))
        return font

    def _place_at(self, point: QPointF) -> tuple[int, int] | None:
        n_rows, n_columns = self.heat.values.shape
        origin, size = self._origin(), self._cell_size()
        column = int((point.x() - origin.x()) // size.width())
        row = int((point.y() - origin.y()) // size.height())
        if not (0 <= row < n_rows and 0 <= column < n_columns):
            return None
        return row, n_columns - 1 - column if self._is_reversed else column

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint cells and names."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_cells(painter)
        self._paint_rows(painter)
        self._paint_columns(painter)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.marked_row is not None:
            painter.setPen(QPen(QColor(colours_of(self).accent), 2))
            last = len(self.heat.columns) - 1
            ends = self.cell(self.marked_row, 0) | self.cell(self.marked_row, last)
            painter.drawRect(ends)
        if self.pointed is not None:
            painter.setPen(QPen(QColor(colours_of(self).text), 1.5))
            painter.drawRect(self.cell(*self.pointed))
        painter.end()

    def _paint_cells(self, painter: QPainter) -> None:
        colours = colours_of(self)
        painter.setFont(self._font("", VALUE_PIXELS))
        write = self._writer(QFontMetricsF(painter.font()))
        grid = self._grid()
        for row, values in enumerate(self.heat.values):
            for column, value in enumerate(values.tolist()):
                if np.isnan(value):
                    continue
                share = self.heat.share(value)
                hue = "accent" if value >= 0 else "warning"
                rect = grid.cell(row, column)
                shade = mix(colours, hue, 0.04 + (STRONGEST - 0.04) * share)
                painter.fillRect(rect, QColor(shade))
                if write is not None:
                    painter.setPen(QColor(readable_on(colours, shade)))
                    align = Qt.AlignmentFlag.AlignCenter
                    sign = self.heat.sign(row, column)
                    painter.drawText(rect, align, write(value) + sign)

    def _writer(self, metrics: QFontMetricsF) -> Writer | None:
        """Return the function that formats values; None if the cells are too small."""
        cell, values = self._cell_size(), self.heat.values
        known = set(values[~np.isnan(values)].tolist())
        signs = {sign for row in self.heat.signs for sign in row}
        room = max(map(metrics.horizontalAdvance, signs), default=0.0) + VALUE_ROOM
        if cell.height() >= scaled(VALUE_HEIGHT):
            for write in self.heat.writers:
                words = {write(value) for value in known}
                widest = max(map(metrics.horizontalAdvance, words), default=0.0)
                if widest + room <= cell.width():
                    return write
        return None

    def _paint_rows(self, painter: QPainter) -> None:
        font = self._font(self.heat.row_language)
        grid = self._grid()
        metrics, room = QFontMetricsF(font), grid.origin.x() - GAP
        painter.setFont(font)
        align = ALIGN_RIGHT
        for row, name in enumerate(self.heat.rows):
            is_marked = row == self.marked_row
            accent = QColor(colours_of(self).accent)
            painter.setPen(accent if is_marked else self._label_colour(row, 0))
            cell = grid.cell(row, 0)
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room + 1)
            painter.drawText(QRectF(0, cell.y(), room, cell.height()), align, text)

    def _paint_columns(self, painter: QPainter) -> None:
        font = self._font(self.heat.column_language)
        grid, is_upright = self._grid(), self._is_upright
        metrics, room = QFontMetricsF(font), grid.origin.y() - GAP
        painter.setFont(font)
        align = ALIGN_LEFT
        for column, name in enumerate(self.heat.columns):
            painter.setPen(self._label_colour(column, 1))
            cell = grid.cell(0, column)
            if not is_upright:
                rect = QRectF(cell.left(), 0, cell.width(), room)
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, name)
                continue
            if _is_full_width(name):
                _paint_downwards(
                    painter, name, QRectF(cell.left(), 0, cell.width(), room)
                )
                continue
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room + 1)
            painter.save()
            painter.translate(cell.left(), room)
            painter.rotate(-90)
            painter.drawText(QRectF(0, 0, room, cell.width()), align, text)
            painter.restore()

    def _label_colour(self, index: int, axis: int) -> QColor:
        is_pointed = self.pointed is not None and self.pointed[axis] == index
        colours = colours_of(self)
        return QColor(colours.accent if is_pointed else colours.text)

    def _describe(self) -> None:
        name = self._title
        if self.pointed is not None:
            name += f": {self.cursor_text()}"
        hint = self.tr("Point at a cell with the mouse or the arrow keys.")
        describe(self, name, hint, has_tooltip=False)

    def cursor_text(self) -> str:
        """Return row, column and value under the cursor, or an empty text."""
        if self.pointed is None:
            return ""
        row, column = self.pointed
        value, heat = float(self.heat.values[row, column]), self.heat
        words = self.tr("not measured") if np.isnan(value) else heat.precise(value)
        text = self.tr("{row} – {column}: {value}")
        if heat.is_directed:
            text = self.tr("{row} → {column}: {value}")
        text = text.format(
            row=isolate_direction(heat.rows[row]),
            column=isolate_direction(heat.columns[column]),
            value=f"{heat.title} {words}".strip(),
        )
        return text + heat.detail(row, column)

    # --- Qt ---

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the cell under the mouse."""
        self.point_at(self._place_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Activate the cell under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.point_at(self._place_at(event.position()))
            self._activate()

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        super().leaveEvent(event)
        self.point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Point at the next cell in a direction, or activate the cell."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate()
            return
        forward = -1 if self._is_reversed else 1
        steps = {
            Qt.Key.Key_Left: (0, -forward),
            Qt.Key.Key_Right: (0, forward),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self.heat.values.size:
            super().keyPressEvent(event)
            return
        if self.pointed is None:
            self.point_at((0, 0))
            return
        n_rows, n_columns = self.heat.values.shape
        row = min(max(self.pointed[0] + step[0], 0), n_rows - 1)
        column = min(max(self.pointed[1] + step[1], 0), n_columns - 1)
        self.point_at((row, column))

    def _activate(self) -> None:
        """Activate the cell under the cursor, if it has a value."""
        if self.pointed is not None and not np.isnan(self.heat.values[self.pointed]):
            self.activated.emit(*self.pointed)

    def minimumSizeHint(self) -> QSize:
        """Return the size with the smallest cells."""
        n_rows, n_columns = self.heat.values.shape
        least, language = scaled(LEAST), self.heat.column_language
        # The names can be vertical: that depends on the size, not the other way round.
        head = self._label_room(self.heat.columns, language) + GAP
        return QSize(
            round(self._origin().x()) + n_columns * least + 4,
            round(head) + n_rows * least + 4,
        )

    def sizeHint(self) -> QSize:
        """Return the size with the largest cells."""
        n_rows, n_columns = self.heat.values.shape
        origin = self._origin()
        return QSize(
            round(origin.x()) + n_columns * scaled(WIDEST) + 4,
            round(origin.y()) + n_rows * scaled(HIGHEST) + 4,
        )
