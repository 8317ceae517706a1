"""Table of measurements of any kind."""

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem, QWidget

from app.results.measurements import Measurement, name_set_languages
from app.results.tables import (
    EMPTY_CELL,
    FIELD_TITLES,
    cells_of,
    share_columns,
    value_table,
)
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT
from app.views.widgets.controls import (
    describe,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.dialogs import copy_text
from app.views.widgets.export_dialog import (
    ExportDialog,
    ExportedRows,
    ask_rows_export,
    freeze_table,
)
from app.views.widgets.number_format import pluralize
from app.views.widgets.tables import (
    HEADING_PADDING,
    SelectionMode,
    SortableItem,
    fit_columns,
    set_up_table,
    shown_texts,
)
from app.views.widgets.theme import scaled

_tr = partial(QCoreApplication.translate, "evaluations")

ROW_HEIGHT, LEAST_HEIGHT = 26, 144  # pixels, of a row and of the table
ENCODER = 0  # column
MAX_COLUMN_WIDTH = 260  # pixels of a column


PLACE_ROLE = int(Qt.ItemDataRole.UserRole)  # index of a row in the order given


class MeasurementTable(QTableWidget):
    """A sortable table of measurements of any kind."""

    row_activated = Signal(int)  # index of a row, on Enter or a double click

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        set_up_table(self, ROW_HEIGHT, SelectionMode.ExtendedSelection)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().setHighlightSections(False)
        hint = self.tr("Click a heading to sort. Ctrl+C copies the selected rows.")
        describe(self, self.tr("Results"), hint, has_tooltip=False)
        self.itemActivated.connect(
            lambda item: self.row_activated.emit(item.data(PLACE_ROLE))
        )

    def show_rows(self, rows: Sequence[Measurement]) -> None:
        """Show rows in their order."""
        cells = [
            {_tr(name): cell for name, cell in cells_of(row)}
            for row in name_set_languages(share_columns(rows))
        ]
        used = {name for row in cells for name, cell in row.items() if cell.text}
        names = [n for n in dict.fromkeys(n for row in cells for n in row) if n in used]
        names.sort(key=lambda name: name == _tr(FIELD_TITLES["n_pool"]))  # after scores
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
            for index, row in enumerate(cells):
                cell = row.get(name, EMPTY_CELL)
                item = SortableItem(*cell)
                item.setTextAlignment(ALIGN_LEFT if is_text else ALIGN_RIGHT)
                item.setToolTip(cell.text)
                item.setData(PLACE_ROLE, index)
                self.setItem(index, column, item)
        self.setSortingEnabled(True)
        self._order_columns(is_single=len({row.encoder for row in rows}) == 1)
        self._fit()

    def texts(self, *, is_selection: bool = False) -> list[list[str]]:
        """Return the cells in the shown order, the header first."""
        indices = sorted({index.row() for index in self.selectedIndexes()})
        return shown_texts(self, indices if is_selection and indices else None)

    def _order_columns(self, *, is_single: bool) -> None:
        """Show the encoder last if all rows have the same; copies keep its column."""
        header, last = self.horizontalHeader(), self.columnCount() - 1
        for column in range(self.columnCount()):
            header.moveSection(header.visualIndex(column), column)
        if is_single and last > 0:
            header.moveSection(ENCODER, last)

    def _fit(self) -> None:
        fit_columns(self, most=scaled(MAX_COLUMN_WIDTH, self), fills=False)

    def minimumSizeHint(self) -> QSize:
        """Return a size with room for a few rows."""
        return QSize(super().minimumSizeHint().width(), scaled(LEAST_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()


class MeasurementPane(QWidget):
    """A table of measurements below its heading, with buttons to copy and export it.

    Attributes:
        rows: the rows shown.
        table: the table of the rows.
        name: name of the measurements, for the file of an export.
    """

    def __init__(
        self, state: AppState, heading: str, name: str, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state = state
        self.rows: Sequence[Measurement] = ()
        self.table = MeasurementTable()
        self.name = name
        copying = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.table)
        copying.setContext(Qt.ShortcutContext.WidgetShortcut)
        copying.activated.connect(self.copy_rows)
        self._count = make_label("", "secondary")
        copy = make_button(
            self.tr("Copy"),
            self.tr("Copy the selected rows, or all, for a spreadsheet."),
            self.copy_rows,
            kind="quiet",
        )
        export = make_button(
            self.tr("Export table…"),
            self.tr("Export all fields of all rows."),
            self.ask_export,
            kind="quiet",
        )
        offer_in_palette(export, export.text())
        head, title = WrappingRow(), make_label(heading, "section")
        head.addWidget(as_widget(make_row(title, self._count)))
        head.add_stretch()
        for button in (copy, export):
            head.addWidget(button)
        make_column(head, (self.table, 1), parent=self, gap=4)

    def show_rows(self, rows: Sequence[Measurement]) -> None:
        """Show rows in their order."""
        self.rows = rows
        self.table.show_rows(rows)
        one, many = self.tr("1 row"), self.tr("{n} rows")
        self._count.setText(pluralize(len(rows), one, many))

    def copy_rows(self) -> None:
        """Copy the selected rows, or all rows, with the header."""
        texts = self.table.texts(is_selection=True)
        copy_text("\n".join("\t".join(row) for row in texts))
        one, many = self.tr("1 row copied."), self.tr("{n} rows copied.")
        self._state.notice_posted.emit(pluralize(len(texts) - 1, one, many))

    def ask_export(self) -> ExportDialog:
        """Open the dialog that exports all fields of all rows."""
        title, n = self.tr("Export table"), len(self.rows)
        values = freeze_table(self._all_values)
        texts = freeze_table(lambda: iter(self.table.texts()))
        shown = ExportedRows("", values, n, texts)
        return ask_rows_export(self._state, self.window(), title, self.name, [shown])

    def _all_values(self) -> Iterator[Sequence[str]]:
        head, rows = value_table(self.rows)
        yield head
        yield from rows
