"""How a table of any number of rows is set up: nothing is measured or counted."""

from collections.abc import Mapping

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.views.theme import scaled
from app.views.widgets.page_model import ROW_HEIGHT
from app.views.widgets.text_delegate import TextDelegate

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


def share_room(table: QTableView, texts: tuple[int, int]) -> None:
    """Give each of two columns half of the room that the others leave."""
    others = [i for i in range(table.model().columnCount()) if i not in texts]
    room = table.viewport().width() - sum(map(table.columnWidth, others))
    table.setColumnWidth(texts[0], max(room // 2, 1))
    table.setColumnWidth(texts[1], max(room - room // 2, 1))


def choose_row(table: QTableView, row: int, column: int) -> None:
    """Make one row current and choose it, nothing else; the place is in a column."""
    flag = QItemSelectionModel.SelectionFlag
    index = table.model().index(row, column)
    table.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
