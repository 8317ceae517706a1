"""The documents of a corpus in a folded card: sorted, chosen, their fields written."""

from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.corpus_changes import SetDocumentField
from app.engine.store.document_rows import DocumentRow, list_documents
from app.engine.store.rows import CorpusRow
from app.params import DescribeDocuments
from app.views.state import AppState
from app.views.theme import GRID, scaled
from app.views.widgets.controls import describe, make_button
from app.views.widgets.dialogs import ask_path
from app.views.widgets.document_model import DocumentModel
from app.views.widgets.folded_section import FoldedSection
from app.views.widgets.large_table import set_up_large_table
from app.views.widgets.wrapping_row import WrappingRow
from app.views.words import format_count

TABLE_HEIGHTS = (124, 200)  # pixels, by the height of the window
WIDTHS = (240, 160)  # of the name, and of any other column, at most
SORT_MARK = 8
LEAST_NAME = 150  # pixels beside all fields; else they are scrolled
FIELD_WIDTHS = (88, 110)  # least, of a field and its value
N_MEASURED = 50  # rows
MOST_AT_ONCE = 1_000  # documents of one change


class DocumentBoard(QWidget):
    """Shows nothing where a corpus has no documents."""

    document_chosen = Signal(int)  # position of its first sentence

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._corpus: CorpusRow | None = None
        self.model = DocumentModel(self)
        self.model.value_given.connect(self._on_value_given)
        self._body = self._make_body()
        self.card = FoldedSection(self.tr("Documents"), lambda: self._body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.card)
        state.row_changed.connect(self._on_row_changed)
        self.hide()

    def show_corpus(self, corpus: CorpusRow | None) -> None:
        """Show the documents of a corpus; None: of none."""
        project = self._state.project
        self._corpus = corpus if project is not None else None
        found: list[DocumentRow] = []
        if self._corpus is not None and project is not None:
            found = list_documents(project.store, self._corpus.id)
            self.model.can_write = not project.is_read_only
        kept = self._chosen_firsts()
        self.model.show_documents(found)
        self._choose(kept)
        self._show_form()
        self.setVisible(bool(found))
        self.card.set_summary(self._summary())

    def take_table(self, file: Path) -> None:
        """Give the documents fields from a table."""
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
        self.table.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicatorClearable(True)
        self.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        describe(
            self.table,
            self.tr("Documents"),
            self.tr("Choose one to see where it begins; F2 writes a field."),
        )
        self.table.selectionModel().selectionChanged.connect(self._show_form)
        self.table.clicked.connect(lambda index: self._show_place(index.row()))
        self.table.activated.connect(lambda index: self._show_place(index.row()))
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.table)
        layout.addLayout(self._make_form())
        return body

    def _make_form(self) -> WrappingRow:
        self.field = QComboBox()
        self.field.setEditable(True)
        self.field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        edit = self.field.lineEdit()
        if edit is not None:
            edit.setPlaceholderText(self.tr("Field"))
        describe(self.field, self.tr("Field"), self.tr("One of these, or a new one."))
        self.value = QLineEdit()
        self.value.setPlaceholderText(self.tr("Value; empty takes the field away"))
        describe(self.value, self.tr("Value"), self.tr("What the documents get."))
        self.value.returnPressed.connect(self.write_field)
        self.set = make_button(
            self.tr("Set"),
            self.tr("Give the chosen documents this value."),
            self.write_field,
        )
        table = make_button(
            self.tr("Fields from a table…"),
            self.tr("A table whose first column names the document."),
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

    # --- what the user does ---

    def write_field(self) -> None:
        """Give the chosen documents the value of the field."""
        firsts, field = self._chosen_firsts(), self.field.currentText().strip()
        if self._corpus is None or not firsts or not field:
            return
        if len(firsts) > MOST_AT_ONCE:
            words = self.tr("Choose at most {n} documents; a table describes more.")
            most = format_count(MOST_AT_ONCE)
            self._state.notice_posted.emit(words.format(n=most))
            return
        self._write(tuple(firsts), field, self.value.text().strip())
        self.value.clear()

    def _on_value_given(self, first: int, field: str, value: str) -> None:
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
            self.tr("Fields from a table"),
            self.take_table,
            filters=self.tr("Tables (*.tsv *.csv *.xlsx)"),
        )

    def _show_place(self, row: int) -> None:
        self.document_chosen.emit(self.model.rows[row].first)

    # --- what is shown ---

    def _summary(self) -> str:
        n = len(self.model.rows)
        words = self.tr("1 document") if n == 1 else self.tr("{n} documents")
        if self._corpus is not None and self._corpus.subcorpus:
            words = self.tr("{n} documents of the corpora that it is chosen from")
        return " · ".join([words.format(n=format_count(n)), *self.model.fields])

    def _chosen_firsts(self) -> list[int]:
        chosen = self.table.selectionModel().selectedRows()
        return [self.model.rows[index.row()].first for index in chosen]

    def _choose(self, firsts: list[int]) -> None:
        """Choose documents again after their fields are others."""
        flags = QItemSelectionModel.SelectionFlag
        rows = {row.first: place for place, row in enumerate(self.model.rows)}
        for first in firsts:
            if first in rows:
                index = self.model.index(rows[first], 0)
                model = self.table.selectionModel()
                model.select(index, flags.Select | flags.Rows)

    def _show_form(self) -> None:
        """Let the button say how many it will write."""
        n = len(self._chosen_firsts())
        words = self.tr("Set for 1") if n == 1 else self.tr("Set for {n}")
        self.set.setText(words.format(n=format_count(n)))
        self.set.setAccessibleName(self.set.text())
        kept = self.field.currentText()
        self.field.clear()
        self.field.addItems(self.model.fields)
        self.field.setCurrentText(kept or next(iter(self.model.fields), ""))
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
        room = self.table.viewport().width() - sum(widths[1:])
        if self.model.rows and room >= scaled(LEAST_NAME):
            header.setSectionResizeMode(0, modes.Stretch)

    def _width_of(self, column: int) -> int:
        """Give a column the room that its first texts need, within bounds."""
        metrics = self.table.fontMetrics()
        title = self.model.headerData(column, Qt.Orientation.Horizontal)
        rows = range(min(len(self.model.rows), N_MEASURED))
        texts = [str(self.model.index(row, column).data()) for row in rows]
        widest = max(map(metrics.horizontalAdvance, [str(title), *texts]))
        most = scaled(WIDTHS[min(column, 1)])
        return min(widest + 3 * GRID + SORT_MARK, most)

    def _on_row_changed(self, kind: str, row_id: int) -> None:
        if kind == "document" and self._corpus and self._corpus.id == row_id:
            self.show_corpus(self._corpus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the names what room the fields leave."""
        super().resizeEvent(event)
        low, high = (scaled(height) for height in TABLE_HEIGHTS)
        self.table.setFixedHeight(min(max(self.window().height() // 5, low), high))
        self._fit_columns()


__all__ = ["DocumentBoard"]
