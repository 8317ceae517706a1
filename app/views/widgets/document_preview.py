"""The documents that an import would make, with their fields, before it is done."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.views.theme import GRID, scaled
from app.views.widgets.controls import describe, make_label
from app.views.widgets.preview import Preview
from app.views.words import format_count

ROW_HEIGHT = 26
N_ROWS = 5  # in sight
FEW = 4  # columns that leave the name its room


class DocumentPreview(QWidget):
    """A heading that counts them, a table of the first, and what is wrong."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._heading = make_label("", "section")
        self.table = QTableWidget()
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(scaled(ROW_HEIGHT))
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.table.setFixedHeight(scaled((N_ROWS + 1) * ROW_HEIGHT) + GRID)
        describe(
            self.table, self.tr("Documents"), self.tr("Documents and their fields.")
        )
        self._problems = make_label("", "warning", wraps=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        for widget in (self._heading, self.table, self._problems):
            layout.addWidget(widget)
        self.hide()

    def show_preview(self, preview: Preview) -> None:
        """Show what was found; without documents nothing is shown."""
        self.setVisible(bool(preview.n_documents))
        count = format_count(preview.n_documents)
        self._heading.setText(self.tr("Documents ({n})").format(n=count))
        titles = [self.tr("Document"), *preview.document_fields]
        self.table.clear()
        self.table.setRowCount(len(preview.documents))
        self.table.setColumnCount(len(titles))
        self.table.setHorizontalHeaderLabels(titles)
        for row, found in enumerate(preview.documents):
            fields = (found.fields.get(name, "") for name in titles[1:])
            for column, text in enumerate((found.name, *fields)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.table.setItem(row, column, item)
        modes, header = QHeaderView.ResizeMode, self.table.horizontalHeader()
        header.setSectionResizeMode(modes.Stretch)
        if len(titles) <= FEW:  # of several columns the name is the widest
            header.setSectionResizeMode(modes.Interactive)
            header.setSectionResizeMode(0, modes.Stretch)
        told = "\n".join(preview.document_problems[:3])
        self._problems.setText(told)
        self._problems.setVisible(bool(told))
