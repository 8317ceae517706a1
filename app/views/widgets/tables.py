"""Shared parts of tables: text delegate, column set-up, sortable items."""

from collections.abc import Mapping

from PySide6.QtCore import QItemSelectionModel, QRectF, QSize
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTableWidgetItem,
)

from app.views.widgets.cells import LANGUAGE_ROLE, MARKS_ROLE, ROW_HEIGHT, Index
from app.views.widgets.text_layout import TextStyle, draw_layout, lay_out_text
from app.views.widgets.theme import mix, scaled, tokens_of

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
        item, text = self.paint_back(painter, option, index)
        tokens = tokens_of(QApplication.palette())
        is_selected = bool(item.state & QStyle.StateFlag.State_Selected)
        role = item.palette.ColorRole
        colour = item.palette.color(role.HighlightedText if is_selected else role.Text)
        mark = None if is_selected else QColor(mix(tokens, "accent", 0.25))
        place = QRectF(item.rect).adjusted(PADDING, 0, -PADDING, 0)
        find = str(index.data(MARKS_ROLE) or "")
        layout, height = lay_out_text(
            text,
            str(index.data(LANGUAGE_ROLE) or ""),
            place.width(),
            TextStyle(item.font, colour, mark, max_lines=self.max_lines),
            (find,) if find else (),
        )
        place.setTop(place.top() + max((place.height() - height) / 2, 0))
        painter.save()
        painter.setClipRect(item.rect)
        draw_layout(painter, layout, place, colour)
        painter.restore()

    def paint_back(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> tuple[QStyleOptionViewItem, str]:
        """Paint what is behind the text; returns the cell's style and its text."""
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        text, item.text = item.text, ""
        style = item.widget.style() if item.widget else QApplication.style()
        style.drawControl(
            QStyle.ControlElement.CE_ItemViewItem, item, painter, item.widget
        )
        return item, text

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return a size that needs no text to be read: rows have one fixed height."""
        return QSize(320, option.fontMetrics.height() + PADDING)


ROW_HEIGHT_TWO = 46  # pixels of a row of two lines


def set_up_large_table(table: QTableView) -> None:
    """Let a table with a model choose whole rows and measure none of them."""
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


def share_width(table: QTableView, texts: tuple[int, int]) -> None:
    """Divide the room that the other columns leave between two columns."""
    others = [i for i in range(table.model().columnCount()) if i not in texts]
    room = table.viewport().width() - sum(map(table.columnWidth, others))
    table.setColumnWidth(texts[0], max(room // 2, 1))
    table.setColumnWidth(texts[1], max(room - room // 2, 1))


def select_table_row(table: QTableView, row: int, column: int) -> None:
    """Make one row current and choose it, nothing else; the place is in a column."""
    flag = QItemSelectionModel.SelectionFlag
    index = table.model().index(row, column)
    table.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)


Value = float | str | None


class SortableItem(QTableWidgetItem):
    """Nothing comes last."""

    def __init__(self, text: str, value: Value):
        super().__init__(text)
        self.value = value

    def __lt__(self, other: QTableWidgetItem) -> bool:
        """Compare values."""
        mine, its = self.value, getattr(other, "value", None)
        if mine is None or its is None:
            return mine is not None
        return bool(mine < its)
