"""Shared parts of tables: text delegate, column set-up, sortable items."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QItemSelectionModel, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
)

from app.views.widgets.cells import (
    ALIGN_LEFT,
    ALIGN_RIGHT,
    LANGUAGE_ROLE,
    MARKS_ROLE,
    ROW_HEIGHT,
    Index,
)
from app.views.widgets.text_layout import TextStyle, draw_layout, lay_out_text
from app.views.widgets.theme import colours_of, mark_colour, scaled

PADDING = 8  # pixels left and right of the text


class TextDelegate(QStyledItemDelegate):
    """Paints a sentence in one line, or a few; what does not fit is elided.

    Attributes:
        max_lines: lines that a row has room for.
    """

    max_lines = 1

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the cell."""
        item, text = paint_back(self, painter, option, index)
        colours = colours_of(QApplication.palette())
        is_selected = bool(item.state & QStyle.StateFlag.State_Selected)
        role = item.palette.ColorRole
        colour = item.palette.color(role.HighlightedText if is_selected else role.Text)
        mark = QColor(mark_colour(colours))
        rect = QRectF(item.rect).adjusted(PADDING, 0, -PADDING, 0)
        find = str(index.data(MARKS_ROLE) or "")
        layout, height = lay_out_text(
            text,
            str(index.data(LANGUAGE_ROLE) or ""),
            rect.width(),
            TextStyle(item.font, colour, mark, max_lines=self.max_lines),
            (find,) if find else (),
        )
        rect.setTop(rect.top() + max((rect.height() - height) / 2, 0))
        painter.save()
        painter.setClipRect(item.rect)
        draw_layout(painter, layout, rect, colour)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return a size that needs no text to be read: rows have one fixed height."""
        return QSize(320, option.fontMetrics.height() + PADDING)


def paint_back(
    delegate: QStyledItemDelegate,
    painter: QPainter,
    option: QStyleOptionViewItem,
    index: Index,
) -> tuple[QStyleOptionViewItem, str]:
    """Paint what is behind the text of a cell; returns its style and its text."""
    item = QStyleOptionViewItem(option)
    delegate.initStyleOption(item, index)
    text, item.text = item.text, ""
    style = item.widget.style() if item.widget else QApplication.style()
    style.drawControl(QStyle.ControlElement.CE_ItemViewItem, item, painter, item.widget)
    return item, text


SelectionMode = QAbstractItemView.SelectionMode


def set_up_table(
    table: QTableView, row_height: int = 28, mode: SelectionMode | None = None
) -> None:
    """Let a table of text select whole rows, without a grid or row numbers.

    Args:
        table: of a few hundred rows at most.
        row_height: in pixels.
        mode: what can be selected; None: one row.
    """
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(mode or SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(scaled(row_height, table))


ROW_HEIGHT_LOW = 27  # pixels of a row of one line where room is short
ROW_HEIGHT_TWO = 46  # pixels of a row of two lines


def set_up_large_table(table: QTableView) -> None:
    """Let a table with a model select whole rows without measuring them."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setCornerButtonEnabled(False)
    vertical = table.verticalHeader()
    vertical.hide()
    vertical.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    vertical.setDefaultSectionSize(scaled(ROW_HEIGHT))
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setSectionsClickable(True)
    header.sectionPressed.disconnect()  # a press on a header is no selection of all
    header.sectionEntered.disconnect()
    # A header asks whether a whole column is selected, row by row: not with a
    # million rows, so it looks at a selection of its own, which is empty.
    header.setSelectionModel(QItemSelectionModel(table.model(), header))


def set_up_two_texts(
    table: QTableView, texts: tuple[int, int], widths: Mapping[int, int] | None = None
) -> None:
    """Set the texts of two columns side by side, in two lines.

    Args:
        table: set up as above.
        texts: the two columns; `share_room` gives them their width.
        widths: of columns that nobody makes wider, in pixels.
    """
    delegate = TextDelegate(table)
    delegate.max_lines = 2
    for column in texts:
        table.setItemDelegateForColumn(column, delegate)
    table.verticalHeader().setDefaultSectionSize(scaled(ROW_HEIGHT_TWO))
    for column, width in (widths or {}).items():
        mode = QHeaderView.ResizeMode.Fixed
        table.horizontalHeader().setSectionResizeMode(column, mode)
        table.setColumnWidth(column, scaled(width))


def set_text_lines(table: QTableView, column: int, n_lines: int) -> None:
    """Set the texts of a table that was set up for two texts in one line or in two."""
    delegate = table.itemDelegateForColumn(column)
    assert isinstance(delegate, TextDelegate)
    if delegate.max_lines != n_lines:
        delegate.max_lines = n_lines
        height = ROW_HEIGHT_LOW if n_lines == 1 else ROW_HEIGHT_TWO
        table.verticalHeader().setDefaultSectionSize(scaled(height))


def share_width(table: QTableView, texts: tuple[int, int]) -> None:
    """Divide the remaining width between two columns."""
    others = [i for i in range(table.model().columnCount()) if i not in texts]
    room = table.viewport().width() - sum(map(table.columnWidth, others))
    table.setColumnWidth(texts[0], max(room // 2, 1))
    table.setColumnWidth(texts[1], max(room - room // 2, 1))


def fit_columns(table: QTableView, *, most: int = 0, fills: bool = True) -> None:
    """Make columns as wide as their content; the first takes the room that is left.

    If not all columns fit, those that do share the room, so that none is cut at the
    edge of the table, and the others are reached by scrolling.

    Args:
        table: of a few hundred rows at most.
        most: width of the widest column, in pixels; 0: any.
        fills: whether the first column takes the room if all columns fit.
    """
    widths, room = content_widths(table, most), table.viewport().width()
    ends = [end for end in accumulate(widths.values()) if end <= room]
    growing = len(ends) if len(ends) < len(widths) else int(fills)
    for index, column in enumerate(list(widths)[:growing]):
        share, rest = divmod(room - ends[-1], growing)
        widths[column] += share + (index < rest)
    for column, width in widths.items():
        table.setColumnWidth(column, width)


def content_widths(table: QTableView, most: int = 0) -> dict[int, int]:
    """Return the width that each visible column needs, from left to right."""
    header = table.horizontalHeader()
    widths = {
        column: max(
            _heading_width(table, column),
            table.sizeHintForColumn(column),
            header.minimumSectionSize(),
        )
        for column in map(header.logicalIndex, range(header.count()))
        if not table.isColumnHidden(column)
    }
    return {column: min(one, most or one) for column, one in widths.items()}


def text_column_width(table: QTableView, column: int, longest: str) -> int:
    """Return the width of a column from its heading and a text, without its rows."""
    text = QFontMetrics(table.font()).horizontalAdvance(longest) + 2 * PADDING + 2
    return max(_heading_width(table, column), text)


def _heading_width(table: QTableView, column: int) -> int:
    """Return the width of a heading; Qt's hint has room for a second sort indicator."""
    font = table.horizontalHeader().font()
    font.setBold(True)  # that of the selected column
    text = table.model().headerData(column, Qt.Orientation.Horizontal)
    return QFontMetrics(font).horizontalAdvance(str(text)) + 3 * PADDING


def select_table_row(table: QTableView, row: int, column: int) -> None:
    """Make one row current and select only this row."""
    flag = QItemSelectionModel.SelectionFlag
    index = table.model().index(row, column)
    table.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)


Value = float | str | None


class SortableItem(QTableWidgetItem):
    """Table item that sorts empty values last."""

    def __init__(self, text: str, value: Value):
        super().__init__(text)
        self.value = value

    def __lt__(self, other: QTableWidgetItem) -> bool:
        """Compare values."""
        mine, its = self.value, getattr(other, "value", None)
        if mine is None or its is None:
            return mine is not None
        return bool(mine < its)


Row = TypeVar("Row")
HEADING_PADDING = "\u2002"  # after a heading: room for the sort indicator


class TableColumn(NamedTuple, Generic[Row]):
    """A column of a table whose cells come from objects.

    Attributes:
        title: title of the column.
        hint: explanation of the column.
        value: returns the sort key; None comes last.
        text: returns the text of a cell.
        is_optional: some tables have no such numbers.
    """

    title: str
    hint: str
    value: Callable[[Row], Value]
    text: Callable[[Row], str]
    is_optional: bool = False


def set_up_columns(table: QTableWidget, columns: Sequence[TableColumn[Any]]) -> None:
    """Show the headings of columns; the first has names, the others have numbers.

    Args:
        columns: the most important first, since the last ones may have no room.
    """
    table.setColumnCount(len(columns))
    for number, column in enumerate(columns):
        item = QTableWidgetItem(column.title + HEADING_PADDING * (number > 0))
        item.setToolTip(column.hint)
        item.setTextAlignment(ALIGN_RIGHT if number else ALIGN_LEFT)
        table.setHorizontalHeaderItem(number, item)


def fill_row(
    table: QTableWidget, index: int, columns: Sequence[TableColumn[Row]], row: Row
) -> QTableWidgetItem:
    """Show an object in a row; returns the cell of the first column."""
    for number, column in enumerate(columns):
        item = SortableItem(column.text(row), column.value(row))
        item.setTextAlignment(ALIGN_RIGHT if number else ALIGN_LEFT)
        item.setToolTip(column.hint if number else item.text())
        table.setItem(index, number, item)
    return cell_of(table, index, 0)


def shown_texts(
    table: QTableWidget, rows: Iterable[int] | None = None
) -> list[list[str]]:
    """Return the cells of the visible columns as they are shown, the header first.

    Args:
        rows: indices of the rows; None: all.
    """
    columns = [c for c in range(table.columnCount()) if not table.isColumnHidden(c)]
    head = [table.horizontalHeaderItem(column) for column in columns]
    texts = [[item.text().strip() if item else "" for item in head]]
    for row in range(table.rowCount()) if rows is None else rows:
        cells = [table.item(row, column) for column in columns]
        texts.append([cell.text() if cell else "" for cell in cells])
    return texts


def cell_of(table: QTableWidget, row: int, column: int) -> QTableWidgetItem:
    """Return a cell of a filled table."""
    cell = table.item(row, column)
    assert cell is not None, "every row is filled"
    return cell
