"""The table of what was measured: a figure a row, its interval beside it."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.measurement_cells import NONE, cells_of
from app.measurements import Measurement
from app.views.theme import scaled
from app.views.widgets.controls import describe
from app.views.widgets.sorted_item import SortedItem

ROW_HEIGHT = 26
WIDEST = 260  # pixels of a column
HEAD_ROOM = "\u2002"  # behind a heading: the mark of the order stands there


class MeasurementTable(QTableWidget):
    """Rows of any kind; a heading sorts."""

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
        hint = self.tr(
            "One figure a row; a heading sorts, Ctrl+C copies what is chosen."
        )
        describe(self, self.tr("What was measured"), hint)
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
            values = [row.get(name, NONE).value for row in cells]
            is_text = any(isinstance(value, str) for value in values)
            heading = QTableWidgetItem(name + HEAD_ROOM * (not is_text))
            heading.setTextAlignment(_LEFT if is_text else _RIGHT)
            self.setHorizontalHeaderItem(column, heading)
            for place, row in enumerate(cells):
                cell = row.get(name, NONE)
                item = SortedItem(*cell)
                item.setTextAlignment(_LEFT if is_text else _RIGHT)
                item.setToolTip(cell.text)
                self.setItem(place, column, item)
        self.setSortingEnabled(True)
        self._fit()

    def texts(self, *, chosen: bool = False) -> list[list[str]]:
        """Give the cells as they are sorted, the header first."""
        places = sorted({index.row() for index in self.selectedIndexes()})
        shown = places if chosen and places else range(self.rowCount())
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
            if self.columnWidth(column) > scaled(WIDEST, self):
                self.setColumnWidth(column, scaled(WIDEST, self))


def _tr(text: str) -> str:
    return QCoreApplication.translate("measurement_table", text)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
