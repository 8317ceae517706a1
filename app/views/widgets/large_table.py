"""How a table of any number of rows is set up: nothing is measured or counted."""

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.views.theme import scaled
from app.views.widgets.page_model import ROW_HEIGHT


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
