"""Table of measurements of any kind."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.results.measurements import Measurement
from app.results.tables import EMPTY_CELL, cells_of
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT
from app.views.widgets.controls import describe
from app.views.widgets.tables import SortableItem
from app.views.widgets.theme import scaled

ROW_HEIGHT = 26
MAX_COLUMN_WIDTH = 260  # pixels of a column
HEADING_PADDING = "\u2002"  # after a heading: room for the sort indicator


class MeasurementTable(QTableWidget):
    """A sortable table of measurements of any kind."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(scaled(ROW_HEIGHT, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().setHighlightSections(False)
        hint = self.tr("Click a heading to sort. Ctrl+C copies the selected rows.")
        describe(self, self.tr("Results"), hint)
        self.setToolTip("")

    def show_rows(self, rows: Sequence[Measurement]) -> None:
        """Show rows in their order."""
        cells = [{_tr(name): cell for name, cell in cells_of(row)} for row in rows]
        used = {name for row in cells for name, cell in row.items() if cell.text}
        names = [n for n in dict.fromkeys(n for row in cells for n in row) if n in used]
        self.setSortingEnabled(False)
        self.clear()
        self.setRowCount(len(rows))
        self.setColumnCount(len(names))
        header = self.horizontalHeader()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        for column, name in enumerate(names):
            values = [row.get(name, EMPTY_CELL).value for row in cells]
            is_text = any(isinstance(value, str) for value in values)
            heading = QTableWidgetItem(name + HEADING_PADDING * (not is_text))
            heading.setTextAlignment(ALIGN_LEFT if is_text else ALIGN_RIGHT)
            self.setHorizontalHeaderItem(column, heading)
            for place, row in enumerate(cells):
                cell = row.get(name, EMPTY_CELL)
                item = SortableItem(*cell)
                item.setTextAlignment(ALIGN_LEFT if is_text else ALIGN_RIGHT)
                item.setToolTip(cell.text)
                self.setItem(place, column, item)
        self.setSortingEnabled(True)
        self._fit()

    def texts(self, *, is_selection: bool = False) -> list[list[str]]:
        """Return the cells in the shown order, the header first."""
        places = sorted({index.row() for index in self.selectedIndexes()})
        shown = places if is_selection and places else range(self.rowCount())
        columns = range(self.columnCount())
        head = [self.horizontalHeaderItem(c) for c in columns]
        found = [[one.text().strip() if one else "" for one in head]]
        for row in shown:
            cells = [self.item(row, c) for c in columns]
            found.append([cell.text() if cell else "" for cell in cells])
        return found

    def _fit(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.resizeColumnsToContents()
        for column in range(self.columnCount()):
            if self.columnWidth(column) > scaled(MAX_COLUMN_WIDTH, self):
                self.setColumnWidth(column, scaled(MAX_COLUMN_WIDTH, self))


def _tr(text: str) -> str:
    return QCoreApplication.translate("evaluations", text)
