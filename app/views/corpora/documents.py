"""The documents of a corpus and their fields, as an editable table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QItemSelectionModel,
    QLocale,
    QModelIndex,
    QObject,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QTableView,
    QWidget,
)

from app.engine.store.corpora import CorpusRow
from app.engine.store.documents import (
    DocumentRow,
    document_field_names,
    list_documents,
    parse_field_number,
    shorten_document_names,
    whole_documents,
)
from app.params.corpora import DescribeDocuments
from app.protocol.edits.corpora import SetDocumentField
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import as_widget, make_column
from app.views.widgets.cells import (
    ALIGN_LEFT,
    ALIGN_RIGHT,
    DISPLAY_ROLE,
    Index,
    TableModel,
)
from app.views.widgets.controls import describe, make_button
from app.views.widgets.dialogs import ask_path
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.sections import CollapsibleSection
from app.views.widgets.tables import set_up_large_table
from app.views.widgets.theme import GRID, scaled

NAME, SENTENCES = 0, 1  # columns; the columns of fields follow


class DocumentModel(TableModel):
    """Documents and their fields; an edited field is shown once it is saved.

    Attributes:
        rows: the documents in the order shown.
        fields: titles of the columns after the first two.
        can_write: whether fields can be edited.
    """

    value_edited = Signal(int, str, str)  # first position in the document, field, value

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.rows: list[DocumentRow] = []
        self.fields: list[str] = []
        self.can_write = False
        self._shown: dict[
            str, str
        ] = {}  # shortened names that need a folder to be unique
        self._numbers: set[str] = set()  # numeric fields
        self._sort = (-1, Qt.SortOrder.AscendingOrder)

    def show_documents(self, sections: Sequence[DocumentRow]) -> None:
        """Show the documents of a corpus, sorted as before."""
        self.beginResetModel()
        self.rows = whole_documents(sections)
        short = shorten_document_names(row.name for row in self.rows)
        self._shown = {name: end for name, end in short.items() if "/" in end}
        self.fields = document_field_names(self.rows)
        self._numbers = {name for name in self.fields if self._are_numbers(name)}
        self._arrange()
        self.endResetModel()

    def _are_numbers(self, field: str) -> bool:
        values = [row.fields[field] for row in self.rows if field in row.fields]
        return all(parse_field_number(value) is not None for value in values)

    def _arrange(self) -> None:
        column, order = self._sort
        if 0 <= column < self.columnCount():
            is_descending = order == Qt.SortOrder.DescendingOrder
            known = [row for row in self.rows if self._value(row, column) != ""]
            others = [row for row in self.rows if self._value(row, column) == ""]
            known.sort(key=lambda row: self._key(row, column), reverse=is_descending)
            self.rows = known + others  # empty values come last in both orders
        else:
            self.rows.sort(key=lambda row: row.first)

    def _value(self, row: DocumentRow, column: int) -> str:
        if column == NAME:
            return row.name
        if column == SENTENCES:
            return str(row.n_sentences)
        return row.fields.get(self.fields[column - 2], "")

    def _key(self, row: DocumentRow, column: int) -> tuple[float, str]:
        value = self._value(row, column)
        if self._is_number(column):
            return parse_field_number(value) or 0.0, ""
        return 0.0, value.casefold()

    def _is_number(self, column: int) -> bool:
        if column <= SENTENCES:
            return column == SENTENCES
        return self.fields[column - 2] in self._numbers

    def n_rows(self) -> int:
        """Return the number of documents."""
        return len(self.rows)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return 2 + len(self.fields)

    def title(self, column: int) -> str:
        """Return the title of a column."""
        return (self.tr("Document"), self.tr("Sentences"), *self.fields)[column]

    def title_hint(self, column: int) -> str | None:
        """Return the tooltip: the order that a click sorts by."""
        return self.tr("Click to sort by %1").replace("%1", self.title(column))

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column."""
        return ALIGN_RIGHT if self._is_number(column) else ALIGN_LEFT

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return the content of a cell for a role."""
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole if column == SENTENCES:
                return QLocale().toString(row.n_sentences)
            case Qt.ItemDataRole.DisplayRole if column == NAME:
                return self._shown.get(row.name, row.name)
            case (
                Qt.ItemDataRole.DisplayRole
                | Qt.ItemDataRole.EditRole
                | Qt.ItemDataRole.ToolTipRole
            ):
                return self._value(row, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment(column)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Make fields editable unless the project is read-only."""
        flags = super().flags(index)
        if self.can_write and index.column() > SENTENCES:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(
        self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)
    ) -> bool:
        """Report an edited field; the table shows it once it is saved."""
        row, text = self.rows[index.row()], str(value).strip()
        field = self.fields[index.column() - 2]
        if role == Qt.ItemDataRole.EditRole and text != row.fields.get(field, ""):
            self.value_edited.emit(row.first, field, text)
        return False

    def sort(
        self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder
    ) -> None:
        """Sort by a column, or in corpus order for column -1."""
        self._sort = (column, order)
        self.beginResetModel()
        self._arrange()
        self.endResetModel()


TABLE_HEIGHTS = (124, 200)  # minimum and maximum, in pixels
MAX_WIDTHS = (240, 160)  # of the name, and of any other column
SORT_MARK = 8
MIN_NAME_WIDTH = 150  # pixels; below it the table scrolls
FIELD_WIDTHS = (88, 110)  # minimum, of a field and its value
N_MEASURED = 50  # rows that set the column widths
MAX_EDITED = 1_000  # documents per edit


class DocumentPanel(QWidget):
    """The documents of one corpus; hidden for a corpus without documents."""

    document_chosen = Signal(int)  # position of its first sentence

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._corpus: CorpusRow | None = None
        self.model = DocumentModel(self)
        self.model.value_edited.connect(self._on_value_edited)
        self._body = self._make_body()
        self.card = CollapsibleSection(self.tr("Documents"), lambda: self._body)
        make_column(self.card, parent=self)
        state.row_changed.connect(self._on_row_changed)
        self.hide()

    def show_corpus(self, corpus: CorpusRow | None) -> None:
        """Show the documents of a corpus, or nothing for None."""
        project = self._state.project
        self._corpus = corpus if project is not None else None
        found: list[DocumentRow] = []
        if self._corpus is not None and project is not None:
            found = list_documents(project.store, self._corpus.id)
            self.model.can_write = not project.is_read_only
        selected = self._selected_firsts()
        self.model.show_documents(found)
        self._select(selected)
        self._show_form()
        self.setVisible(bool(found))
        self.card.set_summary(self._summary())

    def import_fields(self, file: Path) -> None:
        """Import fields of the documents from a table."""
        if self._corpus is not None:
            corpus = str(self._corpus.id)
            self._state.run(DescribeDocuments(corpus=corpus, file=file))

    # --- making ---

    def _make_body(self) -> QWidget:
        self.table = QTableView()
        self.table.setModel(self.model)
        set_up_large_table(self.table)
        triggers = QAbstractItemView.EditTrigger
        self.table.setEditTriggers(
            triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed
        )
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.horizontalHeader().setDefaultAlignment(ALIGN_LEFT)
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicatorClearable(True)
        self.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        describe(
            self.table,
            self.tr("Documents"),
            self.tr("Select a document to go to its first sentence. F2 edits a field."),
        )
        self.table.selectionModel().selectionChanged.connect(self._show_form)
        self.table.clicked.connect(self._on_row_activated)
        self.table.activated.connect(self._on_row_activated)
        return as_widget(make_column(self.table, self._make_form()))

    def _make_form(self) -> WrappingRow:
        self.field = QComboBox()
        self.field.setEditable(True)
        self.field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        edit = self.field.lineEdit()
        if edit is not None:
            edit.setPlaceholderText(self.tr("Field"))
        describe(
            self.field, self.tr("Field"), self.tr("Choose a field, or enter a new one.")
        )
        self.value = QLineEdit()
        self.value.setPlaceholderText(self.tr("Value (empty removes the field)"))
        describe(self.value, self.tr("Value"), self.tr("New value of the field."))
        self.value.returnPressed.connect(self.write_field)
        self.set = make_button(
            self.tr("Set"),
            self.tr("Set the field of the selected documents."),
            self.write_field,
        )
        table = make_button(
            self.tr("Import fields…"),
            self.tr(
                "Import fields from a table with the document's name in the first "
                "column."
            ),
            self._ask_table,
            kind="quiet",
        )
        self.field.setMinimumWidth(scaled(FIELD_WIDTHS[0]))
        self.value.setMinimumWidth(scaled(FIELD_WIDTHS[1]))
        self.form = (self.field, self.value, self.set, table)
        row = WrappingRow()
        for widget in self.form:
            row.addWidget(widget)
        return row

    # --- edits ---

    def write_field(self) -> None:
        """Set the field of the selected documents."""
        firsts, field = self._selected_firsts(), self.field.currentText().strip()
        if self._corpus is None or not firsts or not field:
            return
        if len(firsts) > MAX_EDITED:
            words = self.tr(
                "Select at most {n} documents, or import the fields from a table."
            )
            text = words.format(n=format_count(MAX_EDITED))
            self._state.notice_posted.emit(text)
            return
        self._write(tuple(firsts), field, self.value.text().strip())
        self.value.clear()

    def _on_value_edited(self, first: int, field: str, value: str) -> None:
        self._write((first,), field, value)

    def _write(self, firsts: tuple[int, ...], field: str, value: str) -> None:
        if self._corpus is not None:
            self._state.edit(
                SetDocumentField(
                    corpus=self._corpus.id, documents=firsts, field=field, value=value
                )
            )

    def _ask_table(self) -> None:
        ask_path(
            self,
            self.tr("Import fields"),
            self.import_fields,
            filters=self.tr("Tables (*.tsv *.csv *.xlsx)"),
        )

    def _on_row_activated(self, index: QModelIndex) -> None:
        self.document_chosen.emit(self.model.rows[index.row()].first)

    # --- display ---

    def _summary(self) -> str:
        n = len(self.model.rows)
        one, many = self.tr("1 document"), self.tr("{n} documents")
        if self._corpus is not None and self._corpus.subcorpus:
            one = self.tr("1 document of the whole corpora")
            many = self.tr("{n} documents of the whole corpora")
        return " · ".join([pluralize(n, one, many), *self.model.fields])

    def _selected_firsts(self) -> list[int]:
        rows = self.table.selectionModel().selectedRows()
        return [self.model.rows[index.row()].first for index in rows]

    def _select(self, firsts: list[int]) -> None:
        """Select documents by the positions of their first sentences."""
        flags = QItemSelectionModel.SelectionFlag
        rows = {row.first: place for place, row in enumerate(self.model.rows)}
        for first in firsts:
            if first in rows:
                index = self.model.index(rows[first], 0)
                model = self.table.selectionModel()
                model.select(index, flags.Select | flags.Rows)

    def _show_form(self) -> None:
        """Refresh the form and the number of documents on its button."""
        n = len(self._selected_firsts())
        self.set.setText(self.tr("Set for {n}").format(n=format_count(n)))
        self.set.setAccessibleName(self.set.text())
        field = self.field.currentText()
        self.field.clear()
        self.field.addItems(self.model.fields)
        self.field.setCurrentText(field or next(iter(self.model.fields), ""))
        for widget in self.form:
            widget.setEnabled(self.model.can_write)
        self.set.setEnabled(self.model.can_write and n > 0)
        self._fit_columns()

    def _fit_columns(self) -> None:
        modes, header = QHeaderView.ResizeMode, self.table.horizontalHeader()
        header.setSectionResizeMode(modes.Interactive)
        widths = [self._width_of(column) for column in range(self.model.columnCount())]
        for column, width in enumerate(widths):
            self.table.setColumnWidth(column, width)
        space = self.table.viewport().width() - sum(widths[1:])
        if self.model.rows and space >= scaled(MIN_NAME_WIDTH):
            header.setSectionResizeMode(0, modes.Stretch)

    def _width_of(self, column: int) -> int:
        """Return the width that the first texts of a column need, up to a maximum."""
        metrics = self.table.fontMetrics()
        title = self.model.headerData(column, Qt.Orientation.Horizontal)
        rows = range(min(len(self.model.rows), N_MEASURED))
        texts = [str(self.model.index(row, column).data()) for row in rows]
        widest = max(map(metrics.horizontalAdvance, [str(title), *texts]))
        most = scaled(MAX_WIDTHS[min(column, 1)])
        return min(widest + 3 * GRID + SORT_MARK, most)

    def _on_row_changed(self, kind: str, row_id: int) -> None:
        if kind == "document" and self._corpus and self._corpus.id == row_id:
            self.show_corpus(self._corpus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height to the window and the columns to the width."""
        super().resizeEvent(event)
        low, high = (scaled(height) for height in TABLE_HEIGHTS)
        self.table.setFixedHeight(min(max(self.window().height() // 5, low), high))
        self._fit_columns()
